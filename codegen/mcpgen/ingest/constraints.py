"""Reads the doc comment tags that are JSON Schema keywords."""

from __future__ import annotations

import re
from typing import Any

from ..errors import SchemaError
from .declarations import Doc

_NUMBERS = ("minimum", "maximum")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
# They would change what is accepted, and the Model has no place for them.
_UNSUPPORTED = (
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxProperties",
    "minProperties",
    "multipleOf",
    "pattern",
    "uniqueItems",
)
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,2})?", re.ASCII)
_COUNT = re.compile(r"0|[1-9]\d*", re.ASCII)


def constraints(doc: Doc, where: str, site: str) -> dict[str, Any]:
    """The keywords a doc comment adds to the schema at `site`; `where` is its file and line.

    Raises `SchemaError` for a tag that holds something else than its keyword does, and for
    a keyword that is not supported.
    """
    found: dict[str, Any] = {}
    if (form := doc.tag("format")) is not None:
        if len(form.split()) != 1:
            raise _wrong(where, site, "format", form, "one word")
        found["format"] = form
    for name in (*_NUMBERS, *_COUNTS):
        if (text := doc.tag(name)) is not None:
            found[name] = _number(name, text, where, site)
    for name in _UNSUPPORTED:
        if doc.tag(name) is not None:
            raise SchemaError(where, f"found the tag @{name} of {site}, which is not supported")
    return found


def _number(name: str, text: str, where: str, site: str) -> int | float:
    if name in _COUNTS:
        if not _COUNT.fullmatch(text):
            raise _wrong(where, site, name, text, "a whole number from 0")
        return int(text)
    if not _NUMBER.fullmatch(text):
        raise _wrong(where, site, name, text, "a number")
    value = float(text)
    return int(value) if value.is_integer() else value


def _wrong(where: str, site: str, name: str, text: str, expected: str) -> SchemaError:
    return SchemaError(where, f"found {text!r} in the tag @{name} of {site}, expected {expected}")
