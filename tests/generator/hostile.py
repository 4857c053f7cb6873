"""A protocol that a test adds what it likes to: pulled, emitted and imported in this process."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import mcpgen

VERSION = "2033-03-03"
_NUMBERS = count(1)

_MESSAGES = """\
export const LATEST_PROTOCOL_VERSION = "2033-03-03";
export const JSONRPC_VERSION = "2.0";
export type RequestId = string | number;
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification;
export interface Request { method: string; params?: { [key: string]: unknown } }
export interface Notification { method: string; params?: { [key: string]: unknown } }
export interface Result { _meta?: { [key: string]: unknown }; [key: string]: unknown }
export interface JSONRPCRequest extends Request { jsonrpc: typeof JSONRPC_VERSION; id: RequestId }
export interface JSONRPCNotification extends Notification { jsonrpc: typeof JSONRPC_VERSION }
export type EmptyResult = Result;
export interface Implementation { name: string; version: string }
export interface ClientCapabilities {}
export interface ServerCapabilities {}
export interface InitializeRequest extends JSONRPCRequest { method: "initialize" }
export interface DoneNotification extends JSONRPCNotification { method: "notifications/done" }
"""


@dataclass(frozen=True)
class Request:
    """A request to add: the stem of its types, its method, and its params as TypeScript."""

    name: str
    method: str
    params: str

    @property
    def declarations(self) -> str:
        """The message and its result."""
        return (
            f"export interface {self.name}Request extends JSONRPCRequest "
            f"{{ method: {json.dumps(self.method)}; {self.params} }}\n"
            f"export interface {self.name}Result extends Result {{ done: boolean }}\n"
        )


def schema(declarations: str, *requests: Request) -> bytes:
    """The schema.ts of the protocol with these declarations and requests."""
    roles = {
        "ClientRequest": ["InitializeRequest", *(f"{item.name}Request" for item in requests)],
        "ServerResult": ["EmptyResult", *(f"{item.name}Result" for item in requests)],
        "ClientNotification": ["DoneNotification"],
    }
    unions = [f"export type {name} = {' | '.join(names)};\n" for name, names in roles.items()]
    added = [item.declarations for item in requests]
    return "".join([_MESSAGES, *unions, *added, declarations]).encode()


def emit(
    folder: Path,
    source: bytes,
    *,
    descriptions: Mapping[str, str] | None = None,
    keep_descriptions: bool = False,
) -> Any:
    """The emitted and imported module of the version that `source` is the schema.ts of.

    Raises what `pull` and `generate` raise, having made sure that nothing was written.
    """
    place = folder / "schema" / VERSION
    place.mkdir(parents=True)
    (place / "schema.ts").write_bytes(source)
    spec = folder / "spec"
    spec.mkdir()
    (spec / "overrides.toml").touch()
    texts = [f"{_toml(key)} = {_toml(value)}\n" for key, value in (descriptions or {}).items()]
    (spec / "descriptions.toml").write_text("".join(texts), encoding="utf-8")
    package = f"hostile_wire_{next(_NUMBERS)}"
    options = mcpgen.GenerateOptions(
        spec_dir=spec, out=folder / "out", package=package, formatter="none"
    )
    try:
        mcpgen.pull([VERSION], source=str(folder), spec_dir=spec, descriptions=keep_descriptions)
        mcpgen.generate(options)
    except mcpgen.McpgenError:
        assert not (folder / "out").exists()
        raise
    sys.path.insert(0, str(folder / "out"))
    try:
        return import_module(package).load(VERSION)
    finally:
        sys.path.remove(str(folder / "out"))


def _toml(text: str) -> str:
    escaped = (c if c.isalnum() else f"\\U{ord(c):08x}" for c in text)
    return f'"{"".join(escaped)}"'


def round_trip(mcp: Any, name: str) -> Any:
    """A value of a named type, read from a document that has every member, and written again."""
    published = mcp.schema(name)
    document = _document(published, published.get("$defs", {}), 0)
    value = mcp.decode_as(name, document)
    written = mcp.encode_as(name, value)
    assert json.dumps(written, sort_keys=True) == json.dumps(document, sort_keys=True)
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        assert fields["extra"] == {}
        assert type(value)(**fields) == value
        assert type(value).__name__ in repr(value)
    return value


def _document(schema: Mapping[str, Any], types: Mapping[str, Any], depth: int) -> Any:
    """A JSON value of a schema, with every member of objects until it gets deep."""
    inner = depth + 1
    match schema:
        case {"$ref": reference}:
            return _document(types[reference.rpartition("/")[2]], types, inner)
        case {"const": value} | {"enum": [value, *_]}:
            return value
        case {"anyOf": members}:
            return _document(members[-1 if depth > 6 else 0], types, inner)
        case {"type": "object"}:
            required = schema.get("required", ())
            return {
                key: _document(item, types, inner)
                for key, item in schema.get("properties", {}).items()
                if depth < 6 or key in required
            }
        case {"type": "array", "items": item}:
            return [] if depth > 5 else [_document(item, types, inner)]
        case {"type": [*kinds]}:
            return _SCALARS[kinds[-1]]
        case _:
            return _SCALARS[schema.get("type", "array")]


_SCALARS: dict[str, Any] = {
    "string": "text",
    "integer": 3,
    "number": 1.5,
    "boolean": True,
    "null": None,
    "array": ["anything", {"at": None}],
}
