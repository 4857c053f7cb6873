"""UNSET and EMPTY: falsy, the same object through copies and pickles, usable as defaults."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Mapping
from typing import Any

import pytest
from runtime.values import EMPTY, UNSET, EmptyMapping, Unset

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@dataclasses.dataclass(kw_only=True, slots=True)
class Holder:
    title: str | Unset | None = UNSET
    extra: Mapping[str, Any] = EMPTY


@pytest.mark.parametrize("singleton", [UNSET, EMPTY])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pickles_are_the_same_object(singleton: object, protocol: int) -> None:
    assert pickle.loads(pickle.dumps(singleton, protocol)) is singleton


@pytest.mark.parametrize("singleton", [UNSET, EMPTY])
def test_copies_are_the_same_object(singleton: object) -> None:
    assert copy.copy(singleton) is singleton
    assert copy.deepcopy(singleton) is singleton
    assert copy.deepcopy([singleton])[0] is singleton


@pytest.mark.parametrize("singleton", [UNSET, EMPTY])
def test_falsy_and_hashable(singleton: object) -> None:
    assert not singleton
    assert {singleton: 1}[singleton] == 1


def test_unset_prints_as_its_name() -> None:
    assert repr(UNSET) == str(UNSET) == f"{UNSET}" == "UNSET"


def test_unset_equals_only_itself() -> None:
    assert UNSET == Unset.UNSET
    assert all(other != UNSET for other in (None, "UNSET", 0, "", False, EMPTY))


def test_unset_has_one_value() -> None:
    assert list(Unset) == [UNSET]
    assert Unset("UNSET") is UNSET


def test_empty_is_a_mapping_without_keys() -> None:
    assert isinstance(EMPTY, Mapping)
    assert len(EMPTY) == 0
    assert list(EMPTY) == list(EMPTY.keys()) == list(EMPTY.values()) == list(EMPTY.items()) == []
    assert "a" not in EMPTY
    assert EMPTY.get("a") is None
    assert EMPTY.get("a", 1) == 1
    assert {**EMPTY} == dict(EMPTY) == {}
    with pytest.raises(KeyError, match="a"):
        EMPTY["a"]


def test_empty_equals_every_empty_mapping() -> None:
    filled, empty = {"a": 1}, dict[str, Any]()
    assert empty == EMPTY
    assert EMPTY.__eq__(empty) is True
    assert filled != EMPTY
    assert EMPTY.__eq__(filled) is False
    assert EMPTY.__eq__([]) is NotImplemented
    assert EMPTY not in ([], (), None)


def test_empty_prints_as_an_empty_dict() -> None:
    assert repr(EMPTY) == str(EMPTY) == "{}"


def test_empty_is_the_only_instance() -> None:
    assert EmptyMapping() is EMPTY


def test_empty_cannot_be_filled() -> None:
    writable: Any = EMPTY
    with pytest.raises(TypeError):
        writable["a"] = 1
    with pytest.raises(AttributeError):
        writable.a = 1
    assert len(EMPTY) == 0


def test_dataclasses_take_both_as_defaults() -> None:
    holder = Holder()
    assert holder == Holder(title=UNSET, extra={})
    assert holder != Holder(title=None)
    assert dataclasses.asdict(holder) == {"title": UNSET, "extra": {}}
    assert dataclasses.replace(holder, title="a").extra is EMPTY
    assert copy.deepcopy(holder).title is UNSET
    assert pickle.loads(pickle.dumps(holder)).extra is EMPTY


def test_patterns_match() -> None:
    match Holder():
        case Holder(title=Unset.UNSET, extra={}):
            matched = True
        case _:
            matched = False
    assert matched
