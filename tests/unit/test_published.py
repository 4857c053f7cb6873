"""The reduced mode: what is read from a schema.json alone, and what is refused in one."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.errors import SchemaError
from mcpgen.ingest.document import derive
from mcpgen.ingest.published import MISSING_FACTS, derive_reduced
from mcpgen.ingest.sources_common import SourceFiles
from mcpgen.model.descriptions import Descriptions
from mcpgen.model.model import ObjectType, Protocol
from mcpgen.model.normalise import normalise
from mcpgen.model.overrides import Overrides

VERSION = "2030-01-01"
ROOT = Path(__file__).parents[2]
UPSTREAM = ROOT.parent / "shared" / "upstream"
COUNTS = {
    "2024-11-05": 24,
    "2025-03-26": 24,
    "2025-06-18": 25,
    "2025-11-25": 31,
    "2026-07-28": 21,
}

ANY_OBJECT = {"type": "object", "additionalProperties": {}}
ENVELOPE = {"jsonrpc": {"type": "string", "const": "2.0"}, "id": {"$ref": "#/$defs/Id"}}


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def message(method: str, params: object = None, **more: object) -> dict[str, Any]:
    properties = {**more, "method": {"type": "string", "const": method}}
    required = sorted(properties)
    if params is not None:
        properties["params"] = params
    return {"type": "object", "properties": properties, "required": required}


def fields(**properties: object) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


DEFINITIONS: dict[str, Any] = {
    "AskRequest": message("ask", fields(question={"type": "string", "description": "What."})),
    "BellNotification": message("bell"),
    "ClientNotification": {**message("bell"), "description": "What a client tells."},
    "ClientRequest": {"anyOf": [ref("AskRequest"), ref("FeedRequest")]},
    "ClientResult": ref("Result"),
    "FeedRequest": message("feed", ref("FeedParams"), **ENVELOPE),
    "FeedParams": fields(
        food={"anyOf": [ref("Id"), {"type": ["boolean", "number"]}]},
        options={"type": "object", "properties": {}, "additionalProperties": True},
        more={"type": "object", "additionalProperties": True},
    ),
    "FeedResult": fields(),
    "FeedResultResponse": fields(result={"anyOf": [ref("WaitResult"), ref("FeedResult")]}),
    "Id": {"type": ["string", "integer"]},
    "InputRequest": {"anyOf": [ref("PeekRequest")]},
    "JSONRPCRequest": fields(
        jsonrpc=ENVELOPE["jsonrpc"], id=ref("Id"), params=fields(_meta=ANY_OBJECT)
    ),
    "PeekRequest": message("peek", fields(where={"type": "string"})),
    "PeekResult": fields(),
    "Request": fields(method={"type": "string"}, params=fields(_meta=ANY_OBJECT)),
    "RequestId": {"type": ["string", "integer"]},
    "Result": fields(_meta=ANY_OBJECT),
    "ServerResult": {"anyOf": [ref("Result"), ref("FeedResult"), ref("WaitResult")]},
    "WaitResult": fields(),
}


def files(definitions: object = DEFINITIONS, keyword: str = "$defs") -> SourceFiles:
    text = json.dumps({keyword: definitions}).replace("#/$defs/", f"#/{keyword}/")
    return SourceFiles(VERSION, None, text.encode(), "example", "main", None)


def facts() -> dict[str, Any]:
    found: dict[str, Any] = derive_reduced(files()).document["x-mcp"]
    return found


def load(source: SourceFiles, overrides: Overrides) -> Protocol:
    descriptions = Descriptions.load(ROOT / "spec" / "descriptions.toml")
    return normalise(derive(source).document, overrides, descriptions)


# --- the facts ----------------------------------------------------------------------------------


def test_what_is_known_of_the_version() -> None:
    found = facts()
    assert found["reduced"] is True
    assert found["protocolVersion"] == VERSION
    assert found["source"]["schema.ts"] is None
    assert len(found["source"]["schema.json"]) == 64
    assert found["constants"] == {"LATEST_PROTOCOL_VERSION": VERSION, "JSONRPC_VERSION": "2.0"}


def test_what_is_not_known_is_empty() -> None:
    found = facts()
    assert (found["extends"], found["deprecated"], found["categories"]) == ({}, {}, {})
    assert found["internal"] == []


def test_methods() -> None:
    assert facts()["methods"] == {
        "ask": {
            "kind": "request",
            "sentBy": ["client"],
            "message": "AskRequest",
            "params": "AskRequest.params",
            "paramsRequired": False,
            "results": ["Result"],
        },
        "bell": {
            "kind": "notification",
            "sentBy": ["client"],
            "message": "BellNotification",
            "params": None,
            "paramsRequired": False,
            "results": [],
        },
        "feed": {
            "kind": "request",
            "sentBy": ["client"],
            "message": "FeedRequest",
            "params": "FeedParams",
            "paramsRequired": False,
            "results": ["FeedResult", "WaitResult"],
        },
        "peek": {
            "kind": "embedded",
            "sentBy": ["server"],
            "message": "PeekRequest",
            "params": "PeekRequest.params",
            "paramsRequired": False,
            "results": ["PeekResult"],
        },
    }


def test_an_empty_result_answers_where_it_is_declared() -> None:
    document = derive_reduced(files({**DEFINITIONS, "EmptyResult": ref("Result")})).document
    assert document["x-mcp"]["methods"]["ask"]["results"] == ["EmptyResult"]


def test_roles_and_derivations() -> None:
    found = facts()
    assert found["unions"]["ClientNotification"] == ["BellNotification"]
    assert found["unions"]["ServerResult"] == ["Result", "FeedResult", "WaitResult"]
    assert found["derived"] == {
        "frames": ["AskRequest", "BellNotification"],
        "meta": {"AskRequest.params": "Request.params._meta"},
        "generic": ["JSONRPCRequest.params"],
    }


# --- the definitions ----------------------------------------------------------------------------


def test_what_publication_surely_changed_is_undone() -> None:
    found = derive_reduced(files()).document["$defs"]
    assert found["ClientNotification"] == ref("BellNotification")
    assert found["FeedParams"]["properties"] == {
        "food": {"anyOf": [ref("Id"), {"type": "boolean"}, {"type": "number"}]},
        "options": {"type": "object"},
        "more": ANY_OBJECT,
    }


def test_old_and_new_schemas_give_the_same() -> None:
    new, old = (derive_reduced(files(keyword=keyword)) for keyword in ("$defs", "definitions"))
    assert old.document["$defs"] == new.document["$defs"]


def test_descriptions_are_dropped_unless_asked_for() -> None:
    bare, full = (
        derive_reduced(files(), descriptions=asked).document["$defs"] for asked in (False, True)
    )
    question = {"type": "string"}
    assert bare["AskRequest"]["properties"]["params"]["properties"] == {"question": question}
    question["description"] = "What."
    assert full["AskRequest"]["properties"]["params"]["properties"] == {"question": question}


def test_a_property_named_description_stays() -> None:
    definitions = {**DEFINITIONS, "Note": fields(description={"type": "string"})}
    assert derive_reduced(files(definitions)).document["$defs"]["Note"] == definitions["Note"]


# --- the report and the Model -------------------------------------------------------------------


def test_the_report_warns() -> None:
    report = derive(files()).report
    assert report.reduced
    assert not report.checked
    head, *facts_missing = report.lines()
    assert head.startswith(f"{VERSION}: warning: reduced")
    assert [line.strip() for line in facts_missing] == list(MISSING_FACTS)


def test_the_model_loads() -> None:
    protocol = load(files(), Overrides())
    assert len(protocol.methods) == 4
    assert protocol.source.schema_ts_sha256 is None
    assert fields_of(protocol, "AskRequestParams") == ["_meta", "question"]
    assert fields_of(protocol, "AskRequest")[:2] == ["jsonrpc", "id"]


def fields_of(protocol: Protocol, name: str) -> list[str]:
    found = protocol.type(name)
    assert isinstance(found, ObjectType)
    return [item.wire_name for item in found.fields]


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"Odd": 1}, "Odd: found 1, expected a schema object"),
        ({"Odd": fields(a=[])}, "Odd.a: found [], expected a schema object"),
        ({"Odd": {"items": [ref("Id")]}}, "Odd[]: found [{"),
        ({"Odd": {"additionalProperties": False}}, "Odd{}: found false"),
        ({"Odd": {"properties": 1}}, "Odd: found properties = 1"),
        ({"Odd": {"required": "a"}}, 'Odd: found required = "a", expected an array'),
        ({"Odd": {"anyOf": {}}}, "Odd: found anyOf = {}, expected an array"),
        ({"Odd": ref("Nowhere")}, 'Odd: found the reference "#/$defs/Nowhere"'),
        ({"Odd": {"$ref": 1}}, "Odd: found the reference 1"),
        ({"OddRequest": message("odd")}, "OddRequest: found a message that no union of roles"),
        ({"OddRequest": message("ask")}, "OddRequest: found a second message with the method ask"),
        ({"ServerRequest": message("odd")}, "ServerRequest: found a message, expected a union"),
        ({"ServerRequest": fields()}, "ServerRequest: found no union of declared types"),
        ({"ServerRequest": ref("Result")}, "ServerRequest: found Result, expected a message"),
        (
            {"ServerNotification": {"anyOf": [ref("AskRequest")]}},
            "AskRequest: found a message in unions of notification and request",
        ),
        ({"FeedResultResponse": fields()}, "FeedResultResponse: found no named results"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SchemaError) as caught:
        derive_reduced(files(DEFINITIONS | changes))
    assert str(caught.value).startswith(f"schema/{VERSION}/schema.json: {said}")


def test_a_request_that_nothing_answers() -> None:
    definitions = copy.deepcopy(DEFINITIONS)
    del definitions["Result"], definitions["ClientResult"], definitions["ServerResult"]
    with pytest.raises(SchemaError, match="AskRequest: found neither AskResult nor EmptyResult"):
        derive_reduced(files(definitions))


@pytest.mark.parametrize("text", [b"", b"nonsense", b"[]", b"[" * 100_000])
def test_what_is_no_schema(text: bytes) -> None:
    with pytest.raises(SchemaError):
        derive_reduced(SourceFiles(VERSION, None, text, "example", None, None))


def test_schemas_nested_too_deeply() -> None:
    text = '{"$defs":{"A":' + '{"items":' * 900 + "{}" + "}" * 902
    with pytest.raises(SchemaError):
        derive_reduced(SourceFiles(VERSION, None, text.encode(), "example", None, None))


# --- the published versions ---------------------------------------------------------------------


@pytest.mark.parametrize("version", COUNTS)
def test_a_published_version_loads(version: str) -> None:
    path = UPSTREAM / version / "schema.json"
    if not path.exists():
        pytest.skip("needs the published schemas, which are no part of this repository")
    source = SourceFiles(version, None, path.read_bytes(), "example", None, None)
    overrides = Overrides.load(ROOT / "spec" / "overrides.toml")
    protocol = load(source, overrides)
    assert len(protocol.methods) == COUNTS[version]
    faithful = json.loads((ROOT / "spec" / f"{version}.json").read_text(encoding="utf-8"))
    reduced = derive(source).document["x-mcp"]
    for method, expected in faithful["x-mcp"]["methods"].items():
        found = reduced["methods"][method]
        for key in ("kind", "sentBy", "message", "paramsRequired", "results"):
            assert found[key] == expected[key], (method, key)
