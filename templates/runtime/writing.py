"""Writes the messages of a connection to its transport, in a task of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence

from .connection import Connection
from .errors import ConnectionClosed
from .transport import BatchTransport, Transport

__all__ = ["Writer"]

_log = logging.getLogger(__name__)

_BACKLOG = 1 << 20
"""Bytes that are not written yet, above which whoever makes more has to wait.

It is also about how much is written at once, so that it shows when the other side reads slowly.
"""


class Writer:
    """Writes what `connection` has to send; `room` is set but while too much is not written yet.

    `on_written` is called after each time, and `on_lost` when it is impossible.
    """

    def __init__(
        self,
        transport: Transport,
        connection: Connection,
        room: asyncio.Event,
        on_written: Callable[[], None],
        on_lost: Callable[[], None],
    ) -> None:
        self._transport = transport
        self._connection = connection
        self._on_written = on_written
        self._on_lost = on_lost
        self._batches = transport if isinstance(transport, BatchTransport) else None
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None
        self._room = room
        self._is_ending = False
        self.writes = 0
        """How often something has been written."""
        self._task = self._loop.create_task(self._run())

    def wake(self) -> None:
        """Write what there is to send, soon."""
        backlog = self._connection.backlog
        waiter = self._waiter
        if backlog and waiter is not None and not waiter.done():
            waiter.set_result(None)
        if backlog > _BACKLOG:
            self._room.clear()

    async def finish(self, seconds: float) -> None:
        """Write what there is, for so many seconds at most, and stop."""
        self._is_ending = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
        _, late = await asyncio.wait([self._task], timeout=seconds)
        for task in late:
            task.cancel()
        self._room.set()

    async def _run(self) -> None:
        try:
            while await self._wait_for_messages():
                is_much = self._connection.backlog > _BACKLOG
                messages = self._connection.messages_to_send()
                if self._batches is not None and not is_much:
                    await self._batches.send_all(messages)
                    self._written()
                else:
                    await self._send_in_parts(messages)
                if self._connection.backlog <= _BACKLOG:
                    self._room.set()
        except ConnectionClosed:
            self._lost()
        except Exception:
            _log.exception("the transport failed to send")
            self._lost()

    def _lost(self) -> None:
        self._room.set()
        self._on_lost()

    async def _wait_for_messages(self) -> bool:
        """Wait until there is something to send; False at the end."""
        if not self._connection.backlog and not self._is_ending:
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self._connection.backlog > 0

    async def _send_in_parts(self, messages: Sequence[bytes]) -> None:
        if self._batches is None:
            for message in messages:
                await self._transport.send(message)
                self._written()
        else:
            for part in _parts(messages):
                await self._batches.send_all(part)
                self._written()

    def _written(self) -> None:
        self.writes += 1
        self._on_written()


def _parts(messages: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Cut messages into parts of about what may be written at once, or one message each."""
    part: list[bytes] = []
    size = 0
    for message in messages:
        part.append(message)
        size += len(message)
        if size >= _BACKLOG:
            yield part
            part, size = [], 0
    if part:
        yield part
