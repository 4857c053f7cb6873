"""Serving and connecting over stdio as programs do it, in every version, both ways."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import mcp_wire
import pytest
from mcp_wire import ConnectionClosed, RpcError, connect_stdio, connect_stdio_sync
from mcp_wire import v2025_11_25 as mcp

from .raw import ECHO_SERVER, ROOT, environment, is_running, program

every_version = pytest.mark.parametrize("version", mcp_wire.VERSIONS)

MISTAKE = r"no option 'timeout'; those for the process are env, cwd, stderr"

TEXT = "à \u2028 \ud800 \U0001f600"


def test_options_are_told_by_their_names() -> None:
    options: Any = {"timeout": 3}

    async def test() -> None:
        async with connect_stdio(ECHO_SERVER, **options):
            pass

    with pytest.raises(TypeError, match=MISTAKE):
        asyncio.run(test())
    with pytest.raises(TypeError, match=MISTAKE), connect_stdio_sync(ECHO_SERVER, **options):
        pass


@every_version
def test_echo(version: str) -> None:
    async def test() -> None:
        async with connect_stdio(ECHO_SERVER, env=environment(), versions=[version]) as session:
            assert (session.version, session.server_info.name) == (version, "echo")
            assert [tool.name async for tool in session.server.iter_tools()] == ["echo"]
            result = await session.server.call_tool(name="echo", arguments={"message": TEXT})
            assert result.content[0].text == TEXT
            with pytest.raises(RpcError, match="expected the tool echo"):
                await session.server.call_tool(name="other")

    asyncio.run(test())


@every_version
def test_echo_by_blocking(version: str) -> None:
    with connect_stdio_sync(ECHO_SERVER, env=environment(), versions=[version]) as session:
        assert (session.version, session.server_info.name) == (version, "echo")
        assert [tool.name for tool in session.server.iter_tools()] == ["echo"]
        result = session.server.call_tool(name="echo", arguments={"message": TEXT})
        assert result.content[0].text == TEXT
    with pytest.raises(ConnectionClosed):
        session.server.call_tool(name="echo")


@every_version
def test_module_of_a_version(version: str) -> None:
    module: Any = mcp_wire.load(version)

    async def test() -> None:
        async with module.connect_stdio(ECHO_SERVER, env=environment()) as session:
            assert isinstance(session, module.ClientSession)
            assert isinstance(session.server, module.ServerStub)
            assert isinstance(session.capabilities, module.ServerCapabilities)
            assert session.server_info == module.Implementation(name="echo", version="1")
            assert session.version == version

    asyncio.run(test())
    with module.connect_stdio_sync(ECHO_SERVER, env=environment()) as session:
        assert isinstance(session.server, module.ServerStubSync)
        assert isinstance(session.capabilities, module.ServerCapabilities)
        assert session.server_info.name == "echo"


def test_echo_client() -> None:
    client = [sys.executable, str(ROOT / "tests" / "peers" / "echo_client.py")]
    done = subprocess.run([*client, *ECHO_SERVER], capture_output=True, text=True, check=False)
    expected = f"{mcp_wire.LATEST_VERSION} echo\ntool: echo\necho: hello\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")


SERVER = """
import asyncio
from mcp_wire import v2025_11_25 as mcp

class Asking(mcp.ServerHandler):
    async def call_tool(self, params, ctx):
        roots = await ctx.peer.list_roots()
        await ctx.progress(1, 2, "half")
        await ctx.log("info", "asked")
        text = " ".join(root.uri for root in roots.roots)
        return mcp.CallToolResult(content=[mcp.TextContent(text=text)])

capabilities = mcp.ServerCapabilities(tools=mcp.ServerCapabilitiesTools(), logging={})
info = mcp.Implementation(name="asking", version="1")
asyncio.run(mcp.serve_stdio(Asking(info, instructions="ask", capabilities=capabilities)))
"""


class Person(mcp.ClientHandler):
    def __init__(self) -> None:
        super().__init__(mcp.Implementation(name="person", version="1"))
        self.logged: list[Any] = []

    async def list_roots(
        self, params: mcp.RequestParams, ctx: mcp.ClientContext
    ) -> mcp.ListRootsResult:
        await ctx.peer.ping()
        return mcp.ListRootsResult(roots=[mcp.Root(uri="file:///a"), mcp.Root(uri="file:///b")])

    async def on_logging_message(
        self, params: mcp.LoggingMessageNotificationParams, ctx: mcp.ClientContext
    ) -> None:
        self.logged.append(params.data)


def test_both_sides_call() -> None:
    person = Person()
    steps: list[Any] = []

    async def test() -> None:
        async with mcp.connect_stdio(program(SERVER), person, env=environment()) as session:
            assert session.instructions == "ask"
            result = await session.server.call_tool(
                name="x", on_progress=lambda *step: steps.append(step)
            )
            assert result.content == [mcp.TextContent(text="file:///a file:///b")]

    asyncio.run(test())
    assert (steps, person.logged) == ([(1, 2, "half")], ["asked"])


def test_both_sides_call_by_blocking() -> None:
    person = Person()
    with mcp.connect_stdio_sync(program(SERVER), person, env=environment()) as session:
        result = session.server.call_tool(name="x")
        assert result.content == [mcp.TextContent(text="file:///a file:///b")]
    assert person.logged == ["asked"]


def test_blocking_session_that_does_not_come_about(tmp_path: Path) -> None:
    with (
        pytest.raises(ConnectionClosed, match="exited with status 3"),
        connect_stdio_sync(program("raise SystemExit(3)")),
    ):
        pass
    with pytest.raises(FileNotFoundError), connect_stdio_sync([str(tmp_path / "nothing")]):
        pass


def test_unknown_version_leaves_no_process(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    command = ["sh", "-c", f"echo $$ > {pid}; exec sleep 600"]
    options: Any = {"versions": ["1999-01-01"], "grace": 1}

    async def test() -> None:
        with pytest.raises(LookupError, match="1999"):
            async with connect_stdio(command, **options):
                pass

    asyncio.run(test())
    assert not is_running(int(pid.read_text()))
    pid.unlink()
    with (
        pytest.raises(LookupError, match="1999"),
        connect_stdio_sync(command, **options),
    ):
        pass
    assert not is_running(int(pid.read_text()))
