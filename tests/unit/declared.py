"""Small texts of TypeScript, read: what the tests of the reader are made on."""

from __future__ import annotations

from mcpgen.errors import SchemaError
from mcpgen.ingest.declarations import (
    Interface,
    Keyword,
    Module,
    Property,
    TypeAliasDeclaration,
    TypeNode,
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
