"""Which types the hints of stubs and handlers are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeAlias

from ..model.model import (
    AliasType,
    Array,
    Const,
    Literals,
    Map,
    Method,
    ObjectType,
    Ref,
    TypeDef,
    TypeExpr,
    UnionOf,
)
from .hints import python_hint

Types: TypeAlias = Mapping[str, TypeDef]


def param_objects(name: str | None, types: Types) -> tuple[ObjectType, ...]:
    """The objects that a type is one of; empty for a type that is not made of objects alone."""
    declared = types.get(name) if name is not None else None
    if isinstance(declared, ObjectType):
        return (declared,)
    if not isinstance(declared, AliasType):
        return ()
    members = declared.type.members if isinstance(declared.type, UnionOf) else (declared.type,)
    found = [
        param_objects(member.name, types) if isinstance(member, Ref) else () for member in members
    ]
    return tuple(chain.from_iterable(found)) if all(found) else ()


def named_types(methods: Iterable[Method]) -> Iterator[str]:
    """The types of the params and results of methods."""
    for method in methods:
        if method.params is not None:
            yield method.params
        yield from method.results


def item_types(methods: Iterable[Method]) -> Iterator[str]:
    """The types of what paginated methods list."""
    for method in methods:
        if method.pagination is not None:
            yield from referred_types(method.pagination.item)


def referred_types(expr: TypeExpr) -> Iterator[str]:
    """The types an expression names."""
    match expr:
        case Ref(name):
            yield name
        case Array(item):
            yield from referred_types(item)
        case Map(value):
            yield from referred_types(value)
        case UnionOf(members):
            for member in members:
                yield from referred_types(member)
        case _:
            return


def has_literals(expr: TypeExpr) -> bool:
    """Whether the hint of an expression uses `Literal`."""
    match expr:
        case Literals() | Const():
            return python_hint(expr).startswith("Literal")
        case Array(item) | Map(item):
            return has_literals(item)
        case UnionOf(members):
            return any(map(has_literals, members))
        case _:
            return False
