"""What the tests of stubs, handlers and dispatchers share: versions, messages and servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from types import ModuleType
from typing import Any, TypeVar

import mcp_wire

T = TypeVar("T")

MODULES: dict[str, ModuleType] = {version: mcp_wire.load(version) for version in mcp_wire.VERSIONS}
STATEFUL = [module for module in MODULES.values() if "initialize" in module.METHODS]
STATELESS = [module for module in MODULES.values() if "initialize" not in module.METHODS]
MODERN = MODULES["2026-07-28"]

TASKS = MODULES["2025-11-25"]
BATCHES = MODULES["2025-03-26"]
OLDEST = MODULES["2024-11-05"]

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"


def version_id(module: ModuleType) -> str:
    return str(module.PROTOCOL_VERSION)


def run(call: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine, and fail rather than hang."""

    async def limited() -> T:
        async with asyncio.timeout(20):
            return await call

    return asyncio.run(limited())


def is_stateless(module: ModuleType) -> bool:
    return module in STATELESS


def request_meta(module: ModuleType, capabilities: dict[str, Any] | None = None) -> dict[str, Any]:
    """What a request of that version has to carry in `_meta`: nothing, or version and client."""
    if not is_stateless(module):
        return {}
    return {VERSION_KEY: module.PROTOCOL_VERSION, CAPABILITIES_KEY: capabilities or {}}


def request(
    module: ModuleType,
    method: str,
    params: dict[str, Any] | None = None,
    *,
    id: Any = 1,
    meta: dict[str, Any] | None = None,
) -> bytes:
    """A request as bytes, with the `_meta` that its version asks for."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
    merged = {**request_meta(module), **(meta or {})}
    if merged:
        message["params"] = {**(params or {}), "_meta": merged}
    elif params is not None:
        message["params"] = params
    return json.dumps(message).encode()


def notification(method: str, params: dict[str, Any] | None = None) -> bytes:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return json.dumps(message).encode()


def parsed(answer: bytes | None) -> Any:
    """An answer as JSON; there has to be one."""
    assert answer is not None
    return json.loads(answer)


def call_tool(module: ModuleType, name: str = "echo", **options: Any) -> bytes:
    return request(module, "tools/call", {"name": name, "arguments": {"a": 1}}, **options)


def info(module: ModuleType, name: str = "tester") -> Any:
    return module.Implementation(name=name, version="1.0")


def text_result(module: ModuleType, text: str = "done") -> Any:
    return module.CallToolResult(content=[module.TextContent(text=text)])


class Recorder:
    """A `send` that keeps what is sent."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    async def __call__(self, data: bytes) -> None:
        self.messages.append(json.loads(data))

    @property
    def params(self) -> list[dict[str, Any]]:
        return [message["params"] for message in self.messages]
