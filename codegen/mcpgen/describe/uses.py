"""Where a type is used: in which fields, types and methods, and which methods carry it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..compare.side import Side, references
from ..model.model import AliasType, Method, ObjectType, Protocol, TypeDef

How: TypeAlias = Literal["field", "part", "base", "message", "params", "result"]
Part: TypeAlias = Literal["message", "params", "result"]


@dataclass(frozen=True, slots=True)
class Use:
    """One place a type is named.

    `path` is `Type.field` for a field, a type that is made of it or extends it (`part`,
    `base`), or a method whose message, params or result it is.
    """

    path: str
    how: How


@dataclass(frozen=True, slots=True)
class Carrier:
    """A method whose messages may hold a type, and the parts it is in, however deep."""

    method: str
    parts: tuple[Part, ...]


def uses_of(name: str, protocol: Protocol) -> tuple[Use, ...]:
    """Every place that names the type, fields where they are declared first."""
    return tuple(_uses(name, protocol))


def _uses(name: str, protocol: Protocol) -> Iterator[Use]:
    side = Side.of(protocol)
    for found in protocol.types:
        if isinstance(found, AliasType):
            if name in references(found.type):
                yield Use(found.name, "part")
            continue
        for field in found.fields:
            own = side.root_owner(found.name, field.wire_name) == found.name
            if own and name in references(field.type):
                yield Use(f"{found.name}.{field.wire_name}", "field")
        if found.index is not None and name in references(found.index):
            yield Use(found.name, "part")
        if name in found.extends:
            yield Use(found.name, "base")
    for method in protocol.methods:
        if method.message == name:
            yield Use(method.method, "message")
        if method.params == name:
            yield Use(method.method, "params")
        if name in method.results:
            yield Use(method.method, "result")


def carriers_of(name: str, protocol: Protocol) -> tuple[Carrier, ...]:
    """The methods whose messages may hold the type, in the order of the schema.

    `message` is named only where the type is in neither params nor result, such as an id.
    """
    graph = {found.name: frozenset(_named_by(found)) for found in protocol.types}
    found = ((method, _parts(name, method, graph)) for method in protocol.methods)
    return tuple(Carrier(method.method, parts) for method, parts in found if parts)


def carried_by(method: Method, protocol: Protocol) -> set[str]:
    """The types that the params and the results of a method may hold, however deep."""
    graph = {found.name: frozenset(_named_by(found)) for found in protocol.types}
    own = [] if method.params is None else [method.params]
    return _reached([*own, *method.results], graph)


def _parts(name: str, method: Method, graph: dict[str, frozenset[str]]) -> tuple[Part, ...]:
    parts: list[Part] = []
    if method.params is not None and name in _reached([method.params], graph):
        parts.append("params")
    if name in _reached(method.results, graph):
        parts.append("result")
    if not parts and name in _reached([method.message], graph):
        parts.append("message")
    return tuple(parts)


def _reached(names: list[str] | tuple[str, ...], graph: dict[str, frozenset[str]]) -> set[str]:
    """The types that values of the named types may hold, themselves included."""
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += graph[name]
    return found


def _named_by(found: TypeDef) -> Iterator[str]:
    if isinstance(found, ObjectType):
        for field in found.fields:
            yield from references(field.type)
        if found.index is not None:
            yield from references(found.index)
    else:
        yield from references(found.type)
