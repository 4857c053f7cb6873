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
from .naming import hoisted_name
from .overrides import Overrides

Schema: TypeAlias = dict[str, Any]
REF = "#/$defs/"


@dataclass(slots=True)
class Hoisted:
    """Definitions without inline objects.

    `sites` says which name the inline object at a site such as `CallToolRequest.params` got;
    `declared_in` maps each hoisted name to the declaration it was written in.
    """

    definitions: dict[str, Schema] = field(default_factory=dict[str, Schema])
    sites: dict[str, str] = field(default_factory=dict[str, str])
    declared_in: dict[str, str] = field(default_factory=dict[str, str])


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
    found: list[str] = []
    for base in extends.get(name, ()):
        found += [item for item in [base, *ancestors(base, extends)] if item not in found]
    return found


class _Hoister:
    def __init__(
        self,
        definitions: Mapping[str, Schema],
        extends: Mapping[str, Sequence[str]],
        overrides: Overrides,
        version: str,
    ) -> None:
        self._source = definitions
        self._extends = extends
        self._overrides = overrides
        self._version = version
        self._result = Hoisted()

    def run(self) -> Hoisted:
        for name, schema in self._source.items():
            self._define(name, self._definition(schema, name, name), name)
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

    def _definition(self, schema: Schema, name: str, declared_in: str) -> Schema:
        """A named type's own schema, everything inside it hoisted."""
        if "allOf" in schema:
            schema = self._merged(schema, name)
        if "properties" not in schema:
            return self._inner(schema, name, name, declared_in)
        properties = {
            wire_name: self._property(item, name, wire_name, declared_in)
            for wire_name, item in schema["properties"].items()
        }
        return {**schema, "properties": properties}

    def _property(self, schema: Schema, owner: str, wire_name: str, declared_in: str) -> Schema:
        origin = self._origin(owner, wire_name, schema)
        return self._inner(
            schema,
            hoisted_name(origin, wire_name),
            f"{origin}.{wire_name}",
            declared_in if origin == owner else origin,
        )

    def _origin(self, owner: str, wire_name: str, schema: Schema) -> str:
        """The farthest ancestor that declares the very same property."""
        origin = owner
        for base in ancestors(owner, self._extends):
            if self._source.get(base, {}).get("properties", {}).get(wire_name) == schema:
                origin = base
        return origin

    def _inner(self, schema: Schema, name: str, site: str, declared_in: str) -> Schema:
        """A schema at a place that is not a definition: inline objects become references."""
        if "allOf" in schema or "properties" in schema:
            return self._hoisted(schema, name, site, declared_in)
        if "items" in schema:
            item = self._inner(schema["items"], f"{name}Item", f"{site}[]", declared_in)
            return {**schema, "items": item}
        if schema.get("additionalProperties"):
            value = schema["additionalProperties"]
            inner = self._inner(value, f"{name}Value", f"{site}{{}}", declared_in)
            return {**schema, "additionalProperties": inner}
        if "anyOf" in schema:
            members: list[Schema] = schema["anyOf"]
            if sum("properties" in member or "allOf" in member for member in members) > 1:
                raise SchemaError(
                    f"{self._version}: {site}", "found several inline objects in one union"
                )
            named = [self._inner(member, name, site, declared_in) for member in members]
            return {**schema, "anyOf": named}
        return schema

    def _hoisted(self, schema: Schema, name: str, site: str, declared_in: str) -> Schema:
        name = self._overrides.name_of(site, self._version) or name
        self._result.sites[site] = name
        self._result.declared_in.setdefault(name, declared_in)
        self._define(name, self._definition(schema, name, declared_in), site)
        return {"$ref": REF + name}

    # --- intersections --------------------------------------------------------------------------

    def _merged(self, schema: Schema, name: str) -> Schema:
        """One object in place of an intersection of objects."""
        properties: Schema = {}
        required: set[str] = set()
        merged: Schema = {"type": "object", "properties": properties}
        for part in schema["allOf"]:
            member = self._resolved(part, name)
            for wire_name, item in member["properties"].items():
                properties[wire_name] = self._narrowed(
                    properties.get(wire_name, {}), item, f"{name}.{wire_name}"
                )
            required.update(member.get("required", ()))
            if "additionalProperties" in member:
                merged["additionalProperties"] = member["additionalProperties"]
        if required:
            merged["required"] = sorted(required)
        return merged

    def _resolved(self, schema: Schema, name: str) -> Schema:
        while "$ref" in schema:
            schema = self._source[schema["$ref"].removeprefix(REF)]
        if "allOf" in schema:
            schema = self._merged(schema, name)
        if "properties" not in schema:
            raise SchemaError(
                f"{self._version}: {name}", "found an intersection with something that is no object"
            )
        return schema

    def _narrowed(self, first: Schema, second: Schema, site: str) -> Schema:
        """What both schemas allow, where one of them is plainly the narrower."""
        if first == second or not first:
            return second
        if not second:
            return first
        if set(first) == {"type"} and "const" in second and _covers(first["type"], second["const"]):
            return second
        raise SchemaError(
            f"{self._version}: {site}", "found two different types for it in one intersection"
        )


def _covers(kind: str, value: object) -> bool:
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
