"""Writing JSON text: spelling, subclasses, surrogates, long strings, and what is refused."""

from __future__ import annotations

import base64
import collections
import datetime
import decimal
import enum
import json
import math
import uuid
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from runtime import _json_standard
from runtime.errors import EncodeError
from runtime.jsontext import dumps


class Text(str):
    __slots__ = ()


class Level(enum.IntEnum):
    LOW = 1


class Colour(enum.StrEnum):
    RED = "red"


class Plain(enum.Enum):
    A = "a"


class Integer(int):
    pass


class Real(float):
    pass


class Pair(NamedTuple):
    left: int
    right: int


@dataclass
class Point:
    x: int = 1


@pytest.mark.parametrize("long_strings", [False, True])
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, b"null"),
        ("a", b'"a"'),
        (3, b"3"),
        (1.5, b"1.5"),
        ({}, b"{}"),
        ([], b"[]"),
        ({"a": [1, True, None, -0.0]}, b'{"a":[1,true,null,-0.0]}'),
        ((1, (2,)), b"[1,[2]]"),
        ("é\u2028😀\x7f/", '"é\u2028😀\x7f/"'.encode()),
        ('\x00\x1f\b\f\n\r\t"\\', b'"\\u0000\\u001f\\b\\f\\n\\r\\t\\"\\\\"'),
        ("\ud800", b'"\\ud800"'),
        ("\\\udfff", b'"\\\\\\udfff"'),
        ({"\ud800é": "😀\udc00"}, '{"\\ud800é":"😀\\udc00"}'.encode()),
        (2**200, str(2**200).encode()),
        (1e16, b"1e+16"),
        (Text("a"), b'"a"'),
        (Colour.RED, b'"red"'),
        (Level.LOW, b"1"),
        (Integer(3), b"3"),
        (Real(1.5), b"1.5"),
        (Pair(1, 2), b"[1,2]"),
        (collections.OrderedDict(b=1, a=2), b'{"b":1,"a":2}'),
        ({1: 1, 1.5: 2, False: 3, None: 4}, b'{"1":1,"1.5":2,"false":3,"null":4}'),
        ({Colour.RED: 1, Text("a"): 2}, b'{"red":1,"a":2}'),
    ],
)
def test_written(value: object, text: bytes, long_strings: bool) -> None:
    assert dumps(value, long_strings=long_strings) == text


def _cycle() -> dict[str, Any]:
    inner: list[Any] = []
    inner.append({"back": inner})
    return {"a": inner}


@pytest.mark.parametrize("long_strings", [False, True])
@pytest.mark.parametrize(
    ("value", "path", "found"),
    [
        (math.nan, "$", "number nan"),
        ({"a": [1, math.inf]}, "$.a[1]", "number inf"),
        ({"a b": -math.inf}, '$["a b"]', "number -inf"),
        ({"a": b"x"}, "$.a", "an instance of builtins.bytes"),
        ([bytearray()], "$[0]", "an instance of builtins.bytearray"),
        ([{1}], "$[0]", "an instance of builtins.set"),
        ([datetime.date(2020, 1, 1)], "$[0]", "an instance of datetime.date"),
        ([uuid.UUID(int=1)], "$[0]", "an instance of uuid.UUID"),
        ([decimal.Decimal(1)], "$[0]", "an instance of decimal.Decimal"),
        ([MappingProxyType({})], "$[0]", "an instance of builtins.mappingproxy"),
        ([[Point()]], "$[0][0]", f"an instance of {__name__}.Point"),
        ([Plain.A], "$[0]", f"an instance of {__name__}.Plain"),
        ({"a": {b"k": 1}}, "$.a", "an instance of builtins.bytes as a key"),
        ({"a": {(1,): 1}}, "$.a", "an instance of builtins.tuple as a key"),
        ([{1: b""}], '$[0]["1"]', "an instance of builtins.bytes"),
        pytest.param([10**5000], "$[0]", "integer of 16610 bits", id="digits"),
        (_cycle(), "$.a[0].back", "an object or array inside itself"),
    ],
)
def test_unwritable(value: object, path: str, found: str, long_strings: bool) -> None:
    with pytest.raises(EncodeError) as caught:
        dumps(value, long_strings=long_strings)
    error = caught.value
    assert (error.path, error.expected, error.found) == (path, "a JSON value", found)
    assert error.__context__ is None


def test_the_same_thing_twice_is_no_cycle() -> None:
    shared = {"a": [1]}
    assert dumps([shared, shared]) == b'[{"a":[1]},{"a":[1]}]'
    with pytest.raises(EncodeError) as caught:
        dumps([shared, shared, b""])
    assert caught.value.path == "$[2]"


@pytest.mark.parametrize(
    ("last", "found"),
    [(1, "arrays or objects nested too deeply"), (b"", "an instance of builtins.bytes")],
)
def test_deep_values_are_an_encode_error(last: object, found: str) -> None:
    value = last
    for level in range(100_000):
        value = [value] if level % 2 else {"a": value}
    with pytest.raises(EncodeError) as caught:
        dumps(value)
    assert caught.value.found == found


def test_encoder_recovers_after_errors() -> None:
    cycle = _cycle()
    for _ in range(3):
        with pytest.raises(EncodeError):
            dumps(cycle)
        assert dumps({"a": [{"back": []}]}) == b'{"a":[{"back":[]}]}'


BASE64 = base64.b64encode(bytes(range(256)) * 200).decode()


@pytest.mark.parametrize("char", [*map(chr, range(32)), '"', "\\", "\x7f", "é", "😀", "\ud800"])
def test_long_strings_are_escaped_alike(char: str) -> None:
    for value in (BASE64, char + BASE64, BASE64 + char, BASE64[:9000] + char + BASE64[9000:]):
        document = {"data": value, value: [value]}
        assert dumps(document, long_strings=True) == dumps(document)
        assert json.loads(dumps(value)) == value


def test_without_the_accelerated_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json.encoder, "c_make_encoder", None)
    encode = _json_standard._make_encode(json.encoder.encode_basestring)
    monkeypatch.setattr(_json_standard, "_encode", encode)
    assert dumps({"a": ["é", 1.5, None]}) == '{"a":["é",1.5,null]}'.encode()
    for value in (math.nan, b"", _cycle()):
        with pytest.raises(EncodeError):
            dumps(value)
