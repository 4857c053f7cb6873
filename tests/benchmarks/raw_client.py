"""A client that does nothing but write requests and count answers: it measures servers alone."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Self

_VERSION = "2025-11-25"


class RawClient:
    """A running server and the pipes to it; `startup` is the seconds until it was initialized."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        started = perf_counter()
        self._process = subprocess.Popen(
            command, bufsize=0, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()
        params = {
            "protocolVersion": _VERSION,
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        }
        self._write(_message(id=0, method="initialize", params=params))
        self._read(1)
        self.startup = perf_counter() - started
        self._write(_message(method="notifications/initialized"))
        self._next = 1

    def call(self, count: int, in_flight: int) -> float:
        """Make `count` calls, so many at a time; the seconds that took."""
        requests = [_call(self._next + number) for number in range(count)]
        self._next += count
        started = perf_counter()
        self._write(b"".join(requests[:in_flight]))
        sent, answered = in_flight, 0
        while answered < count:
            found = self._read(1)
            answered += found
            if sent < count:
                self._write(b"".join(requests[sent : sent + found]))
                sent += found
        return perf_counter() - started

    def resident(self) -> int:
        """Return how many bytes of memory the server has."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._input, data) :]

    def _read(self, least: int) -> int:
        """Read at least so many answers, and return how many."""
        found = 0
        while found < least:
            data = os.read(self._output, 1 << 16)
            if not data:
                raise RuntimeError("the server has ended")
            found += data.count(b"\n")
        return found


def _message(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode() + b"\n"


def _call(number: int) -> bytes:
    arguments = {"message": "the quick brown fox"}
    return _message(id=number, method="tools/call", params={"name": "echo", "arguments": arguments})
