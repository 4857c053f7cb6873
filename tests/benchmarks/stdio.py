"""Times echo servers over stdio: `python -m tests.benchmarks.stdio`.

Ours, the official SDK's low-level server, and a bare asyncio and json loop, under one raw
client: one call at a time, 64 in flight, from spawn to the answer to `initialize`, and the
memory in use afterwards. Every round measures all of them, in turn; figures are medians of the
rounds, ratios those of the rounds' ratios. The exit code says nothing about times.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from tests.interop.peers import OFFICIAL

from .raw_client import RawClient
from .startup import child_environment

ROOT = Path(__file__).resolve().parents[2]
SERVERS = {
    "ours": [sys.executable, str(ROOT / "tests" / "peers" / "echo_server.py")],
    "official": [str(OFFICIAL[0].python), str(Path(__file__).parent / "servers" / "official.py")],
    "bare": [sys.executable, str(Path(__file__).parent / "servers" / "bare.py")],
}
BACKEND = "json"
IN_FLIGHT = 64
CALLS = {"ours": 3000, "official": 300, "bare": 3000}
"""How many calls a round makes: the slow server gets less, for as much time."""

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    """One server in one round: calls a second, seconds, and bytes."""

    alone: float
    in_flight: float
    startup: float
    resident: float


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the report; `least` says whether the budget is the least or the most allowed."""

    label: str
    value: float
    budget: float
    least: bool = True

    def line(self) -> str:
        """Return the row for people."""
        met = self.value >= self.budget if self.least else self.value <= self.budget
        bound = "at least" if self.least else "at most"
        verdict = "met" if met else "MISSED"
        return f"  {self.label:44}{self.value:8.2f}   {bound} {self.budget:5.2f} {verdict}"


def main() -> int:
    """Run what the command line asks for; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.stdio", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of every comparison")
    parser.add_argument("--json", action="store_true", help="print the samples as JSON")
    options = parser.parse_args()
    if not OFFICIAL[0].python.exists():
        print("error: the official server is missing", file=sys.stderr)
        print("install it with: python -m tests.interop.peers", file=sys.stderr)
        return 1
    rounds = measure(options.rounds)
    if options.json:
        found: list[Any] = [{name: asdict(s) for name, s in one.items()} for one in rounds]
        print(json.dumps(found, indent=2))
    else:
        print(*report(rounds), sep="\n")
    return 0


def measure(rounds: int) -> list[dict[str, Sample]]:
    """Run every server in every round, after one that only writes byte code."""
    names = list(SERVERS)
    for name in names:
        _sample(name, 64)
    return [
        {name: _sample(name, CALLS[name]) for name in names[turn % 3 :] + names[: turn % 3]}
        for turn in range(rounds)
    ]


def report(rounds: list[dict[str, Sample]]) -> Iterator[str]:
    """Yield the tables of figures."""
    official = OFFICIAL[0].release
    yield f"Python {sys.version.split()[0]}, mcp {official}, medians of {len(rounds)} rounds"
    yield f"{'':12}{'calls/s':>10}{'64 in flight':>14}{'start ms':>10}{'memory MB':>11}"
    for name in SERVERS:
        samples = [one[name] for one in rounds]
        yield (
            f"{name:12}{median(s.alone for s in samples):10.0f}"
            f"{median(s.in_flight for s in samples):14.0f}"
            f"{1000 * median(s.startup for s in samples):10.0f}"
            f"{median(s.resident for s in samples) / MEGABYTE:11.1f}"
        )
    yield from (figure.line() for figure in figures(rounds))


def figures(rounds: list[dict[str, Sample]]) -> Iterator[Figure]:
    """Yield what there are budgets for."""

    def ratio(attribute: str, base: str) -> float:
        return median(
            getattr(one["ours"], attribute) / getattr(one[base], attribute) for one in rounds
        )

    yield Figure("one at a time, over official", ratio("alone", "official"), 4.5)
    yield Figure("64 in flight, over official", ratio("in_flight", "official"), 20)
    yield Figure("64 in flight, over the bare loop", ratio("in_flight", "bare"), 0.6)
    start = ratio("startup", "official")
    yield Figure("spawn to initialize, over official", start, 0.15, least=False)
    memory = median(one["ours"].resident for one in rounds) / MEGABYTE
    yield Figure("resident memory in MB", memory, 30, least=False)


def _sample(name: str, calls: int) -> Sample:
    with RawClient(SERVERS[name], child_environment(BACKEND)) as client:
        client.call(calls // 4, 1)
        alone = calls / 2 / client.call(calls // 2, 1)
        client.call(calls // 4, IN_FLIGHT)
        in_flight = calls / client.call(calls, IN_FLIGHT)
        return Sample(alone, in_flight, client.startup, client.resident())


if __name__ == "__main__":
    sys.exit(main())
