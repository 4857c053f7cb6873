"""The spec document of an invented version: what it holds, and when there is none."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from mcpgen.errors import ReconcileError, SchemaError
from mcpgen.ingest.document import derive, to_bytes
from mcpgen.ingest.sources_common import SourceFiles

SOURCE = (
    'export const LATEST_PROTOCOL_VERSION = "2030-01-01";\n/** Größe. */\nexport type T = number;'
)
PUBLISHED = {"definitions": {"T": {"description": "Größe.", "type": "integer"}}}


def files(source: str = SOURCE, published: object = PUBLISHED, **changes: Any) -> SourceFiles:
    return SourceFiles(
        version=changes.get("version", "2030-01-01"),
        typescript=source.encode(),
        json=None if published is None else json.dumps(published).encode(),
        repository="https://example.org/spec",
        ref="main",
        commit=None,
    )


def test_a_document_holds_schema_facts_and_source() -> None:
    found = derive(files())
    assert found.document == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Model Context Protocol 2030-01-01",
        "x-mcp": {
            "protocolVersion": "2030-01-01",
            "source": {
                "repository": "https://example.org/spec",
                "ref": "main",
                "commit": None,
                "schema.ts": hashlib.sha256(SOURCE.encode()).hexdigest(),
                "schema.json": hashlib.sha256(json.dumps(PUBLISHED).encode()).hexdigest(),
            },
            "constants": {"LATEST_PROTOCOL_VERSION": "2030-01-01"},
            "methods": {},
            "extends": {},
            "deprecated": {},
            "internal": [],
            "categories": {},
            "unions": {},
            "derived": {"frames": [], "meta": {}, "generic": []},
        },
        "$defs": {"T": {"type": "number"}},
    }
    assert found.report.checked
    assert found.report.sites == {"number-as-integer": ("T",)}


def test_descriptions_are_kept_when_asked_for() -> None:
    document = derive(files(), descriptions=True).document
    assert document["$defs"]["T"] == {"description": "Größe.", "type": "number"}
    assert '"Größe."' in to_bytes(document).decode()


def test_without_a_published_schema_nothing_is_compared() -> None:
    found = derive(files(published=None))
    assert not found.report.checked
    assert found.document["x-mcp"]["source"]["schema.json"] is None


def test_a_document_is_written_as_it_is_read() -> None:
    document = derive(files()).document
    content = to_bytes(document)
    assert json.loads(content) == document
    assert content.endswith(b"\n}\n")
    assert b"\r" not in content
    assert to_bytes(derive(files()).document) == content


def test_a_draft_may_state_any_version() -> None:
    document = derive(files(version="draft")).document
    assert document["title"] == "Model Context Protocol draft"
    assert document["x-mcp"]["protocolVersion"] == "2030-01-01"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            SOURCE.replace("2030-01-01", "2029-01-01"),
            "found protocol version 2029-01-01, expected 2030-01-01",
        ),
        (SOURCE.replace("LATEST_", "OLDEST_"), "found no string LATEST_PROTOCOL_VERSION"),
        (SOURCE.replace('"2030-01-01"', "2030"), "found no string LATEST_PROTOCOL_VERSION"),
    ],
)
def test_a_file_of_another_version_stops(source: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        derive(files(source))
    assert str(caught.value) == f"schema/2030-01-01/schema.ts: {message}"


def test_errors_name_the_file_of_the_version() -> None:
    with pytest.raises(SchemaError) as caught:
        derive(files("export enum E {}"))
    assert caught.value.where == "schema/2030-01-01/schema.ts:1:8"
    with pytest.raises(ReconcileError) as differs:
        derive(files(published={"$defs": {"T": {"type": "string"}}}))
    assert differs.value.where == "schema/2030-01-01/schema.json"
