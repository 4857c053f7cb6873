"""The `x-mcp` facts that a published schema.json states, for the reduced mode.

Methods are the definitions with a constant `method`, who sends them say the unions of roles,
and what answers them says a `…ResultResponse` type or else the name of the request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeAlias

from ..errors import SchemaError
from .derived import GENERIC
from .facts import ROLES, SENDERS

Schema: TypeAlias = dict[str, Any]
Definitions: TypeAlias = Mapping[str, Schema]
REF = "#/$defs/"
# The version of JSON-RPC that the protocol is defined on.
_JSONRPC_VERSION = "2.0"


def published_facts(definitions: Definitions, version: str, where: str) -> dict[str, Any]:
    """The `x-mcp` facts, without `protocolVersion` and `source`; what is not known is empty.

    `version` is the name of the folder: the published file does not say its own. `where`
    names the file in messages.

    Raises `SchemaError` when a message belongs to no role, a role holds a type that is no
    message, two messages have one method, or a request has no result at all.
    """
    roles = _Roles(definitions, where)
    methods = roles.methods()
    return {
        "constants": {
            "LATEST_PROTOCOL_VERSION": version,
            "JSONRPC_VERSION": _jsonrpc_version(definitions),
        },
        "methods": methods,
        "extends": {},
        "deprecated": {},
        "internal": [],
        "categories": {},
        "unions": roles.members,
        "derived": _derived(definitions, methods),
    }


def method_of(schema: Schema) -> str | None:
    """The method of a message's schema; None where it is no message of one method."""
    value = _property(schema, "method").get("const")
    return value if isinstance(value, str) else None


def _property(schema: Schema, name: str) -> Schema:
    found: Schema = schema.get("properties", {}).get(name, {})
    return found


def _references(schema: Schema) -> list[str] | None:
    """The names a reference or a union of references refers to; None for any other schema."""
    members: list[Schema] = schema.get("anyOf", [schema])
    names = [str(member["$ref"]).removeprefix(REF) for member in members if "$ref" in member]
    return names if len(names) == len(members) else None


class _Roles:
    """Who sends what, and the method table that follows from it."""

    def __init__(self, definitions: Definitions, where: str) -> None:
        self._definitions = definitions
        self._where = where
        self.members = {role: self._role(role) for role in ROLES if role in definitions}

    def methods(self) -> dict[str, dict[str, Any]]:
        table: dict[str, dict[str, Any]] = {}
        for name, schema in self._definitions.items():
            method = method_of(schema)
            if method is None:
                continue
            if method in table:
                self._fail(name, f"a second message with the method {method}")
            table[method] = self._entry(name, schema)
        self._require_messages({entry["message"] for entry in table.values()})
        return table

    def _role(self, role: str) -> list[str]:
        names = _references(self._definitions[role])
        if names is None:
            self._fail(role, "no union of declared types")
        return names

    def _entry(self, name: str, schema: Schema) -> dict[str, Any]:
        roles = [role for role in SENDERS if name in self.members.get(role, ())]
        if not roles:
            self._fail(name, "a message that no union of roles holds")
        kinds = {SENDERS[role][1] for role in roles}
        if len(kinds) != 1:
            self._fail(name, f"a message in unions of {' and '.join(sorted(kinds))}")
        kind = kinds.pop()
        return {
            "kind": kind,
            "sentBy": [SENDERS[role][0] for role in roles],
            "message": name,
            "params": _params(name, schema),
            "paramsRequired": "params" in schema.get("required", ()),
            "results": [] if kind == "notification" else self._results(name),
        }

    def _results(self, message: str) -> list[str]:
        ordinary = f"{message.removesuffix('Request')}Result"
        if response := self._definitions.get(f"{ordinary}Response"):
            results = _references(_property(response, "result"))
            if results is None:
                self._fail(f"{ordinary}Response", "no named results")
            # Published in another order than declared, and the ordinary one comes first.
            return sorted(results, key=lambda name: name != ordinary)
        for name in (ordinary, "EmptyResult", "Result"):
            if name in self._definitions:
                return [name]
        self._fail(message, f"neither {ordinary} nor EmptyResult nor Result to answer it")

    def _require_messages(self, messages: set[str]) -> None:
        for role in SENDERS:
            for name in self.members.get(role, ()):
                if name not in messages:
                    self._fail(role, f"{name}, expected a message with a constant method")

    def _fail(self, site: str, what: str) -> NoReturn:
        raise SchemaError(f"{self._where}: {site}", f"found {what}")


def _params(name: str, schema: Schema) -> str | None:
    params = schema["properties"].get("params")
    if params is None:
        return None
    return str(params["$ref"]).removeprefix(REF) if "$ref" in params else f"{name}.params"


def _jsonrpc_version(definitions: Definitions) -> str:
    stated = (_property(schema, "jsonrpc").get("const") for schema in definitions.values())
    return next((value for value in stated if isinstance(value, str)), _JSONRPC_VERSION)


def _derived(definitions: Definitions, methods: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The sites of the derivations, as `derived_facts` finds them in the TypeScript."""
    frames = [
        entry["message"]
        for entry in methods.values()
        if entry["kind"] != "embedded" and not _property(definitions[entry["message"]], "jsonrpc")
    ]
    embedded = {entry["message"] for entry in methods.values() if entry["kind"] == "embedded"}
    meta: dict[str, str] = {}
    for base in ("Request", "Notification"):
        if grant := _meta_grant(definitions, base):
            names = _without_meta(definitions, base)
            meta |= {f"{name}.params": grant for name in names if name not in embedded}
    generic = [
        f"{name}.params"
        for name in GENERIC
        if _property(definitions.get(name, {}), "params").get("properties")
    ]
    return {"frames": frames, "meta": meta, "generic": generic}


def _meta_grant(definitions: Definitions, base: str) -> str | None:
    if _property(_property(definitions.get(base, {}), "params"), "_meta"):
        return f"{base}.params._meta"
    params = f"{base}Params"
    return f"{params}._meta" if _property(definitions.get(params, {}), "_meta") else None


def _without_meta(definitions: Definitions, base: str) -> Iterator[str]:
    """The messages of a kind, by their names, with inline params that say nothing of `_meta`."""
    for name, schema in definitions.items():
        known = _property(schema, "params").get("properties")
        if name.endswith(base) and known and "_meta" not in known:
            yield name
