"""What a spec document has to be: each damage stops with its path, wherever it is loaded."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from mcpgen.errors import SchemaError
from mcpgen.graphs import find_cycle
from mcpgen.model.document import check_document
from mcpgen.queries import diff

SPEC = Path(__file__).parents[2] / "spec"
VERSION = "2025-11-25"
DOCUMENT: dict[str, Any] = json.loads((SPEC / f"{VERSION}.json").read_text(encoding="utf-8"))
GONE = object()


@pytest.mark.parametrize("path", sorted(SPEC.glob("20*.json")), ids=lambda path: path.stem)
def test_the_documents_are_documents(path: Path) -> None:
    check_document(json.loads(path.read_text(encoding="utf-8")), path.name)


def damaged(pointer: str, value: object, document: dict[str, Any] = DOCUMENT) -> dict[str, Any]:
    """A document with something else, or nothing, where a pointer leads; in keys `~` is a slash."""
    document = copy.deepcopy(document)
    *parents, last = [
        int(part) if part.isdigit() else part.replace("~", "/") for part in pointer.split("/")
    ]
    holder: Any = document
    for key in parents:
        holder = holder[key]
    if value is GONE:
        del holder[last]
    else:
        holder[last] = value
    return document


@pytest.mark.parametrize(
    ("pointer", "value", "expected"),
    [
        ("$defs", GONE, "$defs: found no object, expected a spec document"),
        ("$defs/Tool", [], "$defs.Tool: found [], expected a schema object"),
        ("$defs/Tool", GONE, 'found "#/$defs/Tool", expected a reference to one of the types'),
        ("$defs/Tool/type", 3, "$defs.Tool.type: found 3, expected one of string, integer,"),
        ("$defs/Tool/type", "sheep", '$defs.Tool.type: found "sheep", expected one of string'),
        ("$defs/Tool/type", [], "$defs.Tool.type: found [], expected one of string, integer,"),
        ("$defs/Tool/type", ["null", 3], '$defs.Tool.type: found ["null", 3], expected one of'),
        ("$defs/Tool/x-mcp", [], "$defs.Tool: found the keyword x-mcp, which is not supported"),
        ("$defs/Tool/properties", 3, "$defs.Tool.properties: found 3, expected an object of sch"),
        ("$defs/Tool/required", "name", '$defs.Tool.required: found "name", expected an array of'),
        ("$defs/Tool/required", [3], "$defs.Tool.required[0]: found 3, expected a string"),
        ("$defs/Tool/properties/icons/items", True, "icons.items: found true, expected a schema"),
        ("$defs/RequestId", {"$ref": "#/$defs/Id"}, 'RequestId.$ref: found "#/$defs/Id", expec'),
        ("$defs/RequestId", {"$ref": 3}, "$defs.RequestId.$ref: found 3, expected a reference"),
        ("$defs/RequestId", {"anyOf": {}}, "$defs.RequestId.anyOf: found {}, expected an array"),
        ("$defs/RequestId", {"anyOf": [3]}, "$defs.RequestId.anyOf[0]: found 3, expected a sche"),
        ("$defs/RequestId", {"const": []}, "$defs.RequestId.const: found [], expected a string,"),
        ("$defs/RequestId", {"type": "number", "minimum": True}, "minimum: found true, expected"),
        ("x-mcp/methods", [], "x-mcp.methods: found [], expected an object of methods"),
        ("x-mcp/source/ref", GONE, "x-mcp.source: found no ref"),
        ("x-mcp/internal", ["a", None], "x-mcp.internal[1]: found null, expected a string"),
        ("x-mcp/extends", {"Tool": "Icons"}, 'x-mcp.extends.Tool: found "Icons", expected an a'),
        ("x-mcp/methods/ping", {}, "x-mcp.methods.ping: found no kind"),
        ("x-mcp/methods/ping/results", "x", 'methods.ping.results: found "x", expected an array'),
        ("$defs/Tool/type", "x" * 200, f'found "{"x" * 76}..., expected one of'),
    ],
)
def test_what_is_no_spec_document(
    tmp_path: Path, pointer: str, value: object, expected: str
) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(damaged(pointer, value)), encoding="utf-8")
    with pytest.raises(SchemaError, match=re.escape(expected)) as caught:
        diff(path, VERSION, spec_dir=SPEC)
    assert caught.value.where.startswith(f"{path}: ")


def test_facts_are_an_object() -> None:
    with pytest.raises(SchemaError, match="f: x-mcp: found no object, expected a spec document"):
        check_document(damaged("x-mcp", []), "f")


@pytest.mark.parametrize(
    ("pointer", "value", "expected"),
    [
        ("x-mcp/methods/tools~list", GONE, "derived.frames: found no message ListToolsRequest"),
        ("$defs/ListToolsRequest", {}, "derived.frames: found no message ListToolsRequest"),
        ("x-mcp/derived/frames/0", "Sheep", "derived.frames: found no message Sheep"),
        (
            "$defs/Notification/properties/params/properties/_meta",
            GONE,
            "x-mcp.derived.meta: found no CancelledNotification.params or no Notification.params",
        ),
        ("x-mcp/derived/generic", ["RequestId.params"], "generic: found no RequestId.params"),
    ],
)
def test_derivations_of_what_is_not_there(
    tmp_path: Path, pointer: str, value: object, expected: str
) -> None:
    oldest = json.loads((SPEC / "2024-11-05.json").read_text(encoding="utf-8"))
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(damaged(pointer, value, oldest)), encoding="utf-8")
    with pytest.raises(SchemaError, match=re.escape(expected)):
        diff(path, VERSION, spec_dir=SPEC)


def reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


@pytest.mark.parametrize(
    ("definitions", "extends", "cycle"),
    [
        ({"A": reference("A")}, {}, "A → A"),
        ({"A": {"anyOf": [reference("A")]}}, {}, "A → A"),
        ({"A": {"anyOf": [{"type": "string"}, {"anyOf": [reference("A")]}]}}, {}, "A → A"),
        ({"A": {"allOf": [reference("A")]}}, {}, "A → A"),
        (
            {"A": reference("B"), "B": {"anyOf": [reference("C")]}, "C": reference("B")},
            {},
            "B → C → B",
        ),
        ({"A": {"type": "object"}}, {"A": ["A"]}, "A → A"),
        ({"A": {"type": "object"}, "B": {"type": "object"}}, {"A": ["B"], "B": ["A"]}, "A → B → A"),
    ],
)
def test_a_type_defined_by_itself(
    tmp_path: Path, definitions: dict[str, Any], extends: dict[str, list[str]], cycle: str
) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["$defs"] |= definitions
    document["x-mcp"]["extends"] |= extends
    path = tmp_path / "cyclic.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(SchemaError, match=f"found a type defined by itself: {cycle}$"):
        diff(path, VERSION, spec_dir=SPEC)


def test_a_type_that_contains_itself_is_no_cycle(tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["$defs"]["A"] = {
        "anyOf": [{"type": "string"}, {"type": "array", "items": reference("A")}]
    }
    path = tmp_path / "recursive.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert [change.path for change in diff(VERSION, path, spec_dir=SPEC).changes] == ["A"]


def test_a_published_schema_with_a_type_defined_by_itself(tmp_path: Path) -> None:
    folder = tmp_path / VERSION
    folder.mkdir()
    definitions = {**DOCUMENT["$defs"], "A": {"anyOf": [reference("A")]}}
    (folder / "schema.json").write_text(json.dumps({"$defs": definitions}), encoding="utf-8")
    with pytest.raises(SchemaError, match=r"found a type defined by itself: A → A$"):
        diff(folder / "schema.json", VERSION, spec_dir=SPEC)


def test_what_overrides_break_is_said_of_them(tmp_path: Path) -> None:
    (tmp_path / "overrides.toml").write_text(
        '[[override]]\npath = "/$defs/Tool/type"\nold = "object"\nnew = "sheep"\nreason = "test"\n',
        encoding="utf-8",
    )
    path = tmp_path / "a.json"
    path.write_text(json.dumps(DOCUMENT), encoding="utf-8")
    with pytest.raises(SchemaError, match=r'overrides\.toml in .*Tool\.type: found "sheep"'):
        diff(path, VERSION, spec_dir=SPEC)


@pytest.mark.parametrize(
    ("needs", "cycle"),
    [
        ({}, None),
        ({"a": "b"}, None),
        ({"a": "bc", "b": "d", "c": "d", "d": ""}, None),
        ({"a": "b", "b": "cb"}, "bb"),
        ({"a": "bc", "b": "", "c": "da", "d": ""}, "aca"),
        ({"a": "bc", "b": "d", "c": "b", "d": "c"}, "bdcb"),
    ],
)
def test_cycles(needs: dict[str, str], cycle: str | None) -> None:
    assert find_cycle(needs) == (None if cycle is None else list(cycle))


def test_cycles_of_any_length_and_width() -> None:
    chain = {str(number): [str(number + 1)] for number in range(100_000)}
    assert find_cycle(chain) is None
    assert find_cycle({**chain, "100000": ["99999"]}) == ["99999", "100000", "99999"]
    # Without what is settled this would take 2 to the 200th steps.
    diamonds = {str(n): [f"{n}l", f"{n}r"] for n in range(200)}
    diamonds |= {f"{n}{side}": [str(n + 1)] for n in range(200) for side in "lr"}
    assert find_cycle(diamonds) is None
