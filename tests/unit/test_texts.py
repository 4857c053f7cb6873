"""Parsing texts: values, and one kind of error for whatever is wrong."""

from __future__ import annotations

import pytest
from mcpgen.texts import parse_json, parse_toml


def test_values() -> None:
    assert parse_json(b'{"a": [1, "\xc3\xa9"]}') == parse_json('{"a": [1, "\u00e9"]}')
    assert parse_json("[null]") == [None]
    assert parse_toml(b'a = "\xc3\xa9"\r\n') == parse_toml('a = "\u00e9"\n') == {"a": "\u00e9"}


@pytest.mark.parametrize("text", ["", "[", "[" * 100_000, '{"a":' * 100_000, "9" * 10_000, b"\xff"])
def test_what_is_no_json(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


@pytest.mark.parametrize("text", ["=", f"a = {'[' * 5000}", f"a = {'{a=' * 5000}", b"a = '\xff'"])
def test_what_is_no_toml(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        parse_toml(text)
