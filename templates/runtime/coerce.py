"""The slow half of the quick type tests in decoders.

A decoder first tests `type(value) is str`; only when that fails does it call one of these,
which accept what the quick test is too narrow for (subclasses, and whole floats where an
integer is wanted) and raise `Mismatch` for the rest. Subclasses come back as they are. JSON
arrays and objects are `list` and `dict` alone: neither tuples nor other mappings come out
of JSON text, and a decoder must not copy.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from .errors import Mismatch
from .guards import is_array, is_object

__all__ = [
    "as_array",
    "as_boolean",
    "as_integer",
    "as_number",
    "as_object",
    "as_request_id",
    "as_string",
]


def as_object(value: object) -> dict[str, Any]:
    """Return `value` if it is a dict, or raise `Mismatch`."""
    if is_object(value):
        return value
    raise Mismatch


def as_array(value: object) -> list[Any]:
    """Return `value` if it is a list, or raise `Mismatch`."""
    if is_array(value):
        return value
    raise Mismatch


def as_string(value: object) -> str:
    """Return `value` if it is a string, or raise `Mismatch`."""
    if isinstance(value, str):
        return value
    raise Mismatch


def as_integer(value: object) -> int:
    """Return `value` if it is an integer, a whole float as an `int`, or raise `Mismatch`.

    A bool is no number; infinities and NaN are not whole.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise Mismatch


def as_number(value: object) -> int | float:
    """Return `value` if it is an integer or a finite float, or raise `Mismatch`.

    A bool is no number.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    raise Mismatch


def as_boolean(value: object) -> bool:
    """Return `value` if it is a bool, or raise `Mismatch`."""
    if isinstance(value, bool):
        return value
    raise Mismatch


def as_request_id(value: object) -> str | int:
    """Return `value` if it is a string or an integer, or raise `Mismatch`.

    Never a bool or a float, not even a whole one: an id must come back exactly as it was
    sent, and `1`, `1.0`, `true` and `"1"` are four different ids.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise Mismatch
