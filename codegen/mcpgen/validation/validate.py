"""`mcpgen.validate`: says of the JSON documents in files whether they are valid, and why not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..config import default_spec_dir
from ..errors import McpgenError
from ..files import read_file, read_stream
from ..specs import load_protocols
from .documents import Document, documents
from .judge import Judge, Refusal
from .session import Remark, Session, Verdict

STDIN = Path("-")
"""The file that stands for standard input."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not valid; `line` is where its document begins."""

    file: Path
    line: int
    path: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.path}: expected {self.expected}, found {self.found}"


@dataclass(frozen=True, slots=True)
class Note:
    """What was not judged in something valid; `line` is where its document begins."""

    file: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: note: {self.text}"


@dataclass(frozen=True, slots=True)
class Validation:
    """What `validate` found; `judged` counts messages, or documents of a named type."""

    judged: int
    findings: tuple[Fault | Note, ...]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """One for each message or document that is not valid."""
        return tuple(item for item in self.findings if isinstance(item, Fault))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What could be judged only in part."""
        return tuple(item for item in self.findings if isinstance(item, Note))

    @property
    def valid(self) -> bool:
        """Whether there is no fault."""
        return not self.faults


def validate(
    files: Sequence[Path],
    *,
    version: str,
    type: str | None = None,
    spec_dir: Path | None = None,
    fail_fast: bool = False,
) -> Validation:
    """Judges the JSON documents in files by a version; `-` is standard input.

    Each file is one document, JSON lines, or a recorded session (see `session`). Without
    `type` a document is a message, and the result in a response is judged by the request
    before it in the file; with it, a value of that named type. `fail_fast` stops after the
    first fault. None for `spec_dir` means the folder `spec` where it holds specs, else those
    that come with mcpgen.

    Raises `McpgenError` for a file that cannot be read, that is neither a file nor a pipe, or
    that is larger than `files.LARGEST_FILE`; `ConfigError` for an unknown type,
    and what `load_protocols` raises for an unknown version.
    """
    (protocol,) = load_protocols(spec_dir or default_spec_dir(), (version,))
    judge = Judge(protocol)
    if type is not None:
        judge.require_type(type)
    judged = 0
    findings: list[Fault | Note] = []
    for file, line, verdict in _verdicts(files, judge, type):
        judged += 1
        match verdict:
            case Refusal(path, expected, found):
                findings.append(Fault(file, line, path, expected, found))
                if fail_fast:
                    break
            case Remark(text):
                findings.append(Note(file, line, text))
            case None:
                pass
    return Validation(judged, tuple(findings))


def _verdicts(
    files: Sequence[Path], judge: Judge, type: str | None
) -> Iterator[tuple[Path, int, Verdict]]:
    for file in files:
        session = Session(judge)
        for document in documents(_content(file), judge):
            for verdict in _document_verdicts(document, session, judge, type):
                yield file, document.line, verdict


def _document_verdicts(
    document: Document, session: Session, judge: Judge, type: str | None
) -> Iterator[Verdict]:
    if isinstance(document.value, Refusal):
        yield document.value
    elif type is not None:
        yield judge.named(type, document.value)
    else:
        yield from session.read(document.value)


def _content(file: Path) -> bytes:
    try:
        if file == STDIN:
            with os.fdopen(0, "rb", closefd=False) as stream:
                return read_stream(stream, str(file))
        return read_file(file)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise McpgenError(str(file), f"cannot be read: {reason}") from None
