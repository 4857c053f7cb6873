"""The tasks in which a session runs its handlers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from .arrivals import Arrival
from .context import RequestContext
from .dispatcher import DispatcherBase
from .events import NotificationReceived, RequestCancelled, RequestReceived
from .handlers import BUILT_IN
from .refusals import internal_error
from .sides import OwnSide

__all__ = ["ServingTasks"]

_log = logging.getLogger(__name__)

_LAST_CHANCE = 0.5
"""Seconds that handlers have to stop once they are cancelled."""

Finish = Callable[[RequestReceived, "bytes | None"], None]


class ServingTasks:
    """Runs the handlers of `own` for what comes, and calls `finish` when one has stopped."""

    def __init__(self, own: OwnSide, finish: Finish) -> None:
        self._own = own
        self._finish = finish
        self._loop = asyncio.get_running_loop()
        self._requests: dict[Arrival, _Serving] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, event: RequestReceived) -> None:
        """Serve a request."""
        arrival = event.request
        envelope = arrival.envelope
        try:
            dispatcher = self._own.dispatcher(arrival.version)
            ctx = dispatcher.context(envelope)
        except Exception:
            _log.exception("the handler for version %s could not be made", arrival.version)
            self._finish(event, internal_error(arrival.id).to_json())
            return
        serving = _Serving(ctx)
        self._requests[arrival] = serving
        run = self._serve(event, dispatcher, serving)
        if envelope.method in BUILT_IN and dispatcher.is_built_in(envelope.method):
            # Its answer is at hand, and what comes next may depend on its having been sent.
            _run_now(run)
        else:
            serving.task = self._loop.create_task(run)

    def cancel(self, event: RequestCancelled) -> None:
        """Interrupt the handler of a request."""
        serving = self._requests.get(event.request)
        if serving is None or serving.task is None:
            return
        serving.ctx.cancel()
        serving.task.cancel()
        if not serving.has_started:
            # It never will, and so cannot say that it has stopped.
            del self._requests[event.request]
            self._finish(RequestReceived(event.request), None)

    def notify(self, event: NotificationReceived) -> None:
        """Give a notification to the handler, if it has a method for it."""
        try:
            dispatcher = self._own.dispatcher(event.version)
        except Exception:
            _log.exception("the handler for version %s could not be made", event.version)
            return
        if dispatcher.listens(str(event.envelope.method)):
            task = self._loop.create_task(self._notify(event, dispatcher))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def wait(self, seconds: float) -> None:
        """Wait until all handlers have stopped, for so many seconds at most."""
        until = self._loop.time() + seconds
        while (running := self._running()) and self._loop.time() < until:
            await asyncio.wait(running, timeout=until - self._loop.time())

    async def stop(self) -> None:
        """Interrupt all handlers, and wait a little for them to stop."""
        for serving in self._requests.values():
            serving.ctx.cancel()
        running = self._running()
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=_LAST_CHANCE)

    def _running(self) -> list[asyncio.Task[None]]:
        own = asyncio.current_task()
        tasks = [*self._tasks]
        tasks += [serving.task for serving in self._requests.values() if serving.task is not None]
        return [task for task in tasks if task is not own]

    async def _serve(
        self, event: RequestReceived, dispatcher: DispatcherBase, serving: _Serving
    ) -> None:
        serving.has_started = True
        answer: bytes | None = None
        try:
            answer = await dispatcher.respond(event.request.envelope, serving.ctx)
        finally:
            del self._requests[event.request]
            self._finish(event, answer)

    async def _notify(self, event: NotificationReceived, dispatcher: DispatcherBase) -> None:
        await dispatcher.serve(event.envelope)


def _run_now(run: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that waits for nothing."""
    try:
        run.send(None)
    except StopIteration:
        return
    run.close()
    raise RuntimeError("a built-in answer was not at hand")


class _Serving:
    """A request whose handler is running."""

    __slots__ = ("ctx", "has_started", "task")

    def __init__(self, ctx: RequestContext) -> None:
        self.ctx = ctx
        self.task: asyncio.Task[None] | None = None
        self.has_started = False
