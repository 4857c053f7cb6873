"""What an interface has with its bases: TypeScript's inheritance, worked out."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import SchemaError
from .declarations import (
    Interface,
    Module,
    ObjectLiteral,
    OmitFrom,
    Property,
    RecordOf,
    Reference,
    TypeAliasDeclaration,
    TypeNode,
)


@dataclass(frozen=True, slots=True)
class Members:
    """The properties of an object with those of its bases, bases first.

    `index` is the type of the values under other keys; `own_index` says that the object
    declares it itself.
    """

    properties: dict[str, Property]
    index: TypeNode | None
    own_index: bool


def members_of(module: Module, interface: Interface) -> Members:
    """The properties and the index signature of an interface, inherited ones included.

    Raises `SchemaError` for a base that is no object type, for `Omit<>` of a property the
    base does not have, and for `Omit<>` of a base with an index signature, of which
    TypeScript keeps nothing but that.
    """
    return _members(module, interface, {})


# Of each named type once, in `known`: with diamonds of bases there are far more ways up than types.
def _members(module: Module, interface: Interface, known: dict[str, Members | None]) -> Members:
    properties: dict[str, Property] = {}
    index: TypeNode | None = None
    for base in interface.bases:
        inherited = _base_members(module, base, interface, known)
        properties.update(inherited.properties)
        index = inherited.index or index
    properties.update((item.name, item) for item in interface.body.properties)
    own = interface.body.index
    return Members(properties, own or index, own is not None)


def _base_members(
    module: Module,
    base: Reference | OmitFrom,
    interface: Interface,
    known: dict[str, Members | None],
) -> Members:
    where = f"{module.path}:{interface.line}"
    name = base.name
    if name not in known:
        known[name] = _object_members(module, name, known)
    found = known[name]
    if found is None:
        raise SchemaError(where, f"found {interface.name} extends {name}, which is no object type")
    if isinstance(base, Reference):
        return found
    if found.index is not None:
        raise SchemaError(where, f"found Omit<{name}>, which has an index signature")
    if unknown := [key for key in base.keys if key not in found.properties]:
        raise SchemaError(
            where, f"found Omit<{name}> of {', '.join(unknown)}, which {name} does not have"
        )
    kept = {key: item for key, item in found.properties.items() if key not in base.keys}
    return Members(kept, None, False)


def _object_members(module: Module, name: str, known: dict[str, Members | None]) -> Members | None:
    """The members of a named object type, through aliases; None for any other type."""
    target = module.types[name]
    match target:
        case Interface():
            return _members(module, target, known)
        case TypeAliasDeclaration(type=Reference(other)):
            return _object_members(module, other, known)
        case TypeAliasDeclaration(type=ObjectLiteral(properties, index, _)):
            return Members({item.name: item for item in properties}, index, index is not None)
        case TypeAliasDeclaration(type=RecordOf(value)):
            return Members({}, value, True)
        case _:
            return None
