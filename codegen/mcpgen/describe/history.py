"""In which versions a thing exists, under which name, and what changed between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ..compare import Change, Comparison, compare
from ..model.model import Protocol

# What follows a place in the path of a change that is there: a field, an item, a part.
_AFTER_A_PLACE = ".[{ "


@dataclass(frozen=True, slots=True)
class Appearance:
    """A version that has the thing, and what it is called there."""

    version: str
    name: str


@dataclass(frozen=True, slots=True)
class History:
    """The versions that have a thing, oldest first, and what changed in it between them.

    `changes` has an entry for each two neighbouring versions between which anything changed.
    """

    versions: tuple[Appearance, ...]
    changes: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a history is about.

    `type` is the name of the type it is or belongs to, None for methods and constants;
    `rest` follows that name, such as `.inputSchema`. `related` are types whose changes count
    as its own, such as those that the schema writes inline.
    """

    type: str | None
    rest: str = ""
    related: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name of the thing."""
        return f"{self.type or ''}{self.rest}"

    def renamed(self, names: dict[str, str]) -> Subject:
        """The same in a version where types have other names."""
        return Subject(
            None if self.type is None else names.get(self.type, self.type),
            self.rest,
            frozenset(names.get(name, name) for name in self.related),
        )

    def seen_in(self, change: Change) -> Iterator[Change]:
        """The change where it is one of the thing, told of each place it reaches there."""
        places = {self.name, *self.related}
        if any(_is_at(change.path, place) for place in places):
            yield change
            return
        for path in change.covered_paths:
            if any(_is_at(path, place) for place in places):
                yield replace(change, path=path, covers=())


def history_of(
    subject: Subject,
    version: str,
    protocols: Sequence[Protocol],
    has: Callable[[Protocol, Subject], bool],
) -> History:
    """The history of a thing of one version through all, which are oldest first.

    `has` says whether a version has the thing. It is followed to older and newer versions,
    under the names it has there, until one that has it no more.
    """
    position = [protocol.version for protocol in protocols].index(version)
    before = list(_steps(subject, protocols[position::-1], has, back=True))[::-1]
    after = list(_steps(subject, protocols[position:], has, back=False))
    older, newer = ([found for found, _ in steps if found] for steps in (before, after))
    return History(
        (*older, Appearance(version, subject.name), *newer),
        tuple(changes for _, changes in [*before, *after] if changes.changes),
    )


def _steps(
    subject: Subject,
    protocols: Sequence[Protocol],
    has: Callable[[Protocol, Subject], bool],
    *,
    back: bool,
) -> Iterator[tuple[Appearance | None, Comparison]]:
    """From each version to the next: the thing there, None where it is gone, and what changed."""
    for near, far in pairwise(protocols):
        comparison = compare(far, near) if back else compare(near, far)
        there = subject.renamed(_renames(comparison.changes, back=back))
        gone = not has(far, there) or _is_another(comparison, subject, back=back)
        yield (
            None if gone else Appearance(far.version, there.name),
            _about(comparison, subject if back else there),
        )
        if gone:
            return
        subject = there


def _about(comparison: Comparison, subject: Subject) -> Comparison:
    seen = (found for change in comparison.changes for found in subject.seen_in(change))
    return replace(comparison, changes=tuple(seen))


def _is_another(comparison: Comparison, subject: Subject, *, back: bool) -> bool:
    """Whether the name stands for another type on the far side."""
    kind = "type-added" if back else "type-removed"
    return any(c.kind == kind and c.path == subject.type for c in comparison.changes)


def _renames(changes: Iterable[Change], *, back: bool) -> dict[str, str]:
    pairs = [(c.old or "", c.new or "") for c in changes if c.kind == "type-renamed"]
    return {new: old for old, new in pairs} if back else dict(pairs)


def _is_at(path: str, place: str) -> bool:
    """Whether a path is a place or leads into it."""
    return path == place or (path.startswith(place) and path[len(place)] in _AFTER_A_PLACE)
