"""The JSON Schema that each version publishes of its types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from .guards import is_array, is_object
from .schemas import name_of, reference_to

__all__ = ["published_schema", "read_definitions"]


def read_definitions(package: str) -> dict[str, Mapping[str, Any]]:
    """Return the `$defs` of the schema file of a version, which is the package `package`."""
    text = resources.files(package).joinpath("schema.json").read_bytes()
    return dict(json.loads(text)["$defs"])


def published_schema(name: str, definitions: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the JSON Schema of the type called `name`, with those it uses under `$defs`."""
    used: dict[str, Any] = {}
    _collect(reference_to(name), definitions, used)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **reference_to(name),
        "$defs": used,
    }


def _collect(schema: Any, definitions: Mapping[str, Any], used: dict[str, Any]) -> Any:
    """A schema without the keywords that only decoders read; what it refers to goes to `used`."""
    if is_array(schema):
        return [_collect(item, definitions, used) for item in schema]
    if not is_object(schema):
        return schema
    name = name_of(schema)
    if name and name not in used:
        used[name] = {}
        used[name] = _collect(definitions[name], definitions, used)
    return {
        key: (
            {wire_name: _collect(item, definitions, used) for wire_name, item in value.items()}
            if key == "properties"
            else _collect(value, definitions, used)
        )
        for key, value in schema.items()
        if not key.startswith("x-")
    }
