"""How long a new process takes until it has decoded its first message.

Byte code is written beforehand, as it is after an installation. The time of a bare
interpreter, measured in the same round, is taken off both sides.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

GENERATED = Path(__file__).resolve().parents[2] / "generated"

_DECODE = """
import mcp_wire.v2025_11_25 as mcp
mcp.decode_message(
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}'
)
"""

PROGRAMS: Mapping[str, tuple[str, str | None]] = {
    "bare": ("pass", None),
    "official": ("import mcp_types", None),
    "json": (_DECODE, "json"),
    "msgspec": (_DECODE, "msgspec"),
}
"""What each process runs, and its JSON backend."""


def measure(rounds: int, backends: list[str]) -> dict[str, Any]:
    """Return the median net milliseconds of each program, and its ratio to the official one."""
    names = ["bare", "official", *backends]
    for name in names:
        _seconds(name)
    samples = [{name: _seconds(name) for name in names} for _ in range(rounds)]
    report: dict[str, Any] = {"bare_ms": 1000 * median(sample["bare"] for sample in samples)}
    for name in names[1:]:
        net = [sample[name] - sample["bare"] for sample in samples]
        official = [sample["official"] - sample["bare"] for sample in samples]
        report[name] = {
            "net_ms": 1000 * median(net),
            "ratio": median(ours / theirs for ours, theirs in zip(net, official, strict=True)),
        }
    return report


def _seconds(name: str) -> float:
    code, backend = PROGRAMS[name]
    environment = child_environment(backend)
    start = perf_counter()
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    return perf_counter() - start


def child_environment(backend: str | None) -> dict[str, str]:
    """Return the environment of a child that finds the emitted package and keeps byte code."""
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    paths = [str(GENERATED), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    if backend is not None:
        environment["MCP_WIRE_JSON"] = backend
    return environment
