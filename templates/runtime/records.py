"""The decorator of the emitted classes: dataclasses whose methods are made when first used.

`dataclasses.dataclass` compiles `__init__`, `__repr__` and `__eq__` when a class is defined:
180 µs for each of a version's hundred and more classes, although decoding needs none of it.
Here a class gets its slots at once. The rest is made, by `dataclasses` itself, when anything
of it is first looked up: on construction, printing and comparison, by `fields`, `replace`,
`asdict` and `inspect.signature`.
"""

from __future__ import annotations

import sys
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass

__all__ = ["dataclass"]

_MADE_LATER = (
    "__init__",
    "__repr__",
    "__eq__",
    *(("__replace__",) if sys.version_info >= (3, 13) else ()),
    "__dataclass_fields__",
    "__dataclass_params__",
    # Made by nobody, but looked up by `inspect.signature`, which needs `__init__` next.
    "__signature__",
)

_finishing = RLock()


class _Unfinished:
    """A class that lacks what is made later, and what it was declared as."""

    def __init__(self, declared: type[object]) -> None:
        self.cls = declared
        self._declared: type[object] | None = declared
        self._made: dict[str, Any] = {}

    def finish(self) -> dict[str, Any]:
        """Complete the class if that has not been done; return the attributes it got."""
        with _finishing:
            if self._declared is not None:
                self._made = _made_by_dataclasses(self._declared)
                for name in _MADE_LATER:
                    if name in self._made:
                        setattr(self.cls, name, self._made[name])
                    else:
                        delattr(self.cls, name)
                self._declared = None
            return self._made


class _Later:
    """Stands in a class for an attribute that is made when it is first looked up."""

    __slots__ = ("_name", "_owner")

    def __init__(self, name: str, owner: _Unfinished) -> None:
        self._name = name
        self._owner = owner

    def __get__(self, instance: object, cls: type[object]) -> Any:
        made = self._owner.finish()
        if self._name not in made:
            raise AttributeError(self._name)
        value = made[self._name]
        # Not looked up again, since a subclass may have overridden it and be calling this one.
        bind = getattr(value, "__get__", None)
        return value if bind is None else bind(instance, cls)


def _made_by_dataclasses(declared: type[object]) -> dict[str, Any]:
    # Imported here because it loads half of what the standard library has for source code.
    from dataclasses import dataclass as decorator

    made = vars(decorator(kw_only=True, slots=True)(declared))
    return {name: made[name] for name in _MADE_LATER if name in made}


def _slotted(declared: type[object]) -> type[object]:
    """The class with a slot for each annotation, and the rest to be made later."""
    unfinished = _Unfinished(declared)
    fields = tuple(declared.__annotations__)
    dropped = {*fields, "__dict__", "__weakref__"}
    members = {name: value for name, value in vars(declared).items() if name not in dropped}
    members |= {name: _Later(name, unfinished) for name in _MADE_LATER}
    members |= {"__slots__": fields, "__match_args__": (), "__hash__": None}
    unfinished.cls = type(declared.__name__, declared.__bases__, members)
    unfinished.cls.__qualname__ = declared.__qualname__
    return unfinished.cls


def _dataclass(
    *, kw_only: bool = False, slots: bool = False, **options: bool
) -> Callable[[type[object]], type[object]]:
    """Return the decorator; it takes what `dataclasses.dataclass` takes, as keywords.

    Anything but slotted classes of keyword-only fields, such as `frozen` or `order`, is left
    to that decorator at once.
    """
    if kw_only and slots and not options:
        return _slotted
    from dataclasses import dataclass as decorator

    complete: Any = decorator(kw_only=kw_only, slots=slots, **options)
    return lambda declared: complete(declared)


if not TYPE_CHECKING:
    dataclass = _dataclass
