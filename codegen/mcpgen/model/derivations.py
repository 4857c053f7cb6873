"""Applies the derivations a spec document lists: what its messages mean, not what they say.

*Frames*: the class of a JSON-RPC method is a whole message in every version, so messages
that declare neither `jsonrpc` nor `id` get both. *Meta*: params of a message whose base
grants `_meta` carry it, whether they repeat the grant or not. *Generic*: the messages that
stand for any method take any params, as they do in the versions that name no member of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import SchemaError
from .hoist import REF, Hoisted, Schema

_REQUEST_ID = "RequestId"


def apply_derivations(hoisted: Hoisted, facts: Mapping[str, Any], version: str) -> None:
    """Changes `hoisted` in place by the sites under `x-mcp`.`derived`.

    Raises `SchemaError` for a site that is not there.
    """
    kinds = {entry["message"]: entry["kind"] for entry in facts["methods"].values()}
    jsonrpc = facts["constants"].get("JSONRPC_VERSION", "2.0")
    for name in facts["derived"]["frames"]:
        if name not in kinds or "properties" not in hoisted.definitions.get(name, {}):
            raise SchemaError(f"{version}: x-mcp.derived.frames", f"found no message {name}")
        if kinds[name] == "request" and _REQUEST_ID not in hoisted.definitions:
            raise SchemaError(f"{version}: x-mcp.derived.frames", f"found no {_REQUEST_ID}")
        _make_frame(hoisted.definitions[name], kinds[name], jsonrpc)
    for site, grant in facts["derived"]["meta"].items():
        _grant_meta(hoisted, site, grant, version)
    for site in facts["derived"]["generic"]:
        _make_generic(hoisted, site, version)


def _make_frame(schema: Schema, kind: str, jsonrpc: str) -> None:
    envelope: Schema = {"jsonrpc": {"type": "string", "const": jsonrpc}}
    if kind == "request":
        envelope["id"] = {"$ref": REF + _REQUEST_ID}
    schema["properties"] = envelope | schema["properties"]
    schema["required"] = sorted({*schema.get("required", ()), *envelope})


def _grant_meta(hoisted: Hoisted, site: str, grant: str, version: str) -> None:
    name = hoisted.sites.get(site)
    source, _, wire_name = grant.rpartition(".")
    granting = hoisted.definitions.get(hoisted.sites.get(source, source))
    if name is None or granting is None or wire_name not in granting.get("properties", {}):
        raise SchemaError(f"{version}: x-mcp.derived.meta", f"found no {site} or no {grant}")
    schema = hoisted.definitions[name]
    meta = {wire_name: granting["properties"][wire_name]}
    schema["properties"] = meta | schema["properties"]


def _make_generic(hoisted: Hoisted, site: str, version: str) -> None:
    name, _, wire_name = site.rpartition(".")
    schema = hoisted.definitions.get(name)
    if schema is None or wire_name not in schema.get("properties", {}):
        raise SchemaError(f"{version}: x-mcp.derived.generic", f"found no {site}")
    any_object: Schema = {"type": "object", "additionalProperties": {}}
    schema["properties"] = {**schema["properties"], wire_name: any_object}
