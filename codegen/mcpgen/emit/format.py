"""Formats emitted Python and proves that it parses."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from typing import Literal, TypeAlias, get_args

from ..errors import TemplateError

Formatter: TypeAlias = Literal["black", "ruff", "none"]
FORMATTERS: tuple[Formatter, ...] = get_args(Formatter)
LINE_LENGTH = 100


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
# Where a template leaves two empty lines before something that is not indented.
_CHUNK = re.compile(r"\n\n\n+(?=\S)")


def format_files(
    files: Mapping[str, str], formatter: Formatter, executor: Executor | None = None
) -> dict[str, str]:
    """All files, the Python ones formatted.

    Files are formatted by top-level chunks, each distinct one once: the versions have most
    of theirs in common, and a formatter takes most of the time that emitting takes. Raises
    `TemplateError` as `format_python` does.
    """
    chunks = {name: _chunks(text, name) for name, text in files.items() if name.endswith(".py")}
    # Protocol versions are dates, all of one length: they make no difference to the layout.
    distinct = list(
        {
            _DATE.sub(_ANY_DATE, part): name for name, parts in chunks.items() for part in parts
        }.items()
    )
    if executor is None:
        done = [_format_batch(distinct, formatter)]
    else:
        count = max(1, len(distinct) // 24)
        batches = [distinct[start::count] for start in range(count)]
        done = list(executor.map(_format_batch, batches, [formatter] * count))
    formatted = {chunk: text for batch in done for chunk, text in batch.items()}

    def laid_out(part: str) -> str:
        dates = iter(_DATE.findall(part))
        text = formatted[_DATE.sub(_ANY_DATE, part)].strip("\n")
        return _DATE.sub(lambda _: next(dates), text)

    return {
        name: "\n\n\n".join(map(laid_out, chunks[name])) + "\n" if chunks.get(name) else text
        for name, text in files.items()
    }


def _chunks(code: str, where: str) -> list[str]:
    """The top-level chunks of a module, or the whole where it cannot be taken apart."""
    _require_parses(code, where)
    parts = [part + "\n" for part in _CHUNK.split(code.strip("\n")) if part]
    try:
        for part in parts:
            ast.parse(part)
    except SyntaxError:
        return [code]
    return parts


def _format_batch(batch: list[tuple[str, str]], formatter: Formatter) -> dict[str, str]:
    return {chunk: format_python(chunk, formatter, where) for chunk, where in batch}


def format_python(code: str, formatter: Formatter, where: str) -> str:
    """The code formatted; the same text always gives the same text.

    `where` names the file in messages. Raises `TemplateError` when the code does not parse,
    before or after formatting, and when the formatter is missing or fails.
    """
    _require_parses(code, where)
    match formatter:
        case "black":
            formatted = _black(code, where)
        case "ruff":
            formatted = _ruff(code, where)
        case "none":
            formatted = code
    if formatted is not code:
        _require_parses(formatted, where)
    return formatted


def _black(code: str, where: str) -> str:
    # Imported here: it takes a while, and only emitting needs it.
    from black import format_str
    from black.mode import Mode, TargetVersion
    from black.parsing import InvalidInput

    mode = Mode(target_versions={TargetVersion.PY311}, line_length=LINE_LENGTH)
    try:
        return format_str(code, mode=mode)
    except InvalidInput as error:
        raise TemplateError(where, f"black refuses the emitted code: {error}") from None


def _ruff(code: str, where: str) -> str:
    command = shutil.which("ruff")
    if command is None:
        raise TemplateError("formatter ruff", "not found on the PATH", "install ruff or use black")
    arguments = [command, "format", "--isolated", "--target-version", "py311"]
    arguments += ["--line-length", str(LINE_LENGTH), "--stdin-filename", "emitted.py", "-"]
    done = subprocess.run(arguments, input=code.encode(), capture_output=True, check=False)
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise TemplateError(where, f"ruff refuses the emitted code: {message}")
    return done.stdout.decode()


def _require_parses(code: str, where: str) -> None:
    try:
        ast.parse(code)
    except SyntaxError as error:
        line = error.lineno or 1
        shown = "".join(code.splitlines()[line - 1 : line]).strip()
        raise TemplateError(
            f"{where}:{line}",
            f"the emitted code is not Python ({error.msg}): {shown}",
            "mend the template that makes it",
        ) from None
    except ValueError as error:
        raise TemplateError(where, f"the emitted code is not Python ({error})") from None
