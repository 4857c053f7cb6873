"""Versions of a protocol small enough to be seen at a glance, for the tests of the comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from mcpgen.compare import Change, Comparison, compare
from mcpgen.model.model import (
    AliasType,
    AnyValue,
    Array,
    Constant,
    Field,
    JsonScalar,
    Literals,
    Map,
    Method,
    ObjectType,
    Protocol,
    Ref,
    Scalar,
    SourceFacts,
    TypeDef,
    TypeExpr,
    UnionOf,
    UnionPlan,
)

Part: TypeAlias = TypeDef | Method
ANY = AnyValue()
STRING, INTEGER, NUMBER = Scalar("string"), Scalar("integer"), Scalar("number")
BOOLEAN, NULL = Scalar("boolean"), Scalar("null")
SOURCE = SourceFacts("", None, None, None, None, "")


def ref(name: str) -> Ref:
    return Ref(name)


def array(item: TypeExpr, at_most: int | None = None) -> Array:
    return Array(item, max_items=at_most)


def values(value: TypeExpr) -> Map:
    return Map(value)


def union(*members: TypeExpr) -> UnionOf:
    return UnionOf(members, UnionPlan())


def words(*known: str, open: bool = False) -> Literals:
    return Literals(known, open)


def field(name: str, type_: TypeExpr = STRING, **facts: Any) -> Field:
    """A field; a name that ends in `?` is optional."""
    wire_name = name.removesuffix("?")
    return Field(wire_name, wire_name, type_, required=wire_name == name, **facts)


def obj(name: str, *fields: Field, **facts: Any) -> ObjectType:
    return ObjectType(name, fields, **facts)


def alias(name: str, type_: TypeExpr, **facts: Any) -> AliasType:
    return AliasType(name, type_, **facts)


def method(name: str, **facts: Any) -> Method:
    """A request of the client without params, unless the facts say otherwise."""
    return Method(
        **{
            "method": name,
            "python_name": name,
            "kind": "request",
            "sent_by": ("client",),
            "message": f"{name}Request",
            "params": None,
            "params_required": False,
            **facts,
        }
    )


def protocol(
    *parts: Part, version: str = "1", constants: dict[str, JsonScalar] | None = None
) -> Protocol:
    return Protocol(
        version=version,
        module=f"v{version}",
        types=tuple(part for part in parts if not isinstance(part, Method)),
        methods=tuple(part for part in parts if isinstance(part, Method)),
        constants=tuple(Constant(name, value) for name, value in (constants or {}).items()),
        source=SOURCE,
    )


def differences(old: Sequence[Part], new: Sequence[Part]) -> tuple[Change, ...]:
    """What changed between versions 1 and 2 that have these types and methods."""
    return comparison(old, new).changes


def comparison(old: Sequence[Part], new: Sequence[Part]) -> Comparison:
    return compare(protocol(*old), protocol(*new, version="2"))


def lines(changes: tuple[Change, ...]) -> list[str]:
    """The changes as `kind path: old -> new (covers)`."""
    return [
        f"{change.kind} {change.path}"
        + (f": {change.old or ''} -> {change.new or ''}" if change.old or change.new else "")
        + (f" ({', '.join(change.covers)})" if change.covers else "")
        for change in changes
    ]
