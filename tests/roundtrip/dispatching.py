"""What the tests of dispatchers share: handlers, and their answers."""

from __future__ import annotations

import asyncio
from types import ModuleType
from typing import Any

from .wire import notification, parsed, run, text_result


class Tools:
    """A structural handler: nothing is inherited."""

    def __init__(self, mcp: ModuleType, name: str = "tools") -> None:
        self.mcp = mcp
        self.info = {"name": name, "version": "7"}
        self.called: list[Any] = []

    async def list_tools(self, params: Any, ctx: Any) -> Any:
        self.called.append(params)
        return self.mcp.ListToolsResult(tools=[])

    async def call_tool(self, params: Any, ctx: Any) -> Any:
        self.called.append(params)
        return text_result(self.mcp, params.name)


def served(mcp: ModuleType, call: Any, **options: Any) -> Any:
    """A dispatcher of a handler whose `call_tool` is the given function."""

    class Handler:
        call_tool = staticmethod(call)

    return mcp.Dispatcher(Handler(), **options)


def answer(dispatcher: Any, message: bytes) -> Any:
    return parsed(run(dispatcher.dispatch(message)))


def error(dispatcher: Any, message: bytes) -> Any:
    found = answer(dispatcher, message)
    assert set(found) <= {"jsonrpc", "id", "error"}, found
    return found["error"]


def unread(mcp: ModuleType) -> dict[str, Any]:
    """What stands for the id of a request that cannot be read."""
    return {"id": None} if mcp.PROTOCOL_VERSION <= "2025-06-18" else {}


def cancelled(id: Any) -> bytes:
    return notification("notifications/cancelled", {"requestId": id})


class Slow:
    """A handler that waits until it is released or interrupted."""

    def __init__(self, mcp: ModuleType, *, stubborn: bool = False) -> None:
        self.mcp = mcp
        self.stubborn = stubborn
        self.started = asyncio.Event()
        self.release = asyncio.Event()
        self.ctx: Any = None
        self.interrupted = False

    async def call_tool(self, params: Any, ctx: Any) -> Any:
        self.ctx = ctx
        self.started.set()
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.interrupted = True
            if not self.stubborn:
                raise
        return text_result(self.mcp)
