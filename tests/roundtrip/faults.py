"""What can be wrong at one place of a document, and what the error has to say of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from mcp_wire import UNSET
from mcpgen.model.model import (
    AliasType,
    AnyValue,
    Array,
    Const,
    Field,
    Literals,
    Map,
    ObjectType,
    Ref,
    Scalar,
    TypeDef,
    TypeExpr,
    UnionOf,
)

from .walk import KINDS, Path, walk

WORDS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "null": "null",
}
EVERY_KIND: tuple[Any, ...] = (
    None,
    True,
    False,
    7,
    -1,
    2.5,
    "mast",
    "",
    [],
    ["mast"],
    {},
    {"a": 1},
)


def changed(document: Any, path: Path, value: Any) -> Any:
    """A document with another value at a path, and the rest shared; `UNSET` takes it out."""
    if not path:
        return value
    part, *below = path
    copied = document.copy()
    if value is UNSET and not below:
        del copied[part]
    else:
        copied[part] = changed(document[part], tuple(below), value)
    return copied


def replacements(expr: TypeExpr, value: Any) -> Iterator[Any]:
    """Values of every kind, and values that are nearly the one of this type."""
    yield from EVERY_KIND
    if isinstance(value, str):
        yield from (f"{value}x", value.swapcase(), value[:-1])
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from (float(value), value + 0.5, str(value), bool(value))
    match expr:
        case Scalar(_, minimum, maximum):
            if minimum is not None:
                yield from (minimum - 1, minimum - 0.5, minimum, int(minimum))
            if maximum is not None:
                yield from (maximum + 1, maximum + 0.5, maximum, int(maximum))
        case Array(_, least, most) if isinstance(value, list) and value:
            for count in {least, most} - {None}:
                assert count is not None
                yield from (
                    [value[0]] * size for size in (count - 1, count, count + 1) if size >= 0
                )
        case _:
            pass


class Expectations:
    """What errors of one version say they expected."""

    def __init__(self, types: Mapping[str, TypeDef]) -> None:
        self._types = types

    def resolved(self, expr: TypeExpr) -> TypeExpr:
        """What a type stands for: no alias, but perhaps the reference of a class."""
        while isinstance(expr, Ref) and isinstance(declared := self._types[expr.name], AliasType):
            expr = declared.type
        return expr

    def of_member(self, field: Field, value: Any) -> str | None:
        """What is expected instead of a member's value, `UNSET` included; None as for `of`."""
        expected = self.of_missing(field.type) if value is UNSET else self.of(field.type, value)
        takes_null = field.nullable and self.resolved(field.type) != AnyValue()
        return f"{expected} or null" if expected and takes_null else expected

    def of_missing(self, expr: TypeExpr) -> str:
        """What is expected where nothing is."""
        match self.resolved(expr):
            case Ref():
                # An alias of a class has the name that people know.
                assert isinstance(expr, Ref)
                return f"an {expr.name}" if expr.name[0] in "AEIOU" else f"a {expr.name}"
            case Scalar(kind):
                return WORDS[kind]
            case Const(constant):
                return json.dumps(constant)
            case Literals(values, is_open):
                listed = f"one of {', '.join(map(json.dumps, values))}"
                return f"{listed} or a string" if is_open else listed
            case Array():
                return "an array"
            case Map():
                return "an object"
            case UnionOf(members):
                return " or ".join(dict.fromkeys(map(self.of_missing, members)))
            case _:
                return "any value"

    def of(self, expr: TypeExpr, value: Any) -> str | None:
        """What is expected instead of a value; None where the fault may lie inside of it."""
        expr = self.resolved(expr)
        match expr:
            case Scalar(kind, minimum, maximum) if type(value) in KINDS[kind]:
                return (
                    f"at least {minimum}"
                    if minimum is not None and value < minimum
                    else f"at most {maximum}"
                )
            case Scalar("integer", minimum, maximum) if (
                isinstance(value, float) and value.is_integer()
            ):
                return (
                    f"at least {minimum}"
                    if minimum is not None and value < minimum
                    else f"at most {maximum}"
                )
            case Array(_, least, most) if isinstance(value, list):
                if least is not None and len(value) < least:
                    return f"at least {least} items"
                return f"at most {most} items" if most is not None and len(value) > most else None
            case Map() if isinstance(value, dict):
                return None
            case Ref(name) if isinstance(self._types[name], ObjectType):
                return None if isinstance(value, dict) else "an object"
            case UnionOf() if isinstance(value, dict | list):
                return None
            case _:
                return self.of_missing(expr)


@cache
def expectations(version: str) -> Expectations:
    """The expectations of a version."""
    return Expectations(walk(version).types)
