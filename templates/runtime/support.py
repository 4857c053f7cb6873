"""What the emitted straight-line decoders and encoders share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

from ._json_long import large_text
from .coerce import as_object
from .errors import Mismatch
from .values import EMPTY

__all__ = [
    "Candidates",
    "Decoder",
    "Encoder",
    "Encoders",
    "as_it_is",
    "first_accepting",
    "first_of",
    "large_text",
    "plain_object",
    "unknown_keys",
    "with_extra",
]

Decoder: TypeAlias = Callable[[Any], Any]
Encoder: TypeAlias = Callable[[Any], Any]
Candidates: TypeAlias = tuple[tuple[tuple[str, ...], Decoder], ...]
"""Members of a union: the keys that make each the planned one, and its decoder."""


def plain_object(value: object) -> dict[str, Any]:
    """Return a dict of any class as a plain one, or raise `Mismatch`.

    Subclasses may answer for keys they do not have, as `defaultdict` does.
    """
    return dict(as_object(value))


def unknown_keys(value: dict[str, Any], known: AbstractSet[str]) -> Mapping[str, Any]:
    """Return the members of `value` that the schema does not name; `EMPTY` when there are none."""
    return {key: item for key, item in value.items() if key not in known} or EMPTY


def with_extra(encoded: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return an encoded object with unknown members added under names it does not have yet."""
    for key, item in extra.items():
        encoded.setdefault(key, item)
    return encoded


def first_of(value: Any, candidates: Candidates) -> Any:
    """Return `value` decoded by the planned candidate, else by the first other that takes it.

    The planned one is the first whose keys are all present. Raises `Mismatch` when none
    takes the value.
    """
    planned = _planned(value, candidates)
    if planned is not None:
        try:
            return planned(value)
        except (Mismatch, KeyError):
            pass
    # A member may be listed twice, under different keys; it is tried once.
    others = dict.fromkeys(decode for _, decode in candidates if decode is not planned)
    return first_accepting(value, tuple(others))


def _planned(value: Any, candidates: Candidates) -> Decoder | None:
    """The decoder of the first candidate whose keys are all there."""
    for keys, decode in candidates:
        for key in keys:
            if key not in value:
                break
        else:
            return decode
    return None


def first_accepting(value: Any, decoders: tuple[Decoder, ...]) -> Any:
    """Return `value` decoded by the first decoder that takes it; `Mismatch` when none does."""
    for decode in decoders:
        try:
            return decode(value)
        except (Mismatch, KeyError):
            continue
    raise Mismatch


def as_it_is(value: Any) -> Any:
    """Return a value that JSON writes as Python holds it."""
    return value


class Encoders(dict[type, Encoder]):
    """The encoder of each emitted class; subclasses are found through their bases."""

    def __init__(self, encoders: Mapping[type, Encoder]) -> None:
        super().__init__(encoders)

    def __missing__(self, cls: type) -> Encoder:
        for base in cls.__mro__[1:]:
            if base in self:
                self[cls] = self[base]
                return self[base]
        raise TypeError(f"{cls.__name__} is no type of this version of the protocol")
