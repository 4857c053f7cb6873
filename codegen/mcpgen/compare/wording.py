"""Changes in words, as spans of prose and code that each format marks up in its own way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .changes import GROUPS, SEVERITIES, Change, Comparison, Group, Severity
from .rules import RULES, Rule

SHOWN = 6
"""How many of the places a change covers are named; the document names them all."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a sentence; `code` marks names, types and values of the protocol."""

    text: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """The entries of one group and severity, in order."""

    group: Group
    severity: Severity
    entries: tuple[tuple[Span, ...], ...]


def heading(comparison: Comparison) -> str:
    """What is compared."""
    return f"MCP {comparison.old} to {comparison.new}"


def summary(comparison: Comparison) -> str:
    """How many changes there are of each severity, in a sentence."""
    if not comparison.changes:
        return "Nothing changed."
    counts = [
        f"{len(changes)} {severity.title}"
        for severity in SEVERITIES
        if (changes := comparison.select(severity=severity))
    ]
    total = len(comparison.changes)
    return f"{total} {'change' if total == 1 else 'changes'}: {', '.join(counts)}."


def legend(comparison: Comparison) -> str:
    """Who readers and writers are; empty where nothing breaks."""
    if not comparison.breaking:
        return ""
    return (
        f"Readers and writers are programs made for {comparison.old}: "
        f"readers receive from programs made for {comparison.new}, writers send to them."
    )


def sections(comparison: Comparison) -> Iterator[Section]:
    """All groups and severities that have changes, in the order they are shown in."""
    for group in GROUPS:
        for severity in SEVERITIES:
            changes = comparison.select(group, severity)
            if changes:
                yield Section(group, severity, tuple(_entries(changes)))


def _entries(changes: Iterable[Change]) -> Iterator[tuple[Span, ...]]:
    """One entry for each change, after one for all that are only listed by their paths."""
    lists: dict[tuple[str, str | None], list[str]] = {}
    for change in changes:
        if RULES[change.kind].listed:
            lists.setdefault((change.kind, change.new), []).append(change.path)
    for (kind, note), paths in lists.items():
        yield (Span(f"{list_title(RULES[kind], note)}: "), *_names(paths))
    for change in changes:
        if not RULES[change.kind].listed:
            yield tuple(sentence(change))


def sentence(change: Change) -> Iterator[Span]:
    """A change in words: where, what, and the values before and after."""
    yield Span(change.path, code=True)
    yield Span(f": {change.what}")
    if change.old is not None and change.new is not None:
        yield from (Span(", was "), Span(change.old, code=True))
        yield from (Span(", now "), Span(change.new, code=True))
    elif (value := change.old if change.new is None else change.new) is not None:
        yield from (Span(": "), Span(value, code=True))
    if change.covers:
        yield from _covered(change, RULES[change.kind])


def _covered(change: Change, rule: Rule) -> Iterator[Span]:
    count = len(change.covers)
    yield Span(f"; and {count} {rule.covered if count == 1 else rule.covered_many}: ")
    if count <= SHOWN:
        yield from _names(change.covers)
    else:
        yield from _names(change.covers[: SHOWN - 1])
        yield Span(f" and {count - SHOWN + 1} more")


def _names(names: Iterable[str]) -> Iterator[Span]:
    for position, name in enumerate(names):
        if position:
            yield Span(", ")
        yield Span(name, code=True)


def list_title(rule: Rule, note: str | None) -> str:
    """The words of the rule with the note that all in the list share."""
    line = (note or "").removesuffix(".")
    if line.lower().startswith(rule.what):
        return line
    return f"{rule.what} ({line})" if line else rule.what
