"""What changed between two type expressions, as findings that have no place yet."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..model.model import (
    AnyValue,
    Array,
    Const,
    Literals,
    Map,
    Ref,
    Scalar,
    TypeExpr,
)
from .relation import Relation, Typed, resolved
from .spelling import spell, spell_scalar


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference below some path: its rule, the rest of the path, and what was and is there."""

    kind: str
    suffix: str = ""
    old: str | None = None
    new: str | None = None


def expression_findings(relation: Relation, old: TypeExpr, new: TypeExpr) -> list[Finding]:
    """The differences between an old and a new type expression; none where they are the same.

    Items of arrays and values of maps are compared on their own, under `[]` and `{}`.
    """
    if relation.same(old, new):
        return []
    match old, new:
        case Array(), Array():
            return _array_findings(relation, old, new)
        case Map(), Map():
            return _below("{}", expression_findings(relation, old.value, new.value))
        case _:
            return _alternative_findings(relation, old, new)


def _below(suffix: str, findings: list[Finding]) -> list[Finding]:
    return [replace(finding, suffix=suffix + finding.suffix) for finding in findings]


def _array_findings(relation: Relation, old: Array, new: Array) -> list[Finding]:
    counts = [Array(AnyValue(), expr.min_items, expr.max_items) for expr in (old, new)]
    findings = _below("[]", expression_findings(relation, old.item, new.item))
    if counts[0] != counts[1]:
        kind = _kind(relation, counts[0], counts[1], "limit-{}")
        findings.append(_finding(relation, kind, old, new))
    return findings


def _alternative_findings(relation: Relation, old: TypeExpr, new: TypeExpr) -> list[Finding]:
    before, after = relation.old_parts(old), relation.new_parts(new)
    gone = [part for part in before if not relation.old_fits(part.expr, new)]
    come = [part for part in after if not relation.new_fits(part.expr, old)]
    if not gone and not come:
        return _equivalent_findings(relation, old, new)
    if _are_members(relation, before, after, gone, come):
        removed = [_member_finding("removed", part) for part in gone]
        return removed + [_member_finding("added", part) for part in come]
    limited = isinstance(old, Scalar) and isinstance(new, Scalar) and old.kind == new.kind
    kind = _kind(relation, old, new, "limit-{}" if limited else "type-{}")
    return [_finding(relation, kind, old, new)]


def _kind(relation: Relation, old: TypeExpr, new: TypeExpr, pattern: str) -> str:
    """The rule for two expressions by which of them fits the other."""
    words = ("loosened", "tightened") if pattern.startswith("limit") else ("widened", "narrowed")
    if relation.old_fits(old, new):
        return pattern.format(words[0])
    return pattern.format(words[1] if relation.new_fits(new, old) else "changed")


def _equivalent_findings(relation: Relation, old: TypeExpr, new: TypeExpr) -> list[Finding]:
    """For expressions that allow the same JSON."""
    behind_old = resolved(Typed(old, relation.old)).expr
    behind_new = resolved(Typed(new, relation.new)).expr
    match behind_old, behind_new:
        case Literals(values=before), Literals(values=after) if set(before) != set(after):
            return _known_value_findings(before, after)
        case Map(), Ref():
            kind = "keys-described"
        case Ref(), Map():
            kind = "keys-undescribed"
        case Ref(), Ref():
            kind = "keys-redescribed"
        case _:
            kind = "type-respelled"
    return [_finding(relation, kind, old, new)]


def _known_value_findings(before: tuple[str, ...], after: tuple[str, ...]) -> list[Finding]:
    gone = [value for value in before if value not in after]
    come = [value for value in after if value not in before]
    removed = [Finding("known-value-removed", old=spell_scalar(value)) for value in gone]
    return removed + [Finding("known-value-added", new=spell_scalar(value)) for value in come]


def _are_members(
    relation: Relation,
    before: tuple[Typed, ...],
    after: tuple[Typed, ...],
    gone: list[Typed],
    come: list[Typed],
) -> bool:
    """Whether a union lost and won whole members while it kept others.

    It did not where a member came or went that resembles one on the other side: then a
    member changed, and only the unions as a whole can be compared.
    """
    families_before = {_family(relation, part) for part in before}
    families_after = {_family(relation, part) for part in after}
    if not families_before & families_after:
        return False
    if all(map(_is_value, (*gone, *come))):
        return len(gone) < len(before) or len(come) < len(after)
    return families_after.isdisjoint(_family(relation, part) for part in gone) and (
        families_before.isdisjoint(_family(relation, part) for part in come)
    )


def _family(relation: Relation, part: Typed) -> str:
    """What makes members of a union resemble each other; for a named type its new name."""
    match part.expr if relation.stays_whole(part) else resolved(part).expr:
        case Ref(name=name):
            renamed = relation.renames.get(name, name) if part.side is relation.old else name
            return f"type {renamed}"
        case Const(value=str()):
            return "string"
        case Const(value=value):
            return f"constant {value!r}"
        case Scalar(kind=kind):
            return "number" if kind == "integer" else kind
        case expr:
            return type(expr).__name__


def _is_value(part: Typed) -> bool:
    return isinstance(part.expr, Const) and isinstance(part.expr.value, str)


def _member_finding(change: str, part: Typed) -> Finding:
    kind = f"{'value' if _is_value(part) else 'member'}-{change}"
    text = spell(part.expr, part.side)
    return Finding(kind, old=text) if change == "removed" else Finding(kind, new=text)


def _finding(relation: Relation, kind: str, old: TypeExpr, new: TypeExpr) -> Finding:
    return Finding(kind, "", spell(old, relation.old), spell(new, relation.new))
