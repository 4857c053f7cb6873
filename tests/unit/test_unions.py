"""Decode plans: by constant, by required keys, by a key only one has, by order; and null."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.errors import SchemaError
from mcpgen.ingest.facts import read_facts
from mcpgen.ingest.schema_from_typescript import build_definitions
from mcpgen.ingest.typescript import read_module
from mcpgen.model.expressions import Expressions
from mcpgen.model.hoist import hoist
from mcpgen.model.model import (
    AnyValue,
    Array,
    Candidate,
    Const,
    Literals,
    Map,
    Ref,
    Scalar,
    TypeExpr,
    UnionOf,
    UnionPlan,
)
from mcpgen.model.overrides import Overrides
from mcpgen.model.unions import plan_union

STRING, NUMBER, INTEGER, NULL = (
    Scalar("string"),
    Scalar("number"),
    Scalar("integer"),
    Scalar("null"),
)


def expressions(source: str) -> Expressions:
    module = read_module(source.encode(), "schema.ts")
    definitions = build_definitions(module)
    extends = read_facts(module)["extends"]
    return Expressions(hoist(definitions, extends, Overrides(), "v").definitions, "v")


def plan(source: str, union: str) -> UnionPlan:
    """The plan of a union of the types a source declares."""
    found = expressions(f"{source}\nexport type PLANNED = {union};")
    expr = found.read(found._definitions["PLANNED"], "PLANNED")
    assert isinstance(expr, UnionOf)
    return expr.plan


def groups(found: UnionPlan) -> dict[str | None, list[str]]:
    """The candidates of each group as `Type` or `Type:key,key`."""
    return {
        value: [":".join(filter(None, (c.type, ",".join(c.keys)))) for c in candidates]
        for value, candidates in found.groups.items()
    }


# --- by a constant ------------------------------------------------------------------------------

TAGGED = """
export interface Cat { type: "cat"; name: string; lives?: number }
export interface Dog { type: "dog"; name: string }
export interface Cow { type: "cow"; name: string; milk: number }
"""


def test_a_constant_of_every_member_is_the_tag() -> None:
    found = plan(TAGGED, "Cat | Dog | Cow")
    assert (found.tag, found.default_tag) == ("type", None)
    assert groups(found) == {"cat": ["Cat"], "dog": ["Dog"], "cow": ["Cow"]}


@pytest.mark.parametrize(
    ("first", "second", "tag", "default"),
    [
        ("mode: 'a'", "mode: 'b'", "mode", None),
        ("mode?: 'a'", "mode: 'b'", "mode", "a"),
        ("mode: 'a'", "mode?: 'b'", "mode", "b"),
        ("mode?: 'a' | 'c'", "mode: 'b'", "mode", "a"),
        # Two absent keys would mean two things.
        ("mode?: 'a'", "mode?: 'b'", None, None),
        # What does not differ, or is no string, tells nothing apart.
        ("mode: 'a'", "mode: 'a'", None, None),
        ("mode: 'a' | 'b'", "mode: 'b' | 'a'", None, None),
        ("mode: 'a'", "mode: string", None, None),
        ("mode: 'a'", "other: 'b'", None, None),
        ("mode: 1", "mode: 2", None, None),
        ("mode: true", "mode: false", None, None),
        ("mode: 'a'", "mode: 'b' | null", None, None),
    ],
)
def test_what_can_be_a_tag(first: str, second: str, tag: str | None, default: str | None) -> None:
    source = f"export interface A {{ {first} }}\nexport interface B {{ {second} }}"
    found = plan(source, "A | B")
    assert (found.tag, found.default_tag) == (tag, default)


def test_a_member_with_several_constants_is_in_each_group() -> None:
    source = (
        "export interface A { kind: 'x' | 'y'; a: string }\n"
        "export interface B { kind: 'z' | 'y'; b: string; c: string }\n"
    )
    assert groups(plan(source, "A | B")) == {"x": ["A"], "y": ["B:b,c", "A:a"], "z": ["B"]}


def test_members_of_one_constant_are_told_apart_by_keys() -> None:
    source = TAGGED + 'export interface Kitten { type: "cat"; name: string; age: number }'
    found = plan(source, "Cat | Kitten | Dog")
    assert groups(found) == {
        "cat": ["Kitten:name,age", "Cat:name"],
        "dog": ["Dog"],
    }


def test_the_constant_that_tells_most_apart_is_taken() -> None:
    source = (
        "export interface A { role: 'r'; type: 'a'; level: 'x' | 'y' | 'z' }\n"
        "export interface B { role: 's'; type: 'b'; level: 'x' | 'y' | 'z' }\n"
        "export interface C { role: 'r'; type: 'c'; level: 'x' | 'y' | 'z' }\n"
    )
    assert plan(source, "A | B | C").tag == "type"


def test_among_equal_constants_the_first_is_taken() -> None:
    source = (
        "export interface A { one: 'a'; two: 'a' }\nexport interface B { two: 'b'; one: 'b' }\n"
    )
    assert plan(source, "A | B").tag == "one"
    assert plan(source, "B | A").tag == "two"


def test_a_constant_declared_elsewhere_counts_a_reference_to_a_type_does_not() -> None:
    source = (
        "export const ONE = 'a';\nexport type Kind = 'a' | 'b';\n"
        "export interface A { of: Kind; kind: typeof ONE }\n"
        "export interface B { of: Kind; kind: 'b' }\n"
    )
    assert plan(source, "A | B").tag == "kind"


# --- by keys ------------------------------------------------------------------------------------


def test_the_most_specific_comes_first() -> None:
    source = (
        "export interface A { id: string }\n"
        "export interface B { id: string; name: string; age: string }\n"
        "export interface C { id: string; name: string }\n"
        "export interface D { x?: string }\n"
    )
    assert groups(plan(source, "A | B | C | D")) == {
        None: ["B:id,name,age", "C:id,name", "A:id", "D"]
    }


def test_a_key_that_may_be_absent_after_all_is_not_looked_for() -> None:
    lenient: dict[str, Any] = {"type": "string", "x-lenient": True}
    definitions: dict[str, dict[str, Any]] = {
        "A": {"properties": {"kind": lenient, "a": {}}, "required": ["a", "kind"]},
        "B": {"properties": {"kind": lenient, "b": {}}, "required": ["b", "kind"]},
    }
    assert groups(plan_union(["A", "B"], definitions)) == {None: ["A:a", "B:b"]}


def test_a_key_that_may_be_absent_in_one_member_is_looked_for_in_none() -> None:
    definitions: dict[str, dict[str, Any]] = {
        "A": {"properties": {"kind": {"type": "string", "x-lenient": True}}, "required": ["kind"]},
        "B": {"properties": {"kind": {"type": "string"}}, "required": ["kind"]},
    }
    assert groups(plan_union(["A", "B"], definitions)) == {None: ["A", "B"]}


def test_a_key_only_one_member_knows_breaks_a_tie() -> None:
    source = (
        "export interface Plain { enum: string[]; title?: string }\n"
        "export interface Legacy { enum: string[]; title?: string; enumNames?: string[] }\n"
    )
    expected = {None: ["Legacy:enum,enumNames", "Plain:enum", "Legacy:enum"]}
    assert groups(plan(source, "Plain | Legacy")) == expected


def test_a_key_more_than_one_knows_does_not() -> None:
    source = (
        "export interface A { id: string; x?: string }\n"
        "export interface B { id: string; x?: string; y?: string; z?: string }\n"
        "export interface C { id: string; z?: string; x: string }\n"
    )
    assert groups(plan(source, "A | B | C")) == {
        None: ["C:id,x", "B:id,y", "B:id,z", "A:id", "B:id"]
    }


def test_what_cannot_be_told_apart_stays_in_declaration_order() -> None:
    source = (
        "export interface Zebra { id: string; n?: number }\n"
        "export interface Ape { id: string; n?: string }\n"
    )
    assert groups(plan(source, "Zebra | Ape")) == {None: ["Zebra:id", "Ape:id"]}
    assert groups(plan(source, "Ape | Zebra")) == {None: ["Ape:id", "Zebra:id"]}


def test_one_object_needs_no_keys() -> None:
    found = plan("export interface A { id: string }", "A | string")
    assert found == UnionPlan(scalars=(STRING,), groups={None: (Candidate("A", ()),)})


# --- members that are no objects ----------------------------------------------------------------


def test_other_members_go_by_their_kind() -> None:
    found = plan(
        "export interface A {}",
        "number | A[] | null | Record<string, string> | 'x' | 'y' | boolean",
    )
    assert found == UnionPlan(
        scalars=(Literals(("x", "y")), NUMBER, NULL, Scalar("boolean")),
        arrays=(Array(Ref("A")),),
        maps=(Map(STRING),),
    )


def test_aliases_and_unions_inside_are_what_they_stand_for() -> None:
    source = (
        TAGGED + "export type Pet = Cat | Dog;\nexport type Loved = Pet;\n"
        "export type List = Cow[];\nexport type Table = { [key: string]: Cow };\n"
        "export type Name = string | null;\n"
    )
    found = plan(source, "Cow | Loved | Cat | List | Table | Name")
    assert groups(found) == {"cow": ["Cow"], "cat": ["Cat"], "dog": ["Dog"]}
    assert found.arrays == (Array(Ref("Cow")),)
    assert found.maps == (Map(Ref("Cow")),)
    assert found.scalars == (STRING, NULL)


def test_recursive_types_end() -> None:
    source = (
        "export type Json = string | number | null | List | Table;\n"
        "export type List = Json[];\nexport type Table = Record<string, Json>;\n"
    )
    assert plan(source, "Json | boolean") == UnionPlan(
        scalars=(STRING, NUMBER, NULL, Scalar("boolean")),
        arrays=(Array(Ref("Json")),),
        maps=(Map(Ref("Json")),),
    )


@pytest.mark.parametrize("text", ["(T | string)[]", "Record<string, T | string>"])
def test_a_recursive_union_without_a_name_stops(text: str) -> None:
    found = expressions(f"export type T = {text};")
    with pytest.raises(SchemaError, match="inside the very type it mentions") as caught:
        found.read(found._definitions["T"], "T")
    assert caught.value.where == "v: T"


# --- type expressions ---------------------------------------------------------------------------


def read(schema: dict[str, Any]) -> TypeExpr:
    return Expressions({}, "v").read(schema, "T.a")


@pytest.mark.parametrize(
    ("schema", "expr"),
    [
        ({}, AnyValue()),
        (
            {"description": "Text.", "default": 1, "x-lenient": True, "x-omittable": True},
            AnyValue(),
        ),
        ({"$ref": "#/$defs/A"}, Ref("A")),
        ({"type": "string", "const": "a"}, Const("a")),
        ({"type": "integer", "const": 1}, Const(1)),
        ({"type": "string", "enum": ["b", "a"]}, Literals(("b", "a"))),
        ({"type": "string", "format": "uri"}, Scalar("string", format="uri")),
        ({"type": "number", "minimum": 0, "maximum": 1.5}, Scalar("number", 0, 1.5)),
        ({"type": "integer", "minimum": 0}, Scalar("integer", 0)),
        ({"type": "boolean"}, Scalar("boolean")),
        ({"type": "null"}, NULL),
        ({"type": "array", "items": {}, "minItems": 1, "maxItems": 2}, Array(AnyValue(), 1, 2)),
        ({"type": "array"}, Array(AnyValue())),
        ({"type": "object"}, Map(AnyValue())),
        ({"type": "object", "additionalProperties": {}}, Map(AnyValue())),
        ({"type": "object", "additionalProperties": {"type": "null"}}, Map(NULL)),
        ({"anyOf": [{"type": "string"}]}, STRING),
        (
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string"}]},
            Literals(("a",), open=True),
        ),
    ],
)
def test_expressions(schema: dict[str, Any], expr: TypeExpr) -> None:
    assert read(schema) == expr


def test_a_list_of_types_is_a_union_and_keywords_go_where_they_belong() -> None:
    found = read({"type": ["string", "number", "null"], "minimum": 0, "format": "x"})
    scalars = (Scalar("string", format="x"), Scalar("number", 0, None, "x"), NULL)
    assert found == UnionOf(scalars, UnionPlan(scalars=scalars))


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"type": "string", "minLength": 1}, "minLength"),
        ({"type": "string", "minimum": 1}, "minimum"),
        ({"type": "number", "multipleOf": 2}, "multipleOf"),
        ({"type": "boolean", "format": "x"}, "format"),
        ({"$ref": "#/$defs/A", "minimum": 1}, "minimum"),
        ({"type": "string", "const": "a", "format": "x"}, "format"),
        ({"type": "string", "enum": ["a"], "format": "x"}, "format"),
        ({"anyOf": [{"type": "string"}], "minItems": 1}, "minItems"),
        ({"type": "array", "items": {}, "uniqueItems": True}, "uniqueItems"),
        ({"type": "object", "minimum": 1}, "minimum"),
        ({"type": "object", "properties": {}}, "properties"),
        ({"type": ["string", "null"], "minimum": 1}, "minimum"),
        ({"type": "text"}, "type"),
        ({"allOf": []}, "allOf"),
        ({"not": {}}, "not"),
    ],
)
def test_a_keyword_without_a_place_stops(schema: dict[str, Any], keyword: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read(schema)
    assert caught.value.where == "v: T.a"
    assert caught.value.what.startswith(f"found the keyword {keyword}, which is not supported")


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"enum": ["a", 1]}, "found ['a', 1], expected strings"),
        ({"anyOf": []}, "found a union without members"),
    ],
)
def test_other_schemas_without_a_meaning_stop(schema: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read(schema)
    assert str(caught.value) == f"v: T.a: {message}"


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("null", True),
        ("unknown", True),
        ("string | null", True),
        ("'x' | null", True),
        ("Nullable", True),
        ("Nullable | number", True),
        ("Deep", True),
        ("Anything", True),
        ("Json", True),
        ("string", False),
        ("'null'", False),
        ("A", False),
        ("A | string", False),
        ("null[]", False),
        ("Record<string, null>", False),
        ("Recursive", False),
        ("Nulls", False),
    ],
)
def test_whether_null_is_allowed(text: str, allowed: bool) -> None:
    found = expressions(
        "export interface A { a: null }\n"
        "export type Nullable = string | null;\n"
        "export type Deep = Deeper | A;\nexport type Deeper = number | Deepest;\n"
        "export type Deepest = Nullable;\n"
        "export type Anything = unknown;\n"
        "export type Json = A | List | null;\nexport type List = Json[];\n"
        "export type Recursive = A | Recursives;\nexport type Recursives = Recursive[];\n"
        "export type Nulls = null[];\n"
        f"export interface T {{ a: {text} }}\n"
    )
    schema = found._definitions["T"]["properties"]["a"]
    assert found.allows_null(found.read(schema, "T.a")) is allowed
