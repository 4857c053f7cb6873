"""The quick ways through JSON and envelopes give what the careful ways give."""

from __future__ import annotations

import base64
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from runtime import _json_long, _json_standard
from runtime.envelope import plain_response, read_envelope, read_error, read_result
from runtime.errors import DecodeError, EncodeError

thorough = settings(
    deadline=None, max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
TEXT = st.text(st.characters(exclude_categories=()), max_size=8)
ANYTHING = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(),
        st.floats(-1, 1),
        TEXT,
        st.binary(max_size=3),
        st.dates(),
        st.decimals(),
        st.uuids(),
        st.just({1}),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(TEXT | st.integers() | st.none() | st.floats(), inner, max_size=4),
    ),
    max_leaves=12,
)
MEMBERS = st.dictionaries(
    st.sampled_from(["jsonrpc", "id", "result", "error", "extra"]),
    st.one_of(
        st.just("2.0"),
        st.sampled_from([7, "a", 1.0, True, None, {}, {"x": 1}]),
        st.dictionaries(
            st.sampled_from(["code", "message", "data", "more"]),
            st.sampled_from([-32600, 1.0, True, "text", None, {}]),
        ),
    ),
)


@pytest.fixture
def msgspec_dumps() -> Any:
    """`dumps` of msgspec; the test is skipped where it is not installed."""
    if find_spec("msgspec") is None:
        pytest.skip("msgspec is not installed")
    return import_module("runtime._json_msgspec").make_dumps()


def written(dumps: Callable[[Any], bytes], value: object) -> object:
    try:
        return dumps(value)
    except EncodeError as error:
        return error.args


@thorough
@given(value=ANYTHING)
def test_both_libraries_write_alike(msgspec_dumps: Any, value: object) -> None:
    assert written(msgspec_dumps, value) == written(_json_standard.dumps, value)


def test_cycles_are_refused_alike(msgspec_dumps: Any) -> None:
    cycle: list[Any] = []
    cycle.append({"a": cycle})
    assert written(msgspec_dumps, cycle) == written(_json_standard.dumps, cycle)


def test_every_character_is_written_alike(msgspec_dumps: Any) -> None:
    for code in [*range(0x3000), *range(0xD7F0, 0xE010), 0xFFFF, 0x10000, 0x10FFFF]:
        assert msgspec_dumps(chr(code)) == _json_standard.dumps(chr(code))


def test_large_texts_are_noted_once() -> None:
    data = base64.b64encode(bytes(9000)).decode()
    assert not _json_long.large_text_was_noted()
    assert _json_long.large_text("short") == "short"
    assert not _json_long.large_text_was_noted()
    assert _json_long.large_text(data) is data
    assert _json_standard.dumps([data]) == f'["{data}"]'.encode()
    assert not _json_long.large_text_was_noted()


@settings(deadline=None, max_examples=1500)
@given(value=MEMBERS)
def test_plain_responses_are_read_as_others(value: dict[str, Any]) -> None:
    quick = plain_response(value)
    if quick is not None:
        envelope = read_envelope(value)
        assert quick == (
            read_result(envelope) if envelope.kind == "result" else read_error(envelope)
        )


@pytest.mark.parametrize(
    ("value", "is_plain"),
    [
        ({"jsonrpc": "2.0", "id": 0, "result": {}}, True),
        ({"jsonrpc": "2.0", "id": "", "result": {"a": None}}, True),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}}, True),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "", "data": None}}, True),
        ({"jsonrpc": "2.0", "id": True, "result": {}}, False),
        ({"jsonrpc": "2.0", "id": 1, "result": []}, False),
        ({"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}, False),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": 1.0, "message": ""}}, False),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "", "more": 1}}, False),
        ({"jsonrpc": "1.0", "id": 1, "result": {}}, False),
        ({}, False),
    ],
)
def test_which_responses_are_plain(value: dict[str, Any], is_plain: bool) -> None:
    quick = plain_response(value)
    assert (quick is not None) is is_plain
    if quick is not None:
        assert quick.to_dict() == value


def test_what_is_no_plain_response_may_be_none_at_all() -> None:
    with pytest.raises(DecodeError):
        read_envelope({"jsonrpc": "2.0", "id": 1})
