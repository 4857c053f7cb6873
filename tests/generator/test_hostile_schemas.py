"""Whatever a schema.ts holds: correct code comes of it, or one clear error and nothing at all."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import mcpgen
import pytest
from mcpgen.errors import SchemaError, TemplateError

from .hostile import VERSION, Request, emit, round_trip, schema

FILE = f"schema/{VERSION}/schema.ts"

# --- texts --------------------------------------------------------------------------------------

TEXTS = [
    '"""',
    '"',
    '""',
    'ends in a quote"',
    "ends in a backslash\\",
    "\\",
    '\\"""',
    "\\N{BULLET} \\x41 \\u0041 \\U0001f411",
    "{{ x }} {% y %} {# z #}",
    "%s %(x)s {0} ${x}",
    "one\n\ntwo",
    "tab\tbell\x07escape\x1bdelete\x7f",
    "line\u2028paragraph\u2029next\x85end",
    "right to left \u202e and \ufeff mark",
    "'''",
    "# comment",
    ">>> 1",
    "x" * 500,
    "word " * 400,
]


def words(text: str | None) -> list[str]:
    return (text or "").split()


def test_descriptions(tmp_path: Path) -> None:
    types = [f"T{number}" for number in range(len(TEXTS))]
    described = dict(zip(types, TEXTS, strict=True))
    described |= {f"{name}.a": text for name, text in described.items()}
    source = schema("".join(f"export interface {name} {{ a: string }}\n" for name in types))
    mcp = emit(tmp_path, source, descriptions=described)
    for name, text in zip(types, TEXTS, strict=True):
        found = words(getattr(mcp, name).__doc__)
        assert found[: found.index("Specification:")] == words(text)
        assert words(mcp.schema(name)["$defs"][name]["description"]) == words(text)
        round_trip(mcp, name)


def test_doc_comments(tmp_path: Path) -> None:
    types = [f"T{number}" for number in range(len(TEXTS))]
    source = "".join(
        f"/** {text}\n * @deprecated {text} */\n"
        f"export interface {name} {{\n/** {text} */ a: string }}\n"
        for name, text in zip(types, TEXTS, strict=True)
    )
    mcp = emit(tmp_path, schema(source), keep_descriptions=True)
    for name in types:
        round_trip(mcp, name)
    assert words(mcp.T0.__doc__)[0] == '"""'


CONSTANTS = [
    '"; import os; os.abort() #',
    'quote \' and " and """',
    "new\nline\r\ttab",
    "\\",
    "\\N{BULLET}",
    "{{ x }}{% y %}",
    "\u2028\u2029\x85\x00\x7f",
    "\U0001f411",
    "",
    " ",
    "x" * 100_000,
]


def test_constants(tmp_path: Path) -> None:
    literals = [json.dumps(text) for text in CONSTANTS]
    source = "".join(f"export const C{i} = {text};\n" for i, text in enumerate(literals))
    fields = [
        f"a{i}: {text}; b{i}?: {text}; c{i}: {text} | 'other'; d{i}: typeof C{i};"
        for i, text in enumerate(literals)
    ]
    source += f"export interface T {{ {' '.join(fields)} }}\n"
    names = "".join(f"{text}: {text};\n" for text in literals[:6])
    source += f"export interface Keys {{ {names} }}\n"
    tagged = [f"{{ kind: {text}; at: 'm{i}' }}\n" for i, text in enumerate(literals)]
    source += "".join(f"export interface M{i} {body}" for i, body in enumerate(tagged))
    source += f"export type Member = {' | '.join(f'M{i}' for i in range(len(tagged)))};\n"
    source += "export interface Nothing { a: null; b?: null; c: 0; d: -1.5; e: false; f: 1e3 }\n"
    mcp = emit(tmp_path, schema(source))
    assert [getattr(mcp, f"C{i}") for i in range(len(CONSTANTS))] == CONSTANTS
    round_trip(mcp, "T")
    assert set(round_trip(mcp, "Keys").to_dict()) == set(CONSTANTS[:6])
    for i, text in enumerate(CONSTANTS):
        assert type(mcp.decode_as("Member", {"kind": text, "at": f"m{i}"})).__name__ == f"M{i}"
    assert mcp.Nothing().to_dict() == {"a": None, "c": 0, "d": -1.5, "e": False, "f": 1000}
    round_trip(mcp, "Nothing")


# --- names --------------------------------------------------------------------------------------

FIELDS = {
    "dunders": ["__init__", "__class__", "__slots__", "__dict__", "__post_init__", "__doc__"],
    "keywords": ["class", "None", "async", "match", "case", "type", "lambda", "nonlocal", "_"],
    "builtins": ["print", "object", "len", "tuple", "list", "dict", "str", "isinstance", "super"],
    "reserved": ["extra", "to_dict", "from_dict", "to_json", "from_json", "self", "timeout"],
    "imports": ["Any", "Literal", "Mapping", "dataclass", "UNSET", "EMPTY", "decode_as", "METHODS"],
    "locals": ["d", "o", "n", "v", "t", "key", "item", "tag", "kind", "decode", "cls", "fields"],
    "symbols": ["", "a.b", "c-d", "e/f", "g h", "i\\j", 'k"l', "m'n", "o\np", "q{r}", "{{ s }}"],
    "digits": ["1a", "2-b", "3", "\u00b2"],
    "other alphabets": ["größe", "ﬁeld", "ªb", "\U0001d431", "\u212b", "名前", "µ"],
}


def test_names_of_fields(tmp_path: Path) -> None:
    source = ""
    for number, names in enumerate(FIELDS.values()):
        required = [f"{json.dumps(name)}: string;" for name in names]
        optional = [f"{json.dumps(name)}?: string[] | null;" for name in names]
        source += f"export interface R{number} {{ {' '.join(required)} }}\n"
        source += f"export interface O{number} {{ {' '.join(optional)} }}\n"
    mcp = emit(tmp_path, schema(source))
    for number, names in enumerate(FIELDS.values()):
        assert list(round_trip(mcp, f"R{number}").to_dict()) == names
        assert set(round_trip(mcp, f"O{number}").to_dict()) == set(names)


TYPES = [
    "Exception",
    "TimeoutError",
    "t",
    "match",
    "fields",
    "decode_T",
    "With_Underscores",
    "lower",
    "None_",
    "Größe",
    "Codec",
    "Decoder",
    "Final",
    "Field",
    "Model",
    "SchemaDocument",
    "StubBase",
    "unknown_method",
]


def test_names_of_types(tmp_path: Path) -> None:
    source = "".join(f"export interface {name} {{ a: string }}\n" for name in TYPES)
    for number, name in enumerate(TYPES):
        source += f"export interface U{number} {{ a: {name}; b?: {name}[]; c: {name} | string }}\n"
    source += "export type alias = string[];\nexport interface UsesAlias { a: alias }\n"
    mcp = emit(tmp_path, schema(source))
    for number, name in enumerate(TYPES):
        assert type(round_trip(mcp, name)).__name__ == name
        round_trip(mcp, f"U{number}")
    round_trip(mcp, "UsesAlias")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("interface T { 'a-b': string; a_b: string }", "T: 'a-b' and 'a_b' both become a_b"),
        ("interface T { '': string; '!': string }", "T: '' and '!' both become field"),
        ("interface T { 'ﬁeld': string; field: string }", "both become field"),
        ("interface T { UNSET: string; unset: string }", "both become unset"),
        ("interface __init__ { a: string }", "found the type name '__init__'"),
        ("interface ﬁx { a: string }", "found the type name 'ﬁx'"),
        ("type None = string", "found the type name 'None'"),
        ("type $ = string", "found the type name '$'"),
        ("const print = 1", "found the constant name 'print'"),
        ("const __all__ = 1", "found the constant name '__all__'"),
        ("interface T { a: { b: string } } export interface TA { c: string }", "named TA, which"),
        ("interface T { a: { b: 1 } | { c: 1 } }", "several inline objects in one union"),
    ],
)
def test_names_that_will_not_do_stop(tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        emit(tmp_path, schema(f"export {source};"))
    assert caught.value.where.startswith(f"{VERSION}")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "declaration",
    [
        *(
            f"interface {name} {{ a: string }}"
            for name in ("list", "str", "Any", "dict", "Mapping", "WireObject", "AttributeError")
        ),
        *(f"type {name} = string" for name in ("int", "Literal", "UNSET")),
        *(f"interface {name} {{}}" for name in ("CODEC", "MethodInfo", "ServerStub", "overload")),
        *(f"const {name} = 1" for name in ("METHODS", "decode_as", "schema", "import_module")),
    ],
)
def test_names_the_emitted_code_uses_stop(tmp_path: Path, declaration: str) -> None:
    name = declaration.split()[1]
    with pytest.raises(TemplateError) as caught:
        emit(tmp_path, schema(f"export {declaration};"))
    assert name in caught.value.what.split() or f"{name}:" in caught.value.what.split()


# --- methods ------------------------------------------------------------------------------------

REQUESTS = [
    Request(
        "Fly", "fly", "params: { timeout: number; self: string; method: string; name: string }"
    ),
    Request("Sail", "sail", "params: { on_progress: string; params: string; fields: string }"),
    Request("Import", "import", "params: { a: string }"),
    Request("None", "none", "params: { a: string }"),
    Request("List", "list", "params?: { a?: string }"),
    Request("Request", "request", "params: { a: string }"),
    Request("Notify", "notify", "params: { a: string }"),
    Request("Info", "info", "params: { a: string }"),
    Request("Codec", 'we"ird\\/{{ x }}\n\u2028{% y %}', "params: { a: string }"),
    Request("Nameless", "", "params: { a: string }"),
    Request("Open", "open", "params: { [key: string]: number }"),
    Request("Any", "any", "params?: Record<string, unknown>"),
    Request("Inherited", "inherited", ""),
    Request("Either", "either", "params: Implementation | { [key: string]: number }"),
    Request("Both", "both", "params: Implementation & { a: string }"),
    Request("Maybe", "maybe", "params?: { a: string }"),
    Request("Constant", "constant", "params: { a: 'x'; b: null; c: 0 }"),
]


@pytest.fixture(scope="module")
def methods(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return emit(tmp_path_factory.mktemp("methods"), schema("", *REQUESTS))


def test_methods_are_called_and_served(methods: Any) -> None:
    served: list[tuple[str, Any]] = []

    def serving(request: Request) -> Any:
        async def serve(params: Any, ctx: Any) -> Any:
            served.append((request.method, params))
            return getattr(methods, f"{request.name}Result")(done=True)

        return serve

    async def main() -> None:
        handler = methods.ServerHandler(methods.Implementation(name="a", version="1"))
        for request in REQUESTS:
            setattr(handler, methods.METHODS[request.method].python_name, serving(request))
        package = sys.modules[methods.__name__.partition(".")[0]]
        stub = methods.ServerStub(package.DispatcherSession(methods.Dispatcher(handler)))
        for request in REQUESTS:
            info = methods.METHODS[request.method]
            call = getattr(stub, info.python_name)
            params = round_trip(methods, info.params)
            assert (await call(params)).done is True
            assert served.pop() == (request.method, params)
            if dataclasses.is_dataclass(params):
                given = {f.name: getattr(params, f.name) for f in dataclasses.fields(params)}
                given.pop("extra")
                assert (await call(**given)).done is True
                assert served.pop() == (request.method, params)
            if not info.params_required:
                assert (await call()).done is True
                method, absent = served.pop()
                assert absent == (None if method == "maybe" else methods.decode_as(info.params, {}))

    asyncio.run(main())


@pytest.mark.parametrize(
    ("requests", "message"),
    [
        (("Fly a", "FLY b"), "a and b both become fly"),
        (("NotifyDone a",), "a and notifications/done both become notify_done"),
        (("OnDone a",), "a and notifications/done both become on_done"),
        (("A a string",), "found the params ARequestParams, which are no object"),
        (("A a unknown",), "found the params ARequestParams, which are no object"),
        (("A a Implementation|null",), "found the params ARequestParams, which are no object"),
        (("A a {b:string}", "B a"), "found a second message with the method a"),
    ],
)
def test_methods_that_cannot_be_stop(
    tmp_path: Path, requests: tuple[str, ...], message: str
) -> None:
    asked = [(*request.split(), "{a:string}")[:3] for request in requests]
    added = [Request(name, method, f"params: {params}") for name, method, params in asked]
    with pytest.raises(SchemaError) as caught:
        emit(tmp_path, schema("", *added))
    assert caught.value.what == message


@pytest.mark.parametrize("params", ["{ a: string }", "{ [key: string]: unknown }"])
def test_params_declared_both_ways_stop(tmp_path: Path, params: str) -> None:
    source = schema(
        "export interface FlyRequestParams { b: number }",
        Request("Fly", "fly", f"params: {params}"),
    )
    with pytest.raises(SchemaError, match="FlyRequestParams, which is another type") as caught:
        emit(tmp_path, source)
    assert caught.value.where.startswith(f"{VERSION}: FlyRequest")


def test_nothing_is_imported_in_vain(tmp_path: Path) -> None:
    emit(tmp_path / "few", schema(""))
    emit(tmp_path / "some", schema("", Request("Fly", "fly", "params: { _meta?: object }")))
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select=F"]
    done = subprocess.run([*command, tmp_path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


# --- shapes and sizes ---------------------------------------------------------------------------

NESTED = "{ a: " * 50 + "string" + " }" * 50
SHAPES = f"""
export interface Direct {{ a: Direct[]; b?: Direct; c?: {{ [key: string]: Direct }}; d?: A | null }}
export interface A {{ b?: B }}
export interface B {{ a?: A; b?: B[][]; c?: {{ [key: string]: {{ [key: string]: B }} }} }}
export type Lists = Lists[];
export type Maps = {{ [key: string]: Maps }};
export type Either = string | Either[] | {{ [key: string]: Either }} | A;
export type Nullable = NullableList | null;
export type NullableList = Nullable[];
export interface Child extends A {{ children: Child[]; one?: {{ two?: {{ three: Child[] }}[] }} }}
export interface Nested {{ nested: {NESTED} }}
export interface Array8 {{ a: string{"[]" * 8} }}
export interface Wide {{ {" ".join(f"f{i}{'?' if i % 2 else ''}: string;" for i in range(300))} }}
export type Letter = {" | ".join(f"'letter {i}'" for i in range(2000))};
{"".join(f"export interface M{i} {{ kind: 'k{i // 2}'; m{i}: string }}" for i in range(100))}
export type Tagged = {" | ".join(f"M{i}" for i in range(100))};
{"".join(f"export interface N{i} {{ n{i}: string }}" for i in range(100))}
export type Untagged = {" | ".join(f"N{i}" for i in range(100))};
"""


def test_shapes_and_sizes(tmp_path: Path) -> None:
    mcp = emit(tmp_path, schema(SHAPES))
    for name in ("Direct", "A", "B", "Lists", "Maps", "Either", "Nullable", "Child", "Letter"):
        round_trip(mcp, name)
    assert mcp.decode_as("Either", [["a"], {"b": {"b": {}}}])[1] == {"b": mcp.A(b=mcp.B())}
    document: Any = "deep"
    for _ in range(50):
        document = {"a": document}
    assert mcp.Nested.from_dict({"nested": document}).to_dict() == {"nested": document}
    assert len(round_trip(mcp, "Wide").to_dict()) == 300
    for i in (0, 1, 50, 99):
        tagged = mcp.decode_as("Tagged", {"kind": f"k{i // 2}", f"m{i}": "x"})
        assert type(tagged).__name__ == f"M{i}"
        assert type(mcp.decode_as("Untagged", {f"n{i}": "x"})).__name__ == f"N{i}"
    with pytest.raises(mcp.DecodeError, match=r"^\$\.nested\.a\.a"):
        mcp.Nested.from_dict({"nested": {"a": {"a": 1}}})


def chain(form: str) -> str:
    """A thousand declarations, each of which builds on the one before."""
    return "".join(form.format(i, i - 1) for i in range(1, 1000))


@pytest.mark.parametrize(
    "source",
    [
        f"export interface T {{ a: {'{ a: ' * 2000}string{' }' * 2000} }}",
        f"export type T = {'(' * 5000}string{')' * 5000};",
        "export interface T0 { a: string }" + chain("export interface T{0} extends T{1} {{}}"),
    ],
)
def test_what_is_too_deep_stops(tmp_path: Path, source: str) -> None:
    with pytest.raises(SchemaError, match="more deeply than mcpgen follows"):
        emit(tmp_path, schema(source))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("export type T = T;", "a type defined by itself: T → T"),
        ("export type T = U; export type U = T;", "a type defined by itself: T → U → T"),
        ("export type T = string | T;", "a type defined by itself: T → T"),
        ("export type T = Result & T;", "a type defined by itself: T → T"),
        ("export interface T extends T {}", "a type defined by itself: T → T"),
        (
            "export interface T extends U {} export interface U extends V {} "
            "export interface V extends T {}",
            "a type defined by itself: T → U → V → T",
        ),
        ("export interface T extends Missing {}", "found Missing in T, which is not declared"),
        ("export interface T { a: Missing[] }", "found Missing in T, which is not declared"),
        ("export interface T {} export interface T {}", "a second declaration of T"),
        ("export interface T {} export type T = string;", "a second declaration of T"),
        ("export interface Result {}", "a second declaration of Result"),
        ("export type T = never;", "(predefined type): never"),
        ("export interface T { a: undefined }", "(undefined): undefined"),
        ("export interface T { a: string | void }", "(predefined type): void"),
        ("export enum T { A }", "(enum declaration): enum T { A }"),
        ("export const enum T { A }", "(enum declaration): const enum T { A }"),
        ("export type T<U> = U;", "a declaration with type parameters"),
        ("export interface T<U> { a: U }", "a declaration with type parameters"),
        ("export type T = string extends 'a' ? 1 : 2;", "(conditional type): string extends"),
        ("export type T = { [K in 'a']: string };", "(index signature): [K in 'a']: string"),
        ("export type T = keyof Result;", "(index type query): keyof Result"),
        ("export type T = Result['_meta'];", "(lookup type): Result['_meta']"),
        ("export type T = Partial<Result>;", "the generic type Partial<Result>"),
        ("export type T = Record<number, string>;", "the generic type Record<number, string>"),
        ("import { T } from 'there';", "(import statement): import { T } from 'there'"),
        ("import type { T } from 'there';", "(import statement): import type { T }"),
        ("export * from 'there';", "'*', which the reader does not know in this place"),
        ("export class T {}", "(class declaration): class T {}"),
        ("export abstract class T {}", "(abstract class declaration): abstract class T {}"),
        ("export namespace T {}", "(internal module): namespace T {}"),
        ("export function f() {}", "(function declaration): function f() {}"),
        ("interface T {}", "(interface declaration): interface T {}"),
        ("export default interface T {}", "'default', which the reader does not know"),
        ("export type T = `a${string}`;", "(template literal type): `a${string}`"),
        ("export type T = [string, number];", "(tuple type): [string, number]"),
        ("export type T = [string, number?];", "(tuple type): [string, number?]"),
        ("export type T = [...string[]];", "(tuple type): [...string[]]"),
        ("export type T = (a: string) => void;", "(function type): (a: string) => void"),
        ("export type T = new () => Result;", "(constructor type): new () => Result"),
        ("export interface T { a(): string }", "'a(): string', which the reader does not know"),
        ("export interface T { readonly a: string }", "'readonly', which the reader does not know"),
        ("export type T = readonly string[];", "(readonly type): readonly string[]"),
        ("export type T = unique symbol;", "(predefined type): unique symbol"),
        ("export type T = 1 | 2;", "a union with the literal 1, expected strings"),
        ("export const X = { a: 1 };", "(object): { a: 1 }"),
        ("export const X = 'a' as const;", "(as expression): 'a' as const"),
        ("export const X: string = 'a';", "a constant with a type: X: string = 'a'"),
        ("export let x = 1;", "'let', which the reader does not know in this place"),
        ("export const X = '\\ud800';", "half a surrogate pair in '\\ud800'"),
        ("export interface T { a: string", "text that is not TypeScript: no }"),
        ("export type T = 'abc;", "text that is not TypeScript"),
        ("/* abc", "text that is not TypeScript"),
        ("%%%", "text that is not TypeScript"),
        ("export type T = 'a\0b'; \0", "text that is not TypeScript"),
    ],
)
def test_what_the_reader_does_not_know_stops(tmp_path: Path, source: str, message: str) -> None:
    whole = schema("/* größe */\n\n")
    with pytest.raises(SchemaError) as caught:
        emit(tmp_path, whole + f"  {source}\n".encode())
    file, line, *column = caught.value.where.split(":")
    assert file.endswith(FILE)
    assert int(line) == whole.count(b"\n") + 1
    assert all(int(number) >= 3 for number in column)
    assert message in str(caught.value)


# --- bytes --------------------------------------------------------------------------------------


def test_a_mark_and_line_ends_of_any_kind(tmp_path: Path) -> None:
    source = schema("export interface T {\n\ta: 'x';\n\tb?: string[]\n}")
    plain = emit(tmp_path / "plain", source)
    odd = emit(tmp_path / "odd", b"\xef\xbb\xbf" + source.replace(b"\n", b"\r\n"))
    assert odd.schema("T") == plain.schema("T")
    round_trip(odd, "T")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"", "is empty, expected a schema"),
        (b"\n\n// nothing\n", "found no string LATEST_PROTOCOL_VERSION"),
        (b"\0", "text that is not TypeScript"),
        (b"export type T = '\xff';", "is not UTF-8"),
        (b"export type T = '\xed\xa0\x80';", "is not UTF-8"),
        (b"\xff\xfee\0x\0", "is not UTF-8"),
    ],
)
def test_files_that_are_no_schema_stop(tmp_path: Path, source: bytes, message: str) -> None:
    with pytest.raises(mcpgen.McpgenError) as caught:
        emit(tmp_path, source)
    assert message in str(caught.value)
    assert not (tmp_path / "spec" / "lock.json").exists()
