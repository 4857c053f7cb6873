"""What became deprecated, or no longer is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model.model import Field, ObjectType
from .changes import Change
from .relation import Relation
from .rules import make_change
from .side import Side
from .spelling import spell_key


def deprecation_changes(relation: Relation) -> Iterator[Change]:
    """The changes in what is deprecated: methods, types and fields, new ones included.

    A message is deprecated with its method, and an inherited field where it is declared.
    """
    before, after = _notes(relation.old, relation.renames), _notes(relation.new, {})
    for path, new in after.items():
        old = before.get(path)
        if old is None and new is not None:
            yield make_change("deprecated", path, new=_one_line(new))
        elif old is not None and new is None:
            yield make_change("no-longer-deprecated", path)
        elif old != new:
            yield make_change("deprecation-reworded", path, old=_one_line(old), new=_one_line(new))


def _notes(side: Side, names: Mapping[str, str]) -> dict[str, str | None]:
    """What the version says of the deprecation of each thing, by its path.

    `names` are the names that types have in the other version.
    """
    notes = {spell_key(method.method): method.deprecated for method in side.methods.values()}
    for found in side.types.values():
        if found.name in side.messages:
            continue
        name = names.get(found.name, found.name)
        notes[name] = found.deprecated
        owned = found.fields if isinstance(found, ObjectType) else ()
        for field in owned:
            if not _is_inherited_note(side, found.name, field):
                notes[f"{name}.{spell_key(field.wire_name)}"] = field.deprecated
    return notes


def _one_line(note: str | None) -> str | None:
    """The note without line breaks and other characters that do not show."""
    if note is None:
        return None
    return " ".join("".join(char if char.isprintable() else " " for char in note).split())


def _is_inherited_note(side: Side, type_name: str, field: Field) -> bool:
    """Whether the type that declares the field says the same of it."""
    owner = side.object(side.root_owner(type_name, field.wire_name))
    declared = owner.field(field.wire_name) if owner else None
    return (
        owner is not None
        and owner.name != type_name
        and declared is not None
        and declared.deprecated == field.deprecated
    )
