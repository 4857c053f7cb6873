"""Python type hints of the Model's type expressions."""

from __future__ import annotations

from mcpgen.emit.literals import python_literal
from mcpgen.model.model import (
    AnyValue,
    Array,
    Const,
    Field,
    JsonScalar,
    Literals,
    Map,
    Ref,
    Scalar,
    ScalarKind,
    TypeExpr,
    UnionOf,
)

_SCALARS: dict[ScalarKind, str] = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}


def python_hint(expr: TypeExpr) -> str:
    """The hint of a type expression, as it reads under postponed evaluation of annotations."""
    match expr:
        case AnyValue():
            return "Any"
        case Scalar():
            return _SCALARS[expr.kind]
        case Const():
            return _const_hint(expr.value)
        case Literals():
            values = ", ".join(python_literal(value) for value in expr.values)
            return f"Literal[{values}] | str" if expr.open else f"Literal[{values}]"
        case Ref():
            return expr.name
        case Array():
            return f"list[{python_hint(expr.item)}]"
        case Map():
            return f"dict[str, {python_hint(expr.value)}]"
        case UnionOf():
            return " | ".join(dict.fromkeys(python_hint(member) for member in expr.members))


def field_hint(field: Field) -> str:
    """The hint of a dataclass field: its type, with `None` and `Unset` where they are allowed."""
    hint = python_hint(field.type)
    if needs_none(field):
        hint = f"{hint} | None"
    return f"{hint} | Unset" if needs_unset(field) else hint


def needs_none(field: Field) -> bool:
    """Whether the hint of a field allows None beside its type: as null, or for absent."""
    if isinstance(field.type, AnyValue) or field.type in (Scalar("null"), Const(None)):
        return False
    return field.nullable or absent_value(field) == "None"


def needs_unset(field: Field) -> bool:
    """Whether the hint of a field allows `Unset` beside its type; `Any` allows it already."""
    return absent_value(field) == "UNSET" and not isinstance(field.type, AnyValue)


def absent_value(field: Field) -> str | None:
    """What a field holds when it is absent: `None`, or `UNSET` where null is a value of its own.

    None for a field that cannot be absent. A required field that may be left out when
    building counts as one that can.
    """
    if field.required and not field.omittable:
        return None
    return "UNSET" if field.nullable or isinstance(field.type, AnyValue) else "None"


def field_default(field: Field) -> str | None:
    """The source of the default a field is built with, None when it has to be given."""
    return python_literal(field.default) if field.has_default else absent_value(field)


def _const_hint(value: JsonScalar) -> str:
    """The hint of a constant; Python has no literal type for fractions."""
    if isinstance(value, float):
        return "float"
    return "None" if value is None else f"Literal[{python_literal(value)}]"
