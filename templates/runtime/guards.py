"""Type tests that tell a type checker what JSON objects and arrays hold."""

from __future__ import annotations

from typing import Any, TypeGuard

__all__ = ["is_array", "is_object"]


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Tell whether `value` is a JSON object: a dict, whose keys are taken to be strings."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Tell whether `value` is a JSON array: a list."""
    return isinstance(value, list)
