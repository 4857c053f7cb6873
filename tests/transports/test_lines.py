"""A stream is cut at 0x0A and nowhere else, whatever the pieces it arrives in."""

from __future__ import annotations

import random

import pytest
from mcp_wire.runtime.lines import LineSplitter, LongLine


def lines_of(*pieces: bytes, max_bytes: int = 1 << 20) -> list[bytes]:
    splitter = LineSplitter(max_bytes)
    found = [line for piece in pieces for line in splitter.feed(piece)]
    return found + splitter.finish()


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"", []),
        (b"a\nb\n", [b"a", b"b"]),
        # JSON takes it for white space.
        (b"a\r\nb\r\n", [b"a\r", b"b\r"]),
        (b"\n\r\n  \t\n\na\n\n", [b"a"]),
        (b"a\nb", [b"a", b"b"]),
        (b"\xef\xbb\xbfa\n", [b"\xef\xbb\xbfa"]),
        # Other line ends of Unicode, NEL, LS and PS, and a lone carriage return are content.
        ("a\u2028b\u2029c\u0085d\x0be\rf\n".encode(), ["a\u2028b\u2029c\u0085d\x0be\rf".encode()]),
        (b"\xff\xfe\n", [b"\xff\xfe"]),
    ],
)
def test_lines(stream: bytes, expected: list[bytes]) -> None:
    assert lines_of(stream) == expected
    assert lines_of(*(bytes([byte]) for byte in stream)) == expected


def test_pieces_do_not_matter() -> None:
    chance = random.Random(5)
    stream = bytes(chance.choices(b"ab\r\n \xe2\x80\xa8", k=5000))
    expected = lines_of(stream)
    for _ in range(20):
        cuts = sorted(chance.choices(range(len(stream)), k=40))
        pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
        assert lines_of(*pieces) == expected


def test_long_line_is_told_and_the_next_is_whole() -> None:
    long = b"x" * 1000
    for pieces in ([b"a\n" + long + b"\nb\n"], [b"a\n", *(b"x" for _ in long), b"\nb"]):
        before, cut, after = lines_of(*pieces, max_bytes=500)
        assert (before, after) == (b"a", b"b")
        assert isinstance(cut, LongLine)


def test_line_of_the_limit_is_whole() -> None:
    assert lines_of(b"x" * 500 + b"\n", max_bytes=500) == [b"x" * 500]
    (cut,) = lines_of(b"x" * 501 + b"\n", max_bytes=500)
    assert isinstance(cut, LongLine)


def test_limit_has_to_be_positive() -> None:
    with pytest.raises(ValueError, match="max_bytes: expected at least 1, found 0"):
        LineSplitter(0)
