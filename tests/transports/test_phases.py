"""Either process is ended, stopped or cut off, in each phase of a session."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp_wire import ConnectionClosed, Limits, McpError, RequestTimeout
from mcp_wire import v2025_11_25 as mcp

from .raw import RawServer, echo, environment, initialize, is_gone_soon, program

VERSION = "2025-11-25"
SOON = 10
"""Seconds that everything has to come to its end in, on a busy machine too."""

SERVER = """
import asyncio
from mcp_wire import v2025_11_25 as mcp

class Server(mcp.ServerHandler):
    async def call_tool(self, params, ctx):
        if params.name == "slow":
            await asyncio.sleep(600)
        return mcp.CallToolResult(content=[mcp.TextContent(text="x" * 100_000)])

asyncio.run(mcp.serve_stdio(Server(mcp.Implementation(name="server", version="1"))))
"""

SERVERS = {
    "entering": "import sys; sys.stdin.read()",
    "idle": SERVER,
    "calling": SERVER,
    "leaving": f"{SERVER}\nimport time; time.sleep(2)",
}
"""What lets a client be in a phase for a while: one that never answers, or is slow to end."""


# --- the server, and a client of bytes ----------------------------------------------------------


def started(server: RawServer) -> None:
    server.send(b"", b"")


def asked(server: RawServer) -> None:
    server.send(initialize(VERSION))


def cut_off(server: RawServer) -> None:
    server.write(initialize(VERSION)[:40])


def opened(server: RawServer) -> None:
    server.open(VERSION)


def serving(server: RawServer) -> None:
    server.open(VERSION)
    server.send(*(_call("slow", number) for number in range(1, 4)))
    server.send(b'{"jsonrpc":"2.0","id":9,"method":"ping"}')
    assert server.receive()["id"] == 9


def answering(server: RawServer) -> None:
    """Far more than a pipe holds, which nobody reads."""
    server.open(VERSION)
    server.send(*(_call("fast", number) for number in range(1, 60)))
    time.sleep(0.2)


def _call(name: str, number: int) -> bytes:
    return echo("x", number).replace(b'"echo"', b'"%s"' % name.encode())


PHASES = [started, asked, cut_off, opened, serving, answering]
Phase = Callable[[RawServer], None]

in_every_phase = pytest.mark.parametrize("phase", PHASES, ids=lambda phase: phase.__name__)


@in_every_phase
@pytest.mark.parametrize("closed", ["input", "output", "output and input"])
def test_client_closes_pipes(phase: Phase, closed: str) -> None:
    with RawServer(program(SERVER)) as server:
        phase(server)
        process = server.process
        assert process.stdout is not None
        assert process.stderr is not None
        if "output" in closed:
            process.stdout.close()
        if "input" in closed:
            server.input.close()
        begun = time.monotonic()
        if closed == "input":
            while os.read(server.output, 1 << 20):
                pass
        assert process.wait(SOON) == 0
        assert time.monotonic() - begun < SOON
        assert process.stderr.read() == b""
        if "output" in closed:
            process.stdout = None


@in_every_phase
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_server_is_ended(phase: Phase, number: signal.Signals) -> None:
    with RawServer(program(SERVER)) as server:
        phase(server)
        server.process.send_signal(number)
        assert server.process.stderr is not None
        assert server.process.wait(SOON) == -number
        assert server.process.stderr.read() == b""


@in_every_phase
def test_server_is_stopped_for_a_while(phase: Phase) -> None:
    """Its client goes meanwhile."""
    with RawServer(program(SERVER)) as server:
        phase(server)
        server.process.send_signal(signal.SIGSTOP)
        server.input.close()
        time.sleep(0.1)
        assert server.process.poll() is None
        server.process.send_signal(signal.SIGCONT)
        _, errors = server.process.communicate(timeout=SOON)
        assert (server.process.returncode, errors) == (0, b"")


# --- the client, and a server as its child ------------------------------------------------------


CLIENT = """
import asyncio, os, sys
from mcp_wire import v2025_11_25 as mcp

async def main():
    phase, *command = sys.argv[1:]
    opening = mcp.connect_stdio(command)
    if phase == "entering":
        asyncio.get_running_loop().call_later(0.3, tell, phase)
    async with opening as session:
        if phase == "calling":
            calls = [asyncio.create_task(session.server.call_tool(name="slow")) for _ in range(9)]
        await session.ping()
        if phase == "leaving":
            asyncio.get_running_loop().call_later(0.1, tell, phase)
        else:
            tell(phase)
            await asyncio.sleep(600)

def tell(phase):
    with open("/proc/self/task/%d/children" % os.getpid()) as children:
        print(children.read(), flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize("phase", SERVERS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.skipif(sys.platform != "linux", reason="the children of a process are told by /proc")
def test_client_is_ended(phase: str, number: signal.Signals) -> None:
    """Its server goes too, and neither says anything."""
    with subprocess.Popen(
        [*program(CLIENT), phase, *program(SERVERS[phase])],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as client:
        assert client.stdout is not None
        assert client.stderr is not None
        children = [int(pid) for pid in client.stdout.readline().split()]
        client.send_signal(number)
        assert client.wait(SOON) == -number
        errors = client.stderr.read()
    assert len(children) == 1
    assert is_gone_soon(children[0])
    assert errors == b""


@pytest.mark.parametrize("phase", SERVERS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
def test_server_of_a_client_is_ended(
    phase: str,
    number: signal.Signals,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What waits fails with what has happened; entering and leaving end, and nothing is left."""
    pids: list[int] = []
    errors: list[McpError] = []

    async def attempt(session: Any) -> None:
        try:
            await session.server.call_tool(name="slow", timeout=3)
        except McpError as error:
            errors.append(error)

    async def signal_soon(seconds: float) -> None:
        await asyncio.sleep(seconds)
        if not pids:
            pids.extend(_children())
        os.kill(pids[0], number)

    async def test() -> None:
        command = program(SERVERS[phase])
        limits = Limits(timeout=1) if phase == "entering" else None
        options: Any = {"env": environment(), "grace": 0.5, "limits": limits}
        tasks: list[asyncio.Task[None]] = []
        if phase == "entering":
            tasks.append(asyncio.create_task(signal_soon(0.2)))
        try:
            async with mcp.connect_stdio(command, **options) as session:
                transport: Any = session.transport
                pids.append(transport.pid)
                if phase == "calling":
                    tasks += [asyncio.create_task(attempt(session)) for _ in range(9)]
                    await asyncio.sleep(0.1)
                if phase == "leaving":
                    tasks.append(asyncio.create_task(signal_soon(0.1)))
                else:
                    await signal_soon(0.1)
                    await asyncio.gather(*tasks, attempt(session))
        except McpError as error:
            errors.append(error)
        await asyncio.gather(*tasks)

    begun = time.monotonic()
    asyncio.run(test())
    assert time.monotonic() - begun < SOON
    assert is_gone_soon(pids[0])
    assert len(errors) == {"entering": 1, "idle": 1, "calling": 10, "leaving": 0}[phase]
    for error in errors:
        if number is signal.SIGSTOP:
            assert isinstance(error, RequestTimeout)
        else:
            assert isinstance(error, ConnectionClosed)
            assert error.reason.endswith(f"was ended by {number.name}")
    assert "Traceback" not in capfd.readouterr().err
    assert caplog.records == []


def _children() -> list[int]:
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return [int(pid) for pid in children.split()]
