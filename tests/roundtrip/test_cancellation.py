"""Requests that their own handlers cancel: none of it may reach whoever awaits the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
from mcp_wire import ConnectionClosed, DispatcherSession

from .wire import TASKS, call_tool, notification, parsed, run, text_result

Cancel = Callable[[Any, Any], Awaitable[None]]


async def directly(dispatcher: Any, ctx: Any) -> None:
    dispatcher.cancel(ctx.request_id)


async def by_notification(dispatcher: Any, ctx: Any) -> None:
    message = notification("notifications/cancelled", {"requestId": ctx.request_id})
    assert await dispatcher.dispatch(message) is None


async def twice(dispatcher: Any, ctx: Any) -> None:
    dispatcher.cancel(ctx.request_id)
    dispatcher.cancel(ctx.request_id)


async def nothing(ctx: Any) -> None:
    pass


async def waiting(ctx: Any) -> None:
    await asyncio.sleep(0)


async def stubborn(ctx: Any) -> None:
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError:
        await asyncio.sleep(0)


async def refusing(ctx: Any) -> None:
    raise TASKS.RpcError(-1, "no")


CANCELS = [directly, by_notification, twice]
REACTIONS = [nothing, waiting, stubborn, refusing]


class Handler:
    """Cancels its own request, and goes on as it is told."""

    def __init__(self, cancel: Cancel, then: Callable[[Any], Awaitable[None]]) -> None:
        self.dispatcher = TASKS.Dispatcher(self)
        self.cancel = cancel
        self.then = then

    async def call_tool(self, params: Any, ctx: Any) -> Any:
        if params.name == "other":
            return text_result(TASKS)
        await self.cancel(self.dispatcher, ctx)
        await self.then(ctx)
        return text_result(TASKS)


@pytest.mark.parametrize("then", REACTIONS)
@pytest.mark.parametrize("cancel", CANCELS)
def test_handler_that_cancels_its_request_does_not_cancel_the_caller(
    cancel: Cancel, then: Callable[[Any], Awaitable[None]]
) -> None:
    async def main() -> None:
        task = asyncio.current_task()
        assert task is not None
        dispatcher = Handler(cancel, then).dispatcher
        assert await dispatcher.dispatch(call_tool(TASKS)) is None
        assert task.cancelling() == 0
        await asyncio.sleep(0)
        assert "result" in parsed(await dispatcher.dispatch(call_tool(TASKS, "other")))

    run(main())


def test_progress_callback_that_cancels_the_request() -> None:
    async def main() -> None:
        class Reporter:
            ctx: Any = None

            async def call_tool(self, params: Any, ctx: Any) -> Any:
                self.ctx = ctx
                await ctx.progress(1)
                return text_result(TASKS)

        reporter = Reporter()
        dispatcher = TASKS.Dispatcher(reporter)
        stub = TASKS.ServerStub(DispatcherSession(dispatcher))

        def on_progress(value: float, total: float | None, message: str | None) -> None:
            dispatcher.cancel(reporter.ctx.request_id)

        with pytest.raises(ConnectionClosed):
            await stub.call_tool(name="x", on_progress=on_progress)
        await asyncio.sleep(0)

    run(main())


def test_callers_cancellation_survives_the_requests_own() -> None:
    """Both come before the handler waits, so that one interruption stands for two."""

    async def main() -> None:
        task: Any = None

        async def both(dispatcher: Any, ctx: Any) -> None:
            dispatcher.cancel(ctx.request_id)
            task.cancel()

        task = asyncio.create_task(Handler(both, nothing).dispatcher.dispatch(call_tool(TASKS)))
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())


def test_both_of_two_requests_that_one_task_serves_are_cancelled() -> None:
    """One interruption comes for both."""

    async def main() -> None:
        inner = Handler(directly, nothing).dispatcher

        async def call_inner(dispatcher: Any, ctx: Any) -> None:
            dispatcher.cancel(ctx.request_id)
            assert await inner.dispatch(call_tool(TASKS)) is None

        outer = Handler(call_inner, nothing).dispatcher
        assert await outer.dispatch(call_tool(TASKS)) is None
        await asyncio.sleep(0)

    run(main())


def test_caller_that_was_cancelled_before_and_went_on() -> None:
    async def main() -> None:
        async def survivor() -> bytes | None:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            return await Handler(directly, waiting).dispatcher.dispatch(call_tool(TASKS))

        task = asyncio.create_task(survivor())
        await asyncio.sleep(0)
        task.cancel()
        assert await task is None

    run(main())
