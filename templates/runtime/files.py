"""Files in place of pipes: `server < requests.txt > answers.txt`.

An event loop cannot wait for a file, and has no need to: it is always ready. These are
transports of asyncio for such files, and for devices like the null device.
"""

from __future__ import annotations

import asyncio
from typing import IO

__all__ = ["FileReader", "FileWriter"]

_READ_SIZE = 1 << 16


class FileReader(asyncio.ReadTransport):
    """Reads a file, a piece in each turn of the event loop."""

    def __init__(self, file: IO[bytes], protocol: asyncio.Protocol) -> None:
        super().__init__()
        self._file = file
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()
        self._paused = False
        protocol.connection_made(self)
        self._next = self._loop.call_soon(self._read)

    def pause_reading(self) -> None:
        """Read no further until `resume_reading`."""
        self._paused = True
        self._next.cancel()

    def resume_reading(self) -> None:
        """Go on reading."""
        if self._paused and not self._file.closed:
            self._paused = False
            self._next = self._loop.call_soon(self._read)

    def close(self) -> None:
        """Close the file."""
        self._lose(None)

    def _read(self) -> None:
        try:
            data = self._file.read(_READ_SIZE)
        except OSError as error:  # a directory, for one
            self._lose(error)
            return
        if not data:
            self._lose(None)
            return
        self._next = self._loop.call_soon(self._read)
        self._protocol.data_received(data)

    def _lose(self, error: Exception | None) -> None:
        self._next.cancel()
        if not self._file.closed:
            self._file.close()
            self._loop.call_soon(self._protocol.connection_lost, error)


class FileWriter(asyncio.WriteTransport):
    """Writes to a file at once."""

    def __init__(self, file: IO[bytes], protocol: asyncio.BaseProtocol) -> None:
        super().__init__()
        self._file = file
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()
        protocol.connection_made(self)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write all of `data`; a file that takes no more is lost."""
        rest = memoryview(data)
        try:
            while rest and not self._file.closed:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._lose(error)

    def is_closing(self) -> bool:
        """Tell whether the file is closed."""
        return self._file.closed

    def close(self) -> None:
        """Close the file."""
        self._lose(None)

    def abort(self) -> None:
        """Close the file."""
        self._lose(None)

    def _lose(self, error: Exception | None) -> None:
        if not self._file.closed:
            self._file.close()
            self._loop.call_soon(self._protocol.connection_lost, error)
