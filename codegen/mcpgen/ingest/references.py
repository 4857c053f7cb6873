"""Checks that every name a schema.ts mentions is declared, and that no type is its own definition.

Whatever walks a module after this may follow names without looking for either.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import SchemaError
from ..graphs import find_cycle
from .declarations import (
    ArrayOf,
    Declaration,
    Interface,
    Intersection,
    Keyword,
    Literally,
    Module,
    ObjectLiteral,
    OmitFrom,
    RecordOf,
    Reference,
    TypeAliasDeclaration,
    TypeNode,
    TypeOf,
    Union,
)


def check_references(module: Module) -> None:
    """Raises `SchemaError` for a name that is not declared, and for a cycle of definitions.

    A cycle is a type that is one of its own bases, members or aliases. One that leads through
    a property or the elements of an array or a map is no cycle: such types are recursive.
    """
    known = {*module.types, *(f"typeof {name}" for name in module.constants)}
    for declaration in module.types.values():
        for name in _mentioned(declaration):
            if name not in known:
                raise SchemaError(
                    f"{module.path}:{declaration.line}",
                    f"found {name} in {declaration.name}, which is not declared",
                )
    _refuse_cycles(module)


def _refuse_cycles(module: Module) -> None:
    needs = {name: list(_needed(declared)) for name, declared in module.types.items()}
    if cycle := find_cycle(needs):
        raise SchemaError(
            f"{module.path}:{module.types[cycle[0]].line}",
            f"found a type defined by itself: {' → '.join(cycle)}",
        )


def _needed(declaration: Declaration) -> Iterator[str]:
    """The types that have to be known before a declaration is."""
    if isinstance(declaration, Interface):
        for base in declaration.bases:
            yield base.name
    else:
        yield from _needed_by(declaration.type)


def _needed_by(node: TypeNode) -> Iterator[str]:
    match node:
        case Reference(name):
            yield name
        case Union(members) | Intersection(members):
            for member in members:
                yield from _needed_by(member)
        case _:
            pass


def _mentioned(node: TypeNode | OmitFrom | Declaration) -> Iterator[str]:
    """Every name a type mentions; constants as `typeof NAME`."""
    match node:
        case Interface():
            for base in node.bases:
                yield from _mentioned(base)
            yield from _mentioned(node.body)
        case TypeAliasDeclaration():
            yield from _mentioned(node.type)
        case Reference(name) | OmitFrom(name, _):
            yield name
        case TypeOf(name):
            yield f"typeof {name}"
        case ArrayOf(inner) | RecordOf(inner):
            yield from _mentioned(inner)
        case Union(members) | Intersection(members):
            for member in members:
                yield from _mentioned(member)
        case ObjectLiteral(properties, index, _):
            for item in properties:
                yield from _mentioned(item.type)
            if index is not None:
                yield from _mentioned(index)
        case Keyword() | Literally():
            pass
