"""Requests that are cancelled while a dispatcher serves them."""

from __future__ import annotations

import asyncio
import threading
from types import ModuleType
from typing import Any

import pytest

from .dispatching import Slow, Tools, cancelled, error, served
from .wire import (
    TASKS,
    call_tool,
    info,
    parsed,
    request,
    run,
    text_result,
)

# --- cancellation -------------------------------------------------------------------------------


@pytest.mark.parametrize("stubborn", [False, True])
@pytest.mark.parametrize("id", [0, "", "a", 5])
def test_cancelled_request_gets_no_answer(mcp: ModuleType, id: Any, stubborn: bool) -> None:
    async def main() -> None:
        handler = Slow(mcp, stubborn=stubborn)
        dispatcher = mcp.Dispatcher(handler)
        task = asyncio.create_task(dispatcher.dispatch(call_tool(mcp, id=id)))
        await handler.started.wait()
        assert not handler.ctx.cancelled
        assert await dispatcher.dispatch(cancelled(id)) is None
        assert await dispatcher.dispatch(cancelled(id)) is None
        assert await task is None
        assert handler.interrupted
        assert handler.ctx.cancelled
        assert task.cancelling() == 0
        # The id is free again.
        handler.release.set()
        assert "result" in parsed(await dispatcher.dispatch(call_tool(mcp, id=id)))

    run(main())


@pytest.mark.parametrize("other", ["1", 2, "", None, 1.0])
def test_ids_of_another_type_cancel_nothing(mcp: ModuleType, other: Any) -> None:
    async def main() -> None:
        handler = Slow(mcp)
        dispatcher = mcp.Dispatcher(handler)
        task = asyncio.create_task(dispatcher.dispatch(call_tool(mcp, id=1)))
        await handler.started.wait()
        await dispatcher.dispatch(cancelled(other))
        handler.release.set()
        assert "result" in parsed(await task)

    run(main())


def test_late_and_unknown_cancellations_are_ignored(mcp: ModuleType) -> None:
    async def main() -> None:
        dispatcher = mcp.Dispatcher(Tools(mcp))
        await dispatcher.dispatch(call_tool(mcp))
        assert await dispatcher.dispatch(cancelled(1)) is None
        assert await dispatcher.dispatch(cancelled(99)) is None

    run(main())


def test_initialize_cannot_be_cancelled() -> None:
    async def main() -> None:
        started, release = asyncio.Event(), asyncio.Event()

        class Server(TASKS.ServerHandler):
            async def initialize(self, params: Any, ctx: Any) -> Any:
                started.set()
                await release.wait()
                return await super().initialize(params, ctx)

        dispatcher = TASKS.Dispatcher(Server(info(TASKS)))
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "c", "version": "0"},
        }
        task = asyncio.create_task(dispatcher.dispatch(request(TASKS, "initialize", params)))
        await started.wait()
        await dispatcher.dispatch(cancelled(1))
        release.set()
        assert parsed(await task)["result"]["protocolVersion"] == "2025-11-25"

    run(main())


def test_plain_function_sees_its_cancellation() -> None:
    async def main() -> None:
        started, seen = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        def call(params: Any, ctx: Any) -> Any:
            loop.call_soon_threadsafe(started.set)
            while not ctx.cancelled:
                pass
            seen.set()
            return text_result(TASKS)

        dispatcher = served(TASKS, call)
        task = asyncio.create_task(dispatcher.dispatch(call_tool(TASKS)))
        await started.wait()
        await dispatcher.dispatch(cancelled(1))
        assert await task is None
        assert seen.wait(5)

    run(main())


def test_callers_own_cancellation_goes_through(mcp: ModuleType) -> None:
    async def main() -> None:
        handler = Slow(mcp)
        task = asyncio.create_task(mcp.Dispatcher(handler).dispatch(call_tool(mcp)))
        await handler.started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert handler.ctx.cancelled

    run(main())


def test_callers_time_limit_goes_through_a_cancellation(mcp: ModuleType) -> None:
    async def main() -> None:
        handler = Slow(mcp)
        dispatcher = mcp.Dispatcher(handler)

        limits: list[asyncio.Timeout] = []

        async def limited() -> None:
            async with asyncio.timeout(None) as limit:
                limits.append(limit)
                await dispatcher.dispatch(call_tool(mcp))

        task = asyncio.create_task(limited())
        await handler.started.wait()
        limits[0].reschedule(asyncio.get_running_loop().time())
        with pytest.raises(TimeoutError):
            await task
        assert task.cancelling() == 0

    run(main())


def test_handlers_own_cancellation_is_a_failure(mcp: ModuleType) -> None:
    async def call(params: Any, ctx: Any) -> Any:
        raise asyncio.CancelledError

    assert error(served(mcp, call), call_tool(mcp))["code"] == -32603
