"""An invented protocol, and the Models of such: what the tests of the model are made on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from mcpgen.ingest.document import derive
from mcpgen.ingest.sources_common import SourceFiles
from mcpgen.model.descriptions import Descriptions
from mcpgen.model.model import (
    Field,
    Method,
    ObjectType,
    Protocol,
    Scalar,
)
from mcpgen.model.normalise import normalise
from mcpgen.model.overrides import Overrides

VERSION = "2030-01-01"
STRING, NUMBER = Scalar("string"), Scalar("number")

PROTOCOL = """
export const LATEST_PROTOCOL_VERSION = "2030-01-01";
export const JSONRPC_VERSION = "2.0";
export const GONE = -410;

export type RequestId = string | number;
export interface Request { method: string; params?: { _meta?: { token?: string } } }
export interface Notification { method: string; params?: { _meta?: { [key: string]: unknown } } }
export interface Result { _meta?: { [key: string]: unknown }; [key: string]: unknown }
export type EmptyResult = Result;

export interface ListSheepRequest extends Request {
  method: "sheep/list";
  params?: { cursor?: string };
}
export interface ListSheepResult extends Result { nextCursor?: string; sheep: Sheep[] }
export interface Sheep { name: string }
export interface ShearRequest extends Request { method: "sheep/shear" }
export interface AskRequest extends Request { method: "ask"; params: AskParams }
export interface AskParams { question: string }
export interface AskResult extends Result { answer: string }
export interface BleatNotification extends Notification { method: "notifications/bleat" }

export type ClientRequest = ListSheepRequest | ShearRequest;
export type ServerRequest = AskRequest;
export type ClientNotification = BleatNotification;
export type ServerNotification = BleatNotification;
export type ServerResult = ListSheepResult | EmptyResult;
export type ClientResult = AskResult | EmptyResult;
"""
TYPES = 'export const LATEST_PROTOCOL_VERSION = "2030-01-01";\n'


@dataclass
class Folder:
    """Builds Models with the overrides and descriptions of a folder."""

    path: Path

    def model(
        self,
        source: str,
        overrides: str = "",
        descriptions: dict[str, str] | None = None,
        *,
        keep: bool = False,
        version: str | None = None,
    ) -> Protocol:
        files = SourceFiles(VERSION, source.encode(), None, "example", "main", "c0ffee")
        document = derive(files, descriptions=keep).document
        (self.path / "overrides.toml").write_text(overrides, encoding="utf-8")
        texts = "".join(
            f"{json.dumps(k)} = {json.dumps(v)}\n" for k, v in (descriptions or {}).items()
        )
        (self.path / "descriptions.toml").write_text(texts, encoding="utf-8")
        return normalise(
            json.loads(json.dumps(document)),
            Overrides.load(self.path / "overrides.toml"),
            Descriptions.load(self.path / "descriptions.toml"),
            version=version,
            digest="d1ce",
        )

    def field(self, text: str, overrides: str = "", name: str = "a") -> Field:
        """The only field of an interface; the types A and B are declared."""
        names = "export interface A {}\nexport interface B { b: string }\n"
        protocol = self.model(f"{TYPES}{names}export interface T {{ {text} }}", overrides)
        found = obj(protocol, "T").field(name)
        assert found is not None
        return found


def obj(protocol: Protocol, name: str) -> ObjectType:
    found = protocol.type(name)
    assert isinstance(found, ObjectType)
    return found


def method(protocol: Protocol, name: str) -> Method:
    (found,) = (item for item in protocol.methods if item.method == name)
    return found


def wire_names(found: ObjectType) -> list[str]:
    return [item.wire_name for item in found.fields]
