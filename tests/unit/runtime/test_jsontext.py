"""Reading JSON text: what is accepted and refused, hostile input, the errors; both backends."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from runtime.errors import DecodeError, JsonError
from runtime.jsontext import dumps


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"null", None),
        (b"true", True),
        (b"[]", []),
        (b"{}", {}),
        (b' \t\r\n{"a" : [ 1 , 2.5 ] }\r\n', {"a": [1, 2.5]}),
        (b"-0", 0),
        (b"-0.0", -0.0),
        (b"1e5", 100000.0),
        (b"3.0", 3.0),
        (b"1e-400", 0.0),
        (b"1.7976931348623157e308", sys.float_info.max),
        (b"9007199254740993", 9007199254740993),
        (b"18446744073709551616", 2**64),
        (b"-123456789012345678901234567890", -123456789012345678901234567890),
        (b"1" * 4300, int("1" * 4300)),
        ('"\u2028\u2029é"'.encode(), "\u2028\u2029é"),
        (b'"\\ud83d\\ude00"', "😀"),
        (b'"\\ud800"', "\ud800"),
        (b'"\\udc00\\ud800"', "\udc00\ud800"),
        (b'{"\\ud800":1}', {"\ud800": 1}),
        (b'"\\u0000\\u001f\\/"', "\x00\x1f/"),
        (b'"\x7f"', "\x7f"),
        (b'{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
        (b"\xef\xbb\xbf[1]", [1]),
        (b"\xef\xbb\xbf [1] ", [1]),
        ('"\ufeff"'.encode(), "\ufeff"),
    ],
)
def test_accepted(loads: Any, text: bytes, value: object) -> None:
    as_str = text.decode()
    for data in (text, bytearray(text), memoryview(text), as_str):
        result = loads(data)
        assert repr(result) == repr(value)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf\xef\xbb\xbf1",
        b" \xef\xbb\xbf1",
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b"1e400",
        b"[-1e400]",
        b"1" * 400 + b".0",
        b"1.7976931348623159e308",
        b"1 x",
        b"{} {}",
        b"[1]\x00",
        b"[1]\x0c",
        b"\x0b[1]",
        b"\xc2\xa0[1]",
        b"[1,]",
        b'{"a":1,}',
        b'{"a"}',
        b"{1:2}",
        b"{'a':1}",
        b"01",
        b"1.",
        b".5",
        b"+1",
        b"-",
        b"1_0",
        b"\xd9\xa1",
        b"tru",
        b"True",
        b"None",
        b'"',
        b'"\\x"',
        b'"\\u12"',
        b'"\\u+123"',
        b'"a\x01"',
        b'"a\n"',
        b"[1",
        b'{"a":',
        b"\xff\xfe1\x00",
        b"1\x00",
        b"\x00\x00\x001",
        b"[1 /* c */]",
    ],
)
def test_refused(loads: Any, text: bytes) -> None:
    with pytest.raises(JsonError) as caught:
        loads(text)
    error = caught.value
    assert error.path == "$"
    assert error.expected in {"JSON text", "JSON text in UTF-8"}
    assert error.found
    assert isinstance(error, DecodeError)
    assert error.__context__ is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"", "the end of the text at line 1, column 1 (Expecting value)"),
        (b"[1\n }", "'}' at line 2, column 2 (Expecting ',' delimiter)"),
        (b'["abc', "'\"abc' at line 1, column 2 (Unterminated string)"),
        (b'["a\tb"]', "'\\tb\"]' at line 1, column 4 (Invalid control character)"),
        (b'"\xff"', "byte 0xff at offset 1"),
        (b"[NaN]", "'NaN', which is no finite number"),
        (b"-1e999", "'-1e999', which is no finite number"),
        (b"[1] {}", "'{}' after its end, at character 4"),
        (b"x" * 10**6, "'" + "x" * 20 + "'… at line 1, column 1 (Expecting value)"),
        (b"1" * 4301, "an integer of more than 4300 digits"),
        (b"[" * 100_000, "arrays or objects nested too deeply"),
    ],
)
def test_errors_say_what_and_where(loads: Any, text: bytes, found: str) -> None:
    with pytest.raises(JsonError) as caught:
        loads(text)
    assert caught.value.found == found


@pytest.mark.parametrize("start", [b"", b" ", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":['])
def test_deep_nesting_is_a_decode_error(loads: Any, start: bytes, opening: bytes) -> None:
    with pytest.raises(JsonError, match="nested too deeply"):
        loads(start + opening * 100_000)
    with pytest.raises(JsonError, match="nested too deeply"):
        loads(start + b"[" * 100_000 + b"]" * 100_000)


def test_moderate_nesting_is_read(loads: Any) -> None:
    value = loads(b"[" * 300 + b"1" + b"]" * 300)
    for _ in range(300):
        (value,) = value
    assert value == 1


def test_integer_limit_follows_the_interpreter(loads: Any) -> None:
    limit = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(0)
        assert loads(b"7" * 5000) == int("7" * 5000)
        sys.set_int_max_str_digits(640)
        with pytest.raises(JsonError, match="more than 640 digits"):
            loads(b"7" * 641)
    finally:
        sys.set_int_max_str_digits(limit)


def test_numbers_of_a_million_characters(loads: Any) -> None:
    assert loads(b"0." + b"3" * 1_000_000) == pytest.approx(1 / 3)
    for text in (b"3" * 1_000_000, b"3" * 1_000_000 + b".0"):
        with pytest.raises(JsonError) as caught:
            loads(text)
        assert len(str(caught.value)) < 100


def test_huge_strings(loads: Any) -> None:
    body = b"x" * 10_000_000
    assert loads(b'"' + body + b'"') == body.decode()
    with pytest.raises(JsonError) as caught:
        loads(b'"' + body)
    assert len(str(caught.value)) < 200


BAD_BYTES = (0x80, 0xBF, 0xC0, 0xC1, 0xE0, 0xED, 0xF0, 0xF5, 0xFF)


def test_invalid_utf8_at_every_position(loads: Any) -> None:
    text = '{"aé":["x€","😀",1.5,true,null]}'.encode()
    for position in range(len(text)):
        for byte in BAD_BYTES:
            replaced = bytearray(text)
            replaced[position] = byte
            inserted = text[:position] + bytes([byte]) + text[position:]
            for data in (bytes(replaced), inserted):
                if _is_utf8(data):
                    continue
                with pytest.raises(JsonError, match="UTF-8, found byte 0x"):
                    loads(data)
        with pytest.raises(JsonError):
            loads(text[:position])


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("text", [b'"\xed\xa0\x80"', b'"\xc0\x80"', b'"\xf4\x90\x80\x80"'])
def test_surrogates_and_overlong_forms_are_not_utf8(loads: Any, text: bytes) -> None:
    with pytest.raises(JsonError, match="UTF-8"):
        loads(text)


def test_text_may_hold_surrogates(loads: Any) -> None:
    assert loads('"\ud800"') == "\ud800"


def test_memoryview_with_gaps(loads: Any) -> None:
    assert loads(memoryview(b"[_1_,_2_]_")[::2]) == [1, 2]
    with pytest.raises(JsonError, match="UTF-8"):
        loads(memoryview(b'"_\xff_"_')[::2])


@pytest.mark.parametrize("limit", [None, 0, 100])
@pytest.mark.parametrize(
    ("data", "found"),
    [
        (None, "null"),
        (1, "integer 1"),
        (1.5, "number 1.5"),
        ([0] * 200, "array of 200 items"),
        ({}, "object with 0 keys"),
        (object(), "an instance of builtins.object"),
    ],
)
def test_what_is_neither_text_nor_bytes(
    loads: Any, data: object, found: str, limit: int | None
) -> None:
    with pytest.raises(JsonError) as caught:
        loads(data, max_bytes=limit)
    assert str(caught.value) == f"$: expected JSON text, found {found}"


def test_size_limit(loads: Any) -> None:
    text = '["é😀\ud800"]'
    size = len(text.encode(errors="surrogatepass"))
    assert loads(text, max_bytes=size) == ["é😀\ud800"]
    with pytest.raises(JsonError, match=f"at most {size - 1} bytes, found {size} bytes"):
        loads(text, max_bytes=size - 1)
    for data in (b"[1]", bytearray(b"[1]"), memoryview(b"[1]"), "[1]"):
        assert loads(data, max_bytes=3) == [1]
        with pytest.raises(JsonError, match="at most 2 bytes, found 3 bytes"):
            loads(data, max_bytes=2)
    assert loads(b"[1]", max_bytes=None) == [1]


def test_threads_share_the_encoder_and_decoder(loads: Any) -> None:
    values = [{"n": n, "s": "x" * n, "l": list(range(n % 50))} for n in range(500)]
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(dumps, values))
        assert list(pool.map(loads, texts)) == values
