"""The samples are complete: whatever a version's Model has occurs in one of them.

That is every type, every field with a value, every optional one absent, every nullable one
null, every member of every union, an element of every array and map, every literal of every
enumeration (and another string where it is open), and a member of another name in every type
whose schema allows for some. What occurs is read off the decoded samples; see `occurrences`.
"""

from __future__ import annotations

from functools import cache

import pytest

from .occurrences import every_occurrence, occurrences
from .walk import PROTOCOLS, sample_documents, walk


@cache
def occurring(version: str) -> set[str]:
    found: set[str] = set()
    for name, document in sample_documents(version):
        found |= set(occurrences(walk(version), name, document))
    return found


NEVER_CHOSEN = {
    # The fields are those of GetTaskResult, which is declared first.
    "2025-11-25 ClientResult → CancelTaskResult",
    "2025-11-25 ServerResult → CancelTaskResult",
    # It has no field of its own; EmptyResult, declared first, takes every object.
    "2025-11-25 ClientResult → GetTaskPayloadResult",
    "2025-11-25 ServerResult → GetTaskPayloadResult",
}
"""Members of unions that no document is told by: another member takes the same ones."""


@pytest.mark.parametrize("version", PROTOCOLS)
def test_everything_occurs(version: str) -> None:
    missing = every_occurrence(PROTOCOLS[version]) - occurring(version)
    never = {item for item in NEVER_CHOSEN if item.startswith(version)}
    assert sorted({f"{version} {item}" for item in missing} ^ never) == []


@pytest.mark.parametrize("version", PROTOCOLS)
def test_nothing_else_occurs(version: str) -> None:
    """What is seen has the names of what is looked for, so that neither is empty talk."""
    others = occurring(version) - every_occurrence(PROTOCOLS[version])
    assert {item for item in others if not item.endswith((".*", " absent"))} == set()
