"""Messages over a pair of byte streams, one on each line: what every stdio transport is made of.

    source ──▶ lines ──▶ inbox ──▶ receive()
    sink   ◀── flow control ◀── send(), send_all()

The streams may be pipes, terminals, files, or one and the same socket: see `descriptors`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from math import inf
from typing import IO

from .descriptors import DescriptorReader, DescriptorWriter, open_both
from .inbox import Inbox
from .lines import LineSplitter

__all__ = ["PipeTransport"]

_HIGH_WATER = 1 << 20
"""Bytes of messages nobody has taken yet, above which reading pauses."""

_FLUSH_SECONDS = 2.0
"""How long closing waits for the other side to read what was sent."""

_LINGER_SECONDS = 1.0
"""How long what the other side has written may still be read once it is known to be gone."""


class PipeTransport:
    """The transport over the streams `source` and `sink`, which are closed with it.

    A message may have `max_bytes`; see `LineSplitter` for what comes of a longer one.
    """

    def __init__(self, source: IO[bytes], sink: IO[bytes], *, max_bytes: int) -> None:
        self._inbox = Inbox(self._resume)
        self._splitter = LineSplitter(max_bytes)
        self._waiting = 0
        self._resumed = -inf
        self._loop = asyncio.get_running_loop()
        self._reader = DescriptorReader(source, self._take, self._on_source_end)
        self._writer = DescriptorWriter(sink, self._on_sink_lost)

    async def open(self) -> None:
        """Start reading and writing. When that fails, both streams are closed."""
        try:
            await open_both(self._reader, self._writer)
        except BaseException:
            self.abort()
            raise

    async def receive(self) -> bytes | None:
        """Return the next message without its line end; None when there are no more."""
        return await self._inbox.get()

    async def receive_all(self) -> list[bytes]:
        """Return the messages that have been read, once there are any; none at the end."""
        return await self._inbox.get_all()

    async def send(self, message: bytes) -> None:
        """Send one message, and wait while the other side does not read.

        Raises `ConnectionClosed` when it cannot be sent, and `ValueError` for a message that
        is not one line.
        """
        await self.send_all((message,))

    async def send_all(self, messages: Sequence[bytes]) -> None:
        """Send messages with one write, as `send` does."""
        if any(b"\n" in message for message in messages):
            raise ValueError("message: expected one line, found a line end in it")
        await self._writer.write(b"\n".join((*messages, b"")))

    async def close(self) -> None:
        """Write what has been sent, and close both streams; nothing more is read."""
        self._reader.close()
        self._inbox.end()
        await self._writer.close(_FLUSH_SECONDS)

    def write_eof(self) -> None:
        """Send nothing more, and let the other side know; what it writes is still received."""
        self._writer.write_eof()

    def finish_writing(self) -> None:
        """Close the sink once the other side has read what was sent; receive nothing more.

        The source is still read, so that the other side is not kept from coming to its end.
        """
        self._inbox.end()
        self._resume()
        self._writer.finish()

    def abort(self) -> None:
        """Close both streams at once."""
        self._reader.close()
        self._inbox.end()
        self._writer.abort()

    def linger(self) -> None:
        """End soon, as the other side is gone: what it had written is still read.

        The time does not count while reading pauses for want of somebody who takes messages.
        """
        self._loop.call_later(_LINGER_SECONDS, self._end_unless_paused)

    def _end_unless_paused(self) -> None:
        if self._inbox.has_ended:
            return
        if self._waiting > _HIGH_WATER or self._loop.time() < self._resumed + _LINGER_SECONDS:
            self.linger()
        else:
            self._inbox.end()

    def _take(self, data: bytes) -> None:
        """Split what has been read into messages, and pause when many of them wait."""
        messages = self._splitter.feed(data)
        if messages and not self._inbox.has_ended:
            self._inbox.put(messages)
            self._waiting += sum(map(len, messages))
            if self._waiting > _HIGH_WATER:
                self._reader.pause()

    def _resume(self) -> None:
        """Read again, now that all messages have been taken."""
        if self._waiting > _HIGH_WATER:
            self._resumed = self._loop.time()
        self._waiting = 0
        self._reader.resume()

    def _on_source_end(self) -> None:
        self._inbox.put(self._splitter.finish())
        self._inbox.end()

    def _on_sink_lost(self) -> None:
        self.linger()
