"""The faithful JSON Schema of a few declarations, constraints of doc comments, inheritance."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcpgen.errors import SchemaError
from mcpgen.ingest.members import members_of
from mcpgen.ingest.schema_from_typescript import build_definitions
from mcpgen.ingest.typescript import read_module

OBJECT = {"type": "object", "properties": {}}
STRING, NUMBER, NULL = {"type": "string"}, {"type": "number"}, {"type": "null"}
NAMES = (
    "export interface A {}\n"
    "export interface B { b: string }\n"
    "export type Kind = 'x' | 'y';\n"
    "export const NAME = 'n';\n"
    "export const CODE = -1;\n"
)


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def definitions(source: str, *, descriptions: bool = False) -> dict[str, Any]:
    return build_definitions(read_module(source.encode(), "schema.ts"), descriptions=descriptions)


def alias(text: str) -> Any:
    """The schema of `export type T = …`, with the names above declared."""
    found = definitions(f"{NAMES}export type T = {text};")
    Draft202012Validator.check_schema({"$defs": found})
    return found["T"]


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("string", STRING),
        ("number", NUMBER),
        ("boolean", {"type": "boolean"}),
        ("object", {"type": "object"}),
        ("unknown", {}),
        ("null", NULL),
        ("'one'", {"type": "string", "const": "one"}),
        ("true", {"type": "boolean", "const": True}),
        ("1", {"type": "integer", "const": 1}),
        ("1.5", {"type": "number", "const": 1.5}),
        ("typeof NAME", {"type": "string", "const": "n"}),
        ("typeof CODE", {"type": "integer", "const": -1}),
        ("A", ref("A")),
        ("A[]", {"type": "array", "items": ref("A")}),
        ("Array<string[]>", {"type": "array", "items": {"type": "array", "items": STRING}}),
        ("Record<string, unknown>", {"type": "object", "additionalProperties": {}}),
        ("{ [key: string]: number }", {"type": "object", "additionalProperties": NUMBER}),
        ("{}", OBJECT),
        (
            "A & { c: string }",
            {
                "allOf": [
                    ref("A"),
                    {"type": "object", "properties": {"c": STRING}, "required": ["c"]},
                ]
            },
        ),
    ],
)
def test_types(text: str, schema: Any) -> None:
    assert alias(text) == schema


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("'b' | 'a'", {"type": "string", "enum": ["b", "a"]}),
        ("'a' | null", {"anyOf": [{"type": "string", "enum": ["a"]}, NULL]}),
        ("'a' | string", {"anyOf": [{"type": "string", "enum": ["a"]}, STRING]}),
        ("string | 'a'", {"anyOf": [{"type": "string", "enum": ["a"]}, STRING]}),
        ("string | number | null", {"type": ["string", "number", "null"]}),
        ("number | string", {"type": ["number", "string"]}),
        ("A | B", {"anyOf": [ref("A"), ref("B")]}),
        ("B | string | A", {"anyOf": [ref("B"), STRING, ref("A")]}),
        ("Kind | null", {"anyOf": [ref("Kind"), NULL]}),
        (
            "typeof NAME | typeof CODE",
            {"anyOf": [{"type": "string", "const": "n"}, {"type": "integer", "const": -1}]},
        ),
        ("unknown | string", {}),
        ("string | string", STRING),
        ("A | A[] | A", {"anyOf": [ref("A"), {"type": "array", "items": ref("A")}]}),
    ],
)
def test_unions(text: str, schema: Any) -> None:
    assert alias(text) == schema


def test_properties_of_objects() -> None:
    found = alias("{ b?: string; a: { c: A[] }; 'd-e': null; [key: string]: unknown }")
    assert found == {
        "type": "object",
        "properties": {
            "b": STRING,
            "a": {
                "type": "object",
                "properties": {"c": {"type": "array", "items": ref("A")}},
                "required": ["c"],
            },
            "d-e": NULL,
        },
        "required": ["a", "d-e"],
        "additionalProperties": {},
    }
    assert list(found["properties"]) == ["b", "a", "d-e"]


# --- inheritance --------------------------------------------------------------------------------


def test_bases_come_first_and_the_nearest_declaration_wins() -> None:
    found = definitions(
        "export interface Base { a: string; b?: number; [key: string]: unknown }\n"
        "export interface Other { c: string; a: number }\n"
        "export interface Both extends Base, Other { b: number; d: 'd' }\n"
    )["Both"]
    assert list(found["properties"]) == ["a", "b", "c", "d"]
    assert found["properties"]["a"] == NUMBER
    assert found["required"] == ["a", "b", "c", "d"]
    assert found["additionalProperties"] == {}


def test_omit_drops_properties_of_one_base() -> None:
    found = definitions(
        "export interface Base { a: string; b: string; c?: string }\n"
        "export interface T extends Omit<Base, 'a' | 'c'> { c: number }\n"
    )["T"]
    assert found["properties"] == {"b": STRING, "c": NUMBER}
    assert found["required"] == ["b", "c"]


@pytest.mark.parametrize(
    ("base", "schema"),
    [
        ("type Base = { a: string }", {"type": "object", "properties": {"a": STRING}}),
        ("type Base = Record<string, number>", {"type": "object", "additionalProperties": NUMBER}),
        (
            "type Base = Further;\nexport type Further = Z;\nexport interface Z { a: string }",
            {"type": "object", "properties": {"a": STRING}},
        ),
    ],
)
def test_a_base_may_be_an_alias_of_an_object(base: str, schema: dict[str, Any]) -> None:
    found = definitions(f"export {base};\nexport interface T extends Base {{}}")["T"]
    found.pop("required", None)
    assert found == schema


def test_the_own_index_signature_wins() -> None:
    module = read_module(
        b"export interface Base { [key: string]: unknown }\n"
        b"export interface Own extends Base { [key: string]: string }\n"
        b"export interface Inherited extends Base {}\n",
        "schema.ts",
    )
    own, inherited = module.interface("Own"), module.interface("Inherited")
    assert own is not None
    assert inherited is not None
    assert members_of(module, own).own_index
    assert not members_of(module, inherited).own_index
    found = build_definitions(module)
    assert found["Own"] == {"type": "object", "additionalProperties": STRING}
    assert found["Inherited"] == {"type": "object", "additionalProperties": {}}


@pytest.mark.parametrize(
    ("declarations", "message"),
    [
        ("type X = string", "T extends X, which is no object type"),
        ("type X = A | B", "T extends X, which is no object type"),
        ("type X = A & B", "T extends X, which is no object type"),
        ("type X = A[]", "T extends X, which is no object type"),
    ],
)
def test_a_base_that_is_no_object_stops(declarations: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        definitions(f"{NAMES}export {declarations};\nexport interface T extends X {{}}")
    assert str(caught.value) == f"schema.ts:7: found {message}"


@pytest.mark.parametrize(
    ("base", "keys", "message"),
    [
        ("{ a: string }", "'b'", "Omit<X> of b, which X does not have"),
        ("{ a: string }", "'a' | 'c' | 'd'", "Omit<X> of c, d, which X does not have"),
        (
            "{ a: string; [key: string]: unknown }",
            "'a'",
            "Omit<X>, which has an index signature",
        ),
    ],
)
def test_an_omit_that_cannot_be_meant_stops(base: str, keys: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        definitions(f"export interface X {base}\n\nexport interface T extends Omit<X, {keys}> {{}}")
    assert str(caught.value) == f"schema.ts:3: found {message}"


# --- doc comments -------------------------------------------------------------------------------


def test_tags_become_keywords() -> None:
    found = definitions(
        "export interface T {\n"
        "  /** @minimum -1.5\n * @maximum 10 */\n  a: number;\n"
        "  /** @format uri */\n  b?: string;\n"
        "  /** @minLength 0 @maxLength 5 */\n  c: string;\n"
        "  /** @minItems 1 */\n  d: string[];\n"
        "}"
    )["T"]["properties"]
    assert found == {
        "a": {"type": "number", "minimum": -1.5, "maximum": 10},
        "b": {"type": "string", "format": "uri"},
        "c": {"type": "string", "minLength": 0, "maxLength": 5},
        "d": {"type": "array", "items": STRING, "minItems": 1},
    }


def test_tags_of_an_alias_are_kept_too() -> None:
    found = definitions("/** @minimum 0\n * @TJS-type number */\nexport type Share = number;")
    assert found == {"Share": {"type": "number", "minimum": 0}}


def test_other_tags_are_no_keywords() -> None:
    found = definitions("/** @internal @category X @example 1 @see Y */\nexport type T = string;")
    assert found == {"T": STRING}


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("@minimum", "found '' in the tag @minimum of T.a, expected a number"),
        ("@minimum one", "found 'one' in the tag @minimum of T.a, expected a number"),
        ("@minimum 0 or more", "found '0 or more' in the tag @minimum of T.a, expected a number"),
        ("@maximum NaN", "found 'NaN' in the tag @maximum of T.a, expected a number"),
        ("@maximum Infinity", "found 'Infinity' in the tag @maximum of T.a, expected a number"),
        ("@maximum 1_000", "found '1_000' in the tag @maximum of T.a, expected a number"),
        ("@maximum 1e999", "found '1e999' in the tag @maximum of T.a, expected a number"),
        ("@minimum ٣", "found '٣' in the tag @minimum of T.a, expected a number"),
        (
            "@minLength -1",
            "found '-1' in the tag @minLength of T.a, expected a whole number from 0",
        ),
        (
            "@maxItems 1.5",
            "found '1.5' in the tag @maxItems of T.a, expected a whole number from 0",
        ),
        ("@format", "found '' in the tag @format of T.a, expected one word"),
        ("@format a uri", "found 'a uri' in the tag @format of T.a, expected one word"),
        ("@pattern ^a$", "found the tag @pattern of T.a, which is not supported"),
        ("@multipleOf 2", "found the tag @multipleOf of T.a, which is not supported"),
        ("@exclusiveMinimum 0", "found the tag @exclusiveMinimum of T.a, which is not supported"),
        ("@uniqueItems", "found the tag @uniqueItems of T.a, which is not supported"),
    ],
)
def test_a_tag_that_is_no_keyword_of_that_kind_stops(tag: str, expected: str) -> None:
    with pytest.raises(SchemaError) as caught:
        definitions(f"export interface T {{\n  /** {tag} */\n  a: number;\n}}")
    assert str(caught.value) == f"schema.ts:3: {expected}"


def test_descriptions_are_kept_only_when_asked_for() -> None:
    source = (
        "/** About T.\n *\n * More.\n * @internal */\n"
        "export interface T {\n  /** About a. @minimum 0 */\n  a: number;\n  b: string;\n}"
    )
    plain = definitions(source)
    kept = definitions(source, descriptions=True)
    assert "description" not in str(plain)
    assert kept["T"]["description"] == "About T.\n\nMore."
    assert kept["T"]["properties"]["a"] == {
        "description": "About a.",
        "type": "number",
        "minimum": 0,
    }
    assert kept["T"]["properties"]["b"] == STRING


def test_order_is_that_of_the_file() -> None:
    assert list(definitions(NAMES)) == ["A", "B", "Kind"]
