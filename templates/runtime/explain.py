"""Finds where and why a value does not fit its type, after a decoder has refused it.

The decoders raise without saying where, which keeps them quick. This walks the value again
by the version's schema, in the order and with the exceptions that the decoders have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from .coerce import as_array, as_boolean, as_integer, as_number, as_object, as_string
from .errors import DecodeError, Mismatch, one
from .guards import is_array, is_object
from .schemas import Definitions, Schema, alternatives, name_of, reference_to, resolved
from .values import UNSET

__all__ = ["accepts", "explain"]

Path: TypeAlias = tuple[str | int, ...]

_KINDS: dict[str, tuple[str, Callable[[object], object]]] = {
    "string": ("a string", as_string),
    "integer": ("an integer", as_integer),
    "number": ("a number", as_number),
    "boolean": ("a boolean", as_boolean),
    "array": ("an array", as_array),
    "object": ("an object", as_object),
}


def explain(name: str, value: Any, definitions: Definitions, above: Path = ()) -> DecodeError:
    """Return the error for a value that does not fit the type called `name`.

    `definitions` are those of the version's schema file, decode plans included; `above` is
    the path that leads to the value.
    """
    try:
        found = next(_Walk(definitions).faults(reference_to(name), value, above), None)
    except RecursionError:
        return DecodeError.at(above, "less deeply nested JSON", value)
    return found or DecodeError.at(above, one(name), value)


def accepts(name: str, value: Any, definitions: Definitions) -> bool:
    """Return whether a value fits the type called `name`: what its decoder says, but slowly."""
    return _Walk(definitions).accepts(reference_to(name), value)


class _Walk:
    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        # By identity: both outlive the walk, and a union inside a union is asked often.
        self._accepted: dict[tuple[int, int], bool] = {}

    def accepts(self, schema: Schema, value: Any) -> bool:
        """Whether a value fits."""
        key = id(schema), id(value)
        if key not in self._accepted:
            self._accepted[key] = next(self.faults(schema, value, ()), None) is None
        return self._accepted[key]

    def faults(self, schema: Schema, value: Any, path: Path) -> Iterator[DecodeError]:
        """The faults of a value, outermost and first declared first."""
        schema = resolved(schema, self._definitions)
        if "anyOf" in schema:
            yield from self._union(schema, value, path)
        elif "const" in schema:
            if not _is_constant(value, schema["const"]):
                yield DecodeError.at(path, _shown(schema["const"]), value)
        elif "enum" in schema:
            if value not in schema["enum"]:
                options = ", ".join(map(_shown, schema["enum"]))
                yield DecodeError.at(path, f"one of {options}", value)
        elif "type" in schema:
            yield from self._typed(schema, value, path)

    def _typed(self, schema: Schema, value: Any, path: Path) -> Iterator[DecodeError]:
        kind = schema["type"]
        if is_array(kind):
            yield from self._scalars(schema, value, path)
            return
        if kind == "null":
            if value is not None:
                yield DecodeError.at(path, "null", value)
            return
        expected, accept = _KINDS[kind]
        try:
            accept(value)
        except Mismatch:
            yield DecodeError.at(path, expected, value)
            return
        yield from _range_faults(schema, value, path)
        if kind == "array":
            for index, item in enumerate(value):
                yield from self.faults(schema.get("items", {}), item, (*path, index))
        elif kind == "object":
            yield from self._members(schema, value, path)

    def _members(self, schema: Schema, value: dict[str, Any], path: Path) -> Iterator[DecodeError]:
        properties: Mapping[str, Schema] = schema.get("properties", {})
        required = schema.get("required", ())
        for key, member in properties.items():
            item = value.get(key, UNSET)
            if item is UNSET:
                if key in required and not member.get("x-lenient"):
                    yield DecodeError.at((*path, key), self._expected(member), UNSET)
            elif item is not None or key in required or self.allows_null(member):
                yield from self.faults(member, item, (*path, key))
        others = schema.get("additionalProperties")
        if others:
            for key, item in value.items():
                if key not in properties:
                    yield from self.faults(others, item, (*path, _part(key)))

    def _scalars(self, schema: Schema, value: Any, path: Path) -> Iterator[DecodeError]:
        kinds = schema["type"]
        for kind in kinds:
            # Identifiers, strings or whole numbers, come back exactly: no float is one.
            if kind == "integer" and "string" in kinds and isinstance(value, float):
                continue
            if _is_of(kind, value):
                return
        yield DecodeError.at(path, self._expected(schema), value)

    # --- unions ---------------------------------------------------------------------------------

    def _union(self, schema: Schema, value: Any, path: Path) -> Iterator[DecodeError]:
        members: list[Schema] = schema["anyOf"]
        if any(self.accepts(member, value) for member in members):
            return
        planned = self._planned(schema, value, path)
        if isinstance(planned, DecodeError):
            yield planned
        else:
            yield from self.faults(planned, value, path)

    def _planned(self, schema: Schema, value: Any, path: Path) -> Schema | DecodeError:
        """The member whose fault is the one to report, or the fault that no member was meant."""
        plan = schema.get("x-plan", {})
        groups: dict[str, Any] = plan.get("groups", {})
        if is_object(value) and groups:
            return self._planned_object(plan, value, path)
        kind = "array" if is_array(value) else "object" if is_object(value) else ""
        for member in schema["anyOf"]:
            target = resolved(member, self._definitions)
            if kind and target.get("type") == kind:
                return target
        return DecodeError.at(path, self._expected(schema), value)

    def _planned_object(
        self, plan: Mapping[str, Any], value: Any, path: Path
    ) -> Schema | DecodeError:
        tag, groups = plan.get("tag"), plan["groups"]
        group = groups.get("")
        if tag is not None:
            named = value.get(tag)
            named = plan.get("default") if named is None else named
            group = groups.get(named) if isinstance(named, str) else None
            if group is None:
                options = ", ".join(map(_shown, groups))
                return DecodeError.at((*path, tag), f"one of {options}", value.get(tag, UNSET))
        chosen = next(
            (name for name, keys in group if all(key in value for key in keys)), group[0][0]
        )
        return reference_to(chosen)

    # --- schemas --------------------------------------------------------------------------------

    def allows_null(self, schema: Schema) -> bool:
        """Whether null is one of the values a schema accepts."""
        return any(_is_null_allowed(part) for part in alternatives(schema, self._definitions))

    def _expected(self, schema: Schema) -> str:
        parts = [_named(part) for part in alternatives(schema, self._definitions)]
        return " or ".join(dict.fromkeys(parts))


def _is_null_allowed(schema: Schema) -> bool:
    """Whether a schema that is no union accepts null."""
    if any(keyword in schema for keyword in ("$ref", "const", "enum")):
        return False
    kind = schema.get("type", "null")
    return kind == "null" or (is_array(kind) and "null" in kind)


def _named(schema: Schema) -> str:
    """What a schema that is no union expects."""
    if "$ref" in schema:
        return one(name_of(schema))
    if "const" in schema:
        return _shown(schema["const"])
    if "enum" in schema:
        return f"one of {', '.join(map(_shown, schema['enum']))}"
    kinds = schema.get("type", "any value")
    names: list[str] = kinds if is_array(kinds) else [str(kinds)]
    return " or ".join(_KINDS[kind][0] if kind in _KINDS else kind for kind in names)


def _is_of(kind: str, value: object) -> bool:
    if kind == "null":
        return value is None
    try:
        _KINDS[kind][1](value)
    except Mismatch:
        return False
    return True


def _range_faults(schema: Schema, value: Any, path: Path) -> Iterator[DecodeError]:
    if "minimum" in schema and value < schema["minimum"]:
        yield DecodeError.at(path, f"at least {schema['minimum']}", value)
    if "maximum" in schema and value > schema["maximum"]:
        yield DecodeError.at(path, f"at most {schema['maximum']}", value)
    if "minItems" in schema and len(value) < schema["minItems"]:
        yield DecodeError.at(path, f"at least {schema['minItems']} items", value)
    if "maxItems" in schema and len(value) > schema["maxItems"]:
        yield DecodeError.at(path, f"at most {schema['maxItems']} items", value)


def _part(key: object) -> str:
    """A key as part of a path; objects made in Python may have keys that JSON has not."""
    return key if isinstance(key, str) else repr(key)


def _is_constant(value: object, constant: object) -> bool:
    # To Python True == 1; JSON tells them apart.
    return isinstance(value, bool) == isinstance(constant, bool) and value == constant


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
