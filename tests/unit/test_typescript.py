"""The TypeScript reader: every construct it knows, and that it stops at any other."""

from __future__ import annotations

import pytest
from mcpgen.errors import SchemaError
from mcpgen.ingest.declarations import (
    ArrayOf,
    Constant,
    Doc,
    Interface,
    Intersection,
    Keyword,
    Literally,
    Module,
    ObjectLiteral,
    OmitFrom,
    Property,
    RecordOf,
    Reference,
    TypeAliasDeclaration,
    TypeNode,
    TypeOf,
    Union,
)
from mcpgen.ingest.typescript import read_module

STRING, NUMBER = Keyword("string"), Keyword("number")
NAMES = "export interface A {}\nexport interface B {}\nexport const NAME = 'n';\n"


def read(source: str) -> Module:
    return read_module(source.encode(), "schema.ts")


def line_of(error: SchemaError) -> str:
    """The file and line that an error names, mostly with a column."""
    return ":".join(error.where.split(":")[:2])


def alias(text: str) -> TypeNode:
    """The type of `export type T = …`, with A, B and NAME declared."""
    declared = read(f"{NAMES}export type T = {text};").types["T"]
    assert isinstance(declared, TypeAliasDeclaration)
    return declared.type


def interface(text: str) -> Interface:
    declared = read(f"{NAMES}{text}").interface("T")
    assert declared is not None
    return declared


def names(properties: tuple[Property, ...]) -> list[str]:
    return [item.name for item in properties]


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


# --- what must stop -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "export enum E { One }",
        "export const enum E { One }",
        "export class C {}",
        "export abstract class C {}",
        "export function f(): void {}",
        "export namespace N {}",
        "export default interface D {}",
        "export default A",
        "export { A }",
        "export type { A }",
        "export * from 'there'",
        "export { B } from 'there'",
        "export = A",
        "export as namespace N",
        "export import X = A",
        "export declare type D = string",
        "export let v = 1",
        "export var v = 1",
        "export const v: number = 1",
        "export const v = 1, w = 2",
        "export const { v } = A",
        "export const v",
        "export interface G<T> { a: T }",
        "export type G<T> = T",
        "@decorated export interface D {}",
        "import { X } from 'there'",
        "import 'there'",
        "interface Hidden {}",
        "type Hidden = string",
        "const HIDDEN = 1",
        "declare module 'm' {}",
        "declare global {}",
        "namespace N {}",
        "'use strict'",
        "#!/usr/bin/env node",
        "console.log(1)",
        "if (true) {}",
    ],
)
def test_statements_it_does_not_know_stop(statement: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read(f"export interface A {{}}\n\n{statement};\n")
    assert line_of(caught.value) == "schema.ts:3"
    assert caught.value.what.startswith("found ")


@pytest.mark.parametrize(
    "text",
    [
        "undefined",
        "string | undefined",
        "never",
        "void",
        "symbol",
        "bigint",
        "unique symbol",
        "this",
        "[string, number]",
        "readonly string[]",
        "`a${string}`",
        "keyof A",
        "A['x']",
        "typeof A.x",
        "typeof NAME[0]",
        "() => string",
        "new () => A",
        "A extends B ? string : number",
        "{ [K in 'a' | 'b']: string }",
        "{ [K in keyof A]?: A[K] }",
        "Partial<A>",
        "Pick<A, 'x'>",
        "Readonly<A>",
        "ReadonlyArray<A>",
        "Array<A, B>",
        "Record<string>",
        "Record<number, A>",
        "Record<'a' | 'b', A>",
        "Promise<A>",
        "Omit<A, 'x'>",
        "Omit<A, 'x'>[]",
        "N.Type",
        "import('there').Type",
        "1 | 2",
        "'one' | 1",
        "true | false",
        "1 | true",
        "?string",
        "{| a: string |}",
        "| 1n",
        "-Infinity",
        "010",
    ],
)
def test_types_it_does_not_know_stop(text: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read(f"{NAMES}export type T =\n  {text};\n")
    assert line_of(caught.value) in {"schema.ts:4", "schema.ts:5"}
    assert caught.value.what.startswith("found ")


@pytest.mark.parametrize(
    "member",
    [
        "a",
        "a?",
        "a(): string",
        "a?(): string",
        "(): string",
        "new (): A",
        "get a(): string",
        "set a(value: string)",
        "readonly a: string",
        "static a: string",
        "public a: string",
        "1: string",
        "[NAME]: string",
        "['a']: string",
        "#a: string",
        r"\u0061: string",
        "[key: number]: string",
        "[key: symbol]: string",
        "[key: A]: string",
        "[key: 'a' | 'b']: string",
        "[key: string]",
        "[key: string]?: string",
        "readonly [key: string]: string",
        "[K in A]: string",
        "[key: string]: string; [other: string]: string",
        "a: string; a?: string",
        "a: string; 'a': number",
        "a: ?string",
        "a!: string",
    ],
)
def test_members_it_does_not_know_stop(member: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read(f"{NAMES}export interface T {{\n  {member};\n}}")
    assert line_of(caught.value) in {"schema.ts:4", "schema.ts:5"}
    assert caught.value.what.startswith("found ")


@pytest.mark.parametrize(
    "base",
    [
        "{ a: string }",
        "Partial<A>",
        "Record<string, A>",
        "Array<A>",
        "N.A",
        "Omit<A>",
        "Omit<A, 'x', 'y'>",
        "Omit<Omit<A, 'x'>, 'y'>",
        "Omit<A, string>",
        "Omit<A, 'x' | 1>",
        "Omit<A, keyof B>",
        "Omit<{}, 'x'>",
        "A<B>",
    ],
)
def test_bases_it_does_not_know_stop(base: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read(f"{NAMES}export interface T extends\n  {base} {{}}")
    assert line_of(caught.value) in {"schema.ts:4", "schema.ts:5"}


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("export interface A {", 1),
        ("export interface A {}\nexport type = string;", 2),
        ("export type A = string;\n\nexport type B = Array<>;", 3),
        ("export interface A {\n  a: string b: string\n}", 2),
        ("export type A = ;", 1),
        ("%", 1),
        ("export type A = 'unterminated;\n", 1),
        ("export type A = asserts x", 1),
    ],
)
def test_text_that_is_not_typescript_stops(source: str, line: int) -> None:
    with pytest.raises(SchemaError, match="not TypeScript") as caught:
        read(source)
    assert line_of(caught.value) == f"schema.ts:{line}"


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("enum A {}", "1:1"),
        ("\ufeffenum A {}", "1:2"),
        ("\r\n\t enum A {}", "2:3"),
        ("/* größe \U0001f411 */ enum A {}", "1:15"),
        ("export interface T {\n  a: { b: [string] };\n}", "2:11"),
        ("export type T = string | {\n  a: string |\n    keyof T };", "3:5"),
        ("export type T = 'a' | `b${string}`;", "1:23"),
        ("export type T<U> = U;", "1:8"),
        ("export interface T { a: Map<string, 5> }", "1:25"),
    ],
)
def test_where_it_stops(source: str, place: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read(source)
    assert caught.value.where == f"schema.ts:{place}"


def test_a_union_may_have_any_number_of_members() -> None:
    names = [f"'{number}'" for number in range(3000)]
    declared = read(f"export type T = {' | '.join(names)};").types["T"]
    assert isinstance(declared, TypeAliasDeclaration)
    assert isinstance(declared.type, Union)
    assert declared.type.members[::2999] == (Literally("0"), Literally("2999"))


def test_text_that_makes_the_parser_go_on_for_ever_stops() -> None:
    with pytest.raises(SchemaError) as caught:
        read('export interface A {}\nexport interface B "x" | c | d e?: { [f: g]: h }; [i: j]: k }')
    assert str(caught.value) == "schema.ts:2: found text that is not TypeScript"


def test_the_message_shows_what_was_found_and_not_all_of_it() -> None:
    with pytest.raises(SchemaError) as caught:
        read("export enum Side {\n  Up = 'up',\n  Down = 'down',\n  Left = 'left',\n  R = 'r',\n}")
    assert str(caught.value) == (
        "schema.ts:1:8: found a construct the reader does not know (enum declaration): "
        "enum Side { Up = 'up', Down = 'down', Left = 'left', R = ..."
    )


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize("second", ["interface A { b: string }", "type A = string", "const A = 1"])
@pytest.mark.parametrize("first", ["interface A {}", "type A = number", "const A = 2"])
def test_a_second_declaration_of_a_name_stops(first: str, second: str) -> None:
    with pytest.raises(SchemaError, match="a second declaration of A") as caught:
        read(f"export {first};\nexport {second};")
    assert line_of(caught.value) == "schema.ts:2"


@pytest.mark.parametrize(
    ("declaration", "name"),
    [
        ("type T = Missing", "Missing"),
        ("type T = (string | { a: Missing[] })[]", "Missing"),
        ("type T = Record<string, Missing>", "Missing"),
        ("type T = { [key: string]: Missing }", "Missing"),
        ("type T = string & Missing", "Missing"),
        ("type T = Date", "Date"),
        ("type T = Record", "Record"),
        ("type T = NAME", "NAME"),
        ("type T = typeof Missing", "typeof Missing"),
        ("type T = typeof A", "typeof A"),
        ("interface T extends Missing {}", "Missing"),
        ("interface T extends Omit<Missing, 'x'> {}", "Missing"),
        ("interface T { a?: Missing }", "Missing"),
    ],
)
def test_a_name_that_is_not_declared_stops(declaration: str, name: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read(f"{NAMES}export {declaration}")
    assert str(caught.value) == f"schema.ts:4: found {name} in T, which is not declared"


@pytest.mark.parametrize(
    ("source", "cycle"),
    [
        ("export type T = T", "T → T"),
        ("export type T = U;\nexport type U = T", "T → U → T"),
        ("export type T = string | U;\nexport type U = T | null", "T → U → T"),
        ("export type T = A & T", "T → T"),
        ("export interface T extends T {}", "T → T"),
        (
            "export interface T extends U {}\nexport interface U extends Omit<T, '_'> {}",
            "T → U → T",
        ),
        ("export interface T extends U {}\nexport type U = T", "T → U → T"),
        ("export type S = T;\nexport interface T extends T {}", "T → T"),
    ],
)
def test_a_type_defined_by_itself_stops(source: str, cycle: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read(f"export interface A {{}}\n{source}")
    line = 3 if source.startswith("export type S") else 2
    assert str(caught.value) == f"schema.ts:{line}: found a type defined by itself: {cycle}"
