"""The TypeScript reader: every construct it knows."""

from __future__ import annotations

import pytest
from mcpgen.errors import SchemaError
from mcpgen.ingest.declarations import (
    ArrayOf,
    Constant,
    Doc,
    Intersection,
    Keyword,
    Literally,
    Module,
    ObjectLiteral,
    OmitFrom,
    Property,
    RecordOf,
    Reference,
    TypeNode,
    TypeOf,
    Union,
)
from mcpgen.ingest.typescript import read_module

from .declared import NUMBER, STRING, alias, interface, line_of, names, read

# --- types --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("string", STRING),
        ("number", NUMBER),
        ("boolean", Keyword("boolean")),
        ("unknown", Keyword("unknown")),
        ("any", Keyword("unknown")),
        ("object", Keyword("object")),
        ("null", Literally(None)),
        ("true", Literally(True)),
        ("false", Literally(False)),
        ("'one'", Literally("one")),
        ("0", Literally(0)),
        ("-32000", Literally(-32000)),
        ("A", Reference("A")),
        ("(A)", Reference("A")),
        ("typeof NAME", TypeOf("NAME")),
        ("string[]", ArrayOf(STRING)),
        ("string[][]", ArrayOf(ArrayOf(STRING))),
        ("Array<A>", ArrayOf(Reference("A"))),
        ("(A | B)[]", ArrayOf(Union((Reference("A"), Reference("B"))))),
        ("Record<string, A>", RecordOf(Reference("A"))),
        ("A & B", Intersection((Reference("A"), Reference("B")))),
        ("A & (B & A)", Intersection((Reference("A"), Reference("B"), Reference("A")))),
        ("{}", ObjectLiteral((), None, 4)),
    ],
)
def test_types(text: str, expected: TypeNode) -> None:
    assert alias(text) == expected


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("A | B", [Reference("A"), Reference("B")]),
        ("'x' | 'y' | 'z'", [Literally("x"), Literally("y"), Literally("z")]),
        ("\n  | A\n  | B", [Reference("A"), Reference("B")]),
        ("A | (B | null)", [Reference("A"), Reference("B"), Literally(None)]),
        ("(A | B) | ((null))", [Reference("A"), Reference("B"), Literally(None)]),
        ("A | B | A", [Reference("A"), Reference("B")]),
        ("A & B | string", [Intersection((Reference("A"), Reference("B"))), STRING]),
        ("A // first\n | /* second */ B", [Reference("A"), Reference("B")]),
    ],
)
def test_unions(text: str, members: list[TypeNode]) -> None:
    assert alias(text) == Union(tuple(members))


@pytest.mark.parametrize("text", ["| A", "A | A", "(A | A)"])
def test_a_union_of_one_is_that_one(text: str) -> None:
    assert alias(text) == Reference("A")


def test_an_index_signature_may_stand_alone_or_beside_properties() -> None:
    alone = alias("{ [key: string]: unknown }")
    assert alone == ObjectLiteral((), Keyword("unknown"), 4)
    beside = alias("{ a: string; [key: string]: number; b?: string }")
    assert isinstance(beside, ObjectLiteral)
    assert names(beside.properties) == ["a", "b"]
    assert beside.index == NUMBER


# --- interfaces ---------------------------------------------------------------------------------


def test_properties_have_name_type_presence_line_and_doc() -> None:
    found = interface(
        "export interface T {\n"
        "  /** About a. */\n"
        "  a: string;\n"
        "  'b-c'?: number,\n"
        '  "$d/e": { f: A };\n'
        "}"
    )
    assert found.line == 4
    assert found.bases == ()
    assert found.body.properties == (
        Property("a", STRING, False, 6, Doc("About a.")),
        Property("b-c", NUMBER, True, 7),
        Property(
            "$d/e",
            ObjectLiteral((Property("f", Reference("A"), False, 8),), None, 8),
            False,
            8,
        ),
    )


@pytest.mark.parametrize(
    ("clause", "bases"),
    [
        ("", ()),
        ("extends A", (Reference("A"),)),
        ("extends A, B", (Reference("A"), Reference("B"))),
        ("extends Omit<A, 'x'>", (OmitFrom("A", ("x",)),)),
        ("extends Omit<A, 'x' | 'y'>, B", (OmitFrom("A", ("x", "y")), Reference("B"))),
        ("extends Omit<\n  A,\n  'x'\n>", (OmitFrom("A", ("x",)),)),
    ],
)
def test_bases(clause: str, bases: tuple[Reference | OmitFrom, ...]) -> None:
    assert interface(f"export interface T {clause} {{ }}").bases == bases


@pytest.mark.parametrize("name", ["string", "type", "default", "of", "größe", "_a", "$ref", "名"])
def test_names_of_properties(name: str) -> None:
    assert names(interface(f"export interface T {{ {name}: string }}").body.properties) == [name]


def test_empty_statements_mean_nothing() -> None:
    assert list(read("export interface A {};\n;;\nexport type B = A;;").types) == ["A", "B"]


def test_names_may_be_declared_after_their_use() -> None:
    assert list(read("export type T = Later[];\nexport interface Later {}").types) == ["T", "Later"]


def test_a_type_may_contain_itself() -> None:
    module = read(
        "export type Json = string | List | Map;\n"
        "export type List = Json[];\n"
        "export type Map = { [key: string]: Json };\n"
        "export interface Tree { children: Tree[]; parent?: Tree }\n"
    )
    assert list(module.types) == ["Json", "List", "Map", "Tree"]


# --- constants and literals ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"double"', "double"),
        ("'single'", "single"),
        ("''", ""),
        ("'say \"it\"'", 'say "it"'),
        (r"'it\'s'", "it's"),
        (r'"\"\\\/\b\f\n\r\t"', '"\\/\b\f\n\r\t'),
        (r"'\u00e9 \ud83d\ude00'", "é 😀"),
        ("'é 😀'", "é 😀"),
        ("0", 0),
        ("1_000", 1000),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1e3", 1000),
        ("2.0", 2),
        ("- 1", -1),
        ("-1.5e-3", -0.0015),
        ("true", True),
        ("null", None),
    ],
)
def test_constants(text: str, value: object) -> None:
    found = read(f"/** Why. */\nexport const NAME = {text};").constants["NAME"]
    assert found == Constant("NAME", value, 2, Doc("Why."))
    assert type(found.value) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "0x10",
        "0b1",
        "010",
        "1n",
        "1e999",
        "-Infinity",
        "-NaN",
        "Infinity",
        "+1",
        "!1",
        "- -1",
        "-(1)",
        "1 + 1",
        "[1]",
        "{}",
        "`text`",
        "undefined",
        "1 as const",
        "OTHER",
        r"'\x41'",
        r"'\0'",
        r"'\u{41}'",
        r"'\q'",
        r"'\ud83d'",
        "'a\\\nb'",
    ],
)
def test_other_values_of_constants_stop(text: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read(f"export interface A {{}}\nexport const NAME = {text};")
    assert line_of(caught.value) == "schema.ts:2"
    assert caught.value.what.startswith("found ")
    assert "\n" not in str(caught.value)


# --- doc comments -------------------------------------------------------------------------------


def test_the_comment_right_before_a_declaration_is_its_own() -> None:
    module = read(
        "/** License. */\n"
        "/** About A. */\n"
        "// a remark\n"
        "export interface A {}\n"
        "export interface B {}\n"
        "/* no doc comment */\n"
        "export type C = string;\n"
        "/***/\n"
        "export const D = 1;\n"
        "/** About nothing. */\n"
    )
    docs = {name: declared.doc for name, declared in module.types.items()}
    assert docs == {"A": Doc("About A."), "B": Doc(), "C": Doc()}
    assert module.constants["D"].doc == Doc()


def test_a_comment_at_the_end_of_a_line_is_not_about_the_next() -> None:
    properties = interface(
        "export interface T { /** About T, perhaps. */\n"
        "  a: string; /** @deprecated About a, perhaps. */\n"
        "  b: string; // more\n"
        "  /** About c. */ c: string\n"
        "}"
    ).body.properties
    assert {item.name: item.doc.text for item in properties} == {"a": "", "b": "", "c": "About c."}


def test_comments_may_stand_anywhere() -> None:
    found = interface(
        "export /* 1 */ interface /* 2 */ T /* 3 */ extends /* 4 */ A /* 5 */ { // 6\n"
        "  /* 7 */ a /* 8 */ ? /* 9 */ : /* 10 */ string /* 11 */ [ /* 12 */ ] /* 13 */ ;\n"
        "  /* 14 */ [ /* 15 */ key /* 16 */ : /* 17 */ string ] : /* 18 */ unknown\n"
        "}"
    )
    assert found.bases == (Reference("A"),)
    assert found.body.properties == (Property("a", ArrayOf(STRING), True, 5),)
    assert found.body.index == Keyword("unknown")


# --- encodings ----------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["", "\ufeff", "\n", "// remark\n", "\ufeff/* remark */\r\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_byte_order_marks_and_line_ends(start: str, newline: str) -> None:
    text = "/**\n * Größe.\n *\n * @minimum 0\n */\nexport type Größe = number;\n"
    module = read(start + text.replace("\n", newline))
    assert module.types["Größe"].doc == Doc("Größe.", (("minimum", "0"),))


def test_bytes_that_are_not_utf_8_stop_with_their_line() -> None:
    with pytest.raises(SchemaError, match="not UTF-8") as caught:
        read_module(b"// one\n// two \xff\nexport type A = string;", "schema.ts")
    assert caught.value.where == "schema.ts:2"


@pytest.mark.parametrize("source", ["", "\n\n", "// only a remark", "\ufeff"])
def test_a_file_may_declare_nothing(source: str) -> None:
    assert read(source) == Module("schema.ts")
