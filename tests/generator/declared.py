"""Writes a spec document back as TypeScript, so that a test can change what is declared.

The text is made of the facts of a document alone. It declares what the document says: read
again, it gives the same types, methods and constants.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from mcpgen.ingest.distortions import Recorder
from mcpgen.ingest.schema_from_typescript import build_definitions
from mcpgen.ingest.typescript import read_module

Schema: TypeAlias = dict[str, Any]
_TAGS = ("format", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")


def typescript(document: Mapping[str, Any]) -> str:
    """The schema.ts of a spec document."""
    return "\n".join(_Writer(document).declarations())


def published(source: str) -> str:
    """The schema.json that the specification's own tool would make of a schema.ts."""
    module = read_module(source.encode(), "schema.ts")
    return json.dumps({"$defs": build_definitions(module, recorder=Recorder())})


class _Writer:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self._types: dict[str, Schema] = document["$defs"]
        self._facts: dict[str, Any] = document["x-mcp"]

    def declarations(self) -> Iterator[str]:
        for name, value in self._facts["constants"].items():
            yield f"export const {name} = {json.dumps(value)};"
        for name, schema in self._types.items():
            yield self._comment(name, schema) + self._declaration(name, schema)

    def _declaration(self, name: str, schema: Schema) -> str:
        if schema.get("type") != "object":
            return f"export type {name} = {self._type(schema, name)};"
        bases = self._facts["extends"].get(name, [])
        given: dict[str, tuple[Schema, bool]] = {}
        for base in bases:
            given |= self._members(base)
        lost = [key for key in given if key not in schema.get("properties", {})]
        parts = [self._base(base, lost) for base in bases]
        own = {key: item for key, item in self._members(name).items() if given.get(key) != item}
        index = schema.get("additionalProperties")
        if any(index == self._types[base].get("additionalProperties") for base in bases):
            index = None
        heritage = f" extends {', '.join(parts)}" if bases else ""
        return f"export interface {name}{heritage} {self._body(own, index, name)}"

    def _base(self, name: str, lost: list[str]) -> str:
        keys = [json.dumps(key) for key in lost if key in self._types[name]["properties"]]
        return f"Omit<{name}, {' | '.join(keys)}>" if keys else name

    def _members(self, name: str) -> dict[str, tuple[Schema, bool]]:
        return _members(self._types[name])

    def _body(self, members: Mapping[str, tuple[Schema, bool]], index: Any, site: str) -> str:
        lines = [
            f"{self._comment(f'{site}.{key}', item)}{json.dumps(key)}{'' if needed else '?'}: "
            f"{self._type(item, f'{site}.{key}')};"
            for key, (item, needed) in members.items()
        ]
        if index is not None:
            lines.append(f"[key: string]: {self._type(index, f'{site}{{}}')};")
        return "{\n" + "\n".join(lines) + "\n}"

    def _type(self, schema: Schema, site: str) -> str:
        kind = schema.get("type")
        match schema:
            case {"$ref": str(reference)}:
                return reference.removeprefix("#/$defs/")
            case {"const": value}:
                return json.dumps(value)
            case {"enum": values}:
                return " | ".join(map(json.dumps, values))
            case {"anyOf": members}:
                return " | ".join(f"({self._type(member, site)})" for member in members)
            case {"allOf": members}:
                return " & ".join(self._type(member, site) for member in members)
            case {"items": item}:
                return f"({self._type(item, f'{site}[]')})[]"
            case {"type": "object"} if len(schema) > 1:
                return self._body(_members(schema), schema.get("additionalProperties"), site)
            case {"type": [*kinds]}:
                return " | ".join(map(str, kinds))
            case _:
                return "unknown" if kind is None else str(kind)

    def _comment(self, site: str, schema: Schema) -> str:
        tags = [f"@{tag} {schema[tag]}" for tag in _TAGS if tag in schema]
        if site in self._facts["deprecated"]:
            since = self._facts["deprecated"][site]
            tags.append(f"@deprecated protocol version {since}" if since else "@deprecated")
        if site in self._facts["internal"]:
            tags.append("@internal")
        if site in self._facts["categories"]:
            tags.append(f"@category {self._facts['categories'][site]}")
        return f"/** {chr(10).join(tags)} */\n" if tags else ""


def _members(schema: Schema) -> dict[str, tuple[Schema, bool]]:
    required = schema.get("required", ())
    return {key: (item, key in required) for key, item in schema.get("properties", {}).items()}
