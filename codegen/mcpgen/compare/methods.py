"""What changed in the methods of a version."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.model import Method, Ref
from .changes import Change
from .expressions import expression_findings
from .relation import Relation
from .rules import make_change
from .side import Side
from .spelling import spell, spell_key


def method_changes(relation: Relation) -> Iterator[Change]:
    """The changes in methods: come and gone, kind, senders, params, results, capabilities."""
    old, new = relation.old, relation.new
    for name, before in old.methods.items():
        after = new.methods.get(name)
        if after is None:
            yield make_change("method-removed", spell_key(name))
        else:
            yield from _changes(relation, before, after)
    for name, after in new.methods.items():
        if name not in old.methods:
            yield make_change("method-added", spell_key(name), new=spell_method(after, new))


def spell_method(method: Method, side: Side) -> str:
    """A method in a line: what it is, who sends it, its params and results."""
    parts = [f"{_kind(method)} from {' and '.join(method.sent_by)}"]
    if method.params is not None:
        optional = "" if method.params_required else "optional "
        parts.append(f"{optional}params {spell(Ref(method.params), side)}")
    if method.results:
        parts.append(f"result {' | '.join(method.results)}")
    if method.capability is not None:
        parts.append(f"capability {spell_key(method.capability)}")
    return ", ".join(parts)


def _kind(method: Method) -> str:
    return f"{method.kind} request" if method.kind == "embedded" else method.kind


def _changes(relation: Relation, before: Method, after: Method) -> Iterator[Change]:
    name = spell_key(after.method)
    if before.kind != after.kind:
        yield make_change("method-kind-changed", name, old=_kind(before), new=_kind(after))
    for side in before.sent_by:
        if side not in after.sent_by:
            yield make_change("method-sender-removed", name, old=side)
    for side in after.sent_by:
        if side not in before.sent_by:
            yield make_change("method-sender-added", name, new=side)
    yield from _params_changes(relation, before, after)
    yield from _result_changes(relation, before, after)
    yield from _capability_changes(before, after)


def _params_changes(relation: Relation, before: Method, after: Method) -> Iterator[Change]:
    path = f"{spell_key(after.method)} params"
    if before.params is None or after.params is None:
        yield from _presence_changes(relation, path, before, after)
        return
    if before.params_required != after.params_required:
        kind = "params-now-required" if after.params_required else "params-now-optional"
        yield make_change(kind, path)
    for found in expression_findings(relation, Ref(before.params), Ref(after.params)):
        if not _same_name(relation, before.params, after.params):
            place = path + found.suffix
            yield make_change(found.kind, place, old=found.old, new=found.new, group="methods")


def _same_name(relation: Relation, before: str, after: str) -> bool:
    """Whether what changed is reported with the type, which has the same name in both."""
    return relation.renames.get(before, before) == after


def _presence_changes(
    relation: Relation, path: str, before: Method, after: Method
) -> Iterator[Change]:
    """For params that one of the versions has not at all."""
    if after.params is not None:
        kind = "params-now-required" if after.params_required else "params-added"
        yield make_change(kind, path, new=spell(Ref(after.params), relation.new))
    elif before.params is not None:
        kind = "required-params-removed" if before.params_required else "params-removed"
        yield make_change(kind, path, old=spell(Ref(before.params), relation.old))


def _result_changes(relation: Relation, before: Method, after: Method) -> Iterator[Change]:
    earlier = [relation.renames.get(name, name) for name in before.results]
    path = f"{spell_key(after.method)} results"
    for name in earlier:
        if name not in after.results:
            yield make_change("result-removed", path, old=name)
    for name in after.results:
        if name not in earlier:
            yield make_change("result-added", path, new=name)


def _capability_changes(before: Method, after: Method) -> Iterator[Change]:
    old, new = (one.capability and spell_key(one.capability) for one in (before, after))
    if old == new:
        return
    kind = "capability-changed"
    if old is None or new is None:
        kind = "capability-needed" if old is None else "capability-dropped"
    yield make_change(kind, spell_key(after.method), old=old, new=new)
