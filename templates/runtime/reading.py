"""Receives the messages of a transport, in a task of its own, and no more than can be dealt with.

A peer that asks for more than can be served, or reads no answers, has to wait in the end: its
messages are not received, and its own writing is kept back. The bound is far above what the
writer lets wait, so that two peers that are merely busy do not keep each other waiting.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from .connection import Connection
from .serving_tasks import ServingTasks
from .transport import BatchTransport, Transport
from .writing import Writer

__all__ = ["Reader"]

_log = logging.getLogger(__name__)

_HIGH_WATER = 1 << 25
"""Bytes, of messages that nobody serves yet or of answers, above which nothing is received."""


class Reader:
    """Gives each message to `take`, and calls `settle` before it waits for anything.

    `moved` is set whenever something has been served or written.
    `on_end` is called after the last message, with why it is that: None at the end of the
    transport, and a reason when a peer is given up, one that has let us write nothing for
    `stall` seconds although there was no room. None for `stall` means that it may do so for
    ever.
    """

    def __init__(
        self,
        transport: Transport,
        connection: Connection,
        serving: ServingTasks,
        writer: Writer,
        moved: asyncio.Event,
        *,
        take: Callable[[bytes], None],
        settle: Callable[[], None],
        on_end: Callable[[str | None], None],
    ) -> None:
        self._transport = transport
        self._batches = transport if isinstance(transport, BatchTransport) else None
        self._connection = connection
        self._serving = serving
        self._writer = writer
        self._take = take
        self._settle = settle
        self._on_end = on_end
        self._moved = moved
        self._task = asyncio.get_running_loop().create_task(self._run())

    def stop(self) -> None:
        """Receive no more."""
        self._task.cancel()

    async def _run(self) -> None:
        reason: str | None = None
        while reason is None and (messages := await self._receive()):
            for message in messages:
                try:
                    self._take(message)
                except Exception:
                    _log.exception("a message was not dealt with")
                if self._is_crowded():
                    self._settle()
                    reason = await self._wait_for_room()
                    if reason is not None:
                        break
            self._settle()
        self._on_end(reason)

    async def _receive(self) -> Sequence[bytes]:
        """Wait for messages; none at the end."""
        try:
            if self._batches is not None:
                return await self._batches.receive_all()
            message = await self._transport.receive()
            return () if message is None else (message,)
        except Exception:
            _log.exception("the transport failed to receive")
            return ()

    def _is_crowded(self) -> bool:
        connection = self._connection
        waiting = connection.waiting_bytes + self._serving.waiting_bytes
        return waiting > _HIGH_WATER or connection.backlog > _HIGH_WATER

    async def _wait_for_room(self) -> str | None:
        """Wait until there is room; the reason if there will not be any."""
        stall = self._connection.limits.stall
        while self._is_crowded():
            self._moved.clear()
            writes = self._writer.writes
            try:
                async with asyncio.timeout(stall):
                    await self._moved.wait()
            except TimeoutError:
                if self._connection.backlog > _HIGH_WATER and self._writer.writes == writes:
                    return f"the peer has read nothing for {stall} s"
        return None
