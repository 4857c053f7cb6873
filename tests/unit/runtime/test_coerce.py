"""The slow-path helpers: what each accepts, returns and refuses."""

from __future__ import annotations

import enum
from collections import OrderedDict, UserDict, UserList
from collections.abc import Callable
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from runtime.coerce import (
    as_array,
    as_boolean,
    as_integer,
    as_number,
    as_object,
    as_request_id,
    as_string,
)
from runtime.errors import Mismatch
from runtime.values import UNSET

NAN = float("nan")
INFINITY = float("inf")


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Level(enum.IntEnum):
    LOW = 1


class Colour(enum.StrEnum):
    RED = "red"


class Real(float):
    pass


ORDERED = OrderedDict(a=1)
SUBLIST = type("SubList", (list,), {})([1])

SAME: list[tuple[Callable[[object], object], object]] = [
    (as_object, {"a": 1}),
    (as_object, {}),
    (as_object, ORDERED),
    (as_array, [1]),
    (as_array, []),
    (as_array, SUBLIST),
    (as_string, ""),
    (as_string, Text("a")),
    (as_string, Colour.RED),
    (as_string, "\ud800"),
    (as_integer, 0),
    (as_integer, -(2**200)),
    (as_integer, Number(3)),
    (as_integer, Level.LOW),
    (as_number, 3),
    (as_number, 3.0),
    (as_number, 3.5),
    (as_number, -0.0),
    (as_number, 10**400),
    (as_number, Level.LOW),
    (as_number, Real(1.5)),
    (as_boolean, True),
    (as_boolean, False),
    (as_request_id, "a"),
    (as_request_id, ""),
    (as_request_id, 0),
    (as_request_id, 10**400),
    (as_request_id, Text("a")),
    (as_request_id, Number(3)),
]

REFUSED: list[tuple[Callable[[object], object], list[Any]]] = [
    (as_object, [[], (), None, "{}", 1, UNSET, MappingProxyType({}), UserDict()]),
    (as_array, [{}, (), None, "[]", 1, UNSET, set(), UserList(), range(1)]),
    (as_string, [None, 1, b"a", bytearray(b"a"), [], {}, UNSET, True]),
    (
        as_integer,
        [None, True, False, 3.5, NAN, INFINITY, -INFINITY, "3", UNSET, 3 + 0j, Decimal(3)],
    ),
    (as_number, [None, True, False, NAN, INFINITY, -INFINITY, "3", UNSET, 3 + 0j, Decimal(3)]),
    (as_boolean, [None, 0, 1, 0.0, "true", "", UNSET, [], Number(1)]),
    (as_request_id, [None, True, False, 1.0, 1.5, NAN, b"a", UNSET, [], {}]),
]


@pytest.mark.parametrize(("coerce", "value"), SAME)
def test_accepted_as_it_is(coerce: Callable[[object], object], value: object) -> None:
    assert coerce(value) is value


@pytest.mark.parametrize(
    ("coerce", "value"), [(coerce, value) for coerce, values in REFUSED for value in values]
)
def test_refused(coerce: Callable[[object], object], value: object) -> None:
    with pytest.raises(Mismatch) as caught:
        coerce(value)
    assert caught.value.args == ()


@pytest.mark.parametrize(
    ("value", "integer"),
    [(3.0, 3), (-3.0, -3), (0.0, 0), (-0.0, 0), (1e22, 10**22), (Real(2.0), 2)],
)
def test_whole_floats_are_integers(value: float, integer: int) -> None:
    result = as_integer(value)
    assert type(result) is int
    assert result == integer
