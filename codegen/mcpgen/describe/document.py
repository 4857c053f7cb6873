"""Inspections and the Model itself as JSON, and the JSON Schema of that JSON.

Both are read off the dataclasses: an object has the names of their attributes, and where it
may be one of several classes, its `class` says which. A map whose keys are not all strings is
a list of entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ..compare import Severity
from .inspection import Inspection

FORMAT = "mcpgen-inspect/1"
"""The number rises when a program that reads the document has to change."""

_TAG = "class"
_JSON_TYPES = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
}


def document(inspection: Inspection) -> dict[str, Any]:
    """The inspection as a JSON object that `document_schema` describes."""
    return {"format": FORMAT, "inspection": _encoded(inspection, Inspection)}


def document_schema() -> dict[str, Any]:
    """The JSON Schema 2020-12 of the document."""
    definitions: dict[str, Any] = {}
    for cls in _classes():
        properties = {name: _schema(hint) for name, hint in _hints(cls).items()}
        if cls in _tagged():
            properties = {_TAG: {"const": cls.__name__}, **properties}
        definitions[cls.__name__] = _object(properties)
    properties = {"format": {"const": FORMAT}, "inspection": _schema(Inspection)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_object(properties),
        "$defs": definitions,
    }


# --- values -------------------------------------------------------------------------------------


def _encoded(value: Any, hint: Any) -> Any:
    if isinstance(value, Severity):
        return list(value.broken)
    if type(value) in _classes():
        return _encoded_object(value)
    arguments = get_args(hint)
    if get_origin(hint) is tuple:
        return [_encoded(item, arguments[0]) for item in value]
    if get_origin(hint) is Mapping:
        key, of = arguments
        items = [(name, _encoded(item, of)) for name, item in value.items()]
        return dict(items) if key is str else [_entry(name, item) for name, item in items]
    return value


def _encoded_object(value: Any) -> dict[str, Any]:
    cls = _class(type(value))
    members = {name: _encoded(getattr(value, name), hint) for name, hint in _hints(cls).items()}
    return {_TAG: cls.__name__, **members} if cls in _tagged() else members


def _entry(key: Any, value: Any) -> dict[str, Any]:
    return {"key": key, "value": value}


# --- the schema ---------------------------------------------------------------------------------


def _schema(hint: Any) -> dict[str, Any]:
    arguments = get_args(hint)
    origin = get_origin(hint)
    if hint is Any:
        return {}
    if hint is Severity:
        return {"type": "array", "items": {"enum": ["readers", "writers"]}, "uniqueItems": True}
    if is_dataclass(hint):
        return {"$ref": f"#/$defs/{_class(hint).__name__}"}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, UnionType):
        return {"anyOf": [_schema(member) for member in arguments]}
    if origin is tuple:
        return {"type": "array", "items": _schema(arguments[0])}
    if origin is Mapping:
        return _mapping_schema(*arguments)
    return {"type": _JSON_TYPES[hint]}


def _mapping_schema(key: Any, value: Any) -> dict[str, Any]:
    if key is str:
        return {"type": "object", "additionalProperties": _schema(value)}
    return {"type": "array", "items": _object(_entry(_schema(key), _schema(value)))}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    """An object that has exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# --- the dataclasses ----------------------------------------------------------------------------


@cache
def _hints(cls: type) -> dict[str, Any]:
    """The types of the fields of a dataclass."""
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


@cache
def _classes() -> tuple[type, ...]:
    """Every dataclass that an inspection is made of."""
    found: dict[type, None] = {}
    waiting: list[Any] = [Inspection]
    while waiting:
        for cls in _classes_in(waiting.pop()):
            if cls not in found:
                found[cls] = None
                waiting += _hints(cls).values()
    return tuple(found)


@cache
def _tagged() -> frozenset[type]:
    """The dataclasses that stand where another one may stand too."""
    hints = [Inspection, *(hint for cls in _classes() for hint in _hints(cls).values())]
    return frozenset(cls for hint in hints for cls in _alternatives(hint))


def _alternatives(hint: Any) -> Iterator[type]:
    members = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        classes = [member for member in members if is_dataclass(member)]
        yield from (_class(member) for member in classes if len(classes) > 1)
    for member in members:
        yield from _alternatives(member)


def _classes_in(hint: Any) -> Iterator[type]:
    if is_dataclass(hint):
        yield _class(hint)
    for member in get_args(hint):
        yield from _classes_in(member)


def _class(hint: Any) -> type:
    """A hint that is a class, as one."""
    if not isinstance(hint, type):
        raise TypeError(f"{hint!r} is no class")
    return hint
