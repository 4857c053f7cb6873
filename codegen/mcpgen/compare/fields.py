"""What changed in the fields of object types, each reported once, where it is declared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..model.model import AnyValue, Field, ObjectType
from .changes import Change
from .expressions import Finding, expression_findings
from .relation import Relation, field_expression
from .renames import field_renames
from .rules import make_change
from .side import Side
from .spelling import spell_field_type, spell_key


@dataclass(frozen=True, slots=True)
class FieldFinding:
    """A difference in a field of a type; `owner` is the type that declares the field first."""

    type: str
    field: str
    owner: str
    finding: Finding

    @property
    def identity(self) -> tuple[str, str, Finding]:
        """Equal for the same difference in the same field, inherited by another type."""
        return self.owner, self.field, self.finding


def field_changes(
    relation: Relation, pairs: Iterable[tuple[ObjectType, ObjectType]]
) -> list[Change]:
    """The changes in the fields of types that both versions have."""
    findings = [
        finding for before, after in pairs for finding in _findings(relation, before, after)
    ]
    groups: dict[tuple[str, str, Finding], list[FieldFinding]] = {}
    for finding in findings:
        groups.setdefault(finding.identity, []).append(finding)
    return [change for group in groups.values() for change in _collapse(relation, group)]


def _collapse(relation: Relation, group: list[FieldFinding]) -> Iterator[Change]:
    """One change at the base for what types inherit from it; else one for each type.

    A base that is used nowhere but as a base matters only through the types that extend it.
    """
    first, types = group[0], [finding.type for finding in group]
    owner = first.owner
    extenders = tuple(name for name in types if name != owner)
    if _is_new_or_gone(relation, owner) or (owner in types and extenders):
        yield _change(owner, first, extenders)
        return
    for finding in group:
        if not _is_mere_base(relation, finding.type):
            yield _change(finding.type, finding, ())


def _change(place: str, finding: FieldFinding, covers: tuple[str, ...]) -> Change:
    found = finding.finding
    path = f"{place}.{spell_key(finding.field)}{found.suffix}"
    return make_change(found.kind, path, old=found.old, new=found.new, covers=covers)


def _is_mere_base(relation: Relation, name: str) -> bool:
    before = {after: before for before, after in relation.renames.items()}.get(name, name)
    return relation.new.is_mere_base(name) and relation.old.is_mere_base(before)


def _is_new_or_gone(relation: Relation, owner: str) -> bool:
    both = owner in relation.new.types and owner in relation.old.types
    return not both and owner not in relation.renames.values()


def _findings(relation: Relation, before: ObjectType, after: ObjectType) -> Iterator[FieldFinding]:
    """The differences between the fields of an old type and the new one in its place."""
    old, new = relation.old, relation.new
    gone = [field for field in before.fields if after.field(field.wire_name) is None]
    come = [field for field in after.fields if before.field(field.wire_name) is None]
    renamed = field_renames(relation, gone, come)
    for field in after.fields:
        wire_name, owner = field.wire_name, new.root_owner(after.name, field.wire_name)
        earlier = before.field(wire_name)
        was = next((one for one, other in renamed if other is field), None)
        if earlier is not None:
            found = list(_changed(relation, earlier, field))
        elif was is not None:
            found = [_renamed(was, field)]
        else:
            found = [_added(field, new)]
        yield from (FieldFinding(after.name, wire_name, owner, finding) for finding in found)
    for field in gone:
        if all(field is not one for one, _ in renamed):
            owner = _new_name(relation, old.root_owner(before.name, field.wire_name))
            removed = _removed(relation, field, before, after)
            yield FieldFinding(after.name, field.wire_name, owner, removed)


def _new_name(relation: Relation, old_name: str) -> str:
    return relation.renames.get(old_name, old_name)


def _changed(relation: Relation, before: Field, after: Field) -> Iterator[Finding]:
    if before.required != after.required:
        assumed = "field-now-assumed" if after.lenient else "field-now-required"
        yield Finding(assumed if after.required else "field-now-optional")
    anything = isinstance(before.type, AnyValue) or isinstance(after.type, AnyValue)
    if before.nullable != after.nullable and not anything:
        yield Finding("null-allowed" if after.nullable else "null-refused")
    yield from expression_findings(relation, before.type, after.type)


def _renamed(before: Field, after: Field) -> Finding:
    kind = "required-field-renamed" if after.required else "optional-field-renamed"
    return Finding(kind, old=spell_key(before.wire_name), new=spell_key(after.wire_name))


def _added(field: Field, side: Side) -> Finding:
    kind = "optional-field-added"
    if field.required:
        kind = "assumed-field-added" if field.lenient else "required-field-added"
    return Finding(kind, new=spell_field_type(field, side))


def _removed(relation: Relation, field: Field, before: ObjectType, after: ObjectType) -> Finding:
    """A field that is gone, or only its description where the type took in any other key."""
    opened = before.index is None and after.index is not None
    kind = "required-field-removed" if field.required else "optional-field-removed"
    if opened and not field.required and after.index is not None:
        fits = relation.new_fits(after.index, field_expression(field))
        kind = kind if fits else "field-opened"
    return Finding(kind, old=spell_field_type(field, relation.old))
