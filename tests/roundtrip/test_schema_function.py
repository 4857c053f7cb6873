"""`schema(name)`: the JSON Schema a version publishes of each of its types."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .documents import EXAMPLES, MODULES, ROOT, load, named_types, sample_id, samples, text, type_of
from .instances import REF, Instances, Schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
KEYWORDS = {
    "$schema", "$ref", "$defs", "type", "properties", "required", "items", "anyOf", "const", "enum",
    "additionalProperties", "minimum", "maximum", "minItems", "maxItems", "format", "description",
    "deprecated",
}  # fmt: skip
TYPES = list(named_types())
CASES = [pytest.param(version, name, id=f"{version}-{name}") for version, name in TYPES]


def subschemas(schema: Any) -> Iterator[Schema]:
    """A schema and every schema inside it."""
    yield schema
    for key in ("properties", "$defs"):
        for inner in schema.get(key, {}).values():
            yield from subschemas(inner)
    for key in ("items", "additionalProperties"):
        if key in schema:
            yield from subschemas(schema[key])
    for inner in schema.get("anyOf", ()):
        yield from subschemas(inner)


@pytest.mark.parametrize(("version", "name"), CASES)
def test_schema(version: str, name: str) -> None:
    schema = MODULES[version].schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert (schema["$schema"], schema["$ref"]) == (DIALECT, REF + name)
    assert next(iter(schema["$defs"])) == name
    parts = list(subschemas(schema))
    assert not [key for part in parts for key in part if key.startswith("x-")]
    refs = {part["$ref"] for part in parts if "$ref" in part}
    assert refs == {REF + defined for defined in schema["$defs"]}
    # Everything else that looks like a schema was looked at, too.
    assert json.dumps(schema).count('"$ref":') == sum("$ref" in part for part in parts)
    assert {key for part in parts for key in part} <= KEYWORDS


@pytest.mark.parametrize("version", MODULES)
def test_every_type_has_one(version: str) -> None:
    module = MODULES[version]
    spec = json.loads((ROOT / "spec" / f"{version}.json").read_bytes())
    published = {name for named_version, name in TYPES if named_version == version}
    assert spec["$defs"].keys() <= published
    for name in published:
        assert hasattr(module, name)


@pytest.mark.parametrize("version", MODULES)
def test_the_schemas_given_out_are_copies(version: str) -> None:
    module = MODULES[version]
    before = text(module.schema("CallToolResult"))
    for part in subschemas(module.schema("CallToolResult")):
        part.clear()
    assert text(module.schema("CallToolResult")) == before
    assert module.CallToolResult(content=[]).to_dict()["content"] == []


@pytest.mark.parametrize(
    "path", [path for path in samples() if type_of(path) != "Response"], ids=sample_id
)
def test_schema_accepts_the_sample(path: Path) -> None:
    schema = MODULES[path.parent.name].schema(type_of(path))
    errors = jsonschema.Draft202012Validator(schema).iter_errors(load(path))
    assert [f"{error.json_path}: {error.message}" for error in errors] == []


@pytest.mark.parametrize(
    "path", sorted(EXAMPLES.glob("*/*.json")), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_schema_accepts_the_official_example(path: Path) -> None:
    schema = MODULES["2026-07-28"].schema(path.parent.name)
    errors = jsonschema.Draft202012Validator(schema).iter_errors(load(path))
    assert [f"{error.json_path}: {error.message}" for error in errors] == []


# --- against the spec document ------------------------------------------------------------------


@cache
def spec(version: str) -> Schema:
    return dict(json.loads((ROOT / "spec" / f"{version}.json").read_bytes()))


@cache
def derived(version: str) -> frozenset[str]:
    """The declarations that derivations change, and those that refer to one."""
    sites = spec(version)["x-mcp"]["derived"]
    changed = {site.partition(".")[0] for kind in sites.values() for site in kind}
    while True:
        more = {name for name, schema in spec(version)["$defs"].items() if refers(schema, changed)}
        if more <= changed:
            return frozenset(changed)
        changed |= more


def refers(schema: Any, names: set[str]) -> bool:
    shown = json.dumps(schema)
    return any(f'"{REF}{name}"' in shown for name in names)


def has_float(value: Any) -> bool:
    """Whether there is a float: where TypeScript says number, overrides may say integer."""
    if isinstance(value, dict | list):
        return any(map(has_float, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float)


FAITHFUL = [
    pytest.param(version, name, id=f"{version}-{name}")
    for version in MODULES
    for name in spec(version)["$defs"]
    if name not in derived(version)
]


def test_most_types_are_not_derived() -> None:
    assert len(FAITHFUL) > 400


@pytest.mark.parametrize(("version", "name"), FAITHFUL)
def test_schema_agrees_with_the_specification(version: str, name: str) -> None:
    faithful = jsonschema.Draft202012Validator(
        {"$ref": REF + name, "$defs": spec(version)["$defs"]}
    )
    published = jsonschema.Draft202012Validator(MODULES[version].schema(name))
    for definitions in (spec(version)["$defs"], MODULES[version].schema(name)["$defs"]):
        made = Instances(definitions, f"{version}/{name}")
        for _ in range(4):
            document = made.make({"$ref": REF + name})
            for changed in (document, made.broken(document)):
                if not has_float(changed):
                    assert published.is_valid(changed) == faithful.is_valid(changed), text(changed)
