"""What a peer can make a process keep has a bound, however much it sends and little it reads."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .raw import RawServer, echo, environment, program, request

LATEST = "2025-11-25"
MEGABYTE = 1_000_000

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


def peak_memory(pid: int) -> int:
    """Return the most bytes that a process has had in memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


FLOODING_SERVER = """
import json, os, sys
params = {"level": "info", "data": "x" * 10_000}
line = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": params}) + "\\n"
for text in sys.stdin.buffer:
    message = json.loads(text)
    answer = {"jsonrpc": "2.0", "id": message.get("id"), "result": {"content": []}}
    if message["method"] == "initialize":
        answer["result"] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                            "serverInfo": {"name": "flooding", "version": "1"}}
    for _ in range(40_000 if message["method"] == "tools/call" else 0):
        sys.stdout.write(line)
    if "id" in message:
        print(json.dumps(answer), flush=True)
"""

LISTENING_CLIENT = """
import asyncio, os, sys
from mcp_wire import connect_stdio
from mcp_wire import v2025_11_25 as mcp
from tests.transports.test_memory import FLOODING_SERVER, peak_memory

class Listening(mcp.ClientHandler):
    async def on_logging_message(self, params, ctx):
        await asyncio.sleep(600)

async def main():
    handler = Listening(mcp.Implementation(name="listening", version="1"))
    command = [sys.executable, "-c", FLOODING_SERVER]
    async with connect_stdio(command, handler, grace=0.3) as session:
        await session.server.call_tool(name="flood")
        print(peak_memory(os.getpid()), flush=True)

asyncio.run(main())
"""


def test_notifications_that_nobody_serves() -> None:
    """A server sends 400 MB of log messages, and the client's handler is stuck in the first."""
    paths = os.pathsep.join([environment()["PYTHONPATH"], str(Path(__file__).parents[2])])
    done = subprocess.run(
        program(LISTENING_CLIENT),
        env={**environment(), "PYTHONPATH": paths},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 200 * MEGABYTE


def write_until_stuck(server: RawServer, data: bytes, most: int) -> int:
    """Write data again and again until nothing is read for a second; how many bytes that was."""
    descriptor = server.input.fileno()
    os.set_blocking(descriptor, False)
    written = 0
    idle_since = time.monotonic()
    rest = memoryview(b"")
    while written < most and time.monotonic() < idle_since + 1:
        rest = rest or memoryview(data)
        try:
            count = os.write(descriptor, rest)
        except BlockingIOError:
            time.sleep(0.01)
            continue
        written += count
        rest = rest[count:]
        idle_since = time.monotonic()
    return written


def test_answers_that_nobody_reads() -> None:
    """A client pings for as long as the server reads, reads no answer, and is gone."""
    with RawServer() as server:
        server.open(LATEST)
        most = 600 * MEGABYTE
        ping = request("ping", "x" * 10_000) + b"\n"
        assert write_until_stuck(server, ping * 100, most) < most
        assert peak_memory(server.process.pid) < 300 * MEGABYTE
        with Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno(), server.output)
        assert server.end() == (0, b"", b"")


def test_requests_that_nobody_serves() -> None:
    """A client asks for more than can run at once, and reads the refusals: none of it is kept."""
    code = """
import asyncio
from mcp_wire import Limits, serve_stdio
from mcp_wire import v2025_11_25 as mcp

class Stuck(mcp.ServerHandler):
    async def call_tool(self, params, ctx):
        await asyncio.sleep(600)

handler = Stuck(mcp.Implementation(name="stuck", version="1"))
asyncio.run(serve_stdio(handler, limits=Limits(requests=1, grace=0.1)))
"""
    with RawServer(program(code)) as server:
        server.open(LATEST)
        refused = 0
        for number in range(1, 41):
            server.send(echo("x" * 10 * MEGABYTE, number))
            server.send(request("ping", f"after {number}"))
            while (answer := server.receive())["id"] != f"after {number}":
                assert answer["error"]["code"] == -32603
                refused += 1
        assert refused > 30
        assert peak_memory(server.process.pid) < 300 * MEGABYTE
