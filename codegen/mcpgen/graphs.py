"""Names that need one another: cycles among them, and all that one needs.

Both take time in proportion to what there is, chains of any length included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence


def find_cycle(needs: Mapping[str, Iterable[str]]) -> list[str] | None:
    """The first cycle, from a name back to it; None when no name needs itself.

    What is needed but has no entry needs nothing.
    """
    settled: set[str] = set()
    for start in needs:
        above: dict[str, Iterator[str]] = {start: iter(needs[start])}
        while above:
            name, rest = next(reversed(above.items()))
            needed = next((item for item in rest if item not in settled), None)
            if needed is None:
                settled.add(name)
                del above[name]
            elif needed in above:
                path = list(above)
                return [*path[path.index(needed) :], needed]
            else:
                above[needed] = iter(needs.get(needed, ()))
    return None


def reachable(name: str, needs: Mapping[str, Sequence[str]]) -> list[str]:
    """What a name needs, each followed by what it needs in turn, and each only once."""
    found: dict[str, None] = {}
    waiting = [*reversed(needs.get(name, ()))]
    while waiting:
        needed = waiting.pop()
        if needed not in found:
            found[needed] = None
            waiting += reversed(needs.get(needed, ()))
    return list(found)
