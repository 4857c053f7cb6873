"""Reading and writing descriptors of any kind on an event loop: what a byte stream comes down to.

FIFO, terminal         asyncio's transports for pipes
socket                 asyncio's transport for sockets, one for both directions of the same
file                   always ready, which no event loop can wait for: those of `files`
other device           read as a file is, written as a pipe is
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import logging
import os
import socket
import stat
from collections.abc import Callable
from typing import IO

from .errors import ConnectionClosed
from .files import FileReader, FileWriter

__all__ = ["DescriptorReader", "DescriptorWriter", "open_both"]

_log = logging.getLogger(__name__)


class DescriptorReader(asyncio.Protocol):
    """Gives `on_data` what comes from `stream`, and calls `on_end` once after it.

    The stream is closed at its end, or by `close`, which nothing follows.
    """

    def __init__(
        self, stream: IO[bytes], on_data: Callable[[bytes], None], on_end: Callable[[], None]
    ) -> None:
        self.stream = stream
        self._on_data = on_data
        self._on_end = on_end
        self._has_ended = False
        self._transport: asyncio.ReadTransport | None = None

    async def open(self) -> None:
        """Begin to read. Raises `OSError` when the event loop cannot."""
        loop = asyncio.get_running_loop()
        mode = os.fstat(self.stream.fileno()).st_mode
        if stat.S_ISSOCK(mode):
            await loop.connect_accepted_socket(lambda: self, _socket_of(self.stream))
        elif stat.S_ISFIFO(mode) or self.stream.isatty():
            await loop.connect_read_pipe(lambda: self, self.stream)
        else:
            FileReader(self.stream, self)

    def pause(self) -> None:
        """Read no further until `resume`."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume(self) -> None:
        """Go on reading."""
        if self._transport is not None and not self._has_ended:
            self._transport.resume_reading()

    def close(self) -> None:
        """Read no more, and close the stream."""
        self._has_ended = True
        if self._transport is None:
            self.stream.close()
        else:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport; the event loop calls this and what follows."""
        assert isinstance(transport, asyncio.ReadTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Pass data on."""
        if not self._has_ended:
            self._on_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell of the end."""
        _note("read from", exc)
        if not self._has_ended:
            self._has_ended = True
            self._on_end()


class DescriptorWriter(asyncio.Protocol):
    """Writes to `stream`, and calls `on_lost` once when the other side takes no more.

    That is noticed as it happens where the system tells, and else by the next `write`.
    """

    def __init__(self, stream: IO[bytes], on_lost: Callable[[], None]) -> None:
        self.stream = stream
        self._on_lost = on_lost
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._closed = asyncio.Event()
        self._is_closing = False
        self._transport: asyncio.WriteTransport | None = None

    async def open(self) -> None:
        """Be ready to write. Raises `OSError` when the event loop cannot."""
        loop = asyncio.get_running_loop()
        descriptor = self.stream.fileno()
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISSOCK(mode):
            await loop.connect_accepted_socket(lambda: self, _socket_of(self.stream))
        elif stat.S_ISREG(mode):
            FileWriter(self.stream, self)
        else:
            await loop.connect_write_pipe(lambda: self, _write_only(self.stream))

    async def write(self, data: bytes) -> None:
        """Write, and wait while too much waits to be written.

        Raises `ConnectionClosed` when not all of it could be.
        """
        self._open_transport().write(data)
        if not self._has_room.is_set():
            await self._has_room.wait()
        self._open_transport()

    def finish(self) -> None:
        """Write nothing but what waits, and close the stream then."""
        self._is_closing = True
        if self._transport is None:
            self.stream.close()
        else:
            self._transport.close()

    def write_eof(self) -> None:
        """Do as `finish` does, but leave the other direction of a socket open."""
        if self._is_closing:
            return
        if isinstance(self._transport, asyncio.Transport):
            self._is_closing = True
            self._transport.write_eof()
        else:
            self.finish()

    async def close(self, seconds: float) -> None:
        """Close the stream once everything is written, or after so many seconds."""
        self.finish()
        if self._transport is None:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._closed.wait()
        except TimeoutError:
            self.abort()

    def abort(self) -> None:
        """Close the stream at once."""
        self._is_closing = True
        if self._transport is None:
            self.stream.close()
        elif not self._transport.is_closing() or self._transport.get_write_buffer_size():
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport; the event loop calls this and what follows."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def pause_writing(self) -> None:
        """Let whoever writes wait."""
        self._has_room.clear()

    def resume_writing(self) -> None:
        """Let them go on."""
        self._has_room.set()

    def eof_received(self) -> bool:
        """Go on: the other end of a socket may still read when it writes no more."""
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell of the end, if it is none of our making."""
        _note("write to", exc)
        self._closed.set()
        self._has_room.set()
        if not self._is_closing:
            self._on_lost()

    def _open_transport(self) -> asyncio.WriteTransport:
        if self._transport is None or self._is_closing or self._transport.is_closing():
            raise ConnectionClosed
        return self._transport


async def open_both(reader: DescriptorReader, writer: DescriptorWriter) -> None:
    """Open the two ends of a transport, which may be one and the same socket.

    Raises `OSError` when the event loop can do nothing with one of them.
    """
    one, other = reader.stream.fileno(), writer.stream.fileno()
    if stat.S_ISSOCK(os.fstat(one).st_mode) and os.path.sameopenfile(one, other):
        loop = asyncio.get_running_loop()
        shared = _socket_of(reader.stream)
        writer.stream.close()
        await loop.connect_accepted_socket(lambda: _BothWays(reader, writer), shared)
    else:
        await reader.open()
        await writer.open()


class _BothWays(asyncio.Protocol):
    """What a socket has to tell, for those who read and write it."""

    def __init__(self, reader: DescriptorReader, writer: DescriptorWriter) -> None:
        self._reader = reader
        self._writer = writer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._writer.connection_made(transport)
        self._reader.connection_made(_Reading(transport))

    def data_received(self, data: bytes) -> None:
        self._reader.data_received(data)

    def pause_writing(self) -> None:
        self._writer.pause_writing()

    def resume_writing(self) -> None:
        self._writer.resume_writing()

    def eof_received(self) -> bool:
        self._reader.connection_lost(None)
        return self._writer.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._reader.connection_lost(exc)
        self._writer.connection_lost(None)


class _Reading(asyncio.ReadTransport):
    """One direction of a transport: closing it leaves the other as it is."""

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__()
        self._transport = transport

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()

    def close(self) -> None:
        self._transport.pause_reading()


def _socket_of(stream: IO[bytes]) -> socket.socket:
    """The socket that a stream is, which is closed in its place."""
    found = socket.socket(fileno=os.dup(stream.fileno()))
    found.setblocking(False)
    stream.close()
    return found


def _write_only(stream: IO[bytes]) -> IO[bytes]:
    """The stream, opened anew if it is a FIFO that was opened to be read as well.

    What is written to such a FIFO can be read at the same end, which asyncio takes for a
    sign that the other end is closed.
    """
    descriptor = stream.fileno()
    access = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
    if access != os.O_RDWR or not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return stream
    with stream:
        return os.fdopen(os.open(f"/dev/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK), "wb", 0)


def _note(what: str, error: Exception | None) -> None:
    """Log an error, unless it only says that the other side went away."""
    # A terminal that is hung up gives EIO.
    is_gone = isinstance(error, ConnectionError) or getattr(error, "errno", None) == errno.EIO
    if error is not None and not is_gone:
        _log.warning("cannot %s the other side: %s", what, error)
