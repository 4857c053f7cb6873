"""Receives the messages of a transport, in a task of its own, and no more than can be dealt with.

What a message makes the session keep has a bound elsewhere: requests and notifications that
wait to be served where they wait, the answers of handlers by how many of them run. What is
left are the answers that are given at once, to pings and to what is refused. A peer that reads
none of them is not read either, in the end, and so its own writing is kept back.

Two sides that did this to each other would wait for ever. So while calls of ours are open, whose
answers would not come any more, reading goes on to a second mark. Whoever waits for an answer
has a call open: when one side stops at the first mark, the other reads, and makes room for it.
Beyond the second there is no more than giving the peer up, once it has read nothing for long.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from .connection import Connection
from .reactions import Reactions
from .transport import BatchTransport, Transport
from .writing import Writer

__all__ = ["Reader"]

_log = logging.getLogger(__name__)

_HIGH_WATER = 1 << 25
"""Bytes of answers given at once, and not read, above which nothing is received."""

_HIGHEST_WATER = 1 << 26
"""The same, while calls of ours are open."""

_TURN = 0.01
"""Seconds after which the reader gives way to the rest of the event loop."""

_MOST_IN_TURN = 32
"""Messages after which it does, so that a peer that sends many at once has answers to the first
to go on with while the others are served."""

_MOMENT = 0.05
"""Seconds in which a program that ends is over for all tasks that wait for nothing."""


class Reader:
    """Has the connection take each message, and calls `settle` before it waits for anything.

    `moved` is set whenever something has been written, or a call of ours made.
    `on_end` is called after the last message, with why it is that: None at the end of the
    transport, and a reason when a peer is given up, one that has let us write nothing for
    `stall` seconds although there was no room. None for `stall` means that it may do so for
    ever. `on_cancelled` is called when somebody else has cancelled the task: a moment later, in
    which the event loop is over where that was the end of the program.
    """

    def __init__(
        self,
        transport: Transport,
        connection: Connection,
        reactions: Reactions,
        writer: Writer,
        moved: asyncio.Event,
        *,
        settle: Callable[[], None],
        on_end: Callable[[str | None], None],
        on_cancelled: Callable[[], None],
    ) -> None:
        self._transport = transport
        self._batches = transport if isinstance(transport, BatchTransport) else None
        self._connection = connection
        self._reactions = reactions
        self._writer = writer
        self._settle = settle
        self._on_end = on_end
        self._on_cancelled = on_cancelled
        self._is_stopped = False
        self._moved = moved
        self._unread = 0
        self._before = 0
        self._loop = asyncio.get_running_loop()
        self._turn_ends = 0.0
        self._left_in_turn = 0
        self._task = self._loop.create_task(self._run())
        self._task.add_done_callback(self._on_done)

    @property
    def was_cancelled(self) -> bool:
        """Whether somebody else has cancelled the task."""
        return self._task.cancelled() and not self._is_stopped

    def stop(self) -> None:
        """Receive no more."""
        self._is_stopped = True
        self._task.cancel()

    def _on_done(self, task: asyncio.Task[None]) -> None:
        if self.was_cancelled:
            self._loop.call_later(_MOMENT, self._on_cancelled)

    async def _run(self) -> None:
        try:
            reason = await self._read()
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            # Nobody reads any more: whoever waits for an answer has to know.
            self._on_end(f"reading was ended by {error!r}")
            raise
        self._on_end(reason)

    async def _read(self) -> str | None:
        reason: str | None = None
        while reason is None and (messages := await self._receive()):
            self._before = self._connection.backlog
            for message in messages:
                now = self._loop.time()
                self._left_in_turn -= 1
                is_over = self._left_in_turn < 0 or now > self._turn_ends
                if is_over or self._reactions.waiting:
                    reason = await self._give_way()
                    if reason is not None:
                        break
                    now = self._loop.time()
                try:
                    self._reactions.react(self._connection.receive(message, now))
                except Exception:
                    _log.exception("a message was not dealt with")
            else:
                reason = await self._end_turn()
        return reason

    async def _receive(self) -> Sequence[bytes]:
        """Wait for messages; none at the end."""
        try:
            if self._batches is None:
                message = await self._transport.receive()
                return () if message is None else (message,)
            messages = await self._batches.receive_all()
        except Exception:
            _log.exception("the transport failed to receive")
            return ()
        # These came together, in one turn of the event loop; single ones need not have.
        self._begin_turn()
        return messages

    async def _give_way(self) -> str | None:
        """Let the rest of the event loop have its turn; the reason if the peer is given up."""
        reason = await self._end_turn()
        await asyncio.sleep(0)
        while self._reactions.waiting:
            await asyncio.sleep(0)
        self._begin_turn()
        self._before = self._connection.backlog
        return reason

    def _begin_turn(self) -> None:
        self._turn_ends = self._loop.time() + _TURN
        self._left_in_turn = _MOST_IN_TURN

    async def _end_turn(self) -> str | None:
        """Wait for room if there is none; the reason if there will not be any.

        Nothing but messages has been dealt with in a turn, so what there is more to send are
        answers that were given at once.
        """
        more = self._connection.backlog - self._before
        self._unread = min(self._unread, self._before) + more
        self._settle()
        if self._unread <= _HIGH_WATER or not self._is_crowded():
            return None
        return await self._wait_for_room()

    def _is_crowded(self) -> bool:
        connection = self._connection
        self._unread = min(self._unread, connection.backlog)
        return self._unread > (_HIGHEST_WATER if connection.open_calls else _HIGH_WATER)

    async def _wait_for_room(self) -> str | None:
        stall = self._connection.limits.stall
        writes = -1
        patience: float | None = None
        while self._is_crowded():
            if self._writer.writes != writes and stall is not None:
                patience = self._loop.time() + stall
            writes = self._writer.writes
            self._moved.clear()
            try:
                async with asyncio.timeout_at(patience):
                    await self._moved.wait()
            except TimeoutError:
                return f"the peer has read nothing for {stall} s"
        return None
