"""A session for programs without an event loop: its calls block, and may come from any thread.

One thread of its own runs the asynchronous session, so that both have the same rules and the
same transports, and pings are answered while the program does something else. Every call waits
for a coroutine in that thread, whose end is that of the session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Self, TypeAlias

from .asyncio_session import Session
from .errors import ConnectionClosed
from .facts import Side
from .limits import Limits
from .loop_thread import LoopThread
from .session import BlockingSession, ProgressCallback, SyncProgressCallback
from .session_base import SessionBase, Sides
from .threads import in_thread
from .transport import Transport

__all__ = ["Connect", "SyncSession"]

Connect: TypeAlias = Callable[[], Awaitable[Transport]]
"""Opens the transport of a session."""


class SyncSession(SessionBase, BlockingSession):
    """A blocking session over the transport that `connect` opens; the rest is as in `Session`.

        with SyncSession(connect, role="client") as session:
            result = session.server.list_tools()

    `async def` methods of the handler run in the session's thread, which they must not block;
    each plain `def` method runs in a thread of its own. In none of these does `SystemExit` or
    `KeyboardInterrupt` end the program or the session: it is a failure of the handler like any
    other, which is logged, and its request answered with an error.
    """

    def __init__(
        self,
        connect: Connect,
        handler: object = None,
        *,
        role: Side = "client",
        versions: Sequence[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._role: Side = role
        self._connect = connect
        self._handler = handler
        self._versions = versions
        self._limits = limits
        self._thread = LoopThread(self._close)
        self._transport: Transport | None = None
        self._session: Session | None = None

    stub_suffix = "StubSync"

    @property
    def sides(self) -> Sides:
        """Our own side, and the connection to the other; `RuntimeError` before the start."""
        return self._opened.sides

    @property
    def transport(self) -> Transport:
        """What the session goes over, as `Session.transport`."""
        return self._opened.transport

    @property
    def _opened(self) -> Session:
        if self._session is None:
            raise RuntimeError("the session has not been started")
        return self._session

    # --- from start to end ----------------------------------------------------------------------

    def start(self) -> None:
        """Connect, and return once a version has been agreed on.

        Raises what `connect` and `Session.start` raise; the session is closed then, and
        one that was closed before is not started. It cannot be started twice: that is a
        `RuntimeError`.
        """
        self._thread.start()
        try:
            self._thread.call(self._open())
        except BaseException:
            self.close()
            raise

    def wait_closed(self, timeout: float | None = None) -> bool:
        """Wait for the end of the session; False when it did not come within `timeout` s.

        Raises `RuntimeError` when it has had no start.
        """
        if not self._thread.has_begun:
            raise RuntimeError("the session has not been started")
        try:
            self._thread.call(self._wait_closed(timeout))
        except TimeoutError:
            return False
        except ConnectionClosed:
            pass
        return True

    def close(self) -> None:
        """End the session, as `Session.close` does. May be called more than once.

        Raises `RuntimeError` in the session's own thread, as every call that blocks.
        """
        self._thread.end()

    def __enter__(self) -> Self:
        self.start()
        return self

    # --- what we send ---------------------------------------------------------------------------

    def request(
        self,
        method: str,
        params: dict[str, Any] | None,
        *,
        timeout: float | None = None,
        on_progress: SyncProgressCallback | None = None,
        total_timeout: float | None = None,
    ) -> dict[str, Any]:
        """Send a request and return the result object of its answer, as `Session.request` does.

        `on_progress` is called in another thread, before this returns. An exception here,
        such as `KeyboardInterrupt`, cancels the request.
        """
        return self._thread.call(
            self._opened.request(
                method,
                params,
                timeout=timeout,
                on_progress=None if on_progress is None else _off_thread(on_progress),
                total_timeout=total_timeout,
            )
        )

    def notify(self, method: str, params: dict[str, Any] | None) -> None:
        """Send a notification. Raises `ConnectionClosed`."""
        self._thread.call(self._opened.notify(method, params))

    def ping(self, *, timeout: float | None = None) -> None:
        """Ping the peer, once, as `Session.ping` does."""
        self._thread.call(self._opened.ping(timeout=timeout))

    # --- the thread -----------------------------------------------------------------------------

    async def _open(self) -> None:
        self._transport = await self._connect()
        self._session = Session(
            self._transport,
            self._handler,
            role=self._role,
            versions=self._versions,
            limits=self._limits,
        )
        await self._session.start()

    async def _wait_closed(self, timeout: float | None) -> None:
        async with asyncio.timeout(timeout):
            await self._opened.wait_closed()

    async def _close(self) -> None:
        if self._session is not None:
            await self._session.close()
        if self._transport is not None:
            # There may be no session for it; and the end of one may have been interrupted.
            await self._transport.close()


def _off_thread(callback: SyncProgressCallback) -> ProgressCallback:
    """The callback as one that does not keep the session's thread."""

    async def call(progress: float, total: float | None, message: str | None) -> None:
        await in_thread(callback, progress, total, message)

    return call
