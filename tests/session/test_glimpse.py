"""What is told of messages that cannot be read: of long ones by both ends, of others by one."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_wire.runtime.glimpse import glimpse
from mcp_wire.runtime.lines import LineSplitter, LongLine

LONG: dict[str, Any] = {"content": [{"type": "text", "text": 'x","id":9}' * 500}], "id": 8}


def told(text: bytes) -> dict[str, Any]:
    (line,) = LineSplitter(100).feed(text + b"\n")
    assert isinstance(line, LongLine)
    return glimpse(line)


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" ,\t", " :  ")])
@pytest.mark.parametrize("name", ["result", "params", "error"])
def test_members_before_and_after_the_long_one(name: str, separators: tuple[str, str]) -> None:
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", name: LONG}
    for names in itertools.permutations(message):
        text = json.dumps({key: message[key] for key in names}, separators=separators)
        assert told(text.encode()) == {**message, name: {}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"x" * 9999, {}),
        (b"[" * 9999, {}),
        (b'[{"id":7},' + b"1," * 9999 + b"1]", {}),
        (b'{"id":"a\\"b","x":[' + b"1," * 9999 + b'1],"id":-5 } ', {"id": -5, "x": {}}),
        (b'{"id":"' + b"x" * 9999 + b'","method":"m"}', {"id": {}, "method": "m"}),
        (b'{"id":1.5,"x":[' + b"1," * 9999 + b"1]}", {"id": {}}),
        (b'{"id":7,"x":{"y":"' + b"x" * 9999 + b'","id":8}}', {"id": 7, "x": {}}),
        (b'{"\xff":7,"x":"' + b"x" * 9999 + b'"}', {}),
        (b"{" + b" " * 9999 + b"}", {}),
        (b'{"' + b"\\" * 9999, {}),
    ],
)
def test_what_is_told_of_other_text(text: bytes, expected: dict[str, Any]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":7,"result":{"x":NaN}}', {"jsonrpc": "2.0", "id": 7, "result": {}}),
        (b'{"id":7,"result":{"x":"\xff"}}', {"id": 7, "result": {}}),
        (b'{"id":7,"result":{"a":1,"id":8}', {"id": 7, "result": {}}),
        (b'{"result":{"a":NaN},"id":8}', {"result": {}}),
        (b"Listening on port 80", {}),
    ],
)
def test_what_is_told_of_no_json(text: bytes, expected: dict[str, Any]) -> None:
    assert glimpse(text) == expected


short = st.text(max_size=5) | st.integers(-9, 9)
values = st.recursive(
    short | st.none() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(["id", "method", 'a"', "b,"]), values), values, st.data())
def test_nothing_untrue_is_told(others: dict[str, Any], value: Any, data: st.DataObject) -> None:
    message = {**others, "long": [value, "x" * 700, value]}
    names = data.draw(st.permutations(list(message)))
    text = json.dumps({name: message[name] for name in names}, ensure_ascii=False)
    for name, known in told(text.encode()).items():
        assert known in (message[name], {})
