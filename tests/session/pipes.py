"""A transport in memory, and sessions over it, for the tests of both kinds of session."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any, TypeVar

import mcp_wire
from mcp_wire import Limits, Session
from mcp_wire.runtime.errors import ConnectionClosed

T = TypeVar("T")


class Pipe:
    """One end of a pair; it has room for `limit` messages that nobody has received yet."""

    def __init__(self, limit: int = 1_000_000) -> None:
        self.queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.room = asyncio.Semaphore(limit)
        self.sent: list[Any] = []
        self.peer = self
        self.is_closed = False

    async def receive(self) -> bytes | None:
        message = await self.queue.get()
        self.room.release()
        return message

    async def send(self, message: bytes) -> None:
        await self.peer.room.acquire()
        if self.is_closed or self.peer.is_closed:
            raise ConnectionClosed
        self.sent.append(json.loads(message))
        self.peer.queue.put_nowait(message)

    async def close(self) -> None:
        self.is_closed = True
        for end in (self, self.peer):
            end.end()
            end.room.release()

    def end(self) -> None:
        """Nothing more comes to this end."""
        self.queue.put_nowait(None)

    async def say(self, message: Any) -> None:
        """Send what a session would not."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.peer.queue.put_nowait(data)

    async def hear(self) -> Any:
        """The next message, as JSON; None at the end."""
        message = await self.receive()
        return None if message is None else json.loads(message)


def pair(limit: int = 1_000_000) -> tuple[Pipe, Pipe]:
    one, other = Pipe(limit), Pipe(limit)
    one.peer, other.peer = other, one
    return one, other


def run(call: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine, and fail rather than hang or leave a task behind."""

    async def limited() -> T:
        async with asyncio.timeout(20):
            result = await call
        await asyncio.sleep(0)
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        assert not left, left
        return result

    return asyncio.run(limited())


@asynccontextmanager
async def joined(
    build: Callable[[Any], object] | object,
    client: object = None,
    *,
    versions: list[str] | None = None,
    limits: Limits | None = None,
    server_limits: Limits | None = None,
    limit: int = 1_000_000,
) -> AsyncIterator[tuple[Session, Session]]:
    """A client and a server that have agreed on a version, over a `pair` of that limit."""
    near, far = pair(limit)
    server = Session(far, build, role="server", versions=versions, limits=server_limits or limits)
    await server.start()
    async with Session(near, client, role="client", versions=versions, limits=limits) as session:
        yield session, server
    await server.wait_closed()


def text_of(answer: Any) -> str:
    """The text that a tool answered with."""
    return str(answer.content[0].text)


class Tools:
    """A server that every version has; `mcp` is the module of the version."""

    def __init__(self, mcp: ModuleType) -> None:
        self.mcp = mcp
        self.started = asyncio.Event()
        self.stopped: list[str] = []

    def text(self, text: str) -> Any:
        return self.mcp.CallToolResult(content=[self.mcp.TextContent(text=text)])

    async def call_tool(self, params: Any, ctx: Any) -> Any:
        match params.name:
            case "echo":
                return self.text(params.arguments["text"])
            case "progress":
                for value in range(3):
                    await ctx.progress(value, total=3)
                return self.text("done")
            case "hang":
                self.started.set()
                try:
                    await asyncio.sleep(60)
                finally:
                    self.stopped.append("hang")
            case "roots":
                roots = (await ctx.peer.list_roots()).roots
                return self.text(" ".join(root.uri for root in roots))
            case _:
                raise mcp_wire.RpcError(-32602, "no such tool")


class Roots:
    """A client that offers roots."""

    def __init__(self, mcp: ModuleType) -> None:
        self.mcp = mcp

    async def list_roots(self, params: Any, ctx: Any) -> Any:
        return self.mcp.ListRootsResult(roots=[self.mcp.Root(uri="file:///a")])
