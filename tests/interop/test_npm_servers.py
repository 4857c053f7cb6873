"""Our client with the other TypeScript servers that the protocol's authors publish."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import mcp_wire
import pytest
from mcp_wire import v2025_11_25 as mcp

from . import record
from .peers import is_installed, npm_server

SECONDS = 60

Test = Callable[[mcp.ServerStub], Coroutine[Any, Any, None]]


def run(command: list[str], test: Test, tmp_path: Path) -> None:
    if not is_installed(command):
        pytest.skip("the server is not installed: python -m tests.interop.peers")
    said = tmp_path / "record"
    tee = [sys.executable, str(Path(__file__).parent / "tee.py"), str(said)]

    async def session() -> None:
        async with (
            asyncio.timeout(SECONDS),
            mcp_wire.connect_stdio([*tee, *command]) as opened,
        ):
            assert opened.version == mcp.PROTOCOL_VERSION
            await test(opened.server)

    asyncio.run(session())
    assert list(record.problems(record.read(said), mcp.PROTOCOL_VERSION)) == []


def text_of(result: mcp.CallToolResult | mcp.CreateTaskResult) -> str:
    assert isinstance(result, mcp.CallToolResult)
    content = result.content[0]
    assert isinstance(content, mcp.TextContent)
    return content.text


def test_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_FILE_PATH", str(tmp_path / "memory.jsonl"))

    async def test(server: mcp.ServerStub) -> None:
        entity = {"name": "Ada", "entityType": "person", "observations": ["wrote a program"]}
        await server.call_tool(name="create_entities", arguments={"entities": [entity]})
        graph = json.loads(text_of(await server.call_tool(name="read_graph")))
        assert graph == {"entities": [entity], "relations": []}

    run(npm_server("memory"), test, tmp_path)


def test_filesystem(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("à la carte")

    async def test(server: mcp.ServerStub) -> None:
        tools = [tool.name async for tool in server.iter_tools()]
        assert "list_directory" in tools
        path = str(folder / "a.txt")
        read = await server.call_tool(name="read_text_file", arguments={"path": path})
        assert text_of(read) == "à la carte"
        outside = await server.call_tool(name="read_text_file", arguments={"path": "/etc/passwd"})
        assert outside.is_error is True

    run(npm_server("filesystem", str(folder)), test, tmp_path)


def test_sequential_thinking(tmp_path: Path) -> None:
    async def test(server: mcp.ServerStub) -> None:
        thought = {
            "thought": "first",
            "nextThoughtNeeded": True,
            "thoughtNumber": 1,
            "totalThoughts": 2,
        }
        answer = await server.call_tool(name="sequentialthinking", arguments=thought)
        assert json.loads(text_of(answer))["thoughtNumber"] == 1

    run(npm_server("sequential-thinking"), test, tmp_path)
