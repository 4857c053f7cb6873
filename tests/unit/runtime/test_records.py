"""Classes whose dataclass methods are made when first used behave as dataclasses do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from runtime import records
from runtime.records import dataclass


class Base:
    __slots__ = ()


def declare(decorator: Callable[..., Any], **options: bool) -> Any:
    @decorator(slots=True, **options)
    class Point(Base):
        """A point."""

        x: int
        y: int | None = None

        def norm(self) -> int:
            return self.x

    return Point


OPTIONS: list[dict[str, bool]] = [
    {"kw_only": True},
    {},
    {"frozen": True},
    {"frozen": True, "kw_only": True},
]


@pytest.fixture
def point() -> Any:
    """A class of which nothing has been used yet."""
    return declare(dataclass, kw_only=True)


@dataclass(kw_only=True, slots=True)
class Kept(Base):
    """A class that pickles can find."""

    x: int


@dataclass(slots=True, frozen=True)
class Frozen(Base):
    """Another."""

    x: int


def outcome(call: Callable[..., object], *args: object) -> object:
    """What comes of a call: a value, or an error, which may be that of a frozen instance."""
    try:
        return call(*args)
    except (TypeError, AttributeError) as error:
        return type(error), str(error)


def set_and_deleted(cls: Any) -> list[object]:
    point = cls(x=1)
    found = [outcome(setattr, point, "x", 5), outcome(setattr, point, "z", 5), point.x]
    return [*found, outcome(delattr, point, "x"), outcome(getattr, point, "x")]


USES: dict[str, Callable[[Any], Any]] = {
    "construction": lambda cls: (cls(x=1).x, cls(x=1).y),
    "missing field": lambda cls: outcome(cls),
    "positional": lambda cls: str(outcome(cls, 1)),
    "setting and deleting": set_and_deleted,
    "hash of a value": lambda cls: outcome(hash, cls(x=1)),
    "state": lambda cls: outcome(lambda: copy.copy(cls(x=[1])).x),
    "repr": lambda cls: repr(cls(x=1, y=2)),
    "equality": lambda cls: (cls(x=1) == cls(x=1), cls(x=1) == cls(x=2), cls(x=1) == 1),
    "hash": lambda cls: cls.__hash__ is None,
    "fields": lambda cls: [(field.name, field.type) for field in dataclasses.fields(cls)],
    "is_dataclass": dataclasses.is_dataclass,
    "params": lambda cls: repr(cls.__dataclass_params__),
    "signature": lambda cls: str(inspect.signature(cls)),
    "signature of init": lambda cls: str(inspect.signature(cls.__init__)),
    "asdict": lambda cls: dataclasses.asdict(cls(x=1)),
    "replace": lambda cls: dataclasses.replace(cls(x=1), y=3).y,
    "has replace": lambda cls: hasattr(cls, "__replace__"),
    "deepcopy": lambda cls: copy.deepcopy(cls(x=[1])).x,
    "slots": lambda cls: (cls.__slots__, hasattr(cls(x=1), "__dict__")),
    "match": lambda cls: cls.__match_args__,
    "names": lambda cls: (cls.__qualname__, cls.__module__, cls.__doc__, cls.__annotations__),
    "own methods": lambda cls: cls(x=4).norm(),
    "attributes": lambda cls: sorted(set(dir(cls)) - {"__signature__"}),
}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_as_the_standard_library(use: Callable[[Any], Any], options: dict[str, bool]) -> None:
    assert use(declare(dataclass, **options)) == use(declare(dataclasses.dataclass, **options))


def test_nothing_is_made_before_it_is_used(point: Any) -> None:
    instance = object.__new__(point)
    instance.x = 1
    instance.y = None
    assert type(vars(point)["__init__"]).__name__ == "_Later"
    assert repr(instance) == repr(point(x=1))
    assert inspect.isfunction(vars(point)["__init__"])
    assert "__signature__" not in vars(point)


def test_comparison_finishes_a_class(point: Any) -> None:
    one, other = object.__new__(point), object.__new__(point)
    one.x = other.x = 1
    one.y = other.y = None
    assert one == other
    assert one is not other


def test_a_subclass_calls_what_it_overrides(point: Any) -> None:
    class Child(point):  # type: ignore[misc]
        def __init__(self, **fields: Any) -> None:
            super().__init__(**fields)
            self.x += 1

        def __repr__(self) -> str:
            return f"<{super().__repr__()}>"

    assert Child(x=1).x == 2
    assert repr(Child(x=1)).startswith("<")
    assert str(inspect.signature(Child)) == "(**fields: 'Any') -> 'None'"


def test_a_subclass_may_be_a_dataclass(point: Any) -> None:
    @dataclasses.dataclass(kw_only=True)
    class Child(point):  # type: ignore[misc]
        z: int = 3

    assert [field.name for field in dataclasses.fields(Child)] == ["x", "y", "z"]
    assert dataclasses.asdict(Child(x=1)) == {"x": 1, "y": None, "z": 3}


def test_pickles_and_copies() -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(Kept(x=1), protocol)) == Kept(x=1)
        assert pickle.loads(pickle.dumps(Frozen(1), protocol)) == Frozen(1)
    assert copy.copy(Kept(x=1)) == Kept(x=1)


def test_threads_finish_a_class_together(point: Any) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda x: point(x=x).x, range(64)))
    assert made == list(range(64))
    assert point(x=1) == point(x=1)


@pytest.mark.parametrize("name", ["__repr__", "__eq__", "__init__"])
def test_what_is_set_before_the_first_use_stays(point: Any, name: str) -> None:
    def own(*args: object, **fields: object) -> Any:
        return None

    setattr(point, name, own)
    dataclasses.fields(point)
    assert vars(point)[name] is own


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_an_interrupted_use_may_be_repeated(options: dict[str, bool]) -> None:
    """By Ctrl-C, at any line of this and of the standard library's module."""
    lines = 0
    was_interrupted = True
    while was_interrupted:
        point, lines = declare(dataclass, **options), lines + 20
        was_interrupted = interrupted(lambda point=point: point(x=1), lines)
        assert (point(x=2), point(x=2)) == (point(x=2), point(x=2))
        assert repr(point(x=2)).endswith("Point(x=2, y=None)")
        if options.get("frozen"):
            with pytest.raises(dataclasses.FrozenInstanceError):
                point(x=2).x = 3
    assert lines > 100


MODULES = (dataclasses.__file__, records.__file__)


def interrupted(use: Callable[[], object], after: int) -> bool:
    """Use something, and raise an interruption after so many lines; tell whether it came to it."""
    left = after

    def trace(frame: Any, event: str, arg: object) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in MODULES:
            return None  # A finalizer, it may be, in which nothing can be raised.
        left -= event == "line"
        if left == 0:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        use()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False
