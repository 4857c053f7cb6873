"""Times the codec of MCP 2025-11-25: `python -m tests.benchmarks.codec`.

Decoding and encoding of nine messages, over `json` alone and over the official SDK's way
with `mcp-types`, once for each JSON backend; then the start of a new process. Every figure
is measured interleaved with what it is compared to. The exit code says nothing about times.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from . import startup
from .report import codec_lines, startup_lines


def main() -> int:
    """Run what the command line asks for; the exit code."""
    options = _options()
    if find_spec("mcp_types") is None:
        print("error: the benchmark compares with mcp-types, which is missing", file=sys.stderr)
        print("install it with: python -m pip install 'mcp-types>=2.3'", file=sys.stderr)
        return 1
    report = _measure(options)
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        _print(report)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.codec", description=__doc__)
    parser.add_argument("--rounds", type=_positive, default=25, help="rounds of every comparison")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--startup", action="store_true", help="only the start of a new process")
    return parser.parse_args()


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, found {text}")
    return number


def _measure(options: argparse.Namespace) -> dict[str, Any]:
    backends = ["json", "msgspec"] if find_spec("msgspec") else ["json"]
    report: dict[str, Any] = {
        "python": sys.version.split()[0],
        "mcp_types": version("mcp-types"),
        "rounds": options.rounds,
    }
    if not options.startup:
        report["codec"] = [_codec(backend, options.rounds) for backend in backends]
    report["startup"] = startup.measure(options.rounds, backends)
    return report


def _codec(backend: str, rounds: int) -> dict[str, Any]:
    """Measure in a process of its own, since a process has one JSON backend."""
    command = [sys.executable, "-m", f"{__package__}.worker", str(rounds)]
    environment = startup.child_environment(backend)
    output = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout
    figures: dict[str, Any] = json.loads(output)
    return figures


def _print(report: dict[str, Any]) -> None:
    print(
        f"Python {report['python']}, mcp-types {report['mcp_types']}, "
        f"medians of {report['rounds']} interleaved rounds"
    )
    for figures in report.get("codec", []):
        for direction in ("decode", "encode"):
            print("", *codec_lines(figures, direction), sep="\n")
    if "codec" in report and len(report["codec"]) == 1:
        print("", "msgspec is not installed: no figures with it", sep="\n")
    print("", *startup_lines(report["startup"]), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
