"""Every kind of descriptor that standard input and output may be, both ways and to the end."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import socket
import subprocess
import tty
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from mcp_wire import ConnectionClosed
from mcp_wire.runtime.pipes import PipeTransport

from .raw import ECHO_SERVER, SECONDS, echo, environment, initialize, program

T = TypeVar("T")

INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


@dataclass
class Ends:
    """The descriptors of a transport, and those of the other side, which may be the same one."""

    source: int
    sink: int
    reading: int
    writing: int
    stop_writing: Callable[[], object] | None = None
    """How the other side ends what it writes while it still reads; None where it cannot."""
    closed: set[int] = field(default_factory=set)

    def write(self, data: bytes) -> None:
        assert os.write(self.writing, data) == len(data)

    def read(self, size: int) -> bytes:
        found = b""
        while len(found) < size and (data := os.read(self.reading, size - len(found))):
            found += data
        return found

    def close(self, *descriptors: int) -> None:
        for descriptor in set(descriptors) - self.closed:
            os.close(descriptor)
            self.closed.add(descriptor)

    def hang_up(self) -> None:
        self.close(self.reading, self.writing)

    def transport(self) -> PipeTransport:
        """Return the transport over duplicates, as it closes them one by one."""
        source, sink = os.dup(self.source), os.dup(self.sink)
        self.close(self.source, self.sink)
        return PipeTransport(
            os.fdopen(source, "rb", 0), os.fdopen(sink, "wb", 0), max_bytes=1 << 20
        )


def two_pipes() -> Ends:
    (source, writing), (reading, sink) = os.pipe(), os.pipe()
    ends = Ends(source, sink, reading, writing)
    ends.stop_writing = lambda: ends.close(writing)
    return ends


def two_sockets() -> Ends:
    """As some programs make them for their children, each used in one direction."""
    (source, writing), (sink, reading) = socket.socketpair(), socket.socketpair()
    reading.shutdown(socket.SHUT_WR)
    ends = Ends(source.detach(), sink.detach(), reading.detach(), writing.detach())
    ends.stop_writing = lambda: ends.close(ends.writing)
    return ends


def _duplex(here: socket.socket, there: socket.socket) -> Ends:
    ours, theirs = here.detach(), there.detach()

    def stop_writing() -> None:
        with socket.socket(fileno=os.dup(theirs)) as duplicate:
            duplicate.shutdown(socket.SHUT_WR)

    return Ends(ours, ours, theirs, theirs, stop_writing)


def one_socket() -> Ends:
    return _duplex(*socket.socketpair())


def one_tcp_socket() -> Ends:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        there = socket.create_connection(listening.getsockname())
        return _duplex(listening.accept()[0], there)


def one_terminal() -> Ends:
    master, slave = pty.openpty()
    tty.setraw(slave)
    return Ends(slave, slave, master, master)


def two_terminals() -> Ends:
    first, second = one_terminal(), one_terminal()
    return Ends(first.source, second.sink, second.reading, first.writing)


def fifos_opened_both_ways(folder: Path) -> Ends:
    found: list[int] = []
    for name in ("a", "b"):
        os.mkfifo(folder / name)
        found += (os.open(folder / name, os.O_RDWR) for _ in range(2))
    source, writing, sink, reading = found
    return Ends(source, sink, reading, writing)


KINDS: dict[str, Callable[[Path], Ends]] = {
    "two pipes": lambda _: two_pipes(),
    "two sockets": lambda _: two_sockets(),
    "one socket": lambda _: one_socket(),
    "one TCP socket": lambda _: one_tcp_socket(),
    "one terminal": lambda _: one_terminal(),
    "two terminals": lambda _: two_terminals(),
    "FIFOs opened both ways": fifos_opened_both_ways,
}


HALF = ["two pipes", "two sockets", "one socket", "one TCP socket"]
"""The kinds of which the other side can close one direction."""

HUNG_UP = [*HALF, "one terminal", "two terminals"]
"""The kinds whose end can be noticed: of a FIFO opened both ways each side is also the other."""

with_end = pytest.mark.parametrize("ends", HUNG_UP, indirect=True)


@pytest.fixture(params=KINDS)
def ends(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ends]:
    found = KINDS[request.param](tmp_path)
    yield found
    found.close(found.source, found.sink, found.reading, found.writing)


def run(test: Callable[[], Awaitable[T]]) -> T:
    async def limited() -> T:
        async with asyncio.timeout(SECONDS):
            return await test()

    return asyncio.run(limited())


async def is_refused(transport: PipeTransport) -> bool:
    """Whether it is noticed within some time that nobody reads."""
    with suppress(ConnectionClosed):
        for _ in range(100):
            await transport.send(b"x")
            await asyncio.sleep(0.01)
        return False
    return True


def test_messages_both_ways(ends: Ends) -> None:
    async def test() -> None:
        transport = ends.transport()
        await transport.open()
        for number in range(3):
            ends.write(b"question %d\n" % number)
            assert await transport.receive() == b"question %d" % number
            await transport.send(b"answer %d" % number)
            await asyncio.sleep(0.02)
            assert ends.read(9) == b"answer %d\n" % number
        await transport.close()
        assert await transport.receive() is None

    run(test)


@pytest.mark.parametrize("ends", HALF, indirect=True)
def test_other_side_writes_no_more(ends: Ends, caplog: pytest.LogCaptureFixture) -> None:
    """What it asked before is still answered."""

    async def test() -> None:
        transport = ends.transport()
        await transport.open()
        ends.write(b"1\nlast")
        assert ends.stop_writing is not None
        ends.stop_writing()
        assert [await transport.receive() for _ in range(3)] == [b"1", b"last", None]
        await transport.send(b"answer")
        await transport.close()
        assert ends.read(9) == b"answer\n"

    run(test)
    assert caplog.records == []


@pytest.mark.parametrize("ends", HALF, indirect=True)
def test_we_write_no_more(ends: Ends, caplog: pytest.LogCaptureFixture) -> None:
    """The other side comes to the end, and what it says to that is still received."""

    async def test() -> None:
        transport = ends.transport()
        await transport.open()
        await transport.send(b"question")
        transport.write_eof()
        transport.write_eof()
        with pytest.raises(ConnectionClosed):
            await transport.send(b"another")
        assert await asyncio.to_thread(ends.read, 100) == b"question\n"
        ends.write(b"answer\n")
        assert await transport.receive() == b"answer"
        await transport.close()

    run(test)
    assert caplog.records == []


@with_end
def test_other_side_is_gone(ends: Ends, caplog: pytest.LogCaptureFixture) -> None:
    """With something left that it has not read."""

    async def test() -> None:
        transport = ends.transport()
        await transport.open()
        await transport.send(b"unread")
        ends.hang_up()
        assert await transport.receive() is None
        assert await is_refused(transport)
        await transport.close()

    run(test)
    assert caplog.records == []


@with_end
def test_other_side_goes_while_much_is_written(
    ends: Ends, caplog: pytest.LogCaptureFixture
) -> None:

    async def test() -> None:
        transport = ends.transport()
        await transport.open()
        sending = asyncio.create_task(transport.send(b"x" * 10_000_000))
        await asyncio.sleep(0.05)
        assert not sending.done()
        ends.hang_up()
        with pytest.raises(ConnectionClosed):
            await sending
        await transport.close()

    run(test)
    assert caplog.records == []


def test_much_that_is_written(ends: Ends) -> None:
    message = b"x" * 3_000_000

    async def test() -> bytes:
        transport = ends.transport()
        await transport.open()
        reading = asyncio.create_task(asyncio.to_thread(ends.read, len(message) + 1))
        await transport.send(message)
        found = await reading
        await transport.close()
        return found

    assert run(test) == message + b"\n"


@with_end
def test_server_over_it(ends: Ends) -> None:
    """A real one, which is asked again after it has answered, and ends with its input."""
    with subprocess.Popen(
        ECHO_SERVER,
        stdin=ends.source,
        stdout=ends.sink,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as server:
        ends.close(ends.source, ends.sink)
        try:
            with os.fdopen(os.dup(ends.reading), "rb", 0) as lines:
                _converse(ends, lines)
                if ends.stop_writing is not None:
                    ends.stop_writing()
                    assert lines.read() == b""
            ends.hang_up()
            assert server.stderr is not None
            assert server.wait(SECONDS) == 0
            assert server.stderr.read() == b""
        finally:
            server.kill()


def _converse(ends: Ends, lines: Any) -> None:
    def answer() -> Any:
        return json.loads(lines.readline())

    ends.write(initialize("2025-11-25") + b"\n")
    assert answer()["result"]["serverInfo"]["name"] == "echo"
    ends.write(INITIALIZED + b"\n")
    for number in range(1, 4):
        ends.write(echo("hello", number) + b"\n")
        assert answer()["result"]["content"][0]["text"] == "hello"


PRINTING = """
import asyncio, os, sys
from mcp_wire import v2025_11_25 as mcp

class Printing(mcp.ServerHandler):
    async def call_tool(self, params, ctx):
        print("printed")
        os.system("echo by a child >&2")
        raise KeyError("logged with a traceback")

asyncio.run(mcp.serve_stdio(Printing(mcp.Implementation(name="printing", version="1"))))
print("after", file=sys.stderr)
"""


def test_everything_is_one_socket() -> None:
    """As a server that listens for others starts its programs: standard error is the same."""
    here, there = socket.socketpair()
    with (
        here,
        subprocess.Popen(
            program(PRINTING), stdin=there, stdout=there, stderr=there, env=environment()
        ) as server,
    ):
        there.close()
        with here.makefile("rb") as lines:
            here.sendall(b"\n".join((initialize("2025-11-25"), INITIALIZED, echo("x"), b"")))
            assert json.loads(lines.readline())["result"]["serverInfo"]["name"] == "printing"
            assert json.loads(lines.readline())["error"]["message"] == "Internal error"
            here.shutdown(socket.SHUT_WR)
            assert lines.read() == b"after\n"
        assert server.wait(SECONDS) == 0


@pytest.mark.parametrize(("source", "echoes"), [("/dev/null", 0), ("requests", 1)])
def test_server_of_files(source: str, echoes: int, tmp_path: Path) -> None:
    requests, answers = tmp_path / "requests", tmp_path / "answers"
    requests.write_bytes(b"\n".join([initialize("2025-11-25"), INITIALIZED, echo("x" * 100_000)]))
    given = os.open(tmp_path / source, os.O_RDONLY)
    with answers.open("wb") as taken:
        done = subprocess.run(
            ECHO_SERVER,
            stdin=given,
            stdout=taken,
            stderr=subprocess.PIPE,
            env=environment(),
            timeout=SECONDS,
            check=False,
        )
    os.close(given)
    assert done.returncode == 0
    assert done.stderr == b""
    assert answers.read_bytes().count(b"x" * 100_000) == echoes
