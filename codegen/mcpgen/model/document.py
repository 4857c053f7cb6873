"""Checks that a spec document is one, so that what reads it may follow all that it says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, TypeAlias

from ..errors import SchemaError
from ..graphs import find_cycle
from ..jsonvalues import is_array, is_object
from .hoist import REF

Check: TypeAlias = Callable[[object, str], None]

_TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")


def check_document(document: Mapping[str, Any], where: str) -> None:
    """Raises `SchemaError`, with the path, for what no spec document has.

    That is a fact of another kind than `x-mcp` has it, a keyword that is not known or has a
    value of another kind, a reference to a type that is not there, and a type that is defined
    by itself: one of its own bases, members or aliases. `where` names the document.
    """
    for key in ("x-mcp", "$defs"):
        if not is_object(document.get(key)):
            raise SchemaError(f"{where}: {key}", "found no object, expected a spec document")
    facts: Mapping[str, Any] = document["x-mcp"]
    definitions: Mapping[str, Any] = document["$defs"]
    _FACTS(facts, f"{where}: x-mcp")
    schema = _SchemaCheck(definitions).schema
    for name, value in definitions.items():
        schema(value, f"{where}: $defs.{name}")
    _refuse_cycles(definitions, facts["extends"], where)


def _refuse_cycles(
    definitions: Mapping[str, Any], extends: Mapping[str, list[str]], where: str
) -> None:
    needs = {
        name: [*extends.get(name, ()), *_needed(schema)] for name, schema in definitions.items()
    }
    if cycle := find_cycle(needs):
        what = f"found a type defined by itself: {' → '.join(cycle)}"
        raise SchemaError(f"{where}: $defs.{cycle[0]}", what)


def _needed(schema: Mapping[str, Any]) -> Iterator[str]:
    """The types that have to be known before a schema is."""
    if "$ref" in schema:
        yield schema["$ref"].removeprefix(REF)
    for keyword in ("anyOf", "allOf"):
        for member in schema.get(keyword, ()):
            yield from _needed(member)


def _fail(found: object, path: str, expected: str) -> NoReturn:
    text = json.dumps(found)
    shown = text if len(text) <= 80 else f"{text[:77]}..."
    raise SchemaError(path, f"found {shown}, expected {expected}")


# --- kinds of values ----------------------------------------------------------------------------


def _kind(expected: str, *kinds: type) -> Check:
    """A value of one of these types of Python; a boolean is no number."""

    def check(value: object, path: str) -> None:
        if type(value) not in kinds:
            _fail(value, path, expected)

    return check


def _list_of(check: Check, expected: str) -> Check:
    def check_list(value: object, path: str) -> None:
        if not is_array(value):
            _fail(value, path, expected)
        for index, item in enumerate(value):
            check(item, f"{path}[{index}]")

    return check_list


def _object_of(check: Check, expected: str) -> Check:
    def check_object(value: object, path: str) -> None:
        if not is_object(value):
            _fail(value, path, expected)
        for key, item in value.items():
            check(item, f"{path}.{key}")

    return check_object


def _record(members: Mapping[str, Check], optional: Mapping[str, Check]) -> Check:
    def check_record(value: object, path: str) -> None:
        if not is_object(value):
            _fail(value, path, "an object")
        for key, check in members.items():
            if key not in value:
                raise SchemaError(path, f"found no {key}")
            check(value[key], f"{path}.{key}")
        for key, check in optional.items():
            if key in value:
                check(value[key], f"{path}.{key}")

    return check_record


_STRING = _kind("a string", str)
_STRING_OR_NULL = _kind("a string or null", str, type(None))
_BOOLEAN = _kind("true or false", bool)
_INTEGER = _kind("a whole number", int)
_NUMBER = _kind("a number", int, float)
_SCALAR = _kind("a string, a number, a boolean or null", str, int, float, bool, type(None))
_STRINGS = _list_of(_STRING, "an array of strings")

_METHOD = _record(
    {
        "kind": _STRING,
        "sentBy": _STRINGS,
        "message": _STRING,
        "params": _STRING_OR_NULL,
        "paramsRequired": _BOOLEAN,
        "results": _STRINGS,
    },
    {"capability": _STRING_OR_NULL},
)
_SOURCE = _record(
    {
        "repository": _STRING,
        **dict.fromkeys(("ref", "commit", "schema.ts", "schema.json"), _STRING_OR_NULL),
    },
    {},
)
_DERIVED = _record(
    {"frames": _STRINGS, "meta": _object_of(_STRING, "an object of strings"), "generic": _STRINGS},
    {},
)
_FACTS = _record(
    {
        "protocolVersion": _STRING,
        "source": _SOURCE,
        "constants": _object_of(_SCALAR, "an object of constants"),
        "methods": _object_of(_METHOD, "an object of methods"),
        "extends": _object_of(_STRINGS, "an object of arrays of names"),
        "deprecated": _object_of(_STRING_OR_NULL, "an object of versions"),
        "internal": _STRINGS,
        "categories": _object_of(_STRING, "an object of strings"),
        "derived": _DERIVED,
    },
    {"reduced": _BOOLEAN},
)


# --- schemas ------------------------------------------------------------------------------------


class _SchemaCheck:
    """Checks schemas that refer to one another under `$defs`."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._references = {f"{REF}{name}" for name in definitions}
        schemas = _list_of(self.schema, "an array of schemas")
        self._keywords: dict[str, Check] = {
            "$ref": self._reference,
            "type": _type,
            "properties": _object_of(self.schema, "an object of schemas"),
            "required": _STRINGS,
            "additionalProperties": self.schema,
            "items": self.schema,
            "anyOf": schemas,
            "allOf": schemas,
            "const": _SCALAR,
            "enum": _list_of(_SCALAR, "an array of values"),
            "format": _STRING,
            "minimum": _NUMBER,
            "maximum": _NUMBER,
            "minItems": _INTEGER,
            "maxItems": _INTEGER,
            "description": _STRING,
            "default": _SCALAR,
            "x-lenient": _BOOLEAN,
            "x-omittable": _BOOLEAN,
        }

    def schema(self, value: object, path: str) -> None:
        if not is_object(value):
            _fail(value, path, "a schema object")
        for key, item in value.items():
            check = self._keywords.get(key)
            if check is None:
                raise SchemaError(path, f"found the keyword {key}, which is not supported there")
            check(item, f"{path}.{key}")

    def _reference(self, value: object, path: str) -> None:
        if not isinstance(value, str) or value not in self._references:
            _fail(value, path, f"a reference to one of the types, {REF}…")


def _type(value: object, path: str) -> None:
    kinds = value if is_array(value) and value else [value]
    if not all(isinstance(kind, str) and kind in _TYPES for kind in kinds):
        _fail(value, path, f"one of {', '.join(_TYPES)}, or an array of them")
