"""Reads the JSON Schemas of a version's types: references, and what a union allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

__all__ = [
    "Definitions",
    "Schema",
    "alternatives",
    "class_of",
    "name_of",
    "reference_to",
    "resolved",
]

Schema: TypeAlias = Mapping[str, Any]
Definitions: TypeAlias = Mapping[str, Schema]

_REF = "#/$defs/"


def reference_to(name: str) -> dict[str, Any]:
    """Return the schema that is a reference to the type called `name`."""
    return {"$ref": _REF + name}


def name_of(schema: Schema) -> str:
    """Return the name that a schema refers to, the empty string if it is no reference."""
    return str(schema.get("$ref", "")).removeprefix(_REF)


def resolved(schema: Schema, definitions: Definitions) -> Schema:
    """Return the schema that a reference leads to, by way of aliases; another as it is."""
    while "$ref" in schema:
        schema = definitions[name_of(schema)]
    return schema


def class_of(schema: Schema, definitions: Definitions) -> str:
    """Return the name of the class that a reference leads to, the empty string if to none."""
    name = ""
    while "$ref" in schema:
        name = name_of(schema)
        schema = definitions[name]
    return name if "properties" in schema else ""


def alternatives(schema: Schema, definitions: Definitions) -> Iterator[Schema]:
    """Return what a schema allows: the members of a union and of the unions in it.

    Aliases are taken apart; what leads to a class stays the reference that it is. Each named
    type comes once, so that it does not matter how many ways lead to it.
    """
    return _alternatives(schema, definitions, set())


def _alternatives(schema: Schema, definitions: Definitions, seen: set[str]) -> Iterator[Schema]:
    name = name_of(schema)
    if name in seen:
        return
    if name:
        seen.add(name)
    target = resolved(schema, definitions)
    if "anyOf" in target:
        for member in target["anyOf"]:
            yield from _alternatives(member, definitions, seen)
    else:
        yield schema if "properties" in target else target
