"""A session for programs without an event loop: its calls block, and may come from any thread.

One thread of its own runs the asynchronous session, so that both have the same rules and the
same transports, and pings are answered while the program does something else. Every call waits
for a coroutine in that thread. When the thread ends, for whatever reason, the session is at its
end, and all calls with it.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from typing import Any, Self, TypeAlias, TypeVar

from .asyncio_session import Session
from .context import Side
from .errors import ConnectionClosed
from .exits import EXITS
from .known import KnownSides, Sides
from .limits import Limits
from .session import BlockingSession, ProgressCallback, SyncProgressCallback
from .threads import in_thread
from .transport import Transport

__all__ = ["Connect", "SyncSession"]

_log = logging.getLogger(__name__)

T = TypeVar("T")

Connect: TypeAlias = Callable[[], Awaitable[Transport]]
"""Opens the transport of a session."""

_LAST_CHANCE = 0.5
"""Seconds that what is left has to stop at the end."""


class SyncSession(KnownSides, BlockingSession):
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
        self._thread = threading.Thread(target=self._run, name="mcp session", daemon=True)
        self._lock = threading.Lock()
        self._is_open = False
        self._is_closed = False
        self._is_running = True
        self._calls: set[Future[Any]] = set()
        self._session: Session | None = None

    stub_suffix = "StubSync"

    _loop: asyncio.AbstractEventLoop

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
        with self._lock:
            if self._has_thread:
                raise RuntimeError("a session is started once")
            if self._is_closed:
                raise ConnectionClosed
            self._loop = asyncio.new_event_loop()
            try:
                self._thread.start()
            except BaseException:
                self._loop.close()
                raise
            self._is_open = True
        try:
            self._call(self._open())
        except BaseException:
            self.close()
            raise

    def wait_closed(self, timeout: float | None = None) -> bool:
        """Wait for the end of the session; False when it did not come within `timeout` s.

        Raises `RuntimeError` when it has had no start.
        """
        if not self._has_thread and not self._is_closed:
            raise RuntimeError("the session has not been started")
        try:
            self._call(self._wait_closed(timeout))
        except TimeoutError:
            return False
        except ConnectionClosed:
            pass
        return True

    def close(self) -> None:
        """End the session, as `Session.close` does. May be called more than once.

        Raises `RuntimeError` in the session's own thread, as every call that blocks.
        """
        self._refuse_own_thread()
        with self._lock:
            self._is_closed = True
            closing = self._submit(self._close()) if self._is_alive else None
            self._is_open = False
        try:
            if closing is not None:
                self._result(closing)
        except ConnectionClosed:
            pass  # The thread has ended while the session was closed.
        finally:
            if closing is not None:
                with suppress(RuntimeError):  # The same; then its event loop is closed.
                    self._loop.call_soon_threadsafe(self._stop)
            if self._has_thread:
                self._thread.join()

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
        return self._call(
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
        self._call(self._opened.notify(method, params))

    def ping(self, *, timeout: float | None = None) -> None:
        """Ping the peer, once, as `Session.ping` does."""
        self._call(self._opened.ping(timeout=timeout))

    # --- the thread -----------------------------------------------------------------------------

    @property
    def _has_thread(self) -> bool:
        return self._thread.ident is not None

    @property
    def _is_alive(self) -> bool:
        """Whether there is a thread that takes calls: in a forked process there is none."""
        return self._is_open and self._thread.is_alive()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        for step in (self._run_loop, self._end_tasks, self._end_calls, self._loop.close):
            try:
                step()
            except BaseException:
                _log.exception("the thread of a session failed")

    def _run_loop(self) -> None:
        """Run the event loop until `_stop`: nothing else that a handler does ends it."""
        while self._is_running:
            try:
                self._loop.run_forever()
            except EXITS:
                _log.exception("an exit in the thread of a session ends neither it nor the program")

    def _end_tasks(self) -> None:
        """Cancel what is left; a session that has not been closed is closed before."""
        with self._lock:
            self._is_open = False
        if self._is_running:
            self._loop.run_until_complete(self._close())
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        if left:
            self._loop.run_until_complete(asyncio.wait(left, timeout=_LAST_CHANCE))

    def _stop(self) -> None:
        self._is_running = False
        self._loop.stop()

    def _end_calls(self) -> None:
        """Fail all calls that still wait: nobody would settle them any more."""
        for call in list(self._calls):
            with suppress(InvalidStateError):
                call.set_exception(ConnectionClosed())

    async def _open(self) -> None:
        transport = await self._connect()
        try:
            self._session = Session(
                transport,
                self._handler,
                role=self._role,
                versions=self._versions,
                limits=self._limits,
            )
        except BaseException:
            await transport.close()
            raise
        await self._session.start()

    async def _wait_closed(self, timeout: float | None) -> None:
        async with asyncio.timeout(timeout):
            await self._opened.wait_closed()

    async def _close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _call(self, call: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the session's thread, and wait for it."""
        try:
            self._refuse_own_thread()
            with self._lock:
                if not self._is_alive:
                    raise ConnectionClosed
                running = self._submit(call)
        except BaseException:
            call.close()
            raise
        return self._result(running)

    def _refuse_own_thread(self) -> None:
        if threading.current_thread() is self._thread:
            raise RuntimeError("a blocking call would wait for its own thread")

    def _submit(self, call: Coroutine[Any, Any, T]) -> Future[T]:
        running = asyncio.run_coroutine_threadsafe(call, self._loop)
        self._calls.add(running)
        return running

    def _result(self, running: Future[T]) -> T:
        """Wait for a coroutine; the end of the thread cancels it, or fails it."""
        try:
            return running.result()
        except CancelledError:
            raise ConnectionClosed from None
        except BaseException:
            running.cancel()
            raise
        finally:
            self._calls.discard(running)


def _off_thread(callback: SyncProgressCallback) -> ProgressCallback:
    """The callback as one that does not keep the session's thread."""

    async def call(progress: float, total: float | None, message: str | None) -> None:
        await in_thread(callback, progress, total, message)

    return call
