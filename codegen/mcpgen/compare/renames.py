"""Recognises what only got another name: types and fields whose structure is the same.

A guess that is wrong hides a change, so one is made only where nothing else fits: the old
name is gone, the new one has come, the structure is the same, it says enough to be told from
others, and there is one such pair only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import SequenceMatcher
from typing import TypeVar

from ..model.model import (
    AliasType,
    Array,
    Const,
    Field,
    Literals,
    Map,
    ObjectType,
    Ref,
    TypeDef,
    TypeExpr,
    UnionOf,
)
from .relation import Relation, field_expression
from .side import Side

Item = TypeVar("Item")
SIMILAR_NAMES = 0.6
"""How alike two names have to be, from 0 to 1, where the types say too little."""


def type_renames(old: Side, new: Side) -> dict[str, str]:
    """The new names of renamed types, by their old ones.

    Types of whole messages are left out: a method is what it is called. Whether the fields
    are required may have changed; which fields there are and what they hold may not.
    """
    relation = Relation(old, new, {})
    gone = [found for found in _unpaired(old, new) if found.name not in old.messages]
    come = [found for found in _unpaired(new, old) if found.name not in new.messages]

    def same(before: TypeDef, after: TypeDef) -> bool:
        if isinstance(before, ObjectType) and isinstance(after, ObjectType):
            return _same_objects(relation, before, after)
        if isinstance(before, AliasType) and isinstance(after, AliasType):
            return _says_enough(before.type) and _same_expressions(
                relation, before.type, after.type
            )
        return False

    pairs = _only_pairs(gone, come, same)
    renames = {before.name: after.name for before, after in pairs}
    return renames | _named_inline_types(old, new, renames)


def _named_inline_types(old: Side, new: Side, renames: Mapping[str, str]) -> dict[str, str]:
    """The new names of types that were written inline, by what the same field holds now.

    Such a type has no name of its own in the schema, so the field says what it is, whether or
    not its structure changed on the way.
    """
    found: dict[str, set[str]] = {}
    for before in old.types.values():
        after = new.object(renames.get(before.name, before.name))
        for field in before.fields if isinstance(before, ObjectType) else ():
            now = after.field(field.wire_name) if after else None
            if isinstance(field.type, Ref) and now is not None and isinstance(now.type, Ref):
                found.setdefault(field.type.name, set()).add(now.type.name)
    candidates = {
        name: now
        for name, (now, *others) in found.items()
        if not others and old.is_inline(name) and _took_the_place(old, new, renames, name, now)
    }
    claimed = list(candidates.values())
    return {name: now for name, now in candidates.items() if claimed.count(now) == 1}


def _took_the_place(
    old: Side, new: Side, renames: Mapping[str, str], before: str, after: str
) -> bool:
    """Whether the old name is gone, and the new one has come and stands for an object too."""
    is_gone = before not in new.types and before not in renames
    has_come = new.object(after) is not None and after not in old.types
    return is_gone and has_come and after not in renames.values()


def field_renames(
    relation: Relation, gone: Iterable[Field], come: Iterable[Field]
) -> list[tuple[Field, Field]]:
    """The pairs of a field that is gone and the one that took its place in the same type."""

    def same(before: Field, after: Field) -> bool:
        return (
            before.required == after.required
            and relation.same(field_expression(before), field_expression(after))
            and (_says_enough(before.type) or _similar(before.wire_name, after.wire_name))
        )

    return _only_pairs(gone, come, same)


def _unpaired(side: Side, other: Side) -> list[TypeDef]:
    """The types that the other version has not, or has as another kind of type."""
    return [
        found
        for found in side.types.values()
        if type(found) is not type(other.types.get(found.name))
    ]


def _only_pairs(
    gone: Iterable[Item], come: Iterable[Item], same: Callable[[Item, Item], bool]
) -> list[tuple[Item, Item]]:
    """The pairs that match where neither side matches any other."""
    candidates = list(come)
    matches = [(before, [after for after in candidates if same(before, after)]) for before in gone]
    return [
        (before, found[0])
        for before, found in matches
        if len(found) == 1 and sum(found[0] in others for _, others in matches) == 1
    ]


def _same_objects(relation: Relation, before: ObjectType, after: ObjectType) -> bool:
    names = [field.wire_name for field in before.fields]
    if sorted(names) != sorted(field.wire_name for field in after.fields):
        return False
    enough = len(names) > 1 or any(_says_enough(field.type) for field in before.fields)
    return enough and all(
        _same_expressions(relation, field_expression(field), field_expression(other))
        for field in before.fields
        if (other := after.field(field.wire_name))
    )


def _same_expressions(relation: Relation, before: TypeExpr, after: TypeExpr) -> bool:
    return relation.old_fits(before, after) and relation.new_fits(after, before)


def _says_enough(expr: TypeExpr) -> bool:
    """Whether a type is telling: a named one, a constant, a set of values."""
    match expr:
        case Ref() | Literals() | Const():
            return True
        case Array(item=inner) | Map(value=inner):
            return _says_enough(inner)
        case UnionOf(members=members):
            return any(map(_says_enough, members))
        case _:
            return False


def _similar(one: str, other: str) -> bool:
    return SequenceMatcher(None, one.lower(), other.lower()).ratio() >= SIMILAR_NAMES
