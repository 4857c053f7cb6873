"""Reading and writing descriptors of any kind on an event loop: what a byte stream comes down to.

    FIFO, socket, terminal     the loop says when they can be read or written
    file, other device         always ready: a piece in each turn of the loop

asyncio's own pipe transports do not do: they take a socket that both sides write to for closed
as soon as something arrives on it, and log a traceback when the other side is reset.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import select
import stat
from collections.abc import Callable
from typing import IO

from .errors import ConnectionClosed

__all__ = ["DescriptorReader", "DescriptorWriter"]

_log = logging.getLogger(__name__)

_READ_SIZE = 1 << 16
"""Bytes read at once: what a pipe holds."""

_HIGH_WATER = 1 << 16
"""Bytes that wait to be written, above which whoever writes waits until half of it is left."""

_GONE = frozenset({errno.EPIPE, errno.ECONNRESET, errno.ECONNABORTED, errno.EIO})
"""Errors that mean that the other side went away; a terminal that is hung up gives EIO."""


class DescriptorReader:
    """Gives `on_data` what comes from `stream`, from `start` on, and calls `on_end` once after it.

    The stream is closed at its end, or by `close`, which nothing follows.
    """

    def __init__(
        self, stream: IO[bytes], on_data: Callable[[bytes], None], on_end: Callable[[], None]
    ) -> None:
        self._stream = stream
        self._on_data = on_data
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._can_wait = _can_wait(stream)
        self._is_reading = False
        self._turn: asyncio.Handle | None = None

    def start(self) -> None:
        """Begin to read. Raises `OSError` when the event loop cannot."""
        if self._can_wait:
            os.set_blocking(self._stream.fileno(), False)
        self.resume()

    def pause(self) -> None:
        """Read no further until `resume`."""
        if self._is_reading:
            self._is_reading = False
            if self._can_wait:
                self._loop.remove_reader(self._stream.fileno())
            elif self._turn is not None:
                self._turn.cancel()

    def resume(self) -> None:
        """Go on reading."""
        if not self._is_reading and not self._stream.closed:
            if self._can_wait:
                self._loop.add_reader(self._stream.fileno(), self._read)
            else:
                self._turn = self._loop.call_soon(self._read)
            self._is_reading = True

    def close(self) -> None:
        """Read no more, and close the stream."""
        self.pause()
        self._stream.close()

    def _read(self) -> None:
        try:
            data = os.read(self._stream.fileno(), _READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            _note("read from", error)
            data = b""
        if not data:
            self.close()
            self._on_end()
            return
        if not self._can_wait:
            self._turn = self._loop.call_soon(self._read)
        self._on_data(data)


class DescriptorWriter:
    """Writes to `stream`, and calls `on_lost` once when the other side takes no more.

    That is noticed as it happens where the system tells, and else by the next `write`.
    """

    def __init__(self, stream: IO[bytes], on_lost: Callable[[], None]) -> None:
        self._stream = stream
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._can_wait = _can_wait(stream)
        self._rest = bytearray()
        self._room = asyncio.Event()
        self._closed = asyncio.Event()
        self._is_finishing = False
        self._is_cut_off = False

    def start(self) -> None:
        """Watch for the other side going away. Raises `OSError` when the event loop cannot."""
        if self._can_wait:
            os.set_blocking(self._stream.fileno(), False)
            self._loop.add_reader(self._stream.fileno(), self._look)

    async def write(self, data: bytes) -> None:
        """Write, and wait while too much waits to be written.

        Raises `ConnectionClosed` when not all of it could be.
        """
        if self._is_finishing or self._closed.is_set():
            raise ConnectionClosed
        if self._rest:
            self._rest += data
        else:
            size = self._write(data)
            if size == len(data):
                return
            self._rest += memoryview(data)[size:]
            self._write_on()
        if len(self._rest) > _HIGH_WATER:
            self._room.clear()
            await self._room.wait()
            if self._is_cut_off:
                raise ConnectionClosed

    def finish(self) -> None:
        """Write nothing but what waits, and close the stream then."""
        self._is_finishing = True
        if not self._rest:
            self.abort()

    async def close(self, seconds: float) -> None:
        """Close the stream once everything is written, or after so many seconds."""
        self.finish()
        try:
            async with asyncio.timeout(seconds):
                await self._closed.wait()
        except TimeoutError:
            self.abort()

    def abort(self) -> None:
        """Close the stream at once."""
        if not self._closed.is_set():
            if self._can_wait:
                self._loop.remove_reader(self._stream.fileno())
                self._loop.remove_writer(self._stream.fileno())
            self._stream.close()
            self._is_cut_off = bool(self._rest)
            self._rest.clear()
            self._closed.set()
            self._room.set()

    def _write(self, data: bytes | bytearray) -> int:
        """Write what there is room for, and return how much that is. Raises as `write`."""
        try:
            return os.write(self._stream.fileno(), data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as error:
            _note("write to", error)
            self._lose()
            raise ConnectionClosed from error

    def _write_on(self) -> None:
        """Have `_write_rest` called when there may be room."""
        if self._can_wait:
            self._loop.add_writer(self._stream.fileno(), self._write_rest)
        else:
            self._loop.call_soon(self._write_rest)

    def _write_rest(self) -> None:
        if self._closed.is_set():
            return
        try:
            del self._rest[: self._write(self._rest)]
        except ConnectionClosed:
            return
        if len(self._rest) <= _HIGH_WATER // 2:
            self._room.set()
        if not self._rest:
            if self._can_wait:
                self._loop.remove_writer(self._stream.fileno())
            if self._is_finishing:
                self.abort()
        elif not self._can_wait:
            self._write_on()

    def _look(self) -> None:
        """Look what has happened to the other end.

        What can be read is not for us, nor is an end of it: the other side may still read.
        """
        poll = select.poll()
        poll.register(self._stream.fileno(), 0)
        if poll.poll(0):
            self._lose()
        else:
            self._loop.remove_reader(self._stream.fileno())

    def _lose(self) -> None:
        self.abort()
        self._on_lost()


def _can_wait(stream: IO[bytes]) -> bool:
    """Tell whether the event loop can wait until a stream is ready."""
    mode = os.fstat(stream.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stream.isatty()


def _note(what: str, error: OSError) -> None:
    """Log an error, unless it only says that the other side went away."""
    if error.errno not in _GONE:
        _log.warning("cannot %s the other side: %s", what, error)
