"""The decorator of emitted and other classes: dataclasses whose methods are made when first used.

`dataclasses.dataclass` compiles `__init__`, `__repr__` and `__eq__` when a class is defined:
180 µs for each of a version's hundred and more classes, although decoding needs none of it.
Here a class gets its slots at once. The rest is made, by `dataclasses` itself, when anything
of it is first looked up: on construction, printing and comparison, by `fields`, `replace`,
`asdict` and `inspect.signature`.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
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
_OF_FROZEN = ("__setattr__", "__delattr__", "__hash__", "__getstate__", "__setstate__")

_OF_EVERY_CLASS = ("__dict__", "__weakref__")


class _Unfinished:
    """A class that lacks what is made later, and what it was declared as."""

    def __init__(
        self, declared: type[object], names: tuple[str, ...], options: dict[str, bool]
    ) -> None:
        self.cls = declared
        self._names = names
        self._options = options
        self._declared: type[object] | None = declared
        self._made: dict[str, Any] = {}

    def finish(self) -> dict[str, Any]:
        """Complete the class if that has not been done; return the attributes it got.

        It may be interrupted, and run in several threads at once: each makes the same, and
        what somebody has set meanwhile is left alone.
        """
        declared = self._declared
        if declared is not None:
            self._made = _made_by_dataclasses(declared, self._names, self._options)
            for name in self._names:
                if isinstance(vars(self.cls).get(name), _Later):
                    self._replace(name)
            self._declared = None
        return self._made

    def _replace(self, name: str) -> None:
        if name in self._made:
            setattr(self.cls, name, self._made[name])
        else:
            with suppress(AttributeError):  # Another thread was quicker.
                delattr(self.cls, name)


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


def _made_by_dataclasses(
    declared: type[object], names: tuple[str, ...], options: dict[str, bool]
) -> dict[str, Any]:
    # Imported here because it loads half of what the standard library has for source code.
    from dataclasses import dataclass as decorator

    complete: Any = decorator(slots=True, **options)
    # Of a copy, since this may be interrupted, and it writes to the class it is given.
    finished: type[object] = complete(_copy(declared, vars(declared)))
    made = vars(finished)
    return {name: made[name] for name in names if name in made}


def _slotted(declared: type[object], *, kw_only: bool, frozen: bool) -> type[object]:
    """The class with a slot for each annotation, and the rest to be made later."""
    names = _MADE_LATER + _OF_FROZEN if frozen else _MADE_LATER
    unfinished = _Unfinished(declared, names, {"kw_only": kw_only, "frozen": frozen})
    fields = tuple(declared.__annotations__)
    members = {name: value for name, value in vars(declared).items() if name not in fields}
    members |= {"__slots__": fields, "__match_args__": () if kw_only else fields, "__hash__": None}
    members |= {name: _Later(name, unfinished) for name in names}
    unfinished.cls = _copy(declared, members)
    return unfinished.cls


def _copy(declared: type[object], members: Mapping[str, Any]) -> type[object]:
    """A class of other members, but for what every class has of its own."""
    kept = {name: value for name, value in members.items() if name not in _OF_EVERY_CLASS}
    cls = type(declared.__name__, declared.__bases__, kept)
    cls.__qualname__ = declared.__qualname__
    return cls


def _dataclass(
    *, kw_only: bool = False, slots: bool = False, frozen: bool = False, **options: bool
) -> Callable[[type[object]], type[object]]:
    """Return the decorator; it takes what `dataclasses.dataclass` takes, as keywords.

    Classes without slots and other options, such as `order`, are left to that decorator at
    once.
    """
    if slots and not options:
        return partial(_slotted, kw_only=kw_only, frozen=frozen)
    from dataclasses import dataclass as decorator

    complete: Any = decorator(kw_only=kw_only, slots=slots, frozen=frozen, **options)
    return lambda declared: complete(declared)


if not TYPE_CHECKING:
    dataclass = _dataclass
