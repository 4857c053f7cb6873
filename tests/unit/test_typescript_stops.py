"""The TypeScript reader stops at what it does not know, and at names that do not fit."""

from __future__ import annotations

import pytest
from mcpgen.errors import SchemaError
from mcpgen.ingest.declarations import (
    Literally,
    TypeAliasDeclaration,
    Union,
)

from .declared import NAMES, line_of, read


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
