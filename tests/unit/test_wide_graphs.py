"""Types with far more ways through them than types: the Model and what reads it look at each once.

Every test would take longer than anybody waits if one of the ways were looked at twice.
"""

from __future__ import annotations

from typing import Any

from mcpgen.emit.shapes import Shapes
from mcpgen.graphs import reachable
from mcpgen.ingest.members import members_of
from mcpgen.ingest.typescript import read_module
from mcpgen.model.expressions import Expressions
from mcpgen.model.hoist import hoist
from mcpgen.model.model import AliasType, Protocol, Ref, SourceFacts, TypeDef
from mcpgen.model.overrides import Overrides

SIZE = 100


def ladder(base: dict[str, Any], *also: dict[str, Any]) -> dict[str, Any]:
    """Aliases, each a union of the two before it."""
    definitions: dict[str, Any] = {"T0": base, "T1": {"$ref": "#/$defs/T0"}}
    for number in range(2, SIZE):
        before = [{"$ref": f"#/$defs/T{number - step}"} for step in (1, 2)]
        definitions[f"T{number}"] = {"anyOf": [*before, *also]}
    return definitions


def shapes(definitions: dict[str, Any]) -> Shapes:
    expressions = Expressions(definitions, "v")
    types: tuple[TypeDef, ...] = tuple(
        AliasType(name, expressions.read(schema, name)) for name, schema in definitions.items()
    )
    source = SourceFacts("", None, None, None, None, "")
    return Shapes(Protocol("v", "v", types, (), (), source))


def test_null_in_unions_of_unions() -> None:
    for kind, expected in (("string", False), ("null", True)):
        expressions = Expressions(ladder({"type": kind}), "v")
        assert expressions.allows_null(Ref(f"T{SIZE - 1}")) is expected


def test_objects_in_unions_of_unions() -> None:
    assert not shapes(ladder({"type": "string"})).holds_objects(Ref(f"T{SIZE - 1}"))


def containers(base: dict[str, Any]) -> dict[str, Any]:
    """Aliases, each any scalar, or an array or a map of one of the two before it."""
    definitions: dict[str, Any] = {"T0": base, "T1": base}
    kinds = [{"type": kind} for kind in ("string", "number", "boolean", "null")]
    for number in range(2, SIZE):
        before = [{"$ref": f"#/$defs/T{number - step}"} for step in (1, 2)]
        arrays = [{"type": "array", "items": item} for item in before]
        maps = [{"type": "object", "additionalProperties": item} for item in before]
        definitions[f"T{number}"] = {"anyOf": [*kinds, *arrays, *maps]}
    return definitions


def test_any_value_in_containers_of_containers() -> None:
    assert shapes(containers({})).is_universal(Ref(f"T{SIZE - 1}"))
    assert not shapes(containers({"type": "string"})).is_universal(Ref(f"T{SIZE - 1}"))


def test_a_recursive_alias_is_what_it_turns_out_to_be() -> None:
    kinds = [{"type": kind} for kind in ("string", "number", "boolean", "null")]

    def alias(item: str, value: str) -> dict[str, Any]:
        array = {"type": "array", "items": {"$ref": f"#/$defs/{item}"}}
        other = {"type": "object", "additionalProperties": {"$ref": f"#/$defs/{value}"}}
        return {"anyOf": [*kinds, array, other]}

    found = shapes(
        {"A": alias("A", "A"), "B": alias("C", "S"), "C": alias("B", "B"), "S": {"type": "string"}}
    )
    assert found.is_universal(Ref("A"))
    # C is only while B is taken to be, and B is not: its maps hold strings.
    for name in ("B", "C", "B"):
        assert not found.is_universal(Ref(name))


def test_bases_of_bases() -> None:
    source = "export interface T0 { a: string }\n"
    for i in range(1, SIZE):
        source += (
            f"export interface L{i} extends T{i - 1} {{}}\n"
            f"export interface R{i} extends T{i - 1} {{}}\n"
            f"export interface T{i} extends L{i}, R{i} {{}}\n"
        )
    module = read_module(source.encode(), "schema.ts")
    top = module.interface("T50")
    assert top is not None
    assert list(members_of(module, top).properties) == ["a"]


def test_the_bases_of_a_type_are_the_nearest_first() -> None:
    extends = {"T": ["L", "R"], "L": ["B", "A"], "R": ["B", "C"], "B": ["A"]}
    assert reachable("T", extends) == ["L", "B", "A", "R", "C"]
    assert reachable("A", extends) == []


def test_inherited_members_are_traced_to_their_origin() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    extends: dict[str, list[str]] = {}
    for i in range(1, SIZE):
        extends |= {f"L{i}": [f"T{i - 1}"], f"R{i}": [f"T{i - 1}"], f"T{i}": [f"L{i}", f"R{i}"]}
    definitions = dict.fromkeys(["T0", f"T{SIZE - 1}"], schema)
    assert hoist(definitions, extends, Overrides(), "v").definitions == definitions
