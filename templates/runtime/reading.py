"""Receives the messages of a transport, in a task of its own, and no more than can be dealt with.

A peer that asks for more than can be served, or reads no answers, has to wait in the end: its
messages are not received, and its own writing is kept back. The bound is far above what the
writer lets wait, so that two peers that are merely busy do not keep each other waiting.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from .connection import Connection
from .serving_tasks import ServingTasks
from .transport import Transport
from .writing import Writer

__all__ = ["Reader"]

_log = logging.getLogger(__name__)

_HIGH_WATER = 1 << 25
"""Bytes, of messages that nobody serves yet or of answers, above which nothing is received."""

_OVERHEAD = 1000
"""Bytes that a message costs in memory on top of its own."""


class Reader:
    """Gives each message to `take`; `on_end` is called after the last, with why it is that.

    That is None at the end of the transport, and a reason when a peer is given up: one that
    has let us write nothing for `stall` seconds although there was no room. None for `stall`
    means that it may do so for ever.
    """

    def __init__(
        self,
        transport: Transport,
        connection: Connection,
        serving: ServingTasks,
        writer: Writer,
        *,
        take: Callable[[bytes], None],
        on_end: Callable[[str | None], None],
    ) -> None:
        self._transport = transport
        self._connection = connection
        self._serving = serving
        self._writer = writer
        self._take = take
        self._on_end = on_end
        self._sizes: deque[int] = deque()
        self._bytes = 0
        self._moved = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def wake(self) -> None:
        """Note that something has been served or written."""
        self._moved.set()

    def stop(self) -> None:
        """Receive no more."""
        self._task.cancel()

    async def _run(self) -> None:
        reason: str | None = None
        while reason is None and (message := await self._receive()) is not None:
            before = self._waiting()
            try:
                self._take(message)
            except Exception:
                _log.exception("a message was not dealt with")
            if self._waiting() > before:
                self._sizes.append(len(message) + _OVERHEAD)
                self._bytes += len(message) + _OVERHEAD
            if not self._has_room():
                reason = await self._wait_for_room()
        self._on_end(reason)

    async def _receive(self) -> bytes | None:
        try:
            return await self._transport.receive()
        except Exception:
            _log.exception("the transport failed to receive")
            return None

    def _waiting(self) -> int:
        """How many messages wait to be served, in their order."""
        return self._connection.waiting + self._serving.waiting

    def _has_room(self) -> bool:
        waiting = self._waiting()
        while len(self._sizes) > waiting:
            self._bytes -= self._sizes.popleft()
        return self._bytes <= _HIGH_WATER and self._connection.backlog <= _HIGH_WATER

    async def _wait_for_room(self) -> str | None:
        """Wait until there is room; the reason if there will not be any."""
        stall = self._connection.limits.stall
        while not self._has_room():
            self._moved.clear()
            writes = self._writer.writes
            try:
                async with asyncio.timeout(stall):
                    await self._moved.wait()
            except TimeoutError:
                if self._connection.backlog > _HIGH_WATER and self._writer.writes == writes:
                    return f"the peer has read nothing for {stall} s"
        return None
