"""Formats emitted Python and proves that it parses."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from ..errors import ConfigError, TemplateError
from .laid_out import is_laid_out
from .pieces import Piece, take_apart

Formatter: TypeAlias = Literal["black", "ruff", "none"]
LINE_LENGTH = 100

T = TypeVar("T")


def formatter_named(name: str, where: str) -> Formatter:
    """The formatter of a name; raises `ConfigError` where there is none."""
    match name:
        case "black" | "ruff" | "none":
            return name
        case _:
            raise ConfigError(where, f"found {name!r}, expected black, ruff or none")


def fitted(items: Iterable[str], start: str, end: str, indent: int = 0) -> str:
    """`start`, the items and `end` on one line; an item a line where that is too long.

    It is how black would lay them out, which black then has to read only once.
    """
    parts = list(items)
    margin = " " * indent
    line = f"{margin}{start}{', '.join(parts)}{end}"
    if len(line) <= LINE_LENGTH:
        return line
    rows = "".join(f"{margin}    {part},\n" for part in parts)
    return f"{margin}{start}\n{rows}{margin}{end}"


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ANY_DATE = "0000-00-00"
_BATCH = 32


def format_files(
    files: Mapping[str, str], formatter: Formatter, executor: Executor | None = None
) -> dict[str, str]:
    """All files, the Python ones formatted; the same text always gives the same text.

    Raises `TemplateError`, with file and line, for code that does not parse, before or after
    formatting, and when the formatter is missing or fails.
    """
    python = {name: text for name, text in files.items() if name.endswith(".py")}
    match formatter:
        case "black":
            formatted = _black(python, executor)
        case "ruff":
            formatted = _ruff(python)
        case "none":
            formatted = python
    for _ in _map(executor, _require_parses, formatted.values(), formatted):
        pass
    return {**files, **formatted}


def _map(executor: Executor | None, task: Callable[..., T], *items: Iterable[Any]) -> Iterable[T]:
    """The results of a task for all items, in order."""
    return executor.map(task, *items) if executor else map(task, *items)


def _require_parses(code: str, where: str) -> None:
    """Raises `TemplateError`, with the line, for code that is not Python."""
    with _reported(code, where):
        ast.parse(code)


@contextmanager
def _reported(code: str, where: str) -> Generator[None]:
    """Turns the errors of Python's parser into `TemplateError`."""
    try:
        yield
    except SyntaxError as error:
        line = error.lineno or 1
        shown = "".join(code.split("\n")[line - 1 : line]).strip()
        what = f"the emitted code is not Python ({error.msg}): {shown}"
        raise TemplateError(f"{where}:{line}", what, "mend the template that makes it") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise TemplateError(where, f"the emitted code is not Python ({error})") from None


# --- black --------------------------------------------------------------------------------------


def _black(files: Mapping[str, str], executor: Executor | None) -> dict[str, str]:
    """The files with each distinct piece of them formatted once."""
    taken_apart = _map(executor, _pieces, files.values(), files)
    pieces = dict(zip(files, taken_apart, strict=True))
    sources = {_undated(piece.source) for parts in pieces.values() for piece in parts}
    # The longest first and evenly spread, so that no processor waits for them at the end.
    ordered = sorted(sources, key=lambda source: (-len(source), source))
    count = -(-len(ordered) // _BATCH)
    batches = _map(executor, _batch, [ordered[start::count] for start in range(count)])
    formatted = {source: text for batch in batches for source, text in batch.items()}
    return {
        name: "".join(piece.placed(_dated(piece.source, formatted)) for piece in parts)
        for name, parts in pieces.items()
    }


def _pieces(code: str, where: str) -> list[Piece]:
    with _reported(code, where):
        return take_apart(code)


def _undated(source: str) -> str:
    """Code without its protocol versions: dates of one length do not change the layout."""
    return _DATE.sub(_ANY_DATE, source)


def _dated(source: str, formatted: Mapping[str, str]) -> str:
    """The code formatted, with its own protocol versions put back."""
    text, dates = formatted[_undated(source)], _DATE.findall(source)
    if text.count(_ANY_DATE) != len(dates):
        # Not dates but subtractions, which the formatter spreads out.
        return _format(source)
    remaining = iter(dates)
    return _DATE.sub(lambda _: next(remaining), text)


def _batch(sources: Sequence[str]) -> dict[str, str]:
    return {
        source: source if is_laid_out(source, LINE_LENGTH) else _format(source)
        for source in sources
    }


def _format(source: str) -> str:
    # Imported here: it takes a while, and only emitting needs it.
    from black import format_str
    from black.mode import Mode, TargetVersion
    from black.parsing import InvalidInput

    mode = Mode(target_versions={TargetVersion.PY311}, line_length=LINE_LENGTH)
    try:
        return format_str(source, mode=mode)
    except InvalidInput as error:
        raise TemplateError("formatter black", f"refuses the emitted code: {error}") from None


# --- ruff ---------------------------------------------------------------------------------------


def _ruff(files: Mapping[str, str]) -> dict[str, str]:
    """The files as ruff lays them out, all in one run of it."""
    for name, text in files.items():
        _require_parses(text, name)
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as scratch:
        paths = {name: Path(scratch) / name for name in files}
        for name, path in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files[name].encode())
        _run_ruff(scratch)
        return {name: path.read_bytes().decode() for name, path in paths.items()}


def _run_ruff(folder: str) -> None:
    arguments = [_find_ruff(), "format", "--isolated", "--no-cache", "--quiet"]
    arguments += ["--target-version", "py311", "--line-length", str(LINE_LENGTH), "."]
    done = subprocess.run(arguments, cwd=folder, capture_output=True, check=False)
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise TemplateError("formatter ruff", f"refuses the emitted code: {message}")


def ruff_version() -> str:
    """The version of ruff. Raises `TemplateError` when it is missing."""
    done = subprocess.run([_find_ruff(), "--version"], capture_output=True, check=False)
    return done.stdout.decode(errors="replace").strip()


def _find_ruff() -> str:
    """The path of ruff: beside this Python, else on the PATH."""
    beside = shutil.which("ruff", path=str(Path(sys.executable).parent))
    command = beside or shutil.which("ruff")
    if command is None:
        raise TemplateError("formatter ruff", "not found on the PATH", "install ruff or use black")
    return command
