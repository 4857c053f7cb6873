"""Spells types as people write them: `string[]`, `"a" | "b"`, `{name: string, title?: string}`.

A spelling is also the identity of a type expression within its version, so it leaves out
nothing that matters on the wire, and the order of a union's members, which does not matter,
is kept only where the spelling is shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ..model.model import (
    AliasType,
    AnyValue,
    Array,
    Const,
    Field,
    JsonScalar,
    Literals,
    Map,
    ObjectType,
    Ref,
    Scalar,
    TypeDef,
    TypeExpr,
    UnionOf,
)
from .side import Side

_PLAIN_KEY = re.compile(r"[\w$./-]+\Z", re.ASCII)


def identity(expr: TypeExpr, names: Mapping[str, str]) -> str:
    """Equal for two type expressions that are the same but for the order of alternatives.

    `names` are the names that types of this version have in the other one.
    """
    match expr:
        case Ref():
            return names.get(expr.name, expr.name)
        case Array():
            return f"({identity(expr.item, names)})[]{_counts(expr)}"
        case Map():
            return f"{{string: {identity(expr.value, names)}}}"
        case UnionOf():
            return " | ".join(sorted(f"({identity(member, names)})" for member in expr.members))
        case Literals():
            return _literals(Literals(tuple(sorted(expr.values)), expr.open))
        case _:
            return _leaf(expr)


def spell(expr: TypeExpr, side: Side) -> str:
    """The type expression as it is shown; types that the schema writes inline are written out."""
    match expr:
        case Ref():
            inline = side.object(expr.name) if side.is_inline(expr.name) else None
            return expr.name if inline is None else spell_object(inline, side)
        case Array():
            item = spell(expr.item, side)
            grouped = f"({item})" if " | " in item and not item.startswith("{") else item
            return f"{grouped}[]{_counts(expr)}"
        case Map():
            return f"{{string: {spell(expr.value, side)}}}"
        case UnionOf():
            return " | ".join(dict.fromkeys(spell(member, side) for member in expr.members))
        case Literals():
            return _literals(expr)
        case _:
            return _leaf(expr)


def spell_field_type(field: Field, side: Side) -> str:
    """The type of a field, with `null` where it is nullable."""
    text = spell(field.type, side)
    return f"{text} | null" if field.nullable and text != "any" else text


def spell_definition(found: TypeDef, side: Side) -> str:
    """What a named type stands for: its bases and what it adds to them, or its expression."""
    if isinstance(found, AliasType):
        return spell(found.type, side)
    own = spell_object(found, side, own_only=True)
    parts = [*found.extends, *([own] if own != "{}" or not found.extends else [])]
    return " & ".join(parts)


def spell_object(found: ObjectType, side: Side, *, own_only: bool = False) -> str:
    """The fields of an object type; `own_only` leaves out what it inherits unchanged."""
    fields = [f for f in found.fields if not (own_only and _is_inherited(f, found, side))]
    entries = [
        f"{spell_key(f.wire_name)}{'' if f.required else '?'}: {spell_field_type(f, side)}"
        for f in fields
    ]
    if found.index is not None and not (own_only and _has_inherited_index(found, side)):
        entries.append(f"[string]: {spell(found.index, side)}")
    return f"{{{', '.join(entries)}}}"


def spell_key(wire_name: str) -> str:
    """A key of an object or a method, quoted where it is not a plain one."""
    return wire_name if _PLAIN_KEY.match(wire_name) else json.dumps(wire_name)


def spell_scalar(value: JsonScalar) -> str:
    """A JSON scalar, strings in quotes and in ASCII."""
    return json.dumps(value)


def _is_inherited(field: Field, found: ObjectType, side: Side) -> bool:
    """Whether a base has exactly that field."""
    for name in found.extends:
        base = side.object(name)
        same = base.field(field.wire_name) if base else None
        if same is not None and _wire_facts(same) == _wire_facts(field):
            return True
    return False


def _wire_facts(field: Field) -> tuple[TypeExpr, bool, bool]:
    return field.type, field.required, field.nullable


def _has_inherited_index(found: ObjectType, side: Side) -> bool:
    bases = [side.object(name) for name in found.extends]
    return any(base is None or base.index == found.index for base in bases)


def _leaf(expr: TypeExpr) -> str:
    match expr:
        case AnyValue():
            return "any"
        case Const():
            return spell_scalar(expr.value)
        case Scalar():
            notes = [note for note in (expr.format, _range(expr.minimum, expr.maximum)) if note]
            return f"{expr.kind} ({', '.join(notes)})" if notes else expr.kind
        case _:
            raise TypeError(f"{type(expr).__name__} is spelled by its parts")


def _literals(expr: Literals) -> str:
    values = [spell_scalar(value) for value in expr.values]
    return " | ".join([*values, *(["string"] if expr.open else [])])


def _counts(expr: Array) -> str:
    counts = _range(expr.min_items, expr.max_items)
    return f" ({counts} items)" if counts else ""


def _range(minimum: float | None, maximum: float | None) -> str:
    if minimum is not None and maximum is not None:
        return f"{minimum:g} to {maximum:g}"
    if minimum is not None:
        return f"at least {minimum:g}"
    return f"at most {maximum:g}" if maximum is not None else ""
