"""What a schema.ts declares, as the TypeScript reader hands it on: a small syntax tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

JsonScalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Doc:
    """A doc comment: its prose, and its block tags in order as (name, text)."""

    text: str = ""
    tags: tuple[tuple[str, str], ...] = ()

    def tag(self, name: str) -> str | None:
        """The text of the first tag of that name; None when there is none."""
        return next((text for tag, text in self.tags if tag == name), None)


@dataclass(frozen=True, slots=True)
class Keyword:
    """A type named by a keyword."""

    name: Literal["string", "number", "boolean", "unknown", "object"]


@dataclass(frozen=True, slots=True)
class Literally:
    """A literal type: one string, number, boolean or null."""

    value: JsonScalar


@dataclass(frozen=True, slots=True)
class TypeOf:
    """`typeof NAME`: the literal type of an exported constant."""

    name: str


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of a declared type."""

    name: str


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """`T[]` or `Array<T>`."""

    item: TypeNode


@dataclass(frozen=True, slots=True)
class RecordOf:
    """`Record<string, T>`."""

    value: TypeNode


@dataclass(frozen=True, slots=True)
class Union:
    """`A | B`."""

    members: tuple[TypeNode, ...]


@dataclass(frozen=True, slots=True)
class Intersection:
    """`A & B`."""

    members: tuple[TypeNode, ...]


@dataclass(frozen=True, slots=True)
class Property:
    """A property signature."""

    name: str
    type: TypeNode
    optional: bool
    line: int
    doc: Doc = Doc()


@dataclass(frozen=True, slots=True)
class ObjectLiteral:
    """`{ … }`: properties, and the value type of an index signature where there is one."""

    properties: tuple[Property, ...]
    index: TypeNode | None
    line: int


TypeNode: TypeAlias = (
    Keyword
    | Literally
    | TypeOf
    | Reference
    | ArrayOf
    | RecordOf
    | Union
    | Intersection
    | ObjectLiteral
)


@dataclass(frozen=True, slots=True)
class OmitFrom:
    """`Omit<T, "a" | "b">`, which only a base may be."""

    name: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Interface:
    """`export interface NAME extends … { … }`."""

    name: str
    bases: tuple[Reference | OmitFrom, ...]
    body: ObjectLiteral
    line: int
    doc: Doc = Doc()


@dataclass(frozen=True, slots=True)
class TypeAliasDeclaration:
    """`export type NAME = …`."""

    name: str
    type: TypeNode
    line: int
    doc: Doc = Doc()


@dataclass(frozen=True, slots=True)
class Constant:
    """`export const NAME = …`."""

    name: str
    value: JsonScalar
    line: int
    doc: Doc = Doc()


Declaration: TypeAlias = Interface | TypeAliasDeclaration


@dataclass(frozen=True, slots=True)
class Module:
    """A whole schema.ts, in the order of the file. `path` is how messages name it."""

    path: str
    types: Mapping[str, Declaration] = field(default_factory=dict[str, Declaration])
    constants: Mapping[str, Constant] = field(default_factory=dict[str, Constant])

    def interface(self, name: str) -> Interface | None:
        """The interface of that name; None when the name is an alias or not declared."""
        found = self.types.get(name)
        return found if isinstance(found, Interface) else None
