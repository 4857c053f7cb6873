"""The tasks in which a session runs its handlers."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from .arrivals import Arrival
from .complaints import Complaints
from .context import RequestContext
from .dispatcher import DispatcherBase
from .events import NotificationReceived, RequestCancelled, RequestReceived
from .exits import EXITS, note_exit
from .handlers import BUILT_IN
from .limits import MOST_WAITING
from .refusals import internal_error, too_many
from .sides import OwnSide

__all__ = ["ServingTasks"]

_log = logging.getLogger(__name__)

_LAST_CHANCE = 0.5
"""Seconds that handlers have to stop once they are cancelled."""

_MOST_OPEN_ENDED = 1000
"""Requests without a slot, such as subscriptions, that may be open at once."""

T = TypeVar("T")
Finish = Callable[[RequestReceived, "bytes | None"], None]


class ServingTasks:
    """Runs the handlers of `own` for what comes, and calls `finish` when one has stopped.

    At most `most` notifications run at once. The others wait in their order, and when these
    are too many, the oldest is left out: neither can the reader wait for their handlers, which
    may wait for an answer that is to be read, nor may they pile up. No handler starts before
    there is `room`, so that what answers take up has a bound.
    """

    def __init__(
        self,
        own: OwnSide,
        most: int,
        *,
        room: asyncio.Event,
        finish: Finish,
    ) -> None:
        self._own = own
        self._most = most
        self._room = room
        self._finish = finish
        self._loop = asyncio.get_running_loop()
        self._requests: dict[Arrival, _Serving] = {}
        self._notifications: deque[tuple[NotificationReceived, DispatcherBase]] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self.waiting_bytes = 0
        """What the notifications take up that wait for others to be served."""
        self._complaints = Complaints()
        self._closing: set[asyncio.Task[None]] = set()

    def start(self, event: RequestReceived) -> None:
        """Serve a request."""
        arrival = event.request
        try:
            self._start(event)
        except (Exception, asyncio.CancelledError):  # Nothing was waited for.
            _log.exception("a request of version %s could not be served", arrival.version)
            self._stopped(event, internal_error(arrival.id).to_json())

    def _start(self, event: RequestReceived) -> None:
        arrival = event.request
        if len(self._requests) >= self._most + _MOST_OPEN_ENDED:
            self._warn("refused a request, as %d are open", len(self._requests))
            self._finish(event, too_many(arrival.id, "open"))
            return
        envelope = arrival.envelope
        dispatcher = self._own.dispatcher(arrival.version)
        serving = _Serving(dispatcher.context(envelope))
        if envelope.method in BUILT_IN and dispatcher.is_built_in(envelope.method):
            # Its answer is at hand, and what comes next may depend on its having been sent.
            self._finish(event, _result_now(dispatcher.respond(envelope, serving.ctx)))
            return
        self._requests[arrival] = serving
        serving.task = self._loop.create_task(
            self._serve(event, dispatcher, serving), name=envelope.method
        )

    def cancel(self, event: RequestCancelled) -> None:
        """Interrupt the handler of a request."""
        serving = self._requests.get(event.request)
        if serving is None or serving.task is None:
            return
        self._interrupt(serving)
        if not serving.has_started:
            # It never will, and so cannot say that it has stopped.
            self._stopped(RequestReceived(event.request), None)

    def notify(self, event: NotificationReceived) -> None:
        """Give a notification to the handler, if it has a method for it."""
        try:
            dispatcher = self._own.dispatcher(event.version)
            if not dispatcher.listens(str(event.envelope.method)):
                return
        except (Exception, asyncio.CancelledError):
            _log.exception("a notification of version %s could not be served", event.version)
            return
        self._notifications.append((event, dispatcher))
        self.waiting_bytes += event.size
        self._start_notifications()
        if self.waiting_bytes > MOST_WAITING:
            self._leave_out()

    def _start_notifications(self) -> None:
        while self._notifications and len(self._tasks) < self._most:
            event, dispatcher = self._notifications.popleft()
            self.waiting_bytes -= event.size
            task = self._loop.create_task(self._notify(event, dispatcher))
            self._tasks.add(task)
            task.add_done_callback(self._notified)

    def _notified(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._start_notifications()

    def _leave_out(self) -> None:
        """Drop the notifications that wait longest, but not the last of all."""
        while self.waiting_bytes > MOST_WAITING and len(self._notifications) > 1:
            event, _ = self._notifications.popleft()
            self.waiting_bytes -= event.size
            self._warn("left out a notification that has waited: %.80r", event.envelope.method)

    def _warn(self, message: str, *args: object) -> None:
        self._complaints.warn(self._loop.time(), message, *args)

    def excuse(self, task: asyncio.Task[Any] | None) -> None:
        """Do not wait for a handler, nor interrupt it: it waits for the end, in its `task`."""
        self._closing.update(running for running in self._running() if running is task)

    async def wait(self, seconds: float) -> None:
        """Wait until all handlers have stopped, for so many seconds at most."""
        until = self._loop.time() + seconds
        while (running := self._running()) and self._loop.time() < until:
            await asyncio.wait(running, timeout=until - self._loop.time())

    async def stop(self) -> None:
        """Interrupt all handlers, and wait a little for them to stop."""
        self._notifications.clear()
        self.waiting_bytes = 0
        for serving in self._requests.values():
            self._interrupt(serving)
        for task in self._tasks - self._closing:
            task.cancel()
        if running := self._running():
            await asyncio.wait(running, timeout=_LAST_CHANCE)

    def _interrupt(self, serving: _Serving) -> None:
        """Cancel a request, and its handler unless that waits for the end itself."""
        serving.ctx.cancel()
        if serving.task not in self._closing:
            serving.interrupt()

    def _running(self) -> list[asyncio.Task[None]]:
        tasks = [*self._tasks]
        tasks += [serving.task for serving in self._requests.values() if serving.task is not None]
        return [task for task in tasks if task not in self._closing and not task.done()]

    async def _serve(
        self, event: RequestReceived, dispatcher: DispatcherBase, serving: _Serving
    ) -> None:
        serving.has_started = True
        answer: bytes | None = None
        try:
            if not self._room.is_set():
                await self._room.wait()
            answer = await dispatcher.respond(event.request.envelope, serving.ctx)
        except EXITS:
            # Whether this is the end of the event loop or not: the peer need not wait for it.
            answer = internal_error(event.request.id).to_json()
            note_exit()
            raise
        except asyncio.CancelledError as error:
            if not serving.ctx.cancelled:
                answer = dispatcher.failure(event.request.envelope, error)
            raise
        except BaseException as error:
            if serving.ctx.cancelled:
                raise
            answer = dispatcher.failure(event.request.envelope, error)
        finally:
            # A plain function runs on after its request is cancelled, and keeps its slot.
            if serving.ctx.jobs is None:
                self._stopped(event, answer)
            else:
                serving.ctx.jobs.when_done(partial(self._stopped, event, answer))

    def _stopped(self, event: RequestReceived, answer: bytes | None) -> None:
        self._requests.pop(event.request, None)
        self._finish(event, answer)

    async def _notify(self, event: NotificationReceived, dispatcher: DispatcherBase) -> None:
        try:
            await dispatcher.serve(event.envelope)
        except EXITS:
            note_exit()
            raise


def _result_now(call: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns that waits for nothing."""
    try:
        call.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    call.close()
    raise RuntimeError("a built-in answer was not at hand")


class _Serving:
    """A request whose handler is running."""

    __slots__ = ("_is_interrupted", "ctx", "has_started", "task")

    def __init__(self, ctx: RequestContext) -> None:
        self.ctx = ctx
        self.task: asyncio.Task[None] | None = None
        self.has_started = False
        self._is_interrupted = False

    def interrupt(self) -> None:
        """Cancel the task, once: what it does about that is not to be interrupted in its turn."""
        if self.task is not None and not self._is_interrupted:
            self._is_interrupted = True
            self.task.cancel()
