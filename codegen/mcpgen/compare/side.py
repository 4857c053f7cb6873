"""One version of the protocol, indexed for being compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..model.model import (
    AliasType,
    Array,
    Map,
    Method,
    ObjectType,
    Protocol,
    Ref,
    TypeDef,
    TypeExpr,
    UnionOf,
)

ROLE_UNIONS = frozenset(
    f"{role}{kind}"
    for role in ("Client", "Server")
    for kind in ("Request", "Notification", "Result")
)
"""The unions of what a role may send; methods say the same, so they are not compared."""


@dataclass(frozen=True, eq=False)
class Side:
    """The old or the new version.

    `messages` are the types of whole messages, which are compared as methods; `referenced`
    are the names that a field, a named type or a method refers to, and `extended` those that
    a type extends.
    """

    version: str
    types: dict[str, TypeDef]
    methods: dict[str, Method]
    messages: frozenset[str]
    referenced: frozenset[str]
    extended: frozenset[str]

    @classmethod
    def of(cls, protocol: Protocol) -> Side:
        """The index of a version."""
        return cls(
            version=protocol.version,
            types={t.name: t for t in protocol.types if t.name not in ROLE_UNIONS},
            methods={method.method: method for method in protocol.methods},
            messages=frozenset(method.message for method in protocol.methods),
            referenced=frozenset(_referenced(protocol)),
            extended=frozenset(base for t in protocol.objects for base in t.extends),
        )

    def object(self, name: str) -> ObjectType | None:
        """The object type of that name, None when it is no object type or not there."""
        found = self.types.get(name)
        return found if isinstance(found, ObjectType) else None

    def alias(self, name: str) -> AliasType | None:
        """The alias of that name, None when it is no alias or not there."""
        found = self.types.get(name)
        return found if isinstance(found, AliasType) else None

    def is_inline(self, name: str) -> bool:
        """Whether that is a type the schema writes inline, and only the Model names."""
        found = self.object(name)
        return found is not None and not found.declared

    def is_mere_base(self, name: str) -> bool:
        """Whether nothing uses that type but the types that extend it."""
        return name in self.extended and name not in self.referenced

    def root_owner(self, type_name: str, wire_name: str) -> str:
        """The type that declares a field first, going up from a type that has it."""
        owner = self._owner(type_name, wire_name)
        return type_name if owner is None else self.root_owner(owner, wire_name)

    def _owner(self, type_name: str, wire_name: str) -> str | None:
        found = self.object(type_name)
        field = found.field(wire_name) if found else None
        owner = field.owner if field else None
        base = self.object(owner) if owner else None
        return owner if base and base.field(wire_name) else None


def references(expr: TypeExpr) -> Iterator[str]:
    """The names a type expression refers to."""
    match expr:
        case Ref():
            yield expr.name
        case Array():
            yield from references(expr.item)
        case Map():
            yield from references(expr.value)
        case UnionOf():
            for member in expr.members:
                yield from references(member)
        case _:
            pass


def _referenced(protocol: Protocol) -> Iterator[str]:
    for alias in protocol.aliases:
        if alias.name not in ROLE_UNIONS:
            yield from references(alias.type)
    for found in protocol.objects:
        for field in found.fields:
            yield from references(field.type)
        if found.index is not None:
            yield from references(found.index)
    for method in protocol.methods:
        yield method.message
        yield from method.results
        if method.params is not None:
            yield method.params
