"""Names for inline objects: by path, once for all heirs, and never one name for two things."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.errors import OverrideError, SchemaError
from mcpgen.ingest.facts import read_facts
from mcpgen.ingest.schema_from_typescript import build_definitions
from mcpgen.ingest.typescript import read_module
from mcpgen.model.hoist import Hoisted, ancestors, hoist
from mcpgen.model.overrides import NameOverride, Overrides, VersionRange

VERSION = "2030-01-01"
STRING, NUMBER = {"type": "string"}, {"type": "number"}


def names(*entries: tuple[str, str]) -> Overrides:
    return Overrides(
        names=tuple(NameOverride(site, name, VersionRange()) for site, name in entries)
    )


def hoisted(source: str, overrides: Overrides | None = None, **options: Any) -> Hoisted:
    module = read_module(source.encode(), "schema.ts")
    definitions = build_definitions(module, **options)
    return hoist(definitions, read_facts(module)["extends"], overrides or Overrides(), VERSION)


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def test_an_inline_object_takes_the_name_of_its_path() -> None:
    found = hoisted("export interface T { a: { b?: { c: string }; d: number }; e?: {} }")
    assert found.definitions == {
        "TAB": {"type": "object", "properties": {"c": STRING}, "required": ["c"]},
        "TA": {
            "type": "object",
            "properties": {"b": ref("TAB"), "d": NUMBER},
            "required": ["d"],
        },
        "TE": {"type": "object", "properties": {}},
        "T": {
            "type": "object",
            "properties": {"a": ref("TA"), "e": ref("TE")},
            "required": ["a"],
        },
    }
    assert found.sites == {"T.a": "TA", "T.a.b": "TAB", "T.e": "TE"}
    assert found.declared_in == {"TA": "T", "TAB": "T", "TE": "T"}


@pytest.mark.parametrize(
    ("type_text", "sites"),
    [
        ("{ x: string }[]", {"T.a[]": "TAItem"}),
        ("Array<{ x: string }[]>", {"T.a[][]": "TAItemItem"}),
        ("Record<string, { x: string }>", {"T.a{}": "TAValue"}),
        ("{ [key: string]: { x: string }[] }", {"T.a{}[]": "TAValueItem"}),
        ("{ x: string } | null", {"T.a": "TA"}),
        ("string | { x: string }[]", {"T.a[]": "TAItem"}),
        (
            "{ x: { y: string }[]; [key: string]: { z: string } | number }",
            {"T.a": "TA", "T.a.x[]": "TAXItem", "T.a{}": "TAValue"},
        ),
        ("{ [key: string]: unknown }", {}),
        ("object", {}),
    ],
)
def test_elements_take_a_suffix(type_text: str, sites: dict[str, str]) -> None:
    found = hoisted(f"export interface T {{ a: {type_text} }}")
    assert found.sites == sites
    assert set(found.definitions) == {"T", *sites.values()}


@pytest.mark.parametrize(
    ("declaration", "sites"),
    [
        ("type T = { x: string }", {}),
        ("type T = { x: string }[]", {"T[]": "TItem"}),
        ("type T = Record<string, { x: string }>", {"T{}": "TValue"}),
        ("interface T { [key: string]: { x: string } }", {"T{}": "TValue"}),
    ],
)
def test_inline_objects_of_declarations(declaration: str, sites: dict[str, str]) -> None:
    assert hoisted(f"export {declaration}").sites == sites


# --- inheritance --------------------------------------------------------------------------------


def test_what_is_inherited_is_hoisted_where_it_is_declared() -> None:
    found = hoisted(
        "export interface C extends B { own: { z: string } }\n"
        "export interface B extends A {}\n"
        "export interface A { a: { x: { y: string }[] } }\n"
    )
    assert found.sites == {"A.a": "AA", "A.a.x[]": "AAXItem", "C.own": "COwn"}
    assert found.declared_in == {"AA": "A", "AAXItem": "A", "COwn": "C"}
    assert found.definitions["C"]["properties"] == {"a": ref("AA"), "own": ref("COwn")}


def test_what_is_declared_anew_has_a_name_of_its_own() -> None:
    found = hoisted(
        "export interface A { a?: { x: string } }\n"
        "export interface B extends A { a: { x: string; y: string } }\n"
    )
    assert found.sites == {"A.a": "AA", "B.a": "BA"}


def test_what_is_taken_by_omit_is_inherited_too() -> None:
    found = hoisted(
        "export interface A { a: { x: string }; b: string }\n"
        "export interface B extends Omit<A, 'b'> { b: { y: string } }\n"
    )
    assert found.sites == {"A.a": "AA", "B.b": "BB"}


def test_ancestors_come_nearest_first_and_once() -> None:
    extends = {"D": ["B", "C"], "B": ["A"], "C": ["A", "X"]}
    assert ancestors("D", extends) == ["B", "A", "C", "X"]
    assert ancestors("A", extends) == []


# --- intersections ------------------------------------------------------------------------------


def test_an_intersection_is_one_object() -> None:
    found = hoisted(
        "export interface A { a: string; b?: string }\n"
        "export type T = A & { b: string; [key: string]: number } & { c?: { d: string } };\n"
    )
    assert found.definitions["T"] == {
        "type": "object",
        "properties": {"a": STRING, "b": STRING, "c": ref("TC")},
        "required": ["a", "b"],
        "additionalProperties": NUMBER,
    }
    assert found.extends["T"] == ["A"]


def test_an_inline_intersection_takes_the_name_of_its_path_and_has_bases() -> None:
    found = hoisted(
        "export interface A { a: { x: string } }\n"
        "export interface T { t: (A & { b: { y: string } })[] }\n"
    )
    assert found.sites == {"A.a": "AA", "T.t[]": "TTItem", "T.t[].b": "TTItemB"}
    assert found.extends == {"TTItem": ["A"]}
    assert found.definitions["TTItem"]["properties"] == {"a": ref("AA"), "b": ref("TTItemB")}


@pytest.mark.parametrize("key", ["a?", "[key: string]"])
def test_an_intersection_may_contain_itself(key: str) -> None:
    found = hoisted(f"export interface A {{ {key}: A & {{ b: string }} }}")
    (name,) = found.sites.values()
    inner = found.definitions[name]
    assert inner["properties"]["b"] == STRING
    recursive = inner["additionalProperties"] if "[" in key else inner["properties"]["a"]
    assert recursive == ref(name)


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ("string", "string", STRING),
        ("unknown", "string", STRING),
        ("string", "unknown", STRING),
        ("string", "'x'", {"type": "string", "const": "x"}),
        ("'x'", "string", {"type": "string", "const": "x"}),
        ("number", "1", {"type": "integer", "const": 1}),
        ("1.5", "number", {"type": "number", "const": 1.5}),
        ("boolean", "true", {"type": "boolean", "const": True}),
        ("string", "'x' | 'y'", {"type": "string", "enum": ["x", "y"]}),
        ("N", "N", ref("N")),
    ],
)
def test_the_narrower_of_two_types_is_taken(first: str, second: str, merged: Any) -> None:
    found = hoisted(
        "export type N = string;\n"
        f"export type T = {{ a: {first} }} & {{\n  /** Its text. */\n  a?: {second} }};"
    )
    assert found.definitions["T"]["properties"] == {"a": merged}
    assert found.definitions["T"]["required"] == ["a"]


def test_descriptions_do_not_keep_types_apart() -> None:
    found = hoisted(
        "/** About T. */\nexport type T = {\n  /** First. */\n  a: string } & {\n"
        "  /** Second. */\n  a: 'x' } & {\n  /** Third. */\n  a: string };",
        descriptions=True,
    )
    assert found.definitions["T"] == {
        "description": "About T.",
        "type": "object",
        "properties": {"a": {"description": "Second.", "type": "string", "const": "x"}},
        "required": ["a"],
    }


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("string", "number"),
        ("'x'", "'y'"),
        ("string", "1"),
        ("number", "'1'"),
        ("boolean", "1"),
        ("1", "boolean"),
        ("string[]", "number[]"),
        ("N", "string"),
    ],
)
def test_types_that_exclude_each_other_stop(first: str, second: str) -> None:
    with pytest.raises(SchemaError) as caught:
        hoisted(f"export type N = string;\nexport type T = {{ a: {first} }} & {{ a: {second} }};")
    assert str(caught.value) == (
        "2030-01-01: T.a: found two different types for it in one intersection"
    )


@pytest.mark.parametrize("part", ["string", "N", "A[]", "object", "(A | B)"])
def test_an_intersection_with_something_else_stops(part: str) -> None:
    with pytest.raises(SchemaError) as caught:
        hoisted(
            "export type N = string;\nexport interface A {}\nexport interface B {}\n"
            f"export interface T {{ a: A & {part} }}"
        )
    assert str(caught.value) == (
        "2030-01-01: T.a: found an intersection with something that is no object"
    )


def test_an_intersection_may_have_open_keys_only() -> None:
    found = hoisted("export type M = Record<string, number>;\nexport type T = M & { a: 1 };")
    assert found.definitions["T"]["additionalProperties"] == NUMBER


# --- collisions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "export interface T { a: { x: string } }\nexport interface TA { y: string }",
        "export interface TA { y: string }\nexport interface T { a: { x: string } }",
        "export interface T { a: { x: string }; A: { y: string } }",
        "export interface T { $: { x: string } }",
        "export type T = string | { x: string }",
        "export interface T { a: { b: { x: string } }; aB: { y: string } }",
        "export interface T { a: { x: string }[] | { y: string }[] }",
    ],
)
def test_two_things_of_one_name_stop(source: str) -> None:
    with pytest.raises(SchemaError) as caught:
        hoisted(source)
    assert caught.value.where.startswith("2030-01-01: T")
    assert caught.value.what.endswith("which is another type")
    assert "[[name]]" in caught.value.remedy


def test_the_same_thing_twice_is_no_collision() -> None:
    found = hoisted(
        "export interface T { a: { x: string }; A: { x: string }; b: string }\n"
        "export interface U { x: string }\n"
        "export interface TU { v: { x: string } }\nexport interface TUV { x: string }\n"
    )
    assert found.sites == {"T.a": "TA", "T.A": "TA", "TU.v": "TUV"}
    # A declared type stays a declared one.
    assert found.declared_in == {"TA": "T"}


def test_several_inline_objects_in_one_union_stop() -> None:
    with pytest.raises(SchemaError) as caught:
        hoisted("export interface T { a: { x: string } | { y: string } }")
    assert str(caught.value) == "2030-01-01: T.a: found several inline objects in one union"


# --- names from overrides.toml ------------------------------------------------------------------


def test_a_name_given_counts_for_what_is_inside_too() -> None:
    source = "export interface T { a: { x: { y: string } }[]; b: string | { z: string } }"
    found = hoisted(source, names(("T.a[]", "Thing"), ("T.b", "Other")))
    assert found.sites == {"T.a[]": "Thing", "T.a[].x": "ThingX", "T.b": "Other"}
    assert found.declared_in == {"Thing": "T", "ThingX": "T", "Other": "T"}


def test_a_name_given_may_settle_a_collision() -> None:
    source = "export type T = string | { x: string };"
    assert set(hoisted(source, names(("T", "TObject"))).definitions) == {"T", "TObject"}


def test_a_name_given_must_not_be_taken() -> None:
    source = "export interface U {}\nexport interface T { a: { x: string } }"
    with pytest.raises(SchemaError, match="would be named U"):
        hoisted(source, names(("T.a", "U")))


def test_a_name_for_a_site_that_is_none_stops() -> None:
    with pytest.raises(OverrideError, match=r"the name for T\.b matches nothing in 2030-01-01"):
        hoisted("export interface T { a: { x: string }; b: string }", names(("T.b", "U")))


def test_two_names_for_one_site_stop() -> None:
    with pytest.raises(OverrideError, match=r"several names for T\.a in 2030-01-01"):
        hoisted("export interface T { a: { x: string } }", names(("T.a", "U"), ("T.a", "V")))


def test_names_of_other_versions_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "overrides.toml"
    path.write_text('[[name]]\nsite = "T.a"\nname = "U"\nuntil = "2029-01-01"\nreason = "r"\n')
    found = hoisted("export interface T { a: { x: string } }", Overrides.load(path))
    assert found.sites == {"T.a": "TA"}
