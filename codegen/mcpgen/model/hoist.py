"""Gives every inline object a name, so that each becomes one definition of its own.

An inline object takes the name of its path: `CallToolRequest.params` becomes
`CallToolRequestParams`; elements of arrays and maps take `Item` and `Value`. A property that
an interface inherited is hoisted once, under the declaration that introduced it, so that a
thing has the same name whether the specification named it or not. Intersections are merged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..errors import SchemaError
from ..graphs import reachable
from .naming import hoisted_name
from .overrides import Overrides

Schema: TypeAlias = dict[str, Any]
REF = "#/$defs/"


@dataclass(slots=True)
class Hoisted:
    """Definitions without inline objects.

    `sites` says which name the inline object at a site such as `CallToolRequest.params` got;
    `declared_in` maps each hoisted name to the declaration it was written in; `extends` are
    the bases of all types, those of inline intersections among them.
    """

    definitions: dict[str, Schema] = field(default_factory=dict[str, Schema])
    sites: dict[str, str] = field(default_factory=dict[str, str])
    declared_in: dict[str, str] = field(default_factory=dict[str, str])
    extends: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


def hoist(
    definitions: Mapping[str, Schema],
    extends: Mapping[str, Sequence[str]],
    overrides: Overrides,
    version: str,
) -> Hoisted:
    """Names every inline object of a faithful `$defs`.

    Raises `SchemaError` when two different objects would get one name, or one has no name
    of its own (several inline objects in one union).
    """
    return _Hoister(definitions, extends, overrides, version).run()


def ancestors(name: str, extends: Mapping[str, Sequence[str]]) -> list[str]:
    """The bases of a declaration and theirs, nearest first."""
    return reachable(name, extends)


class _Hoister:
    def __init__(
        self,
        definitions: Mapping[str, Schema],
        extends: Mapping[str, Sequence[str]],
        overrides: Overrides,
        version: str,
    ) -> None:
        self._source = definitions
        self._overrides = overrides
        self._version = version
        self._sources: dict[str, Schema] = {}
        self._result = Hoisted(extends={name: list(bases) for name, bases in extends.items()})

    def run(self) -> Hoisted:
        for name, schema in self._source.items():
            self._define(name, self._definition(schema, name, name, name), name)
        self._overrides.require_names_used(set(self._result.sites), self._version)
        return self._result

    def _define(self, name: str, schema: Schema, site: str) -> None:
        known = self._result.definitions.get(name)
        if known is not None and known != schema:
            raise SchemaError(
                f"{self._version}: {site}",
                f"the inline object would be named {name}, which is another type",
                "give it a name of its own by a [[name]] entry in overrides.toml",
            )
        self._result.definitions[name] = schema

    def _definition(self, schema: Schema, name: str, site: str, declared_in: str) -> Schema:
        """A named type's own schema, everything inside it hoisted."""
        if "allOf" in schema:
            schema = self._merged(schema, site)
        if "properties" not in schema:
            return self._inner(schema, name, site, declared_in)
        properties: Schema = {}
        for wire_name, item in schema["properties"].items():
            origin = self._origin(name, item, "properties", wire_name)
            own = origin == name
            properties[wire_name] = self._inner(
                item,
                hoisted_name(origin, wire_name),
                f"{site if own else origin}.{wire_name}",
                declared_in if own else origin,
            )
        return {**self._value(schema, name, site, declared_in), "properties": properties}

    def _value(self, schema: Schema, name: str, site: str, declared_in: str) -> Schema:
        """An object's schema, the type of the values under unknown keys hoisted."""
        value = schema.get("additionalProperties")
        if not value:
            return schema
        origin = self._origin(name, value, "additionalProperties")
        own = origin == name
        inner = self._inner(
            value,
            f"{origin}Value",
            f"{site if own else origin}{{}}",
            declared_in if own else origin,
        )
        return {**schema, "additionalProperties": inner}

    def _origin(self, owner: str, schema: Schema, *keys: str) -> str:
        """The farthest ancestor that has the very same schema under these keys."""
        origin = owner
        for base in ancestors(owner, self._result.extends):
            found = self._source.get(base, {})
            for key in keys:
                found = found.get(key, {})
            if found == schema:
                origin = base
        return origin

    def _inner(self, schema: Schema, name: str, site: str, declared_in: str) -> Schema:
        """A schema at a place that is not a definition: inline objects become references."""
        if "allOf" in schema or "properties" in schema:
            return self._hoisted(schema, name, site, declared_in)
        if "items" in schema:
            item = self._inner(schema["items"], f"{name}Item", f"{site}[]", declared_in)
            return {**schema, "items": item}
        if "anyOf" in schema:
            members: list[Schema] = schema["anyOf"]
            if sum("properties" in member or "allOf" in member for member in members) > 1:
                raise SchemaError(
                    f"{self._version}: {site}", "found several inline objects in one union"
                )
            named = [self._inner(member, name, site, declared_in) for member in members]
            return {**schema, "anyOf": named}
        return self._value(schema, name, site, declared_in)

    def _hoisted(self, schema: Schema, name: str, site: str, declared_in: str) -> Schema:
        name = self._overrides.name_of(site, self._version) or name
        # Met before where it is inherited; or inside itself, as `a` in `A { a?: A & { b: 1 } }`.
        if self._sources.get(site) == schema:
            return {"$ref": REF + name}
        self._sources[site] = schema
        self._result.sites[site] = name
        if name not in self._source:
            self._result.declared_in.setdefault(name, declared_in)
            parts: list[Schema] = schema.get("allOf", [])
            if bases := [part["$ref"].removeprefix(REF) for part in parts if "$ref" in part]:
                self._result.extends[name] = bases
        self._define(name, self._definition(schema, name, site, declared_in), site)
        return {"$ref": REF + name}

    # --- intersections --------------------------------------------------------------------------

    def _merged(self, schema: Schema, site: str) -> Schema:
        """One object in place of an intersection of objects."""
        properties: Schema = {}
        required: set[str] = set()
        merged = {key: value for key, value in schema.items() if key != "allOf"}
        merged |= {"type": "object", "properties": properties}
        for part in schema["allOf"]:
            member = self._resolved(part, site)
            for wire_name, item in member["properties"].items():
                known = properties.get(wire_name, {})
                properties[wire_name] = self._narrowed(known, item, f"{site}.{wire_name}")
            required.update(member.get("required", ()))
            if "additionalProperties" in member:
                merged["additionalProperties"] = self._narrowed(
                    merged.get("additionalProperties", {}),
                    member["additionalProperties"],
                    f"{site}{{}}",
                )
        if required:
            merged["required"] = sorted(required)
        return merged

    def _resolved(self, schema: Schema, site: str) -> Schema:
        while "$ref" in schema:
            schema = self._source[schema["$ref"].removeprefix(REF)]
        if "allOf" in schema:
            schema = self._merged(schema, site)
        if schema.get("type") == "object" and "additionalProperties" in schema:
            return {"properties": {}, **schema}
        if "properties" not in schema:
            raise SchemaError(
                f"{self._version}: {site}", "found an intersection with something that is no object"
            )
        return schema

    def _narrowed(self, first: Schema, second: Schema, site: str) -> Schema:
        """What both schemas allow, where one of them is plainly the narrower."""
        one, other = (
            {key: value for key, value in schema.items() if key != "description"}
            for schema in (first, second)
        )
        if one == other or _is_wider(one, other):
            return second
        if _is_wider(other, one):
            return first
        raise SchemaError(
            f"{self._version}: {site}", "found two different types for it in one intersection"
        )


def _is_wider(schema: Schema, other: Schema) -> bool:
    """Whether a schema is a bare type, or none at all, and allows all that another one does."""
    if set(schema) - {"type"}:
        return False
    kind = schema.get("type")
    if "const" in other:
        return kind is None or _covers(kind, other["const"])
    return kind is None or kind == other.get("type")


def _covers(kind: object, value: object) -> bool:
    match value:
        case bool():
            return kind == "boolean"
        case int():
            return kind in {"integer", "number"}
        case float():
            return kind == "number"
        case str():
            return kind == "string"
        case _:
            return kind == "null"
