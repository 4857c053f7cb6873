"""The cross-check: each distortion by name and site, and that nothing else is let through."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcpgen.errors import ReconcileError
from mcpgen.ingest.distortions import DISTORTIONS, Recorder
from mcpgen.ingest.reconcile import ReconcileReport, reconcile
from mcpgen.ingest.schema_from_typescript import build_definitions
from mcpgen.ingest.typescript import read_module

WHERE = "schema/2030-01-01/schema.json"
EMPTY = {"type": "object", "properties": {}}
STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def a(schema: dict[str, Any]) -> dict[str, Any]:
    """An object with the required property a."""
    return {"type": "object", "properties": {"a": schema}, "required": ["a"]}


def check(source: str, published: dict[str, Any]) -> ReconcileReport:
    module = read_module(source.encode(), "schema.ts")
    return reconcile(module, json.dumps({"$defs": published}).encode(), "2030-01-01")


def differs(source: str, published: dict[str, Any]) -> str:
    with pytest.raises(ReconcileError) as caught:
        check(source, published)
    assert caught.value.where == WHERE
    assert "distortions.py" in caught.value.remedy
    text = "differs from schema.ts in ways no known distortion explains: "
    assert caught.value.what.startswith(text)
    return caught.value.what.removeprefix(text)


# --- each distortion ----------------------------------------------------------------------------

NUMBERS = "export interface T { a: number }"
NULLABLE = "export interface T {\n  /** @nullable */\n  a: number | null;\n}"
MESSAGE = "export interface M { method: 'm' }\n"
PUBLISHED_MESSAGE = {
    "type": "object",
    "properties": {"method": {"type": "string", "const": "m"}},
    "required": ["method"],
}
TYPES = "export interface Z {}\nexport interface Y {}\n"
PUBLISHED_TYPES = {"Z": EMPTY, "Y": EMPTY}


CASES: list[tuple[str, dict[str, Any], dict[str, list[str]]]] = [
    (NUMBERS, {"T": a(INTEGER)}, {"number-as-integer": ["T.a"]}),
    (
        "export interface T {\n  /** @TJS-type number */\n  a: number;\n}",
        {"T": a({"type": "number"})},
        {},
    ),
    (
        "export interface T { a: number[]; b?: { [key: string]: number } }",
        {
            "T": {
                "type": "object",
                "properties": {
                    "a": {"type": "array", "items": INTEGER},
                    "b": {"type": "object", "additionalProperties": INTEGER},
                },
                "required": ["a"],
            }
        },
        {"number-as-integer": ["T.a[]", "T.b{}"]},
    ),
    (
        "export interface T { a: string | null }",
        {"T": a(STRING)},
        {"null-dropped": ["T.a"]},
    ),
    (
        NULLABLE,
        {"T": a({"type": ["integer", "null"]})},
        {"number-as-integer": ["T.a"]},
    ),
    (
        "export interface T {\n  /** @nullable */\n  a: 'x' | null;\n}",
        {"T": a({"anyOf": [{"type": "string", "const": "x"}, {"type": "null"}]})},
        {"simple-types-merged": ["T.a"]},
    ),
    (
        "export interface B { [key: string]: unknown }\nexport interface T extends B {}",
        {"B": {"type": "object", "additionalProperties": {}}, "T": EMPTY},
        {"inherited-index-dropped": ["T"], "object-noise": ["T"]},
    ),
    (
        "export interface T { a: Record<string, T> }",
        {"T": a({"type": "object"})},
        {"record-closed": ["T.a"]},
    ),
    (
        "export interface T { a: 'x' | string }",
        {"T": a(STRING)},
        {"literals-absorbed": ["T.a"]},
    ),
    (
        "export type Name = string;\nexport type List = Name[];\n"
        "export type Open = 'x' | string;\n"
        "export interface T { a: { b: Name; c: List; d: Open } }",
        {
            "Name": STRING,
            "List": {"type": "array", "items": STRING},
            "Open": STRING,
            "T": a(
                {
                    "type": "object",
                    "properties": {
                        "b": STRING,
                        "c": {"type": "array", "items": STRING},
                        "d": STRING,
                    },
                    "required": ["b", "c", "d"],
                }
            ),
        },
        {
            "literals-absorbed": ["Open", "T.a.d"],
            "alias-lost": ["List[]", "T.a.b", "T.a.c", "T.a.c[]", "T.a.d"],
        },
    ),
    (
        f"{TYPES}export type W = Z;\nexport interface T {{ a: W }}",
        {**PUBLISHED_TYPES, "W": ref("Z"), "T": a(ref("Z"))},
        {"alias-shown-as-target": ["T.a"], "object-noise": ["Z", "Y"]},
    ),
    (
        f"{MESSAGE}export type Only = M;",
        {"M": PUBLISHED_MESSAGE, "Only": PUBLISHED_MESSAGE},
        {"single-member-union-copied": ["Only"]},
    ),
    (
        f"{TYPES}export type W = Z | Y;\nexport type V = W;\n"
        "export interface T { a: V | string }",
        {
            **PUBLISHED_TYPES,
            "W": {"anyOf": [ref("Z"), ref("Y")]},
            "V": ref("W"),
            "T": a({"anyOf": [ref("Z"), ref("Y"), STRING]}),
        },
        {
            "alias-shown-as-target": ["T.a"],
            "nested-union-flattened": ["T.a"],
            "object-noise": ["Z", "Y"],
            "union-reordered": ["T.a"],
            "simple-types-merged": ["T.a"],
        },
    ),
    (
        "export interface T { a: object }",
        {"T": a({"type": "object", "properties": {}, "additionalProperties": True})},
        {"object-noise": ["T.a"]},
    ),
    (
        "export interface T { a: 'y' | 'x' }",
        {"T": a({"type": "string", "enum": ["x", "y"]})},
        {"union-reordered": ["T.a"]},
    ),
    (
        "export interface T { a: number | string }",
        {"T": a({"type": ["string", "integer"]})},
        {"number-as-integer": ["T.a"], "union-reordered": ["T.a"]},
    ),
    (
        "export interface T { a: string | string[] | 'x'[] }",
        {
            "T": a(
                {
                    "anyOf": [
                        {"type": "array", "items": STRING},
                        {"type": "array", "items": {"type": "string", "const": "x"}},
                        STRING,
                    ]
                }
            )
        },
        {"simple-types-merged": ["T.a"]},
    ),
    ("export interface T { a: unknown | string }", {"T": a({})}, {}),
    (
        "export type Name = string;\nexport interface T { a: Name | string }",
        {"Name": STRING, "T": a(STRING)},
        {"alias-lost": ["T.a"], "union-reordered": ["T.a"]},
    ),
]


@pytest.mark.parametrize(("source", "published", "sites"), CASES)
def test_a_distortion_is_reported_with_its_sites(
    source: str, published: dict[str, Any], sites: dict[str, list[str]]
) -> None:
    report = check(source, published)
    assert report.checked
    assert {name: list(found) for name, found in report.sites.items()} == sites


def test_every_distortion_has_a_case_above() -> None:
    assert {name for _, _, sites in CASES for name in sites} == set(DISTORTIONS)


def test_an_unknown_distortion_cannot_be_noted() -> None:
    with pytest.raises(KeyError):
        Recorder().note("anything-else", "T")


# --- what is not explained ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "published", "difference"),
    [
        (
            NUMBERS,
            {"T": a({"type": "number"})},
            '$defs.T.properties.a.type: schema.ts gives "integer", schema.json has "number"',
        ),
        (
            NUMBERS,
            {"T": a(INTEGER) | {"required": []}},
            '$defs.T.required: schema.ts gives ["a"], schema.json has []',
        ),
        (
            NUMBERS,
            {"T": {"type": "object", "properties": {"a": INTEGER}}},
            '$defs.T.required: schema.ts gives ["a"], schema.json has nothing',
        ),
        (
            NUMBERS,
            {"T": a(INTEGER), "U": {}},
            "$defs.U: schema.json has {}, schema.ts gives nothing",
        ),
        (
            NUMBERS,
            {"T": a(INTEGER | {"minimum": 0})},
            "$defs.T.properties.a.minimum: schema.json has 0, schema.ts gives nothing",
        ),
        (
            "export interface T { a: null }",
            {"T": a({"type": "null", "const": None})},
            "$defs.T.properties.a.const: schema.json has null, schema.ts gives nothing",
        ),
        (
            "export interface T { a: 1 }",
            {"T": a({"type": "integer", "const": True})},
            "$defs.T.properties.a.const: schema.ts gives 1, schema.json has true",
        ),
        (
            f"{TYPES}export interface T {{ a: Z | Y }}",
            {**PUBLISHED_TYPES, "T": a({"anyOf": [ref("Y"), ref("Z")]})},
            '$defs.T.properties.a.anyOf[0].$ref: schema.ts gives "#/$defs/Z", '
            'schema.json has "#/$defs/Y"; $defs.T.properties.a.anyOf[1].$ref: '
            'schema.ts gives "#/$defs/Y", schema.json has "#/$defs/Z"',
        ),
        (
            "export interface T { a: 'x' | number }",
            {"T": a({"type": "string", "const": "x"})},
            '$defs.T.properties.a.anyOf: schema.ts gives [{"type": "string", "const": "x"}, '
            '{"type": "integer"}], schema.json has nothing; '
            '$defs.T.properties.a.type: schema.json has "string", schema.ts gives nothing; '
            '$defs.T.properties.a.const: schema.json has "x", schema.ts gives nothing',
        ),
        (
            "export interface T {\n  /** @nullable */\n  a: string | number;\n}",
            {"T": a({"type": ["string", "integer", "null"]})},
            '$defs.T.properties.a.type: schema.ts gives ["string", "integer"], '
            'schema.json has ["string", "integer", "null"]',
        ),
        (
            "export interface T { a: 'x' | 'y' }",
            {"T": a({"type": "string", "enum": ["y", "x"]})},
            '$defs.T.properties.a.enum[0]: schema.ts gives "x", schema.json has "y"; '
            '$defs.T.properties.a.enum[1]: schema.ts gives "y", schema.json has "x"',
        ),
        ("export interface T {}", {"T": {"type": "object", "properties": []}}, "$defs.T."),
        ("export interface T {}", {"T": True}, "$defs.T: "),
    ],
)
def test_a_difference_without_a_name_stops_with_its_path(
    source: str, published: dict[str, Any], difference: str
) -> None:
    found = differs(source, published)
    assert found.startswith(difference) if difference[-1] in ". " else found == difference


def test_many_differences_are_counted_and_long_values_cut() -> None:
    source = "\n".join(f"export interface T{number} {{ a: string }}" for number in range(13))
    found = differs(source, {f"T{number}": a(INTEGER) for number in range(13)} | {"X": EMPTY})
    assert found.endswith(
        "$defs.T9.properties.a.type: "
        'schema.ts gives "string", schema.json has "integer" (and 4 more)'
    )
    long = differs("export type T = string;", {"T": {"type": "x" * 200}})
    assert long.endswith("x...")
    assert len(long) < 200


# --- the published file -------------------------------------------------------------------------


def published(document: object) -> bytes:
    return json.dumps(document).encode()


MODULE = read_module(b"/** About T. */\nexport interface T { a: U }\nexport interface U {}", "s.ts")


@pytest.mark.parametrize("key", ["$defs", "definitions"])
def test_both_keys_of_definitions_are_known(key: str) -> None:
    definitions = {"T": a({"$ref": f"#/{key}/U"}), "U": EMPTY}
    assert reconcile(MODULE, published({key: definitions}), "2030-01-01").checked


def test_descriptions_do_not_count() -> None:
    described = {"description": "About a.", **ref("U")}
    definitions = {"T": {"description": "About T.", **a(described)}, "U": EMPTY}
    assert reconcile(MODULE, published({"$defs": definitions}), "2030-01-01").checked


def test_a_property_called_description_or_properties_counts() -> None:
    source = b"export interface T { description: string; properties: { description?: string } }"
    module = read_module(source, "s.ts")
    definitions = build_definitions(module)
    assert reconcile(module, published({"$defs": definitions}), "2030-01-01").checked
    del definitions["T"]["properties"]["properties"]["properties"]["description"]
    with pytest.raises(ReconcileError, match=r"properties\.properties\.properties\.description"):
        reconcile(module, published({"$defs": definitions}), "2030-01-01")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "found text that is not JSON"),
        (b"{", "found text that is not JSON"),
        (b'"\xff"', "found text that is not JSON"),
        (b"[]", "found neither $defs nor definitions"),
        (b"{}", "found neither $defs nor definitions"),
        (b'{"$defs": []}', "found neither $defs nor definitions"),
    ],
)
def test_a_file_that_is_no_schema_stops(content: bytes, found: str) -> None:
    with pytest.raises(ReconcileError) as caught:
        reconcile(MODULE, content, "2030-01-01")
    assert caught.value.where == WHERE
    assert caught.value.what.startswith(found)


def test_without_a_published_file_nothing_is_checked() -> None:
    report = reconcile(MODULE, None, "2030-01-01")
    assert report == ReconcileReport("2030-01-01", checked=False)
    assert report.lines() == ["2030-01-01: no schema.json to compare with"]


def test_the_report_as_text() -> None:
    report = check(
        "export interface T { a: number; b: number | null }",
        {
            "T": {
                "type": "object",
                "properties": {"a": INTEGER, "b": INTEGER},
                "required": ["a", "b"],
            }
        },
    )
    assert report.lines() == [
        "2030-01-01: schema.json explained by 3 distortions, none unexplained",
        f"  number-as-integer (2): {DISTORTIONS['number-as-integer']}",
        "    T.a, T.b",
        f"  null-dropped (1): {DISTORTIONS['null-dropped']}",
        "    T.b",
    ]


def test_long_lists_of_sites_are_wrapped_between_sites() -> None:
    names = [f"a-rather-long-name-of-a-property-{number}" for number in range(9)]
    properties = "; ".join(f"'{name}': number" for name in names)
    report = check(
        f"export interface T {{ {properties} }}",
        {"T": {"type": "object", "properties": dict.fromkeys(names, INTEGER), "required": names}},
    )
    sites = report.lines()[2:]
    assert all(line.startswith("    T.") and len(line) <= 96 for line in sites)
    assert ", ".join(line.strip(" ,") for line in sites) == ", ".join(f"T.{n}" for n in names)


# --- the compiler's order -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "order"),
    [
        # Types come in the order of their first mention, not of the union.
        ("interface A {}\nexport interface B {}\nexport type T = B | A", ["A", "B"]),
        # A property mentions a type before the type's own turn comes.
        (
            "interface A { x?: C }\nexport interface B {}\nexport interface C {}\n"
            "export type T = B | C | A",
            ["A", "C", "B"],
        ),
        # So does a base, before the body.
        (
            "interface A extends C { x?: B }\nexport interface B {}\nexport interface C {}\n"
            "export type T = A | B | C",
            ["A", "C", "B"],
        ),
        # So does Omit<>.
        (
            "interface A extends Omit<C, 'c'> {}\nexport interface B {}\n"
            "export interface C { c?: 'c' }\nexport type T = B | C",
            ["C", "B"],
        ),
        # An alias is followed where it is mentioned, an interface only in its turn.
        (
            "interface A { x?: L }\nexport interface B {}\nexport type L = (C | D)[];\n"
            "export interface C {}\nexport interface D {}\nexport type T = B | D | C",
            ["C", "D", "B"],
        ),
        (
            "interface A { x?: I }\nexport interface B {}\nexport interface I { y?: C }\n"
            "export interface C {}\nexport type T = C | B | I",
            ["I", "B", "C"],
        ),
        # Inside maps and intersections too.
        (
            "interface A { [key: string]: C; }\nexport interface B {}\nexport interface C {}\n"
            "export type T = B | C",
            ["C", "B"],
        ),
        (
            "interface A { x?: Record<string, C & D> }\nexport interface B {}\n"
            "export interface C {}\nexport interface D {}\nexport type T = B | D | C",
            ["C", "D", "B"],
        ),
    ],
)
def test_union_members_are_published_in_the_compilers_order(source: str, order: list[str]) -> None:
    module = read_module(f"export {source};".encode(), "schema.ts")
    found = build_definitions(module, recorder=Recorder())
    assert found["T"] == {"anyOf": [ref(name) for name in order]}
