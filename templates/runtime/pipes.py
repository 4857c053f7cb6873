"""Messages over a pair of byte streams, one on each line: what every stdio transport is made of.

    source ──▶ lines ──▶ inbox ──▶ receive()
    sink   ◀── flow control ◀── send(), send_all()

Pipes, sockets and terminals go through asyncio's own transports, with their flow control;
files, which never keep anyone waiting, through `files`.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Sequence
from typing import IO

from .errors import ConnectionClosed
from .files import FileReader, FileWriter
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
        self._loop = asyncio.get_running_loop()
        self._inbox = Inbox(self._resume)
        self._source = _Source(self._inbox, LineSplitter(max_bytes))
        self._sink = _Sink(self.linger)
        self._streams = (source, sink)

    async def open(self) -> None:
        """Start reading and writing. When that fails, both streams are closed."""
        try:
            await self._open()
        except BaseException:
            self.abort()
            for stream in self._streams:
                stream.close()
            raise

    async def _open(self) -> None:
        source, sink = self._streams
        if _can_be_awaited(source):
            await self._loop.connect_read_pipe(lambda: self._source, source)
        else:
            FileReader(source, self._source)
        if stat.S_ISREG(os.fstat(sink.fileno()).st_mode):
            FileWriter(sink, self._sink)
        else:
            await self._loop.connect_write_pipe(lambda: self._sink, sink)

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
        await self._sink.write(b"\n".join((*messages, b"")))

    async def close(self) -> None:
        """Write what has been sent, and close both streams; nothing more is received."""
        self._source.close()
        self._inbox.end()
        await self._sink.close(_FLUSH_SECONDS)

    def finish_writing(self) -> None:
        """Close the sink once the other side has read what was sent; receive nothing more.

        The source is still read, so that the other side is not kept from coming to its end.
        """
        self._inbox.end()
        self._source.resume()
        self._sink.finish()

    def abort(self) -> None:
        """Close both streams at once."""
        self._source.close()
        self._inbox.end()
        self._sink.abort()

    def linger(self) -> None:
        """End soon, as the other side is gone: what it had written is still read."""
        self._loop.call_later(_LINGER_SECONDS, self._inbox.end)

    def _resume(self) -> None:
        self._source.resume()


class _Source(asyncio.Protocol):
    """Splits what is read into messages, and puts these into the inbox."""

    def __init__(self, inbox: Inbox, splitter: LineSplitter) -> None:
        self._inbox = inbox
        self._splitter = splitter
        self._waiting = 0
        self._transport: asyncio.ReadTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.ReadTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        messages = self._splitter.feed(data)
        if messages and not self._inbox.has_ended:
            self._inbox.put(messages)
            self._waiting += sum(map(len, messages))
            if self._waiting > _HIGH_WATER and self._transport is not None:
                self._transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._inbox.put(self._splitter.finish())
        self._inbox.end()

    def resume(self) -> None:
        """Read again, now that all messages have been taken."""
        if self._waiting > _HIGH_WATER and self._transport is not None:
            self._transport.resume_reading()
        self._waiting = 0

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


class _Sink(asyncio.BaseProtocol):
    """Writes bytes, and knows whether the other side reads them."""

    def __init__(self, on_lost: Callable[[], None]) -> None:
        self._on_lost = on_lost
        self._ready = asyncio.Event()
        self._lost = asyncio.Event()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        self._ready.set()

    def pause_writing(self) -> None:
        self._ready.clear()

    def resume_writing(self) -> None:
        self._ready.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost.set()
        self._ready.set()
        self._on_lost()

    async def write(self, data: bytes) -> None:
        """Write, and wait until there is room for more. Raises `ConnectionClosed`."""
        transport = self._open_transport()
        transport.write(data)
        if not self._ready.is_set():
            await self._ready.wait()
            self._open_transport()

    def finish(self) -> None:
        """Close once the other side has read everything."""
        if self._transport is not None:
            self._transport.close()

    async def close(self, seconds: float) -> None:
        """Close once the other side has read everything, or after so many seconds."""
        if self._transport is None:
            return
        self._transport.close()
        try:
            async with asyncio.timeout(seconds):
                await self._lost.wait()
        except TimeoutError:
            self.abort()

    def abort(self) -> None:
        """Close at once."""
        if self._transport is not None and not self._lost.is_set():
            self._transport.abort()

    def _open_transport(self) -> asyncio.WriteTransport:
        if self._transport is None or self._lost.is_set() or self._transport.is_closing():
            raise ConnectionClosed
        return self._transport


def _can_be_awaited(stream: IO[bytes]) -> bool:
    """Tell whether the event loop can wait for a stream to become readable."""
    mode = os.fstat(stream.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stream.isatty()
