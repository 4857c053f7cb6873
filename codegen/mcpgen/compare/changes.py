"""What a comparison finds: changes, how bad each is, and the whole of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag
from typing import Literal, TypeAlias, get_args

Group: TypeAlias = Literal["methods", "types", "constants", "deprecations"]
GROUPS: tuple[Group, ...] = get_args(Group)


class Severity(Flag):
    """Whom a change breaks, which may be both or nobody.

    A *reader* was written for the old version and reads what the new one writes; a *writer*
    was written for the old version and is read by the new one. A change breaks readers when
    there is something new to read that the old version refuses, and writers when there is
    something old to write that the new version refuses.
    """

    COMPATIBLE = 0
    READERS = 1
    WRITERS = 2
    BOTH = 3

    @property
    def title(self) -> str:
        """Such as `breaking for readers`, or `compatible`."""
        return f"breaking for {' and '.join(self.broken)}" if self.broken else "compatible"

    @property
    def broken(self) -> tuple[str, ...]:
        """Those who break: `readers`, `writers`, both or none."""
        sides = (Severity.READERS, "readers"), (Severity.WRITERS, "writers")
        return tuple(name for severity, name in sides if severity in self)


SEVERITIES = (Severity.BOTH, Severity.READERS, Severity.WRITERS, Severity.COMPATIBLE)
"""Every severity, the most severe first."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two versions.

    `kind` is its rule (`rules.RULES`), `what` the words of that rule. `path` is where it is:
    `Tool.inputSchema`, `tools/call params`, `CallToolResult.content[]` for the items of an
    array and `ElicitResult.content{}` for the values of a map. `old` and `new` spell what
    changed, each None where there is nothing to show. `covers` are the other places the same
    change reaches, such as the types that inherit a field.
    """

    group: Group
    kind: str
    path: str
    what: str
    severity: Severity
    old: str | None = None
    new: str | None = None
    covers: tuple[str, ...] = ()

    @property
    def covered_paths(self) -> tuple[str, ...]:
        """What the change covers, as the paths it would have there: `Tool.title` for `Tool`."""
        field = self.path.partition(".")[2]
        return tuple(cover if "." in cover else f"{cover}.{field}" for cover in self.covers)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes from one version to another, grouped, the most severe first."""

    old: str
    new: str
    changes: tuple[Change, ...]

    @property
    def breaking(self) -> bool:
        """Whether any change breaks readers or writers."""
        return any(change.severity for change in self.changes)

    def select(
        self, group: Group | None = None, severity: Severity | None = None
    ) -> tuple[Change, ...]:
        """The changes of a group, of exactly one severity, or both, in their order."""
        return tuple(
            change
            for change in self.changes
            if group in (None, change.group) and severity in (None, change.severity)
        )
