"""A server over stdio and whatever a client may write to it: it answers, and serves the next."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import mcp_wire
import pytest

from .raw import RawServer, echo, initialize, program, request

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
LATEST = "2025-11-25"
HANDSHAKES = [version for version in mcp_wire.VERSIONS if version != "2026-07-28"]

CALL = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":%s}}'

BAD = {
    "not JSON": (b"hello", PARSE_ERROR),
    "half a message": (CALL[:40], PARSE_ERROR),
    "invalid UTF-8": (CALL % b'{"message":"\xff"}', PARSE_ERROR),
    "an encoded surrogate": (CALL % b'{"message":"\xed\xa0\x80"}', PARSE_ERROR),
    "a zero byte": (CALL % b'{"message":"\0"}', PARSE_ERROR),
    "NaN": (CALL % b'{"message":NaN}', PARSE_ERROR),
    "infinity": (CALL % b'{"message":1e400}', PARSE_ERROR),
    "5,000 digits": (CALL % (b'{"message":%s}' % (b"9" * 5000)), PARSE_ERROR),
    "100,000 levels": (b"[" * 100_000 + b"]" * 100_000, PARSE_ERROR),
    "100,000 open levels": (b'{"a":' * 100_000, PARSE_ERROR),
    "null": (b"null", INVALID_REQUEST),
    "a number": (b"1", INVALID_REQUEST),
    "a string": (b'"ping"', INVALID_REQUEST),
    "an empty object": (b"{}", INVALID_REQUEST),
    "an empty array": (b"[]", INVALID_REQUEST),
    "another JSON-RPC": (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', INVALID_REQUEST),
    "a null id": (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', INVALID_REQUEST),
    "a fractional id": (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', INVALID_REQUEST),
    "a boolean id": (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', INVALID_REQUEST),
    "a method that is a number": (b'{"jsonrpc":"2.0","id":7,"method":1}', INVALID_REQUEST),
    "params that are an array": (
        b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}',
        INVALID_REQUEST,
    ),
}

ECHOED = ("another JSON-RPC", "a method that is a number", "params that are an array")
"""Those whose id can be read, and so comes back."""


@pytest.fixture(scope="module")
def shared() -> Iterator[RawServer]:
    """One server for all messages: none of them may end it."""
    with RawServer() as server:
        server.open(LATEST)
        yield server
        status, output, errors = server.end()
        assert (status, output) == (0, b"")
        assert b"Traceback" not in errors


def text_of(answer: Any) -> str:
    text: str = answer["result"]["content"][0]["text"]
    return text


@pytest.mark.parametrize("name", BAD)
def test_bad_message_gets_one_error_and_the_next_is_served(shared: RawServer, name: str) -> None:
    line, code = BAD[name]
    shared.send(line, echo("next", 8))
    refusal = shared.receive()
    assert refusal["error"]["code"] == code
    assert refusal.get("id", "absent") == (7 if name in ECHOED else "absent")
    answer = shared.receive()
    assert (answer["id"], text_of(answer)) == (8, "next")


@pytest.mark.parametrize("version", HANDSHAKES)
def test_error_without_a_request(version: str) -> None:
    """Its id is null up to 2025-06-18, and absent from then on."""
    with RawServer() as server:
        server.open(version)
        server.send(b"?")
        expected = {"jsonrpc": "2.0"} if version > "2025-06-18" else {"jsonrpc": "2.0", "id": None}
        refusal = server.receive()
        assert refusal.pop("error")["code"] == PARSE_ERROR
        assert refusal == expected


@pytest.mark.parametrize("version", HANDSHAKES)
def test_array(version: str) -> None:
    with RawServer() as server:
        server.open(version)
        server.send(b"[%s,%s]" % (echo("a", 1), echo("b", 2)))
        answer = server.receive()
        if version == "2025-03-26":
            assert sorted(map(text_of, answer)) == ["a", "b"]
        else:
            assert answer["error"]["code"] == INVALID_REQUEST


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000_000,
        "\u2028 \u2029 \x85 \x0b \x0c \x1c \r \n \r\n",
        "\ud800 \udfff",
        "\x00 \ufeff \U0001f600 \u0000",
        "",
    ],
    ids=["ten megabytes", "line ends", "lone surrogates", "the rest", "nothing"],
)
def test_text_comes_back_as_it_was(shared: RawServer, text: str) -> None:
    shared.send(echo(text))
    assert text_of(shared.receive()) == text


def test_line_ends_of_unicode_are_no_line_ends(shared: RawServer) -> None:
    shared.send(CALL % '{"message":"a\u2028b\u2029c\u0085d"}'.encode())
    assert text_of(shared.receive()) == "a\u2028b\u2029c\u0085d"


def test_blank_lines_and_carriage_returns(shared: RawServer) -> None:
    shared.write(b"\n\r\n \t \r\n" + echo("x") + b"\r\n\n")
    assert text_of(shared.receive()) == "x"


def test_one_byte_at_a_time(shared: RawServer) -> None:
    for byte in echo("é") + b"\n":
        shared.write(bytes([byte]))
    assert text_of(shared.receive()) == "é"


def test_byte_order_mark() -> None:
    with RawServer() as server:
        server.write(b"\xef\xbb\xbf" + initialize(LATEST) + b"\r\n")
        assert server.receive()["result"]["protocolVersion"] == LATEST


def test_line_over_the_limit() -> None:
    code = """
import asyncio, mcp_wire
async def main():
    await mcp_wire.serve_stdio(lambda mcp: object(), max_bytes=1000)
asyncio.run(main())
"""
    with RawServer(program(code)) as server:
        server.open(LATEST)
        server.send(request("ping", 1, _meta={"x": "y" * 1000}), request("ping", 2))
        refusal = server.receive()
        assert (refusal["id"], refusal["error"]["code"]) == (1, INVALID_REQUEST)
        assert "a message of at most 1000 bytes (max_bytes)" in refusal["error"]["message"]
        assert server.receive() == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_half_a_line_then_the_end() -> None:
    with RawServer() as server:
        server.open(LATEST)
        server.write(echo("half")[:-20])
        status, output, errors = server.end()
        assert json.loads(output)["error"]["code"] == PARSE_ERROR
        assert (status, errors.count(b"Traceback")) == (0, 0)


def test_last_line_without_an_end() -> None:
    with RawServer() as server:
        server.open(LATEST)
        server.write(echo("last"))
        status, output, _ = server.end()
        assert (status, text_of(json.loads(output))) == (0, "last")


def test_requests_from_a_file() -> None:
    """What came before the end is answered, however little time there was."""
    with RawServer() as server:
        server.send(initialize(LATEST), b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        server.send(*(echo(str(number), number) for number in range(1, 2001)))
        status, output, errors = server.end()
        answers = [json.loads(line) for line in output.splitlines()]
        assert (status, errors) == (0, b"")
        assert sorted(answer["id"] for answer in answers) == list(range(2001))


PRINTING = """
import asyncio, os, subprocess, sys, mcp_wire
from mcp_wire import v2025_11_25 as mcp

class Printing(mcp.ServerHandler):
    async def call_tool(self, params, ctx):
        print("printed")
        sys.stdout.flush()
        os.write(1, b"written\\n")
        subprocess.run(["echo", "by a child"], check=True)
        left = sys.stdin.read() + subprocess.run(["cat"], capture_output=True, text=True).stdout
        return mcp.CallToolResult(content=[mcp.TextContent(text="found %r" % left)])

asyncio.run(mcp_wire.serve_stdio(Printing(mcp.Implementation(name="p", version="1"))))
print("after")
"""


def test_handler_that_prints_and_reads() -> None:
    with RawServer(program(PRINTING)) as server:
        server.open(LATEST)
        server.send(echo("x"))
        assert text_of(server.receive()) == "found ''"
        status, output, errors = server.end()
        assert (status, output) == (0, b"after\n")
        assert errors.split(b"\n")[:3] == [b"printed", b"written", b"by a child"]
