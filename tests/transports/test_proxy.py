"""The proxy among the peers: messages of both sides pass it as they are, and ends do too."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import mcp_wire
import pytest
from mcp_wire import connect_stdio

from .raw import ECHO_SERVER, ROOT, SECONDS, RawServer, environment, program

PROXY = [sys.executable, str(ROOT / "tests" / "peers" / "proxy.py")]

LATE_SERVER = program("""
import sys, time
lines = sys.stdin.readlines()
time.sleep(1.5)
print(len(lines), flush=True)
""")


def through(data: bytes, command: list[str]) -> subprocess.CompletedProcess[bytes]:
    """What comes out of the proxy of a server when its input is written and closed."""
    return subprocess.run(
        [*PROXY, *command],
        env=environment(),
        input=data,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.parametrize("version", mcp_wire.VERSIONS)
def test_session_through_a_proxy(version: str) -> None:
    lines: list[str] = []

    async def test() -> None:
        command = [*PROXY, *ECHO_SERVER]
        async with connect_stdio(
            command, env=environment(), versions=[version], stderr=lines.append
        ) as session:
            result = await session.server.call_tool(name="echo", arguments={"message": "hi"})
            assert result.content[0].text == "hi"

    asyncio.run(test())
    assert {line[:3] for line in lines} == {"-->", "<--"}
    assert any('"tools/call"' in line for line in lines)


def test_bytes_are_not_changed() -> None:
    strange = b'{"b":1.0,  "a":"\\u00e9 \xc3\xa9 \\ud800"}'
    lines = b"\n".join((strange, b"x" * 5_000_000, b"\xff", b"last", b""))
    done = through(lines, ["cat"])
    assert (done.stdout, done.returncode) == (lines, 0)


def test_answers_after_the_last_question_pass() -> None:
    done = through(b"1\n2\n3\n", LATE_SERVER)
    assert (done.stdout, done.returncode) == (b"3\n", 0)


def test_end_of_the_server_is_that_of_the_proxy() -> None:
    """Although the client goes on."""
    with RawServer([*PROXY, *program("print('bye')")]) as server:
        started = time.monotonic()
        assert server.process.wait(SECONDS) == 0
        assert time.monotonic() - started < 10
