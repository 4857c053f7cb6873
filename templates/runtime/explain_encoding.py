"""Finds which field holds something of another type, after an encoder has failed on a value.

The encoders check nothing, which keeps them quick: they fail where an instance of a class
should be and something else is. This walks the value again by the version's schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeAlias, TypeGuard

from .errors import EncodeError, one
from .guards import is_object
from .schemas import Definitions, Schema, alternatives, class_of, name_of, reference_to
from .values import UNSET

__all__ = ["explain_encoding"]

Path: TypeAlias = tuple[str | int, ...]


def explain_encoding(
    name: str, value: Any, definitions: Definitions, classes: Mapping[str, type]
) -> EncodeError:
    """Return the error for a value that the encoder of the type called `name` failed on.

    `definitions` are those of the version's schema file, `classes` the emitted ones by name.
    """
    walk = _Walk(definitions, classes)
    try:
        found = next(walk.faults(reference_to(name), value, ()), None)
    except RecursionError:
        return EncodeError.at([], "less deeply nested values", value)
    return found or EncodeError.at([], f"{one(name)} that can be written", value)


class _Walk:
    def __init__(self, definitions: Definitions, classes: Mapping[str, type]) -> None:
        self._definitions = definitions
        self._classes = classes

    def faults(self, schema: Schema, value: Any, path: Path) -> Iterator[EncodeError]:
        """The places where a class, an array or an object should be and something else is."""
        members = list(alternatives(schema, self._definitions))
        for member in members:
            name = class_of(member, self._definitions)
            if name and isinstance(value, self._classes[name]):
                yield from self._fields(name, value, path)
                return
        kinds = {_kind_of(member) for member in members}
        if "array" in kinds and _is_sequence(value):
            items = {"anyOf": [m["items"] for m in members if "items" in m]}
            for index, item in enumerate(value):
                yield from self.faults(items, item, (*path, index))
        elif "object" in kinds and is_object(value):
            values = {"anyOf": [m.get("additionalProperties", {}) for m in members]}
            for key, item in value.items():
                yield from self.faults(values, item, (*path, str(key)))
        elif "plain" not in kinds:
            expected = " or ".join(dict.fromkeys(map(_expected, members)))
            yield EncodeError.at(path, expected, value)

    def _fields(self, name: str, value: Any, path: Path) -> Iterator[EncodeError]:
        cls = self._classes[name]
        if not is_dataclass(cls):
            return
        schema = self._definitions[name]
        # Both are in the order of the specification; `extra` comes last and is no property.
        named = zip(schema["properties"].items(), fields(cls)[:-1], strict=True)
        for (key, member), field in named:
            item = getattr(value, field.name, UNSET)
            if field.default is MISSING or item is not field.default:
                yield from self.faults(member, item, (*path, key))
        extra = value.extra
        if not _is_mapping(extra):
            yield EncodeError.at((*path, "extra"), "a mapping", extra)
        elif "additionalProperties" in schema:
            yield from self.faults({**schema, "properties": {}}, dict(extra), path)


def _is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _is_sequence(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    return isinstance(value, (list, tuple))


def _kind_of(schema: Schema) -> str:
    """What tells members apart when encoding; a plain one is written as it is."""
    if "$ref" in schema:
        return "class"
    kind = schema.get("type")
    return str(kind) if kind in ("array", "object") else "plain"


def _expected(schema: Schema) -> str:
    kind = _kind_of(schema)
    return one(name_of(schema) if kind == "class" else kind)
