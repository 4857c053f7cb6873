"""The end of a session: handlers finish, what is left is written, and the transport is closed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from .serving_tasks import ServingTasks
from .transport import Transport
from .writing import Writer

__all__ = ["Finisher"]

_log = logging.getLogger(__name__)


class Finisher:
    """Ends a session, once, in a task of its own.

    Handlers have `grace` seconds to finish, and so has the other side to read. `abort` has the
    connection end what is open after that. `on_over` is called at the end, however it came.
    """

    def __init__(
        self,
        transport: Transport,
        serving: ServingTasks,
        grace: float,
        *,
        abort: Callable[[], None],
        on_over: Callable[[], None],
    ) -> None:
        self._transport = transport
        self._serving = serving
        self._grace = grace
        self._abort = abort
        self._on_over = on_over
        self._task: asyncio.Task[None] | None = None
        self._over = asyncio.Event()

    @property
    def has_begun(self) -> bool:
        """Whether the session is at its end, or on the way to it."""
        return self._task is not None

    def begin(self, writer: Writer | None, *, at_once: bool) -> None:
        """Begin; `at_once` is for handlers that are not to finish."""
        self._task = asyncio.get_running_loop().create_task(self._run(writer, at_once))
        self._task.add_done_callback(self._on_done)

    async def wait(self) -> None:
        """Wait for the end, which has to begin for that."""
        await self._over.wait()

    async def _run(self, writer: Writer | None, at_once: bool) -> None:
        try:
            if not at_once:
                await self._serving.wait(self._grace)
            self._abort()
            await self._serving.stop()
            if writer is not None:
                await writer.finish(self._grace)
        except Exception:
            _log.exception("a session did not end as it should")
        finally:
            # Also where this task is cancelled: a child process is not to be left.
            await self._close_transport()

    async def _close_transport(self) -> None:
        try:
            await self._transport.close()
        except Exception:
            _log.exception("the transport failed to close")

    def _on_done(self, task: asyncio.Task[None]) -> None:
        """Let go whoever waits, also where the task has been cancelled before it began."""
        self._on_over()
        self._over.set()
