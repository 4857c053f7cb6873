"""Two singletons: `UNSET` for an absent value and `EMPTY` for "no unknown keys"."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, Literal, NoReturn, final

__all__ = ["EMPTY", "UNSET", "EmptyMapping", "Unset"]


class Unset(enum.Enum):
    """The type of `UNSET`; write `str | None | Unset` for a field that may be null or absent.

    An enumeration of one member, because type checkers narrow `x is UNSET` and the
    member stays the same object through `copy`, `deepcopy` and every pickle protocol.
    """

    UNSET = "UNSET"

    def __bool__(self) -> Literal[False]:
        """Absent is false, as `None` is."""
        return False

    def __repr__(self) -> str:
        return "UNSET"

    def __str__(self) -> str:
        return "UNSET"


UNSET: Final[Literal[Unset.UNSET]] = Unset.UNSET
"""The field is absent from the JSON object, where `None` would mean an explicit null."""


@final
class EmptyMapping(Mapping[str, Any]):
    """An empty mapping that nothing can be put into; `EMPTY` is its only instance.

    Equal to every empty mapping, `{}` included, and hashable, so that a dataclass takes it
    as a default. Copies and unpickled values are the same object.
    """

    __slots__ = ()

    _instance: ClassVar[EmptyMapping | None] = None

    def __new__(cls) -> EmptyMapping:
        """Return the only instance."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __getitem__(self, key: str) -> NoReturn:
        raise KeyError(key)

    def __contains__(self, key: object) -> Literal[False]:
        return False

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> Literal[0]:
        return 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Mapping):
            return not other
        return NotImplemented

    def __hash__(self) -> int:
        return hash(EmptyMapping)

    def __repr__(self) -> str:
        return "{}"

    def __reduce__(self) -> str:
        # A string names a global: copies and pickles find the instance instead of making one.
        return "EMPTY"


EMPTY: Final[EmptyMapping] = EmptyMapping()
"""The `extra` of an object that came without unknown keys."""
