"""Which backend reads JSON text, and that both read everything alike."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from runtime import jsontext
from runtime.errors import DecodeError, JsonError
from runtime.jsontext import dumps

Load = Callable[[], ModuleType]

needs_msgspec = pytest.mark.skipif(find_spec("msgspec") is None, reason="msgspec is not installed")
thorough = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_the_standard_library_can_be_forced(
    fresh_jsontext: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_WIRE_JSON", "json")
    module = fresh_jsontext()
    assert module.backend() == "json"
    assert module.loads(b"[1]") == [1]


@needs_msgspec
@pytest.mark.parametrize("setting", [None, "", "msgspec"])
def test_msgspec_is_found(
    fresh_jsontext: Load, monkeypatch: pytest.MonkeyPatch, setting: str | None
) -> None:
    monkeypatch.delenv("MCP_WIRE_JSON", raising=False)
    if setting is not None:
        monkeypatch.setenv("MCP_WIRE_JSON", setting)
    module = fresh_jsontext()
    assert module.backend() == "msgspec"
    assert module.loads.__doc__


def test_without_msgspec(fresh_jsontext: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "msgspec", None)
    monkeypatch.setitem(sys.modules, "msgspec.json", None)
    monkeypatch.delenv("MCP_WIRE_JSON", raising=False)
    assert fresh_jsontext().backend() == "json"
    monkeypatch.setenv("MCP_WIRE_JSON", "msgspec")
    with pytest.raises(ImportError, match="MCP_WIRE_JSON asks for msgspec"):
        fresh_jsontext()


def test_an_msgspec_that_loses_digits_is_not_used(
    fresh_jsontext: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Decoder:
        def decode(self, text: bytes) -> Any:
            return json.loads(text, parse_int=float)

    old = ModuleType("msgspec.json")
    monkeypatch.setattr(old, "Decoder", Decoder, raising=False)
    monkeypatch.setitem(sys.modules, "msgspec", ModuleType("msgspec"))
    monkeypatch.setitem(sys.modules, "msgspec.json", old)
    monkeypatch.delenv("MCP_WIRE_JSON", raising=False)
    assert fresh_jsontext().backend() == "json"


def test_unknown_backend(fresh_jsontext: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_WIRE_JSON", "orjson")
    with pytest.raises(ValueError, match="expected json or msgspec, found 'orjson'"):
        fresh_jsontext()


def test_public_names() -> None:
    assert jsontext.backend() in {"json", "msgspec"}
    assert jsontext.loads(b"[1]") == [1]
    assert jsontext.JsonError is JsonError
    assert all(hasattr(jsontext, name) for name in jsontext.__all__)


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=8)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(2**70), max_value=2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    ANY_TEXT,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)
FRAGMENTS = [
    *(bytes([byte]) for byte in range(256)),
    *rb"\ud800 \udc00 \u0041 \" \\ 1e400 1e309 -0 -0.0 0.1e-7 NaN Infinity -Infinity".split(),
    *b'18446744073709551616 9223372036854775808 01 1. , : { } [ ] " [] {} null tru'.split(),
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\xe2\x80\xa8",
    b" ",
    b"\r\n",
    b'"a":1,',
    b"[" * 2000,
    b"9" * 4301,
]


@st.composite
def mutated_texts(draw: st.DrawFn) -> bytes:
    """JSON text in some layout, with a few pieces removed, replaced or put in."""
    options = draw(st.sampled_from([{}, {"indent": 1}, {"ensure_ascii": False}]))
    text = json.dumps(draw(VALUES), **options).encode(errors="surrogatepass")
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.integers(0, 3))
        piece = draw(st.sampled_from([b"", *FRAGMENTS]))
        text = text[:start] + piece + text[end:]
    return text


def _outcome(loads: Any, data: bytes | str) -> object:
    try:
        value = loads(data)
    except DecodeError as error:
        return type(error), error.args
    return repr(value)


@settings(thorough, max_examples=400)
@given(value=VALUES)
def test_round_trip(loads: Any, value: object) -> None:
    text = dumps(value)
    assert dumps(value, long_strings=True) == text
    assert repr(loads(text)) == repr(_joined(value))


def _joined(value: Any) -> Any:
    """The value with the halves of each surrogate pair joined, as reading escapes does."""
    if isinstance(value, str):
        return re.sub(
            "[\ud800-\udbff][\udc00-\udfff]",
            lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"),
            value,
        )
    if isinstance(value, list):
        return [_joined(item) for item in value]
    if isinstance(value, dict):
        return {_joined(key): _joined(item) for key, item in value.items()}
    return value


@settings(thorough, max_examples=1500)
@given(data=mutated_texts() | st.binary(max_size=40))
def test_both_backends_read_alike(standard_loads: Any, msgspec_loads: Any, data: bytes) -> None:
    expected = _outcome(standard_loads, data)
    assert _outcome(msgspec_loads, data) == expected
    text = data.decode("latin-1")
    assert _outcome(msgspec_loads, text) == _outcome(standard_loads, text)


def _numbers() -> Iterator[str]:
    for digits in ("1", "9", "123456789", "17976931348623157", "5", "24703282292062327"):
        for exponent in (-400, -325, -324, -323, -308, -20, -7, -1, 0, 1, 16, 22, 23, 308, 309):
            yield f"{digits}e{exponent}"
            yield f"-{digits}.{digits}E{exponent:+}"
            yield f"0.{'0' * 30}{digits}"
            yield f"{digits}{'0' * 25}.{digits}"


def test_both_backends_read_numbers_alike(standard_loads: Any, msgspec_loads: Any) -> None:
    for text in _numbers():
        assert _outcome(msgspec_loads, text) == _outcome(standard_loads, text)


NUMBERS = r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?"


@settings(thorough, max_examples=1000)
@given(text=st.from_regex(NUMBERS, fullmatch=True))
def test_both_backends_read_random_numbers_alike(
    standard_loads: Any, msgspec_loads: Any, text: str
) -> None:
    assert _outcome(msgspec_loads, text) == _outcome(standard_loads, text)
