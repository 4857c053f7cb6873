"""Where a value is that could not be written as JSON; only asked after writing it failed."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TypeGuard

from .errors import EncodeError, describe, format_path

__all__ = ["unencodable"]

_EXPECTED = "a JSON value"


def unencodable(value: object) -> EncodeError:
    """Return the error for the first thing in `value` that JSON cannot express.

    Walks without recursion, since the value may be nested too deeply or hold itself.
    """
    path: list[str | int] = []
    # What is being walked, from the outermost to the innermost, by identity.
    walks = {id(value): _children(value)}
    problem = _problem(value)
    while problem is None and walks:
        innermost = next(reversed(walks))
        step = next(walks[innermost], None)
        if step is None:
            # Not `del`, after which finding the last item would pass over every deleted one.
            walks.popitem()
            del path[-1:]
            continue
        key, child = step
        path.append(key)
        problem = "an object or array inside itself" if id(child) in walks else _problem(child)
        walks[id(child)] = _children(child)
    if problem is None:
        return EncodeError("$", _EXPECTED, "arrays or objects nested too deeply")
    return EncodeError(format_path(path), _EXPECTED, problem)


def _children(value: object) -> Iterator[tuple[str | int, object]]:
    if _is_mapping(value):
        for key, child in value.items():
            yield key if isinstance(key, str) else str(key), child
    elif _is_sequence(value):
        yield from enumerate(value)


def _problem(value: object) -> str | None:
    """Return what is wrong with `value` itself, its members aside."""
    if _is_mapping(value):
        return next((f"{describe(key)} as a key" for key in value if not _is_key(key)), None)
    if _is_sequence(value) or _is_key(value):
        return None
    return describe(value)


def _is_key(value: object) -> bool:
    """Tell whether `value` is a scalar; the encoder writes those as keys, too."""
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, int):
        return _has_digits(value)
    return value is None or isinstance(value, str)


def _has_digits(value: int) -> bool:
    """Tell whether Python writes the integer out; it refuses beyond its limit of digits."""
    try:
        int.__repr__(value)
    except ValueError:
        return False
    return True


def _is_mapping(value: object) -> TypeGuard[dict[object, object]]:
    return isinstance(value, dict)


def _is_sequence(value: object) -> TypeGuard[list[object] | tuple[object, ...]]:
    return isinstance(value, list | tuple)
