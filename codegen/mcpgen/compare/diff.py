"""Compares two versions of the protocol, or two readings of one."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.model import Protocol
from .changes import GROUPS, SEVERITIES, Change, Comparison
from .deprecations import deprecation_changes
from .methods import method_changes
from .relation import Relation, same_scalar
from .renames import type_renames
from .rules import RULES, make_change
from .side import Side
from .spelling import spell_scalar
from .types import type_changes


def compare(old: Protocol, new: Protocol) -> Comparison:
    """What changed from one version to the other, by the rules of `rules.RULES`.

    Methods, types, constants and deprecations, in this order; in each the most severe first,
    then by path. What a type inherits is reported once, where it is declared, and what changed
    in a named type with that type and not at every use. Documentation is not compared.
    """
    before, after = Side.of(old), Side.of(new)
    relation = Relation(before, after, type_renames(before, after))
    changes = [
        *method_changes(relation),
        *type_changes(relation),
        *_constant_changes(old, new),
        *deprecation_changes(relation),
    ]
    return Comparison(old.version, new.version, tuple(sorted(changes, key=_order)))


_KINDS = list(RULES)


def _order(change: Change) -> tuple[int, int, str, int, str]:
    return (
        GROUPS.index(change.group),
        SEVERITIES.index(change.severity),
        change.path,
        _KINDS.index(change.kind),
        f"{change.old} {change.new}",
    )


def _constant_changes(old: Protocol, new: Protocol) -> Iterator[Change]:
    before = {constant.name: constant.value for constant in old.constants}
    after = {constant.name: constant.value for constant in new.constants}
    for name, value in before.items():
        if name not in after:
            yield make_change("constant-removed", name, old=spell_scalar(value))
        elif not same_scalar(value, after[name]):
            versions = (value, after[name]) == (old.version, new.version)
            kind = "version-changed" if versions else "constant-changed"
            yield make_change(kind, name, old=spell_scalar(value), new=spell_scalar(after[name]))
    for name, value in after.items():
        if name not in before:
            yield make_change("constant-added", name, new=spell_scalar(value))
