"""Applies the derivations a spec document lists: what its messages mean, not what they say.

*Frames*: the class of a JSON-RPC method is a whole message in every version, so messages
that declare neither `jsonrpc` nor `id` get both. *Meta*: params of a message whose base
grants `_meta` carry it, whether they repeat the grant or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import SchemaError
from .hoist import REF, Hoisted, Schema


def apply_derivations(hoisted: Hoisted, facts: Mapping[str, Any], version: str) -> None:
    """Changes `hoisted` in place by the frames and meta sites under `x-mcp`.`derived`."""
    kinds = {entry["message"]: entry["kind"] for entry in facts["methods"].values()}
    jsonrpc = facts["constants"].get("JSONRPC_VERSION", "2.0")
    for name in facts["derived"]["frames"]:
        _make_frame(hoisted.definitions[name], kinds[name], jsonrpc)
    for site, grant in facts["derived"]["meta"].items():
        _grant_meta(hoisted, site, grant, version)


def _make_frame(schema: Schema, kind: str, jsonrpc: str) -> None:
    envelope: Schema = {"jsonrpc": {"type": "string", "const": jsonrpc}}
    if kind == "request":
        envelope["id"] = {"$ref": f"{REF}RequestId"}
    schema["properties"] = envelope | schema["properties"]
    schema["required"] = sorted({*schema["required"], *envelope})


def _grant_meta(hoisted: Hoisted, site: str, grant: str, version: str) -> None:
    name = hoisted.sites.get(site)
    source, _, wire_name = grant.rpartition(".")
    granting = hoisted.definitions.get(hoisted.sites.get(source, source))
    if name is None or granting is None:
        raise SchemaError(f"{version}: x-mcp.derived.meta", f"found no {site} or no {grant}")
    schema = hoisted.definitions[name]
    meta = {wire_name: granting["properties"][wire_name]}
    schema["properties"] = meta | schema["properties"]
