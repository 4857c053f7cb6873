"""A session on an asyncio event loop: moves messages, runs handlers, and keeps the time.

    transport ──▶ read ──▶ Connection ──▶ events ──▶ a task for each request that is served
              ◀── write ◀──    ▲                     a future for each request of ours
                               └── answers, requests, notifications, the time

All rules are the connection's. Handlers run in tasks of their own, never where messages are
read, so that one may call the other side and wait for the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from .alarm import Alarm
from .callers import Caller
from .connection import Connection
from .errors import ConnectionClosed
from .events import (
    Answered,
    Closed,
    Event,
    Failed,
    NotificationReceived,
    Progressed,
    Ready,
    RequestCancelled,
    RequestReceived,
)
from .facts import Side
from .finishing import Finisher
from .limits import Limits
from .reactions import Reactions
from .reading import Reader
from .serving_tasks import ServingTasks
from .session import ProgressCallback
from .session_base import SessionBase, Sides
from .sides import OwnSide
from .threads import waiting_task
from .transport import Transport, end_reason
from .writing import Writer

__all__ = ["Session"]


class Session(SessionBase):
    """A session over `transport`, seen from the side `role`.

        async with Session(transport, role="client") as session:
            result = await session.server.list_tools()

        await Session(transport, handler, role="server").run()

    `handler` serves the peer's requests: a `ServerHandler` or `ClientHandler`, a function that
    makes a handler from a version's module, any other object with the right methods for the
    one version given, or None for a client that serves nothing. `versions` are those to
    speak, all released ones unless given.
    """

    def __init__(
        self,
        transport: Transport,
        handler: object = None,
        *,
        role: Side,
        versions: Sequence[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Raises `ValueError` for versions the handler cannot speak, `LookupError` for others."""
        self._transport = transport
        self._own = OwnSide(handler, role, versions, self)
        self._connection = Connection(
            role, self._own.versions, limits=limits, introduce=self._own.introduction
        )
        self._sides = Sides(self._own, self._connection)
        self._loop = asyncio.get_running_loop()
        self._room = asyncio.Event()
        self._room.set()
        self._moved = asyncio.Event()
        self._serving = ServingTasks(
            self._own,
            self._connection.limits.requests,
            room=self._room,
            finish=self._finish_request,
        )
        self._writer: Writer | None = None
        self._reader: Reader | None = None
        self._finisher = Finisher(
            transport,
            self._serving,
            self._connection.limits.grace,
            abort=self._abort,
            on_over=self._on_over,
        )
        self._alarm = Alarm(self._on_time)
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._reactions = Reactions(
            {
                RequestReceived: self._serving.start,
                RequestCancelled: self._serving.cancel,
                NotificationReceived: self._serving.notify,
                Answered: Caller.answered,
                Failed: Caller.failed,
                Progressed: Caller.progressed,
                Ready: self._on_ready,
                Closed: self._on_closed,
            }
        )

    @property
    def sides(self) -> Sides:
        """Our own side, and the connection to the other."""
        return self._sides

    @property
    def transport(self) -> Transport:
        """What the session goes over; a `ChildTransport` knows of its process."""
        return self._transport

    # --- from start to end ----------------------------------------------------------------------

    async def start(self) -> None:
        """Begin to read and write; a client returns once a version has been agreed on.

        Raises `ProtocolError` when there is none, what the server answered instead, what making
        a handler for the version raises, and `ConnectionClosed`; the session is closed then,
        and one that was closed before is not started. It cannot be started twice: that is a
        `RuntimeError`.
        """
        self._require_loop()
        connection = self._connection
        events = connection.start(self._loop.time())
        self._writer = Writer(
            self._transport, connection, self._room, self._moved.set, self._on_end
        )
        self._act(events)
        self._reader = Reader(
            self._transport,
            connection,
            self._reactions,
            self._writer,
            self._moved,
            settle=self._flush,
            on_end=self._on_end,
            on_cancelled=self._on_cancelled,
        )
        if self._own.role == "client":
            try:
                await asyncio.shield(self._ready)
            except BaseException:
                await self.close()
                raise

    async def run(self) -> None:
        """Start, and return when the session is at its end."""
        async with self:
            await self.wait_closed()

    async def wait_closed(self) -> None:
        """Wait for the end of the session. Raises `RuntimeError` when it has had no start."""
        self._require_loop()
        if self._reader is None and not self._finisher.has_begun:
            raise RuntimeError("the session has not been started")
        await self._finisher.wait()

    async def close(self) -> None:
        """End the session: calls fail, running handlers may finish within a bound.

        Of these, one that closes its own session is neither waited for nor interrupted, and is
        not answered any more. May be called more than once.
        """
        self._require_loop()
        for closer in (asyncio.current_task(), waiting_task()):
            self._serving.excuse(closer)
        self._act(self._connection.close(self._loop.time()))
        await self._finisher.wait()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    # --- what we send ---------------------------------------------------------------------------

    async def request(
        self,
        method: str,
        params: dict[str, Any] | None,
        *,
        timeout: float | None = None,
        on_progress: ProgressCallback | None = None,
        total_timeout: float | None = None,
    ) -> dict[str, Any]:
        """Send a request and return the result object of its answer.

        The params are sent as they are but for `_meta`: from 2026-07-28 on version and client
        are filled in, and the progress token is. For typed calls there is the stub, `server`.
        Times are in seconds, None for the limits of the session; progress does not extend
        `total_timeout`. `on_progress` has been called with all progress before this returns,
        unless it is so slow that reports had to be left out, or that the time is over; what
        it has begun is interrupted then. It is not called any more after an error. When the
        caller is cancelled, so is the request. Raises `RpcError` when the answer is
        an error, `RequestTimeout`, `PingFailed`, `ConnectionClosed`, and `ValueError` for a
        request that the version does not have.
        """
        self._require_loop()
        caller = Caller(on_progress)
        connection = self._connection
        request_id = connection.request(
            method,
            params,
            self._loop.time(),
            owner=caller,
            timeout=timeout,
            total_timeout=total_timeout,
            progress=on_progress is not None,
        )
        self._moved.set()
        self._flush()
        try:
            limits = connection.time_limits(method, timeout, total_timeout)
            return await caller.result(connection.limits, *limits)
        except asyncio.CancelledError:
            connection.cancel(request_id, self._loop.time(), "nobody waits any more")
            self._flush()
            raise

    async def notify(self, method: str, params: dict[str, Any] | None) -> None:
        """Send a notification, as soon as there is room. Raises `ConnectionClosed`."""
        self._require_loop()
        self._connection.notify(method, params, self._loop.time())
        self._flush()
        await self._room.wait()

    async def ping(self, *, timeout: float | None = None) -> None:
        """Ping the peer, once; it has `timeout` seconds, None for the limit of the session.

        Raises `PingFailed` unless it answers as it must, and the session is closed then;
        `ConnectionClosed`; and `ValueError` in a version without ping.
        """
        await self.request("ping", None, timeout=timeout)

    # --- moving ---------------------------------------------------------------------------------

    def _act(self, events: list[Event]) -> None:
        self._reactions.react(events)
        self._flush()

    def _require_loop(self) -> None:
        """Raise `RuntimeError` in another event loop, or thread, than the session's own.

        In its own, a session that has lost its tasks ends here, rather than a moment later.
        """
        if asyncio.get_running_loop() is not self._loop:
            raise RuntimeError("the session belongs to another event loop; see also ctx.run")
        if self._reader is not None and self._reader.was_cancelled:
            self._on_cancelled()

    def _flush(self) -> None:
        """Have done what the connection asks for: messages are written, the timer is set."""
        if self._writer is not None:
            self._writer.wake()
        self._alarm.set(self._connection.next_deadline())

    def _finish_request(self, event: RequestReceived, answer: bytes | None) -> None:
        events = self._connection.respond(event.request, answer, self._loop.time())
        if events:
            self._act(events)
        elif self._writer is not None:
            self._writer.wake()

    def _on_time(self) -> None:
        try:
            self._act(self._connection.tick(self._loop.time()))
        except BaseException as error:
            # Whoever waits has to know, whatever becomes of the event loop.
            self._on_end(f"keeping the time was ended by {error!r}")
            raise

    def _on_ready(self, event: Ready) -> None:
        if not self._ready.done():
            self._ready.set_result(None)

    # --- the end --------------------------------------------------------------------------------

    def _on_end(self, reason: str | None = None) -> None:
        now = self._loop.time()
        if reason is None:
            self._act(self._connection.receive_end(now, end_reason(self._transport)))
        else:
            self._act(self._connection.abort(now, reason))

    def _on_cancelled(self) -> None:
        """End as all that reads and writes has been cancelled: no answer would come any more."""
        reason = "the tasks of the session were cancelled"
        self._act(self._connection.receive_end(self._loop.time(), reason))

    def _on_closed(self, event: Closed) -> None:
        if not self._ready.done():
            self._ready.set_exception(event.error or ConnectionClosed(event.reason))
            self._ready.exception()
        self._alarm.stop()
        self._finisher.begin(self._writer, at_once=event.at_once)

    def _abort(self) -> None:
        self._act(self._connection.abort(self._loop.time()))

    def _on_over(self) -> None:
        if self._reader is not None:
            self._reader.stop()
