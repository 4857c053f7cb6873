"""An event loop in a thread of its own, in which other threads run coroutines, and wait for them.

Whatever ends the thread ends all who wait: none of them waits for ever.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from typing import Any, Literal, TypeVar

from .errors import ConnectionClosed
from .exits import EXITS

__all__ = ["LoopThread"]

_log = logging.getLogger(__name__)

_LAST_CHANCE = 0.5
"""Seconds that what is left has to stop at the end."""

T = TypeVar("T")


class LoopThread:
    """The thread and its event loop; `close` is called in it before the end, once.

    It ends with `end`. Nothing else that happens in the loop ends it: an exit there, such as
    `SystemExit`, is logged.
    """

    def __init__(self, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._close = close
        self._thread = threading.Thread(target=self._run, name="mcp session", daemon=True)
        self._lock = threading.Lock()
        self._phase: Literal["new", "open", "ended"] = "new"
        self._is_stopping = False
        self._calls: set[Future[Any]] = set()

    _loop: asyncio.AbstractEventLoop

    @property
    def has_begun(self) -> bool:
        """Whether there is a start or an end already."""
        return self._phase != "new"

    def start(self) -> None:
        """Start the thread. Raises `ConnectionClosed` after `end`, `RuntimeError` twice."""
        with self._lock:
            if self._thread.ident is not None:
                raise RuntimeError("a session is started once")
            if self._phase == "ended":
                raise ConnectionClosed
            self._loop = asyncio.new_event_loop()
            try:
                self._thread.start()
            except BaseException:
                self._loop.close()
                raise
            self._phase = "open"

    def call(self, call: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the thread, and wait for it; an exception here cancels it.

        Raises what it raises, `ConnectionClosed` when the thread ends before, or has ended,
        and `RuntimeError` in the thread itself.
        """
        try:
            self.require_other()
            with self._lock:
                if not self._is_alive:
                    raise ConnectionClosed
                running = self._submit(call)
        except BaseException:
            call.close()
            raise
        return self._result(running)

    def end(self) -> None:
        """Close what runs there, and wait for the end of the thread. May be called again."""
        self.require_other()
        with self._lock:
            closing = self._submit(self._close()) if self._is_alive else None
            self._phase = "ended"
        try:
            if closing is not None:
                self._result(closing)
        except ConnectionClosed:
            pass  # The thread has ended meanwhile.
        finally:
            if closing is not None:
                with suppress(RuntimeError):  # The same: the loop is closed then.
                    self._loop.call_soon_threadsafe(self._stop)
            if self._thread.ident is not None:
                self._thread.join()

    def require_other(self) -> None:
        """Raise `RuntimeError` in the thread itself."""
        if threading.current_thread() is self._thread:
            raise RuntimeError("a blocking call would wait for its own thread")

    # --- calls ----------------------------------------------------------------------------------

    @property
    def _is_alive(self) -> bool:
        """Whether there is a thread that takes calls: in a forked process there is none."""
        return self._phase == "open" and self._thread.is_alive()

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

    # --- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        for step in (self._run_loop, self._end_tasks, self._end_calls, self._loop.close):
            try:
                step()
            except BaseException:
                _log.exception("the thread of a session failed")

    def _run_loop(self) -> None:
        """Run the event loop until `_stop`: nothing else that a handler does ends it."""
        while not self._is_stopping:
            try:
                self._loop.run_forever()
            except EXITS:
                _log.exception("an exit in the thread of a session ends neither it nor the program")

    def _end_tasks(self) -> None:
        """Cancel what is left; a session that has not been closed is closed before.

        When closing has been interrupted, what is left of it has little time.
        """
        with self._lock:
            self._phase = "ended"
        if not self._is_stopping:
            self._loop.run_until_complete(self._close())
        self._cancel_tasks()
        self._loop.run_until_complete(self._close_again())
        self._cancel_tasks()

    async def _close_again(self) -> None:
        with suppress(Exception):  # Whoever closed has been told.
            async with asyncio.timeout(_LAST_CHANCE):
                await self._close()

    def _cancel_tasks(self) -> None:
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        if left:
            self._loop.run_until_complete(asyncio.wait(left, timeout=_LAST_CHANCE))

    def _stop(self) -> None:
        self._is_stopping = True
        self._loop.stop()

    def _end_calls(self) -> None:
        """Fail all calls that still wait: nobody would settle them any more."""
        for call in list(self._calls):
            with suppress(InvalidStateError):
                call.set_exception(ConnectionClosed())
