"""A client over stdio and whatever a server may do: calls end, and no process is left."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import mcp_wire
import pytest
from mcp_wire import (
    ConnectionClosed,
    InvalidMessage,
    ProtocolError,
    RequestTimeout,
    RpcError,
    connect_stdio,
)

from .raw import ECHO_SERVER, environment, program

T = TypeVar("T")

VERSION = "2025-11-25"

# A server without any library: what it answers to a tool is up to the test.
SCRIPTED = """
import json, os, signal, sys, time

def send(message):
    os.write(1, json.dumps(message).encode() + b"\\n")

def result(message, text="x"):
    found = {"content": [{"type": "text", "text": text}]}
    return {"jsonrpc": "2.0", "id": message["id"], "result": found}

def tool(message):
    %s

for line in sys.stdin.buffer:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        info = {"name": "scripted", "version": "1"}
        found = {"protocolVersion": message["params"]["protocolVersion"], "serverInfo": info}
        found["capabilities"] = {"tools": {}}
        send({"jsonrpc": "2.0", "id": message["id"], "result": found})
    elif method == "tools/call":
        tool(message)
"""


def scripted(tool: str) -> list[str]:
    return program(SCRIPTED % tool.strip().replace("\n", "\n    "))


def run(test: Callable[[], Awaitable[T]], seconds: float = 30) -> T:
    async def limited() -> T:
        async with asyncio.timeout(seconds):
            return await test()

    return asyncio.run(limited())


async def called(command: list[str], calls: int = 1, **options: Any) -> list[Any]:
    """What so many calls in a row of a server's tool came to: texts, or errors."""
    options = {"env": environment(), "versions": [VERSION], "grace": 0.3, **options}
    found: list[Any] = []
    async with connect_stdio(command, **options) as session:
        for _ in range(calls):
            try:
                result = await session.server.call_tool(name="echo", timeout=5)
                found.append(result.content[0].text)
            except mcp_wire.McpError as error:
                found.append(error)
    return found


NOISE = r"""
for noise in (b"hello", b"", b"{", b"\xff\xfe", b"[" * 100000, b"null", b"[]", b"1e400", b"NaN",
              b'{"jsonrpc":"2.0","id":999,"result":{}}', b'{"jsonrpc":"2.0","id":"x","result":{}}',
              b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}',
              b'{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}',
              b'{"jsonrpc":"2.0","id":999,"result":5}', b'{"jsonrpc":"2.0","id":1.5,"result":{}}',
              b'{"jsonrpc":"2.0","id":null,"error":5}',
              b'{"jsonrpc":"2.0","method":"notifications/unknown"}',
              b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9,"progress":1}}',
              b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}'):
    os.write(1, noise + b"\r\n")
send({"jsonrpc": "2.0", "id": "last", "method": "ping"})
written = []
for line in sys.stdin.buffer:
    written.append(json.loads(line))
    if written[-1].get("id") == "last":
        break
send(result(message, json.dumps(written)))
"""

REFUSED = [-32700, -32700, -32700, -32700, -32600, -32600, -32700, -32700]
"""The codes for what among the noise is no message; blank lines and responses get none."""


def test_noise_is_passed_over() -> None:
    (text,) = run(lambda: called(scripted(NOISE)))
    *refusals, pong = json.loads(text)
    assert pong["result"] == {}
    assert [refusal["error"]["code"] for refusal in refusals] == REFUSED
    assert all("id" not in refusal for refusal in refusals)


def test_text_on_standard_output_is_told_of(caplog: pytest.LogCaptureFixture) -> None:
    tool = "print('Listening on port 80', flush=True); send(result(message))"
    assert run(lambda: called(scripted(tool), 3)) == ["x"] * 3
    (warning,) = caplog.messages
    assert "'Listening on port 80'" in warning
    assert "write nothing but messages to its standard output" in warning


def test_answer_over_the_limit(caplog: pytest.LogCaptureFixture) -> None:
    started = time.monotonic()
    (error,) = run(lambda: called(scripted("send(result(message, 'x' * 200_000))"), max_bytes=9999))
    assert isinstance(error, InvalidMessage)
    assert error.expected == "a message of at most 9999 bytes (max_bytes)"
    assert time.monotonic() - started < 4
    assert "which is the limit (max_bytes)" in caplog.text


def test_request_over_the_limit() -> None:
    code = """
import asyncio, mcp_wire
async def main():
    await mcp_wire.serve_stdio(lambda mcp: object(), max_bytes=9999)
asyncio.run(main())
"""

    async def test() -> None:
        async with connect_stdio(program(code), env=environment()) as session:
            with pytest.raises(RpcError, match=r"a message of at most 9999 bytes \(max_bytes\)"):
                await session.request("tools/call", {"name": "x" * 10_000}, timeout=5)

    run(test)


@pytest.mark.parametrize("command", [["cat"], ["sh", "-c", "echo welcome; exec cat"]])
def test_command_that_sends_everything_back(command: list[str]) -> None:
    async def test() -> None:
        with pytest.raises(ProtocolError, match="sent our own 'server/discover' back"):
            async with connect_stdio(command):
                pass

    run(test, 5)


def test_second_answer_is_ignored() -> None:
    tool = 'send(result(message, "first")); send(result(message, "second"))'
    assert run(lambda: called(scripted(tool), 3)) == ["first"] * 3


def test_answer_with_the_wrong_type_of_id() -> None:
    tool = 'message["id"] = str(message["id"])\nsend(result(message))'

    async def test() -> None:
        async with connect_stdio(scripted(tool), versions=[VERSION]) as session:
            with pytest.raises(RequestTimeout):
                await session.server.call_tool(name="echo", timeout=0.3)

    run(test)


def test_server_that_never_answers() -> None:
    async def test() -> None:
        async with connect_stdio(scripted("pass"), versions=[VERSION]) as session:
            with pytest.raises(RequestTimeout):
                await session.server.call_tool(name="echo", timeout=0.3)
            await asyncio.gather(
                *(_closed(session.server.call_tool(name="echo")) for _ in range(3)),
                _soon(session.close()),
            )

    run(test)


async def _soon(closing: Awaitable[None]) -> None:
    await asyncio.sleep(0.1)
    await closing


async def _closed(call: Awaitable[Any]) -> None:
    with pytest.raises(ConnectionClosed):
        await call


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        ("os._exit(3)", "exited with status 3"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "was ended by SIGKILL"),
        ("os.kill(os.getpid(), signal.SIGTERM)", "was ended by SIGTERM"),
        ("os.close(1); time.sleep(600)", "closed its standard output, and was still running"),
        ('os.write(1, b\'{"jsonrpc":"2.0","id"\'); os._exit(0)', "exited with status 0"),
        ("os.close(0); time.sleep(600)", "closed its standard input, and was still running"),
        (
            "import subprocess; left = subprocess.Popen(['sleep', '600']); os._exit(0)",
            "exited with status 0",
        ),
    ],
)
def test_server_that_goes_away(tool: str, reason: str, capfd: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    first, second = run(lambda: called(scripted(tool), 2))
    expected = f"the connection is closed: {sys.executable!r} {reason}"
    for error in (first, second):
        assert isinstance(error, ConnectionClosed)
        assert str(error) == expected
    assert time.monotonic() - started < 5
    assert "Traceback" not in capfd.readouterr().err


def test_last_answer_before_the_end() -> None:
    text, error = run(lambda: called(scripted("send(result(message)); os._exit(0)"), 2))
    assert text == "x"
    assert isinstance(error, ConnectionClosed)


def test_server_that_ignores_sigterm() -> None:
    tool = "signal.signal(signal.SIGTERM, signal.SIG_IGN); send(result(message)); time.sleep(600)"
    started = time.monotonic()
    assert run(lambda: called(scripted(tool))) == ["x"]
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("raise SystemExit(3)", "exited with status 3"),
        ("import os; os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
    ],
)
def test_server_that_ends_before_the_session_begins(code: str, text: str) -> None:
    async def test() -> None:
        with pytest.raises(ConnectionClosed, match=text):
            async with connect_stdio(program(code)):
                pass

    run(test)


def test_server_that_speaks_another_version() -> None:
    other = (SCRIPTED % "pass").replace('message["params"]["protocolVersion"]', '"1999-01-01"')

    async def test() -> None:
        with pytest.raises(ProtocolError, match="1999-01-01"):
            async with connect_stdio(program(other), versions=[VERSION]):
                pass

    run(test)


def test_many_megabytes_both_ways() -> None:
    async def test() -> None:
        async with connect_stdio(ECHO_SERVER, env=environment()) as session:
            texts = [str(number) + "x" * 500_000 for number in range(20)]
            answers = await asyncio.gather(
                *(
                    session.server.call_tool(name="echo", arguments={"message": text})
                    for text in texts
                )
            )
            assert [answer.content[0].text for answer in answers] == texts

    run(test)


def test_command_that_does_not_exist(tmp_path: Path) -> None:
    async def test() -> None:
        with pytest.raises(FileNotFoundError):
            async with connect_stdio([str(tmp_path / "nothing")]):
                pass

    run(test)
