"""Splits a text into its JSON documents: one document, or one on each line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..jsonvalues import is_array, is_object
from .judge import Judge, Refusal


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON document and the line it begins on; `value` is a `Refusal` for a broken one."""

    line: int
    value: Any


def documents(content: bytes, judge: Judge) -> Iterator[Document]:
    """The documents of a text, in order.

    A text that is one JSON document is that, however many lines it takes. Any other is read
    as JSON lines if its first or last line that is not blank is an object or an array; each
    such line is then a document. What is left is one broken document.
    """
    whole = judge.parse(content)
    lines = [(number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()]
    if not isinstance(whole, Refusal) or not _are_json_lines(lines, judge):
        yield Document(lines[0][0] if lines else 1, whole)
        return
    for number, line in lines:
        yield Document(number, _line_value(number, line, judge))


def _are_json_lines(lines: list[tuple[int, bytes]], judge: Judge) -> bool:
    ends = [judge.parse(line) for _, line in (*lines[:1], *lines[-1:])]
    return len(lines) > 1 and any(is_object(value) or is_array(value) for value in ends)


def _line_value(number: int, line: bytes, judge: Judge) -> Any:
    value = judge.parse(line)
    if isinstance(value, Refusal) and _is_utf8(line):
        # Once more below as many empty lines, so that the message counts as the file does.
        return judge.parse(b"\n" * (number - 1) + line)
    return value


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
