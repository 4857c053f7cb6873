"""Types that MCP does not have yet: emitted, and judged like those that it has.

A new version of the protocol must need no change of the generator, so this is a made-up one
with every shape that the generator takes and the published versions use rarely or never.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import jsonschema
import mcpgen
import pytest

from .documents import text
from .oracle import Oracle

VERSION = "2033-03-03"
SCHEMA = """\
export const LATEST_PROTOCOL_VERSION = "2033-03-03";
export const JSONRPC_VERSION = "2.0";
export const ANSWER = 42;

export type RequestId = string | number;
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification;
export interface Request { method: string; params?: { [key: string]: unknown } }
export interface Notification { method: string; params?: { [key: string]: unknown } }
export interface Result { _meta?: { [key: string]: unknown }; [key: string]: unknown }
export interface JSONRPCRequest extends Request { jsonrpc: typeof JSONRPC_VERSION; id: RequestId }
export interface JSONRPCNotification extends Notification { jsonrpc: typeof JSONRPC_VERSION }
export type EmptyResult = Result;
export interface Params { _meta?: { [key: string]: unknown } }
export interface PingRequest extends JSONRPCRequest { method: "ping"; params?: Params }
export interface DoneNotification extends JSONRPCNotification {
  method: "notifications/done";
  params?: Params;
}
export type ClientRequest = PingRequest;
export type ServerResult = EmptyResult;
export type ClientNotification = DoneNotification;

/* Constants of every type. */
export interface Constants {
  answer: typeof ANSWER;
  zero: 0;
  half: 0.5;
  yes: true;
  no: false;
  nothing: null;
  quoted: "it's \\"quoted\\" \\\\ \\n";
  one?: 1;
  maybe?: "maybe";
}

/* Names that mean something to Python, or to the emitted code. */
export interface Names {
  class: string;
  type: string;
  list: string[];
  id: number;
  self: string;
  d?: string;
  o?: string;
  n?: number;
  v?: number;
  item?: string[];
  key?: { [key: string]: Leaf };
  None?: boolean;
  extra?: string;
  to_dict?: string;
  "with space"?: number;
  "$dollar"?: number;
  "1st"?: number;
  any?: unknown;
  "str"?: Leaf;
}

export interface Leaf { leaf: string }
export interface Twig { twig: number }

/* Trees, so deep as one likes. */
export interface Tree { name: string; children: Tree[]; next?: Tree | null }
export type Expression = string | number | Expression[] | { [key: string]: Expression } | Leaf;
export interface Holder { expression: Expression }

export interface Limited {
  /** @maximum 5 */
  most?: number;
  /** @minimum 2 */
  least?: number;
  /** @minItems 1 */
  some?: Leaf[];
  /** @maxItems 2 */
  few?: string[];
}

/* Null beside everything. */
export interface Nullable {
  leaf: Leaf | null;
  list: Leaf[] | null;
  union: Leaf | Twig | null;
  text?: string | null;
  map?: { [key: string]: Leaf | null } | null;
  literal?: "a" | "b" | null;
  many?: (Leaf | null)[];
  unknown?: unknown;
}

/* Unions of different kinds of values. */
export type LeavesOrTwigs = Leaf[] | Twig[];
export type LeafOrText = Leaf | string;
export type LeafOrMap = Leaf | { [key: string]: number };
export type LeafOrLeaves = Leaf | Leaf[] | boolean;
export type ColourOrNumber = "red" | "green" | number;
export type Open = "red" | "green" | string;
export type Lists = string[] | number[];
export type Maps = { [key: string]: Leaf } | { [key: string]: Twig };
export interface Unions {
  a?: LeavesOrTwigs;
  b?: LeafOrText;
  c?: LeafOrMap;
  d?: LeafOrLeaves[];
  e?: ColourOrNumber;
  f?: Open;
  g?: Lists;
  h?: Maps;
  i?: Leaf[][];
  j?: { [key: string]: Leaf[] };
  k?: { [key: string]: { [key: string]: LeafOrText } };
  l?: (string | number | null)[];
  m?: Leaf | Twig[] | null;
}

/* Members told apart by a tag, by its absence, and by nothing at all. */
export interface Circle { kind: "circle"; radius: number }
export interface Square { kind: "square"; side: number }
export interface Cube { kind: "square"; side: number; depth?: number }
export interface Dot { kind?: "dot"; x: number }
export type Shape = Circle | Square | Cube | Dot;
export interface Same { a: string; b?: number }
export interface Other { a: string; c?: number }
export type Tie = Same | Other;
export interface Drawing { shapes: Shape[]; ties?: { [key: string]: Tie } }

/* Known members with an index signature that has a type. */
export interface Scores { best: number; [key: string]: number }
export interface Garden { first: Leaf; [key: string]: Leaf }
export interface Empty {}
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The emitted package, imported under a name of its own."""
    folder = tmp_path_factory.mktemp("invented")
    source = folder / "schema" / VERSION / "schema.ts"
    source.parent.mkdir(parents=True)
    source.write_text(SCHEMA, encoding="utf-8")
    spec = folder / "spec"
    spec.mkdir()
    for name in ("overrides.toml", "descriptions.toml"):
        (spec / name).touch()
    mcpgen.pull([VERSION], source=str(folder), spec_dir=spec)
    mcpgen.generate(
        mcpgen.GenerateOptions(
            spec_dir=spec,
            out=folder / "out",
            package="invented_wire",
            formatter="none",
            jobs=1,
        )
    )
    sys.path.insert(0, str(folder / "out"))
    try:
        yield import_module("invented_wire").load(VERSION)
    finally:
        sys.path.remove(str(folder / "out"))
        for name in [name for name in sys.modules if name.partition(".")[0] == "invented_wire"]:
            del sys.modules[name]


@pytest.fixture(scope="module")
def oracle(package: ModuleType) -> Oracle:
    return Oracle(package)


def test_every_type_is_judged(oracle: Oracle) -> None:
    for name in oracle.names:
        accepted = [oracle.judge(name, item) for item in oracle.documents(name, 25)]
        assert any(accepted), name


def test_published_schemas_are_valid(package: ModuleType, oracle: Oracle) -> None:
    for name in oracle.names:
        jsonschema.Draft202012Validator.check_schema(package.schema(name))


def test_constants_of_every_type(package: ModuleType) -> None:
    built = package.Constants(nothing=None)
    document = {
        "answer": 42, "zero": 0, "half": 0.5, "yes": True, "no": False, "nothing": None,
        "quoted": "it's \"quoted\" \\ \n",
    }  # fmt: skip
    assert text(built.to_dict()) == text(document)
    assert text(package.Constants.from_dict(document).to_dict()) == text(document)
    assert type(package.Constants.from_dict({**document, "answer": 42.0}).answer) is int
    for key, wrong in {
        "answer": [41, True, "42", None], "zero": [False, 0.5, ""], "half": [1, "0.5"],
        "yes": [1, 1.0, "true", False], "no": [0, 0.0, None, ""], "nothing": [0, False, ""],
        "one": [True, 2], "maybe": ["perhaps", 1],
    }.items():  # fmt: skip
        for value in wrong:
            with pytest.raises(package.DecodeError) as caught:
                package.Constants.from_dict({**document, key: value})
            assert caught.value.path == f"$.{key}"


def test_limits(package: ModuleType) -> None:
    for document, path in (
        ({"most": 5.5}, "$.most"), ({"least": 1}, "$.least"), ({"some": []}, "$.some"),
        ({"few": ["", "", ""]}, "$.few"),
    ):  # fmt: skip
        with pytest.raises(package.DecodeError) as caught:
            package.Limited.from_dict(document)
        assert caught.value.path == path


def test_names(package: ModuleType) -> None:
    document = {
        "class": "a", "type": "b", "list": ["c"], "id": 1, "self": "d", "d": "e", "o": "f", "n": 2,
        "v": 3, "item": ["g"], "key": {"h": {"leaf": "i"}}, "None": True, "extra": "j",
        "to_dict": "k", "with space": 4, "$dollar": 5, "1st": 6, "any": None,
        "str": {"leaf": "l"}, "unknown": [],
    }  # fmt: skip
    value = package.Names.from_dict(document)
    assert text(value.to_dict()) == text(document)
    assert value.extra == {"unknown": []}
    assert package.Names.from_json(value.to_json()) == value
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value
    assert dataclasses.replace(value) == value


def tree(depth: int) -> Any:
    document: Any = {"name": "", "children": []}
    for _ in range(depth):
        document = {"name": "", "children": [document]}
    return document


def test_recursive_types(package: ModuleType) -> None:
    document = tree(50)
    assert text(package.Tree.from_dict(document).to_dict()) == text(document)
    expression = [[{"a": [1, "b", {"leaf": "c"}]}], {"d": {}}]
    holder = package.Holder.from_dict({"expression": expression})
    assert type(holder.expression[0][0]["a"][2]) is package.Leaf
    assert text(holder.to_dict()) == text({"expression": expression})


def test_too_deep_is_a_decode_error(package: ModuleType) -> None:
    nested: Any = 0
    for _ in range(100_000):
        nested = [nested]
    for name, document in (
        ("Tree", tree(100_000)), ("Expression", nested), ("Holder", {"expression": nested}),
    ):  # fmt: skip
        with pytest.raises(package.DecodeError) as caught:
            package.decode_as(name, document)
        assert caught.value.expected == "less deeply nested JSON"
    deep = package.Tree(name="", children=[])
    for _ in range(100_000):
        deep = package.Tree(name="", children=[deep])
    with pytest.raises(package.EncodeError) as refused:
        deep.to_dict()
    assert refused.value.expected == "less deeply nested values"
    while deep.children:  # Freed from the outside in, since freeing recurses, too.
        deep = deep.children.pop()


def test_values_in_circles(package: ModuleType) -> None:
    circle: dict[str, Any] = {"name": "", "children": []}
    circle["children"].append(circle)
    with pytest.raises(package.DecodeError):
        package.Tree.from_dict(circle)
    node = package.Tree(name="", children=[])
    node.children.append(node)
    with pytest.raises(package.EncodeError):
        node.to_dict()


def test_a_fault_deep_in_a_recursive_union_is_found_soon(package: ModuleType) -> None:
    expression: Any = None
    for _ in range(60):
        expression = [expression]
    with pytest.raises(package.DecodeError) as caught:
        package.decode_as("Expression", expression)
    assert caught.value.found == "null"


def test_nullable(package: ModuleType) -> None:
    nulls = {"leaf": None, "list": None, "union": None}
    value = package.Nullable.from_dict(nulls)
    assert value.text is value.map is value.literal is value.unknown
    assert not value.text
    assert text(value.to_dict()) == text(nulls)
    more = {
        **nulls,
        "text": None,
        "map": {"a": None},
        "literal": None,
        "many": [None],
        "unknown": None,
    }
    assert text(package.Nullable.from_dict(more).to_dict()) == text(more)


def test_members_without_anything_to_tell_them_apart(package: ModuleType) -> None:
    decode = package.decode_as
    assert type(decode("Tie", {"a": ""})) is package.Same
    assert type(decode("Tie", {"a": "", "c": 1})) is package.Other
    assert type(decode("Tie", {"a": "", "b": 1, "c": 1})) is package.Same
    assert type(decode("Tie", {"a": "", "b": "", "c": 1})) is package.Other
    assert type(decode("Shape", {"x": 1})) is package.Dot
    assert type(decode("Shape", {"kind": "square", "side": 1})) is package.Square
    assert type(decode("Shape", {"kind": "square", "side": 1, "depth": 1})) is package.Cube


def test_encoding_goes_by_the_class(package: ModuleType) -> None:
    leaf, twig = package.Leaf(leaf=""), package.Twig(twig=1)
    for name, value in (
        ("LeavesOrTwigs", [twig, twig]), ("LeafOrText", leaf), ("LeafOrText", "a"),
        ("LeafOrMap", {"a": 1}), ("LeafOrLeaves", [leaf]), ("LeafOrLeaves", True),
        ("Maps", {"a": twig}), ("Lists", [1]), ("Lists", []),
    ):  # fmt: skip
        encoded = package.encode_as(name, value)
        assert package.decode_as(name, json.loads(json.dumps(encoded))) == value
    for name, value in (
        ("LeavesOrTwigs", [1]), ("LeavesOrTwigs", leaf), ("LeavesOrTwigs", {}),
        ("LeafOrText", twig), ("LeafOrMap", twig), ("LeafOrLeaves", [twig]), ("Maps", {"a": 1}),
        ("Maps", leaf),
    ):  # fmt: skip
        with pytest.raises(package.EncodeError):
            package.encode_as(name, value)


def test_index_signatures_with_a_type(package: ModuleType) -> None:
    garden = {"first": {"leaf": "a"}, "other": {"leaf": "b", "x": 1}}
    value = package.Garden.from_dict(garden)
    assert type(value.extra["other"]) is package.Leaf
    assert text(value.to_dict()) == text(garden)
    with pytest.raises(package.DecodeError) as caught:
        package.Garden.from_dict({**garden, "other": 5})
    assert caught.value.path == "$.other"
    with pytest.raises(package.EncodeError) as refused:
        package.Garden(first=package.Leaf(leaf=""), extra={"other": 5}).to_dict()
    assert refused.value.path == "$.other"
