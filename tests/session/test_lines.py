"""A byte stream becomes lines, however it is cut."""

from __future__ import annotations

import itertools
import json
import random
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_wire.runtime.lines import LineSplitter, LongLine

from .peers import VERSIONS, call, server_of


def lines_of(pieces: list[bytes], limit: int = 1 << 20) -> list[bytes]:
    splitter = LineSplitter(limit)
    found = [line for piece in pieces for line in splitter.feed(piece)]
    return found + splitter.finish()


def cut(data: bytes, points: list[int]) -> list[bytes]:
    edges = [0, *sorted(point % (len(data) + 1) for point in points), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"a\n", [b"a"]),
        (b"a", [b"a"]),
        (b"a\nb\n", [b"a", b"b"]),
        (b"a\r\nb\r\n", [b"a\r", b"b\r"]),
        (b"\n\n \n\t\r\na\n\n", [b"a"]),
        (
            b"a\rb\x0bc\x0cd\x1ce\xc2\x85f\xe2\x80\xa8g\xe2\x80\xa9h\n",
            [b"a\rb\x0bc\x0cd\x1ce\xc2\x85f\xe2\x80\xa8g\xe2\x80\xa9h"],
        ),
        (b"\xff\xfe\n\x00\n", [b"\xff\xfe", b"\x00"]),
        (b"\xef\xbb\xbfa\n", [b"\xef\xbb\xbfa"]),
    ],
)
def test_lines_end_with_one_byte_only(data: bytes, expected: list[bytes]) -> None:
    assert lines_of([data]) == expected
    assert lines_of([bytes([byte]) for byte in data]) == expected


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=12), max_size=12), st.lists(st.integers(0, 1000), max_size=10))
def test_how_it_is_cut_makes_no_difference(parts: list[bytes], points: list[int]) -> None:
    data = b"\n".join(parts)
    whole = lines_of([data], 9)
    assert lines_of(cut(data, points), 9) == whole
    assert lines_of([bytes([byte]) for byte in data], 9) == whole
    lines = [line for line in data.split(b"\n") if line.strip()]
    assert [line for line in whole if not isinstance(line, LongLine)] == [
        line for line in lines if len(line) <= 9
    ]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_long_line_is_told_of_once_and_not_kept(size: int) -> None:
    data = b"short\n" + b"x" * 100 + b"\n" + b"y" * 11 + b"\n1234567890\n" + b"z" * 40
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    short, long, longer, exact, last = lines_of(pieces, 10)
    assert (short, exact) == (b"short", b"1234567890")
    for line in (long, longer, last):
        assert isinstance(line, LongLine)
        assert line == b"a line of more than 10 bytes"


@pytest.mark.parametrize("size", [1, 100, 1 << 16])
def test_what_a_line_takes_up_while_it_comes_in(size: int) -> None:
    """About its size, and twice that when it ends, however small the pieces."""
    limit = 1 << 18
    splitter = LineSplitter(limit)
    piece = b"x" * size
    tracemalloc.start()
    try:
        for _ in range(limit // size - 1):
            assert splitter.feed(piece) == []
        kept, _ = tracemalloc.get_traced_memory()
        (line,) = splitter.feed(b"\n")
        _, most = tracemalloc.get_traced_memory()
        del line
        for _ in range(limit // size + 2):
            splitter.feed(piece)
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 1.3 * limit
    assert most < 2.5 * limit
    assert left < 0.1 * limit


def test_a_limit_has_to_be_one() -> None:
    with pytest.raises(ValueError, match="max_bytes: expected at least 1, found 0"):
        LineSplitter(0)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_long_line_is_refused_and_the_next_served(version: str) -> None:
    server = server_of(version)
    assert server.receive(*lines_of([b"x" * 100 + b"\n"], 10)) == []
    (answer,) = server.sent()
    assert answer["error"]["code"] == -32700
    assert "a line of more than 10 bytes" in answer["error"]["message"]
    assert len(server.receive(call(version))) == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_events_are_the_same_however_the_stream_is_cut(version: str) -> None:
    messages = [call(version, id, text="\u2028é" * 20) for id in range(8)]
    stream = b"".join(
        json.dumps(message, ensure_ascii=False).encode() + b"\n" for message in messages
    )
    stream += b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}\n{]\n'

    def seen(pieces: list[bytes]) -> tuple[list[str], list[object]]:
        server = server_of(version)
        events = server.receive(*lines_of(pieces))
        return [type(event).__name__ for event in events], server.sent()

    whole = seen([stream])
    assert len(whole[0]) == 10
    assert seen([bytes([byte]) for byte in stream]) == whole
    for seed in range(5):
        points = [random.Random(seed).randrange(len(stream)) for _ in range(20)]
        assert seen(cut(stream, points)) == whole
