"""The end comes at any moment, from either side: nothing is left, hangs or shows a traceback."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import time
from typing import Any

import pytest
from mcp_wire import ConnectionClosed, Limits
from mcp_wire import v2025_11_25 as mcp
from mcp_wire.runtime.child import DEFAULT_GRACE
from mcp_wire.runtime.serving_tasks import _LAST_CHANCE

from .raw import ECHO_SERVER, SECONDS, RawServer, echo, environment, is_gone_soon, program

LATEST = "2025-11-25"

STUCK = """
import asyncio, time
from mcp_wire import v2025_11_25 as mcp

class Stuck(mcp.ServerHandler):
    {handler}

asyncio.run(mcp.serve_stdio(Stuck(mcp.Implementation(name="stuck", version="1"))))
"""

HANDLERS = {
    "awaiting": "async def call_tool(self, params, ctx): await asyncio.sleep(600)",
    "in a thread": "def call_tool(self, params, ctx): time.sleep(600)",
    "asking": """
    async def call_tool(self, params, ctx):
        await ctx.peer.ping()
        await asyncio.sleep(600)
""",
}

every_handler = pytest.mark.parametrize("name", HANDLERS)


def stuck(name: str) -> list[str]:
    return program(STUCK.format(handler=HANDLERS[name]))


@every_handler
def test_input_ends_while_a_handler_runs(name: str) -> None:
    with RawServer(stuck(name)) as server:
        server.open(LATEST)
        server.send(echo("x"))
        time.sleep(0.2)
        started = time.monotonic()
        status, _, errors = server.end()
        assert time.monotonic() - started < 8
        assert (status, errors) == (0, b"")


BUSY = """
import asyncio, sys
from mcp_wire import v2025_11_25 as mcp

class Busy(mcp.ServerHandler):
    async def call_tool(self, params, ctx):
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            {reaction}
        finally:
            print("the handler ended", file=sys.stderr)

asyncio.run(mcp.serve_stdio(Busy(mcp.Implementation(name="busy", version="1"))))
print("the server ended", file=sys.stderr)
"""


@pytest.mark.parametrize("reaction", ["raise", "await asyncio.sleep(600)"])
def test_client_that_closes_lets_the_server_end(reaction: str) -> None:
    """Its calls are cancelled, and a handler that goes on nevertheless has its time."""
    lines: list[str] = []

    async def test() -> tuple[str, float]:
        command = program(BUSY.format(reaction=reaction))
        async with mcp.connect_stdio(command, env=environment(), stderr=lines.append) as session:
            call = asyncio.create_task(session.server.call_tool(name="x"))
            await asyncio.sleep(0.2)
            started = time.monotonic()
        with pytest.raises(ConnectionClosed):
            await call
        transport: Any = session.transport
        return transport.exit_description, time.monotonic() - started

    ended, seconds = asyncio.run(test())
    assert ended.endswith("exited with status 0")
    assert lines == ["the handler ended", "the server ended"]
    assert seconds < (1.5 if reaction == "raise" else DEFAULT_GRACE)


def test_client_waits_longer_than_a_server_takes() -> None:
    """A server waits for its handlers, interrupts them, and writes what is left."""
    assert Limits().grace + 2 * _LAST_CHANCE < DEFAULT_GRACE


CLIENT = """
import asyncio, sys
from mcp_wire import v2025_11_25 as mcp

async def main():
    async with mcp.connect_stdio(sys.argv[1:]) as session:
        call = asyncio.create_task(session.server.call_tool(name="echo"))
        await asyncio.sleep(0.2)
        print(session.transport.pid, flush=True)
        await call

asyncio.run(main())
"""


@every_handler
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_client_is_killed(name: str, number: signal.Signals) -> None:
    command = [*program(CLIENT), *stuck(name)]
    client = subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert client.stdout is not None
        pid = int(client.stdout.readline())
        client.send_signal(number)
        _, errors = client.communicate(timeout=SECONDS)
    finally:
        client.kill()
        client.communicate()
    assert is_gone_soon(pid)
    if number is signal.SIGINT:
        assert errors.rstrip().endswith(b"KeyboardInterrupt")
        assert errors.count(b"Traceback") <= 2
    else:
        assert errors == b""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("seed", range(3))
def test_server_is_killed(
    number: signal.Signals, seed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """While calls are in flight in numbers, at whatever moment."""
    delay = random.Random(seed).uniform(0, 0.2)

    async def test() -> tuple[int, list[Any]]:
        async with mcp.connect_stdio(ECHO_SERVER, env=environment()) as session:
            pid: int = session.transport.pid  # type: ignore[attr-defined]
            calls = [
                session.server.call_tool(name="echo", arguments={"message": "x" * size})
                for size in range(0, 100_000, 500)
            ]
            asyncio.get_running_loop().call_later(delay, os.kill, pid, number)
            async with asyncio.timeout(20):
                return pid, await asyncio.gather(*calls, return_exceptions=True)

    pid, found = asyncio.run(test())
    assert is_gone_soon(pid)
    assert all(isinstance(one, mcp.CallToolResult | ConnectionClosed) for one in found)
    reasons = {one.reason for one in found if isinstance(one, ConnectionClosed)}
    ended = f"the connection is closed: {ECHO_SERVER[0]!r} was ended by {number.name}"
    assert reasons <= {ended}
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("seed", range(3))
def test_session_is_closed(seed: int, capfd: pytest.CaptureFixture[str]) -> None:
    delay = random.Random(seed).uniform(0, 0.1)

    async def test() -> tuple[int, list[Any]]:
        async with mcp.connect_stdio(ECHO_SERVER, env=environment()) as session:
            pid: int = session.transport.pid  # type: ignore[attr-defined]
            calls = [
                asyncio.create_task(session.server.call_tool(name="echo", arguments={"message": m}))
                for m in ("x" * size for size in range(0, 100_000, 500))
            ]
            await asyncio.sleep(delay)
        async with asyncio.timeout(20):
            return pid, await asyncio.gather(*calls, return_exceptions=True)

    pid, found = asyncio.run(test())
    assert is_gone_soon(pid)
    assert all(isinstance(one, mcp.CallToolResult | ConnectionClosed) for one in found)
    assert "Traceback" not in capfd.readouterr().err


def test_client_reads_no_more() -> None:
    """Its end of the server's output is closed, and the server's input is not."""
    with RawServer() as server:
        server.open(LATEST)
        assert server.process.stdout is not None
        server.process.stdout.close()
        server.process.stdout = None
        assert server.process.wait(20) == 0
        assert server.process.stderr is not None
        assert server.process.stderr.read() == b""


def test_process_that_serves_nothing_more() -> None:
    """After serving, the process has its streams back, and ends when it likes."""
    code = """
import asyncio, os, mcp_wire
asyncio.run(mcp_wire.serve_stdio(lambda mcp: object()))
print(os.read(0, 9), "done")
"""
    done = subprocess.run(
        program(code), input=b"", env=environment(), capture_output=True, timeout=20, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"b'' done\n", b"")
