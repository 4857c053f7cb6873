"""The base of classes with slots that every pickle protocol takes."""

from __future__ import annotations

from operator import index
from typing import Any, SupportsIndex

__all__ = ["Slotted"]


class Slotted:
    """By the oldest two protocols, pickle refuses classes with slots; these it takes."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> str | tuple[Any, ...]:
        """Return what pickles and copies are made from, as from protocol 2 on."""
        return super().__reduce_ex__(max(2, index(protocol)))
