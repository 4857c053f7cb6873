"""The sample messages under tests/samples: complete, named by their convention, and valid.

A sample is `tests/samples/<version>/<TypeName>.<variant>.json`. Every request, notification
and result in the version's method table has the variants `minimal` and `full`, and so has any
other type that has a sample; `Response` is no type of the schema but stands for a whole
response frame.
"""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "samples"
SPEC = ROOT / "spec"
UPSTREAM = ROOT.parent / "shared" / "upstream"

VERSIONS = sorted(
    {folder.name for folder in SAMPLES.glob("????-??-??")}
    | {path.stem for path in SPEC.glob("????-??-??.json")}
)
FILES = sorted(SAMPLES.glob("????-??-??/*"))
NULL_DROPPED = "2026-07-28/DiscoverResult.null.json"
"""Holds a null in a value of any kind, which the published schema has lost and schema.ts allows."""
RESPONSES = ("result", "error", "error-data")
FILE_NAME = re.compile(r"(?P<type>[A-Z][A-Za-z]*)\.(?P<variant>[a-z]+(?:-[a-z]+)*)\.json")

needs_published_schemas = pytest.mark.skipif(
    not UPSTREAM.is_dir(), reason="the published schemas are not beside this checkout"
)
formats = jsonschema.FormatChecker(formats=())


@formats.checks("byte", raises=ValueError)
def is_base64(value: object) -> bool:
    """Say whether a string is strict base64; other JSON values are not its business."""
    return not isinstance(value, str) or base64.b64decode(value, validate=True) is not None


@formats.checks("uri", raises=ValueError)
def has_scheme(value: object) -> bool:
    """Say whether a string is an absolute URI; the empty one is let through as an edge case."""
    return not isinstance(value, str) or value == "" or bool(urlsplit(value).scheme)


def sample_id(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def type_of(path: Path) -> str:
    return path.name.partition(".")[0]


@cache
def spec(version: str) -> dict[str, Any]:
    """The spec document the generator reads for this version."""
    return json.loads((SPEC / f"{version}.json").read_text(encoding="utf-8"))


def method_table(version: str) -> list[dict[str, Any]]:
    """The entries of the version's method table."""
    return list(spec(version)["x-mcp"]["methods"].values())


def message_types(version: str) -> set[str]:
    """Every type in the version's method table."""
    entries = method_table(version)
    return {name for entry in entries for name in (entry["message"], *entry["results"])}


def envelope(version: str, name: str) -> tuple[set[str], set[str]]:
    """The envelope keys a sample of this type must and may have.

    Results, embedded requests and what is no message have none.
    """
    kinds = {entry["message"]: entry["kind"] for entry in method_table(version)}
    if name in kinds:
        by_kind = {"request": {"jsonrpc", "id"}, "notification": {"jsonrpc"}}
        keys = by_kind.get(kinds[name], set())
        return keys, keys
    schema = spec(version)["$defs"][name]
    if "jsonrpc" not in schema.get("properties", {}):
        return set(), set()
    return {"jsonrpc", "id"} & set(schema["required"]), {"jsonrpc", "id"}


@cache
def published(version: str) -> jsonschema.protocols.Validator:
    """A validator over the whole published schema of a version."""
    path = UPSTREAM / version / "schema.json"
    if not path.is_file():
        pytest.skip(f"the published schema of {version} is not at {path.relative_to(ROOT.parent)}")
    document = json.loads(path.read_text(encoding="utf-8"))
    return jsonschema.validators.validator_for(document)(document, format_checker=formats)


def definition(version: str, name: str) -> jsonschema.protocols.Validator:
    """A validator of one definition of the published schema."""
    validator = published(version)
    keyword = "$defs" if "$defs" in validator.schema else "definitions"
    assert name in validator.schema[keyword], f"{version} defines no {name}"
    return validator.evolve(schema={"$ref": f"#/{keyword}/{name}"})


def response_type(version: str, frame: dict[str, Any]) -> str:
    """The JSON-RPC type of a response frame; its names changed in 2025-11-25."""
    if version < "2025-11-25":
        return "JSONRPCResponse" if "result" in frame else "JSONRPCError"
    return "JSONRPCResultResponse" if "result" in frame else "JSONRPCErrorResponse"


@needs_published_schemas
@pytest.mark.parametrize("path", FILES, ids=sample_id)
def test_sample_is_valid_by_the_published_schema(path: Path) -> None:
    version, name = path.parent.name, type_of(path)
    sample = json.loads(path.read_text(encoding="utf-8"))
    if name == "Response":
        name = response_type(version, sample)
    errors = [f"{e.json_path}: {e.message}" for e in definition(version, name).iter_errors(sample)]
    assert bool(errors) == (sample_id(path) == NULL_DROPPED), errors


@needs_published_schemas
@pytest.mark.parametrize("version", VERSIONS)
def test_validation_notices_a_broken_sample(version: str) -> None:
    validator = definition(version, "CallToolResult")
    assert not validator.is_valid({"content": [{"type": "image", "mimeType": "image/png"}]})
    assert not validator.is_valid(
        {"content": [{"type": "image", "mimeType": "image/png", "data": "not base64"}]}
    )


@pytest.mark.parametrize("path", FILES, ids=sample_id)
def test_file_parses_and_is_named_by_the_convention(path: Path) -> None:
    match = FILE_NAME.fullmatch(path.name)
    assert match is not None
    name = match["type"]
    assert name == "Response" or name in spec(path.parent.name)["$defs"]
    text = path.read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("path", FILES, ids=sample_id)
def test_messages_are_whole_frames_and_nothing_else_is(path: Path) -> None:
    sample = json.loads(path.read_text(encoding="utf-8"))
    if type_of(path) == "Response":
        assert sample["jsonrpc"] == "2.0"
        assert ("result" in sample) != ("error" in sample)
        return
    must, may = envelope(path.parent.name, type_of(path))
    # A batch has its envelopes inside.
    keys = sample.keys() & {"jsonrpc", "id"} if isinstance(sample, dict) else set()
    assert must <= keys <= may
    assert "jsonrpc" not in keys or sample["jsonrpc"] == "2.0"


@pytest.mark.parametrize("version", VERSIONS)
def test_every_type_has_a_minimal_and_a_full_sample(version: str) -> None:
    here = [path for path in FILES if path.parent.name == version]
    types = message_types(version) | ({type_of(path) for path in here} - {"Response"})
    wanted = {f"{name}.{variant}.json" for name in types for variant in ("minimal", "full")}
    wanted |= {f"Response.{variant}.json" for variant in RESPONSES}
    assert sorted(wanted - {path.name for path in here}) == []
