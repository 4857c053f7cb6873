"""What changed in the named types of a version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..model.model import AliasType, ObjectType, Ref, TypeDef
from .changes import Change
from .expressions import Finding, expression_findings
from .fields import field_changes
from .relation import Relation
from .rules import make_change
from .side import Side
from .spelling import spell_definition


def type_changes(relation: Relation) -> list[Change]:
    """The changes in types: come and gone, renamed, and what is in those both versions have.

    Types of whole messages are compared as methods, and types that the schema writes inline
    are shown where they are used.
    """
    pairs = list(_pairs(relation))
    objects = [
        (before, after)
        for before, after in pairs
        if isinstance(before, ObjectType) and isinstance(after, ObjectType)
    ]
    changes = [
        *_come_and_gone(relation, {before.name for before, _ in pairs}),
        *_renamed(relation),
        *(change for before, after in pairs for change in _whole_changes(relation, before, after)),
        *field_changes(relation, objects),
    ]
    return _merged(changes)


def _pairs(relation: Relation) -> Iterator[tuple[TypeDef, TypeDef]]:
    """Each old type with the new one in its place, of another kind perhaps."""
    renamed = set(relation.renames.values())
    for before in relation.old.types.values():
        name = relation.renames.get(before.name, before.name)
        if name in renamed and before.name not in relation.renames:
            continue
        after = relation.new.types.get(name)
        messages = before.name in relation.old.messages and name in relation.new.messages
        if after is not None and not messages:
            yield before, after


def _come_and_gone(relation: Relation, paired: set[str]) -> Iterator[Change]:
    still = {relation.renames.get(name, name) for name in paired}
    for found in _reported(relation.new):
        if found.name not in still:
            new = spell_definition(found, relation.new)
            yield make_change("type-added", found.name, new=new)
    for found in _reported(relation.old):
        if found.name not in paired:
            yield make_change("type-removed", found.name)


def _reported(side: Side) -> Iterator[TypeDef]:
    for found in side.types.values():
        if found.name not in side.messages and not side.is_inline(found.name):
            yield found


def _renamed(relation: Relation) -> Iterator[Change]:
    for before, after in relation.renames.items():
        if not (relation.old.is_inline(before) or relation.new.is_inline(after)):
            yield make_change("type-renamed", after, old=before, new=after)


def _whole_changes(relation: Relation, before: TypeDef, after: TypeDef) -> Iterator[Change]:
    """What changed in a type beside its fields."""
    if isinstance(before, ObjectType) and isinstance(after, ObjectType):
        findings = _object_findings(relation, before, after)
    elif isinstance(before, AliasType) and isinstance(after, AliasType):
        findings = expression_findings(relation, before.type, after.type)
    else:
        findings = _kind_findings(relation, before, after)
    for found in findings:
        yield make_change(found.kind, after.name + found.suffix, old=found.old, new=found.new)


def _kind_findings(relation: Relation, before: TypeDef, after: TypeDef) -> list[Finding]:
    """For an object that became a union, say, under the same name."""
    old, new = (
        found.type if isinstance(found, AliasType) else Ref(found.name) for found in (before, after)
    )
    shown = {
        "old": spell_definition(before, relation.old),
        "new": spell_definition(after, relation.new),
    }
    return [replace(found, **shown) for found in expression_findings(relation, old, new)]


def _object_findings(relation: Relation, before: ObjectType, after: ObjectType) -> list[Finding]:
    findings: list[Finding] = []
    if before.declared != after.declared:
        findings.append(Finding("type-declared" if after.declared else "type-inlined"))
    match before.index, after.index:
        case None, None:
            pass
        case None, _:
            findings.append(Finding("other-keys-named"))
        case _, None:
            findings.append(Finding("other-keys-unnamed"))
        case old, new:
            findings += [
                replace(found, suffix="{}" + found.suffix)
                for found in expression_findings(relation, old, new)
            ]
    return findings


def _merged(changes: list[Change]) -> list[Change]:
    """Joins the places that are written another way in the same way."""
    merged: dict[tuple[str | None, str | None], list[Change]] = {}
    others: list[Change] = []
    for change in changes:
        if change.kind == "type-respelled":
            merged.setdefault((change.old, change.new), []).append(change)
        else:
            others.append(change)
    for same in merged.values():
        first, *rest = sorted(place for change in same for place in _places(change))
        others.append(replace(same[0], path=first, covers=tuple(rest)))
    return others


def _places(change: Change) -> Iterator[str]:
    """The paths of a change in each of the types it reaches."""
    below = change.path.partition(".")[2]
    yield change.path
    yield from (f"{name}.{below}" for name in change.covers)
