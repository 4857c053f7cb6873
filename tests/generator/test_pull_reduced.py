"""From a folder with only a schema.json to the Model: the reduced mode, end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.errors import SourceError
from mcpgen.ingest.distortions import Recorder
from mcpgen.ingest.lock import Lock
from mcpgen.ingest.pull import PullResult, pull
from mcpgen.ingest.schema_from_typescript import build_definitions
from mcpgen.ingest.typescript import read_module
from mcpgen.specs import load_protocols

from .tiny import OLD, run_mcpgen, schema


def published() -> bytes:
    """The invented protocol as its schema.json would be published."""
    module = read_module(schema(OLD).encode(), "schema.ts")
    definitions = build_definitions(module, recorder=Recorder())
    return json.dumps({"$defs": definitions}).encode()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source" / "schema" / OLD
    folder.mkdir(parents=True)
    (folder / "schema.json").write_bytes(published())
    return tmp_path / "source"


def pulled(source: Path, **settings: Any) -> PullResult:
    return pull((OLD,), source=str(source), spec_dir=source.parent / "spec", **settings)


def test_a_pull_of_a_schema_json_alone(source: Path) -> None:
    result = pulled(source)
    assert result.versions[0].report.reduced
    entry = Lock.load(source.parent / "spec" / "lock.json").versions[OLD]
    assert entry.schema_ts is None
    assert entry.schema_json is not None
    assert not pulled(source, check=True).changed


def test_the_model_of_a_reduced_document(source: Path) -> None:
    pulled(source)
    (protocol,) = load_protocols(source.parent / "spec")
    assert {item.method: item.results for item in protocol.methods} == {
        "initialize": ("InitializeResult",),
        "notifications/initialized": (),
        "notifications/storm": (),
        "ping": ("EmptyResult",),
        "weather/measure": ("MeasureResult",),
    }
    assert {item.name: item.value for item in protocol.constants} == {
        "LATEST_PROTOCOL_VERSION": OLD,
        "JSONRPC_VERSION": "2.0",
    }


def test_the_typescript_turns_up(source: Path) -> None:
    pulled(source)
    (source / "schema" / OLD / "schema.ts").write_text(schema(OLD), encoding="utf-8")
    (found,) = pulled(source).versions
    assert (found.status, found.changed) == ("changed", ("schema.ts", "document"))
    assert not found.report.reduced


def test_the_command_warns(source: Path) -> None:
    done = run_mcpgen("pull", OLD, "--source", source, "--spec-dir", "spec", cwd=source.parent)
    assert done.code == 0
    assert f"{OLD}: warning: reduced" in done.out
    assert "deprecations" in done.out


def test_neither_file(source: Path) -> None:
    (source / "schema" / OLD / "schema.json").unlink()
    with pytest.raises(SourceError, match=r"is not there, nor a schema\.json beside it"):
        pulled(source)
