"""Servers and clients of handmade bytes: what the other side is in tests of bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[2]
ECHO_SERVER = [sys.executable, str(ROOT / "tests" / "peers" / "echo_server.py")]
SECONDS = 30


def environment() -> dict[str, str]:
    """Return an environment in which children find the emitted package."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "generated"), "PYTHONWARNINGS": "error"}


def program(code: str) -> list[str]:
    """Return the command of a Python program."""
    return [sys.executable, "-c", code]


def request(method: str, number: Any = 1, **params: Any) -> bytes:
    """Return a request as JSON text."""
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode()


def echo(message: str, number: Any = 1) -> bytes:
    """Return a call of the echo server's tool."""
    return request("tools/call", number, name="echo", arguments={"message": message})


def initialize(version: str) -> bytes:
    """Return the request that opens a session."""
    info = {"name": "raw", "version": "1"}
    return request("initialize", 0, protocolVersion=version, capabilities={}, clientInfo=info)


def is_running(pid: int) -> bool:
    """Whether a process is there, and not merely waiting for its exit to be collected."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def is_gone_soon(pid: int) -> bool:
    """Whether a process ends within a few seconds."""
    end = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not is_running(pid)


class RawServer:
    """A server as a child process, to be written to byte by byte."""

    def __init__(self, command: Sequence[str] = ECHO_SERVER) -> None:
        self.process = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input, self.process.stdin = self.process.stdin, None
        self.output = self.process.stdout.fileno()
        self._rest = b""

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        rest = memoryview(data)
        while rest:
            rest = rest[self.input.write(rest) :]

    def send(self, *messages: bytes) -> None:
        """Write messages, each on its line."""
        self.write(b"".join(message + b"\n" for message in messages))

    def line(self) -> bytes:
        """Return the next line the server writes, empty at the end."""
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            data = os.read(self.output, 1 << 20)
            if not data:
                return b"".join(parts)
            parts.append(data)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line

    def receive(self) -> Any:
        """Return the next message."""
        return json.loads(self.line())

    def open(self, version: str) -> Any:
        """Open a session, and return the result of that."""
        self.send(initialize(version), b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return self.receive()["result"]

    def end(self) -> tuple[int, bytes, bytes]:
        """Close the server's input; the exit status, and what it still wrote to both outputs."""
        self.input.close()
        output, errors = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, self._rest + output, errors

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.input.close()
        self.process.communicate()
