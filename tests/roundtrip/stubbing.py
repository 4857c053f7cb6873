"""What the tests of stubs share: sessions that answer from a list, and calls of both kinds."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .wire import MODERN, info, is_stateless, run

COMPLETE = {"resultType": "complete"}
CACHEABLE = {**COMPLETE, "ttlMs": 0, "cacheScope": "private"}


class FakeSession:
    """Answers requests from a list, and keeps what it was asked; for both kinds of stub."""

    def __init__(
        self, *answers: Any, peer_capabilities: Any = None, handler: object | None = None
    ) -> None:
        self.answers = list(answers)
        self.sent: list[tuple[str, Any]] = []
        self.options: list[dict[str, Any]] = []
        self.peer_capabilities = peer_capabilities
        self.handler = handler

    def answer(self, method: str, params: Any, options: dict[str, Any]) -> Any:
        self.sent.append((method, params))
        self.options.append(options)
        found = self.answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


class AsyncSession(FakeSession):
    async def request(self, method: str, params: Any, **options: Any) -> Any:
        return self.answer(method, params, options)

    async def notify(self, method: str, params: Any) -> None:
        self.sent.append((method, params))


class SyncSession(FakeSession):
    def request(self, method: str, params: Any, **options: Any) -> Any:
        return self.answer(method, params, options)

    def notify(self, method: str, params: Any) -> None:
        self.sent.append((method, params))


class Calls:
    """Calls a stub in one of its two kinds: `calls(session, lambda stub: stub.ping())`."""

    def __init__(self, sync: bool) -> None:
        self.sync = sync

    def session(self, *answers: Any, **options: Any) -> Any:
        return (SyncSession if self.sync else AsyncSession)(*answers, **options)

    def stub(self, mcp: ModuleType, session: Any, name: str = "ServerStub", **options: Any) -> Any:
        return getattr(mcp, f"{name}Sync" if self.sync else name)(session, **options)

    def __call__(self, stub: Any, call: Callable[[Any], Any]) -> Any:
        async def main() -> Any:
            return await call(stub)

        return call(stub) if self.sync else run(main())

    def items(self, stub: Any, call: Callable[[Any], Any]) -> list[Any]:
        async def main() -> list[Any]:
            return [item async for item in call(stub)]

        return list(call(stub)) if self.sync else run(main())


def content(mcp: ModuleType, text: str = "hi") -> dict[str, Any]:
    extra = COMPLETE if is_stateless(mcp) else {}
    return {**extra, "content": [{"type": "text", "text": text}]}


def without_meta(params: Any) -> Any:
    return {key: value for key, value in params.items() if key != "_meta"}


NOW = "2025-11-25T00:00:00Z"


TASK = {"taskId": "t", "status": "working", "createdAt": NOW, "lastUpdatedAt": NOW, "ttl": None}


class Client(MODERN.ClientHandler):  # type: ignore[name-defined,misc]
    def __init__(self) -> None:
        super().__init__(info(MODERN, "client"))
        self.asked: list[Any] = []

    async def list_roots(self, params: Any, ctx: Any) -> Any:
        assert isinstance(ctx, MODERN.ClientContext)
        self.asked.append((params, ctx.request_id, ctx.meta))
        return MODERN.ListRootsResult(roots=[MODERN.Root(uri="file:///r")])

    def elicit(self, params: Any, ctx: Any) -> Any:
        self.asked.append((params, ctx.request_id, threading.current_thread().name))
        return MODERN.ElicitResult(action="accept", content={"a": 1})


ROOTS = {"roots": [{"uri": "file:///r"}]}
