"""While a server runs, its standard streams are its own, whatever handlers print and start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import mcp_wire
import pytest

from .raw import ECHO_SERVER, SECONDS, environment, initialize

TAKE = """
import os, subprocess, sys
from mcp_wire.runtime.standard_streams import taken_standard_streams
"""


def run(program: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(Path(mcp_wire.__file__).parents[1])}
    environment.pop("PYTHONUNBUFFERED", None)
    command = [sys.executable, "-W", "error", "-c", TAKE + program]
    return subprocess.run(
        command, env=environment, timeout=20, check=False, **{"capture_output": True, **options}
    )


def test_nothing_gets_in_between() -> None:
    program = """
print("early")
with taken_standard_streams() as (source, sink):
    print("printed")
    subprocess.run(["echo", "by a child"])
    os.write(1, b"raw\\n")
    assert sys.stdin.read() == ""
    assert subprocess.run(["cat"], capture_output=True).stdout == b""
    sink.write(b"got " + source.read(5))
    source.close()
    sink.close()
print("late", sys.stdin.buffer.raw.read())
"""
    done = run(program, input=b"12345678")
    assert done.stdout == b"got 12345late b'678'\n"
    assert sorted(done.stderr.split(b"\n")) == [b"", b"by a child", b"early", b"printed", b"raw"]


def test_streams_are_not_given_to_children() -> None:
    program = """
with taken_standard_streams() as (source, sink):
    command = "import os; print(sorted(os.listdir('/proc/self/fd')))"
    subprocess.run([sys.executable, "-c", command], close_fds=False)
    source.close(), sink.close()
"""
    done = run(program)
    assert done.stderr == b"['0', '1', '2', '3']\n"


def test_streams_block_again_afterwards() -> None:
    """The open file is shared with whoever gave it, such as a terminal with a shell."""
    reading, writing = os.pipe()
    program = """
with taken_standard_streams() as (source, sink):
    os.set_blocking(sink.fileno(), False)
    source.close(), sink.close()
"""
    done = run(program, stdout=writing, capture_output=False)
    assert (done.returncode, os.get_blocking(writing)) == (0, True)
    os.close(reading)
    os.close(writing)


def test_standard_error_need_not_be_open() -> None:
    program = """
with taken_standard_streams() as (source, sink):
    os.write(1, b"nowhere")
    sink.write(b"x")
    source.close(), sink.close()
"""
    done = run("os.close(2)\n" + program)
    assert (done.returncode, done.stdout) == (0, b"x")


def test_streams_have_to_be_open() -> None:
    for descriptor, name in ((0, "standard input"), (1, "standard output")):
        done = run(f"os.close({descriptor})\nwith taken_standard_streams(): pass")
        assert done.stderr.strip().endswith(f"OSError: [Errno 9] {name} is not open".encode())


@pytest.mark.parametrize(
    ("redirection", "name"), [("<&-", "standard input"), (">&-", "standard output")]
)
def test_streams_that_were_never_open(redirection: str, name: str) -> None:
    """Their numbers go to whatever is opened first, such as what the event loop waits with."""
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", *ECHO_SERVER]
    done = subprocess.run(
        command, env=environment(), input=b"", capture_output=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 1
    assert done.stderr.strip().endswith(f"OSError: [Errno 9] {name} is not open".encode())


PRINTING_SERVER = """
import asyncio
from mcp_wire import serve_stdio

class Printing:
    def __init__(self, mcp):
        self.mcp = mcp

    async def list_tools(self, params, ctx):
        print("of the handler", flush=True)
        return self.mcp.ListToolsResult(tools=[])

asyncio.run(serve_stdio(Printing))
"""


def test_server_without_standard_error() -> None:
    """What its handlers print goes nowhere then, least of all into what the number now is of."""
    server = [sys.executable, "-c", PRINTING_SERVER]
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", *server]
    ready = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    listing = b'{"jsonrpc":"2.0","id":"list","method":"tools/list"}'
    requests = b"\n".join((initialize("2025-11-25"), ready, listing, b""))
    done = subprocess.run(
        command,
        env=environment(),
        input=requests,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.endswith(b'{"jsonrpc":"2.0","id":"list","result":{"tools":[]}}\n')
