"""Byte stream to lines: messages on a stream end with byte 0x0A, and with no other."""

from __future__ import annotations

from typing import Self

__all__ = ["MAX_LINE", "LineSplitter", "LongLine", "UnendedLine"]

MAX_LINE = 1 << 26
"""Bytes a line may have unless another limit is given: 64 MiB."""


_SHOWN = 256
"""Bytes that are kept of each end of a line over the limit."""


class LongLine(bytes):
    """Stands for a line of more than `limit` bytes, of which only `head` and `tail` were kept.

    Its content says so, and is no JSON text: whoever reads it as a message refuses it.
    """

    def __new__(cls, limit: int, ends: bytes) -> Self:
        """Make one from what was kept of both ends together."""
        line = super().__new__(cls, b"a line of more than %d bytes" % limit)
        line.limit = limit
        line.head = ends[:_SHOWN]
        line.tail = ends[-_SHOWN:]
        return line

    limit: int
    head: bytes
    tail: bytes


class UnendedLine(bytes):
    """The last line of a stream that ended without ending it: maybe only the beginning of one."""


class LineSplitter:
    """Splits what arrives, in pieces of any size, into lines without their end.

    Blank lines are skipped. A line of more than `max_bytes` bytes becomes one `LongLine` when
    it ends. Of a line that has not ended at most `max_bytes` bytes are kept, in one piece,
    which is copied once when it ends, and but the ends of a longer one. A carriage return
    before the end stays: JSON takes it for white space.
    """

    def __init__(self, max_bytes: int = MAX_LINE) -> None:
        """Raises `ValueError` for a limit under 1."""
        if max_bytes < 1:
            raise ValueError(f"max_bytes: expected at least 1, found {max_bytes}")
        self._max_bytes = max_bytes
        self._begun = bytearray()
        self._size = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that end in `data`, the first with what came before it."""
        first, *others = data.split(b"\n")
        if not others:
            self._keep(data)
            return []
        if self._size:
            self._keep(first)
            first = self._kept()
        rest = others.pop()
        lines = [line for line in (first, *others) if line and not line.isspace()]
        if len(data) > self._max_bytes:
            lines = [self._within_limit(line) for line in lines]
        self._keep(rest)
        return lines

    def finish(self) -> list[bytes]:
        """Return the last line, which the stream ended without ending; at most one."""
        last = self._kept()
        if not last or last.isspace():
            return []
        return [last if isinstance(last, LongLine) else UnendedLine(last)]

    def _keep(self, part: bytes) -> None:
        if part:
            self._size += len(part)
            self._begun += part
            if self._size > self._max_bytes:
                del self._begun[_SHOWN:-_SHOWN]

    def _kept(self) -> bytes:
        """The line that has been kept, which ends here."""
        line = bytes(self._begun)
        if self._size > self._max_bytes:
            line = LongLine(self._max_bytes, line)
        self._begun.clear()
        self._size = 0
        return line

    def _within_limit(self, line: bytes) -> bytes:
        if len(line) <= self._max_bytes:
            return line
        return LongLine(self._max_bytes, line[:_SHOWN] + line[-_SHOWN:])
