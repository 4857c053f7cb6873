"""The exceptions: their attributes, messages, copies and pickles; descriptions stay short."""

from __future__ import annotations

import copy
import enum
import pickle
from typing import Any

import pytest
from runtime.errors import (
    CapabilityError,
    ConnectionClosed,
    DecodeError,
    EncodeError,
    JsonError,
    McpError,
    Mismatch,
    PingFailed,
    RequestTimeout,
    RpcError,
    describe,
    format_path,
)
from runtime.values import UNSET

EXAMPLES: list[tuple[McpError, str]] = [
    (
        DecodeError("$.params.content[2].text", "string", "null"),
        "$.params.content[2].text: expected string, found null",
    ),
    (JsonError("$", "JSON text", "nothing"), "$: expected JSON text, found nothing"),
    (
        EncodeError("$.x", "a JSON value", "number nan"),
        "$.x: expected a JSON value, found number nan",
    ),
    (RpcError(-32601, "Method not found"), "Method not found (code -32601)"),
    (RpcError(1, "m", {"path": "$"}), "m (code 1)"),
    (RequestTimeout("tools/call", 2.5), "tools/call: no answer within 2.5 s"),
    (PingFailed("no answer"), "ping failed: no answer"),
    (ConnectionClosed("end of input"), "end of input"),
    (ConnectionClosed(), "the connection is closed"),
    (
        CapabilityError("sampling/createMessage", "sampling"),
        "sampling/createMessage: the peer did not advertise the capability 'sampling'",
    ),
]


@pytest.mark.parametrize(("error", "message"), EXAMPLES)
def test_messages(error: McpError, message: str) -> None:
    assert str(error) == message


@pytest.mark.parametrize(("error", "message"), EXAMPLES)
def test_copies_and_pickles_keep_everything(error: McpError, message: str) -> None:
    pickles = [
        pickle.loads(pickle.dumps(error, protocol))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    ]
    for twin in [copy.copy(error), copy.deepcopy(error), *pickles]:
        assert type(twin) is type(error)
        assert vars(twin) == vars(error)
        assert str(twin) == message


def test_families() -> None:
    assert all(isinstance(error, McpError) for error, _ in EXAMPLES)
    assert issubclass(DecodeError, ValueError)
    assert issubclass(EncodeError, ValueError)
    assert issubclass(JsonError, DecodeError)
    assert not issubclass(Mismatch, McpError)


def test_decode_error_has_its_parts() -> None:
    error = DecodeError("$.a", "string", "null")
    assert (error.path, error.expected, error.found) == ("$.a", "string", "null")


def test_at_describes_the_value() -> None:
    error = DecodeError.at(("params", "a b", 3), "array", {"x": 1})
    assert str(error) == '$.params["a b"][3]: expected array, found object with 1 key'
    assert type(JsonError.at((), "array", 1)) is JsonError


def test_rpc_error_without_data_differs_from_null() -> None:
    assert RpcError(1, "m").data is UNSET
    assert RpcError(1, "m", None).data is None
    assert pickle.loads(pickle.dumps(RpcError(1, "m"))).data is UNSET
    assert RpcError(code=1, message="m", data=0).data == 0


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ((), "$"),
        (("params", "content", 2, "text"), "$.params.content[2].text"),
        (("a b",), '$["a b"]'),
        (("",), '$[""]'),
        (("_meta",), "$._meta"),
        (("$ref",), '$["$ref"]'),
        (("io.x/y",), '$["io.x/y"]'),
        (('q"\\\n\u2028',), '$["q\\"\\\\\\n\\u2028"]'),
        (("\ud800",), '$["\\ud800"]'),
        (("naïve",), "$.naïve"),
        (("0",), '$["0"]'),
    ],
)
def test_paths(parts: tuple[str | int, ...], path: str) -> None:
    assert format_path(parts) == path


def test_paths_shorten_long_keys() -> None:
    path = format_path(["k" * 1_000_000, "x"])
    assert path == '$["' + "k" * 80 + '"…].x'


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (3, "integer 3"),
        (Level.LOW, "integer 1"),
        pytest.param(10**5000, "integer of 16610 bits", id="digits"),
        pytest.param(-(10**5000), "integer of 16610 bits", id="negative digits"),
        (3.5, "number 3.5"),
        (float("nan"), "number nan"),
        ("abc", "string 'abc'"),
        (Colour.RED, "string 'red'"),
        ("a\nb", "string 'a\\nb'"),
        ("\ud800", "string '\\ud800'"),
        ({}, "object with 0 keys"),
        ({"a": 1}, "object with 1 key"),
        ([1, 2], "array of 2 items"),
        (UNSET, "nothing"),
        ((1,), "an instance of builtins.tuple"),
        (b"x", "an instance of builtins.bytes"),
    ],
)
def test_descriptions(value: object, text: str) -> None:
    assert describe(value) == text


def test_descriptions_of_huge_values_are_short() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    huge = ["x" * 50_000_000, "\n" * 1_000_000, list(range(100_000)), {"k" * 10**6: 1}, deep]
    for value in huge:
        text = describe(value)
        assert len(text) < 130
        assert "\n" not in text
