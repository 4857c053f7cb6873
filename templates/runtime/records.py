"""The decorator of the emitted classes: dataclasses whose methods are made when first used.

`dataclasses.dataclass` compiles `__init__`, `__repr__` and `__eq__` when a class is defined,
180 µs for each of a version's hundred and more classes, and loads the modules that takes;
decoding needs none of it. Here a class gets its slots at once. The rest is made by
`dataclasses` itself when anything of it is first looked up: on construction, printing,
comparison, `fields`, `replace`, `asdict`, `inspect.signature`.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass

__all__ = ["dataclass"]

_MADE_LATER = (
    "__init__",
    "__repr__",
    "__eq__",
    "__dataclass_fields__",
    "__dataclass_params__",
    "__replace__",
    # Made by nobody, but what asks for it needs `__init__` next.
    "__signature__",
)

_lock = RLock()


class _Later:
    """An attribute that is made, with the others of its class, when it is first looked up."""

    __slots__ = ("_name", "_rest")

    def __init__(self, name: str, rest: _Rest) -> None:
        self._name = name
        self._rest = rest

    def __get__(self, instance: object, owner: type) -> Any:
        found = self._rest.make().get(self._name)
        if found is None:
            raise AttributeError(self._name)
        # Not through the instance, whose class may have overridden it and be calling this one.
        bind = getattr(type(found), "__get__", None)
        return found if bind is None else bind(found, instance, owner)


class _Rest:
    """What a class still lacks, and the class as it was declared, from which to make it."""

    __slots__ = ("_declared", "_made", "cls")

    def __init__(self, declared: type) -> None:
        self._declared: type | None = declared
        self._made: dict[str, Any] = {}
        self.cls: type = declared

    def make(self) -> dict[str, Any]:
        """Complete the class, once; the attributes it got."""
        with _lock:
            if self._declared is not None:
                self._made = _made_by_dataclasses(self._declared)
                for name, value in self._made.items():
                    setattr(self.cls, name, value)
                for name in _MADE_LATER:
                    if isinstance(vars(self.cls).get(name), _Later):
                        delattr(self.cls, name)
                self._declared = None
            return self._made


def _made_by_dataclasses(declared: type) -> dict[str, Any]:
    # Imported here because it brings half the standard library's tools for source code along.
    import dataclasses

    made = vars(dataclasses.dataclass(kw_only=True, slots=True)(declared))
    return {name: made[name] for name in _MADE_LATER if name in made}


def _slotted(declared: type) -> type:
    """The class with slots for its annotations, and the rest to be made later."""
    fields = tuple(declared.__annotations__)
    rest = _Rest(declared)
    dropped = {*fields, "__dict__", "__weakref__"}
    members = {name: value for name, value in vars(declared).items() if name not in dropped}
    members.update({name: _Later(name, rest) for name in _MADE_LATER})
    members.update(__slots__=fields, __match_args__=(), __hash__=None)
    rest.cls = type(declared.__name__, declared.__bases__, members)
    rest.cls.__qualname__ = declared.__qualname__
    return rest.cls


def _dataclass(
    *, kw_only: Literal[True], slots: Literal[True]
) -> Callable[[type], type]:
    """Return the decorator: `dataclasses.dataclass` with these arguments, which it has to have."""
    return _slotted


if not TYPE_CHECKING:
    dataclass = _dataclass
