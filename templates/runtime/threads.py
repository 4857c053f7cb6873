"""Plain functions beside the event loop, in threads that nobody waits for.

asyncio's own threads are few, and a process does not end before all of them have: one handler
that never returns would keep it for ever. These are as many as are needed, and end with the
process.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar, TypeVarTuple

__all__ = ["Jobs", "in_thread", "waiting_task"]

T = TypeVar("T")
R = TypeVar("R")
Ts = TypeVarTuple("Ts")

_MAX_IDLE = 16
"""Threads that are kept for the next function: starting one takes longer than most of these."""

_waiting: contextvars.ContextVar[asyncio.Task[Any] | None]
_waiting = contextvars.ContextVar("waiting", default=None)

_idle: list[SimpleQueue[Callable[[], None]]] = []
if hasattr(os, "register_at_fork"):
    # A forked process has the list, and none of the threads.
    os.register_at_fork(after_in_child=_idle.clear)


class Jobs:
    """The functions that run in threads for one piece of work, whether it awaits them or not."""

    __slots__ = ("_running", "_then")

    def __init__(self) -> None:
        self._running = 0
        self._then: Callable[[], None] | None = None

    def when_done(self, then: Callable[[], None]) -> None:
        """Call a function once none of them runs any more, at once if none does."""
        if self._running:
            self._then = then
        else:
            then()

    def begin(self) -> None:
        """Count one more."""
        self._running += 1

    def end(self) -> None:
        """Count one less."""
        self._running -= 1
        if not self._running and self._then is not None:
            then, self._then = self._then, None
            then()


def waiting_task() -> asyncio.Task[Any] | None:
    """Return the task that waits for the function that runs in this thread, or that has called us.

    None where there is no such function.
    """
    return _waiting.get()


async def in_thread(fn: Callable[[*Ts], T], *args: *Ts, jobs: Jobs | None = None) -> T:
    """Call a function in a thread, with the context of the caller, and return its result.

    Raises what it raises. When the caller is cancelled, the function runs on; `jobs` knows
    of it.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()
    context.run(_waiting.set, asyncio.current_task())

    def job() -> None:
        try:
            result = context.run(fn, *args)
        except StopIteration as error:
            # No future can hold this one: the caller would wait for ever.
            other = RuntimeError(f"{error!r} was raised where it ends no iteration")
            other.__cause__ = error
            _tell(loop, jobs, future, future.set_exception, other)
        except BaseException as error:
            _tell(loop, jobs, future, future.set_exception, error)
        else:
            _tell(loop, jobs, future, future.set_result, result)

    _start(job)
    # Only now, since there may be no thread to be had; how it ends is told in a later turn.
    if jobs is not None:
        jobs.begin()
    return await future


def _tell(
    loop: asyncio.AbstractEventLoop,
    jobs: Jobs | None,
    future: asyncio.Future[T],
    settle: Callable[[R], None],
    outcome: R,
) -> None:
    """Settle a future in its event loop, if there still is one and somebody waits."""

    def act() -> None:
        if jobs is not None:
            jobs.end()
        if not future.done():
            settle(outcome)

    with suppress(RuntimeError):
        loop.call_soon_threadsafe(act)


def _start(job: Callable[[], None]) -> None:
    """Run a job in a thread that has nothing to do, or in a new one."""
    try:
        jobs = _idle.pop()
    except IndexError:
        jobs = SimpleQueue[Callable[[], None]]()
        Thread(target=_work, args=(jobs,), name="mcp handler", daemon=True).start()
    jobs.put(job)


def _work(jobs: SimpleQueue[Callable[[], None]]) -> None:
    while True:
        jobs.get()()
        if len(_idle) >= _MAX_IDLE:
            return
        _idle.append(jobs)
