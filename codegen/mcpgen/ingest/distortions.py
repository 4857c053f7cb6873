"""What the tool that makes the published schema.json does to the TypeScript, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DISTORTIONS: Mapping[str, str] = {
    "number-as-integer": "a number without @TJS-type is published as an integer",
    "null-dropped": "null is published only where @nullable asks for it",
    "inherited-index-dropped": "an index signature of a base is not published",
    "record-closed": "Record<string, T> is published without the type of its values",
    "literals-absorbed": "literals beside string are published as string alone",
    "alias-lost": "the name of an alias of a simple type or an array is not published",
    "alias-shown-as-target": "an alias of an interface is published under the interface's name",
    "single-member-union-copied": "an alias of one message is published as a copy of it",
    "nested-union-flattened": "a union inside a union is published as its members",
    "object-noise": "`object` and `{}` are published with empty keywords",
    "union-reordered": "members are published in the compiler's order, literals sorted",
    "simple-types-merged": "simple types beside others are published as one list of types",
}


@dataclass(slots=True)
class Recorder:
    """The sites of each distortion, in the order they were met."""

    sites: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def note(self, distortion: str, site: str) -> None:
        """Records that `distortion`, one of DISTORTIONS, happened at `site`."""
        if distortion not in DISTORTIONS:
            raise KeyError(distortion)
        self.sites.setdefault(distortion, []).append(site)
