"""Capabilities as dotted paths, such as `resources.subscribe`, into capability objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .guards import is_object

__all__ = ["advertises", "capability_object", "merge", "task_capability"]


def advertises(capabilities: Mapping[str, Any], path: str) -> bool:
    """Tell whether a capability object, as it is on the wire, includes the one at `path`.

    What is absent, null or false is not advertised; an empty object is.
    """
    value: Any = dict(capabilities)
    for key in path.split("."):
        value = value.get(key) if is_object(value) else None
        if value is None or value is False:
            return False
    return True


def capability_object(path: str, leaf: object) -> dict[str, Any]:
    """Return the capability object that advertises `path` alone, with `leaf` at its end."""
    *parents, last = path.split(".")
    found: dict[str, Any] = {last: leaf}
    for key in reversed(parents):
        found = {key: found}
    return found


def task_capability(method: str) -> str:
    """Return the capability a receiver needs to run a request of `method` as a task."""
    return "tasks.requests." + method.replace("/", ".")


def merge(into: dict[str, Any], other: dict[str, Any]) -> None:
    """Add one capability object to another."""
    for key, value in other.items():
        found = into.setdefault(key, value)
        if found is not value and is_object(found) and is_object(value):
            merge(found, value)
