"""Times the codec in this process, whose JSON backend `MCP_WIRE_JSON` chose; prints JSON."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any

from mcp_wire.runtime import jsontext

from . import emitted, official
from .measure import Run, ratio, repetitions, run_round, typical
from .messages import Message, messages


def measure(rounds: int) -> dict[str, Any]:
    """Return microseconds and ratios of each message, both directions, over `rounds` rounds."""
    cases = [
        (direction, message.name, contenders)
        for message in messages()
        for direction, contenders in (
            ("decode", _decoders(message)),
            ("encode", _encoders(message)),
        )
    ]
    counts = [
        {name: repetitions(run) for name, run in contenders.items()} for _, _, contenders in cases
    ]
    samples: list[list[dict[str, float]]] = [[] for _ in cases]
    for turn in range(rounds):
        for (_, _, contenders), count, taken in zip(cases, counts, samples, strict=True):
            taken.append(run_round(contenders, count, turn))
    report: dict[str, Any] = {"backend": jsontext.backend(), "decode": {}, "encode": {}}
    for (direction, message, contenders), taken in zip(cases, samples, strict=True):
        report[direction][message] = {
            "us": {name: 1e6 * typical(taken, name) for name in contenders},
            "over_json": ratio(taken, "emitted", "json"),
            "over_official": ratio(taken, "emitted", "official"),
        }
    return report


def _decoders(message: Message) -> dict[str, Run]:
    data = _compact(message.document)
    return {
        "json": partial(json.loads, data),
        "emitted": partial(emitted.receiver(message), data),
        "official": partial(official.receiver(message), data),
    }


def _encoders(message: Message) -> dict[str, Run]:
    data = _compact(message.document)
    contenders: dict[str, Run] = {
        "json": lambda: json.dumps(message.document).encode(),
        "emitted": partial(emitted.sender(message), emitted.receiver(message)(data)),
        "official": partial(official.sender(message), official.receiver(message)(data)),
    }
    for name, run in contenders.items():
        written = json.loads(run())
        if written != message.document:
            raise AssertionError(f"{message.name}: {name} wrote {str(written)[:200]}")
    return contenders


def _compact(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


if __name__ == "__main__":
    json.dump(measure(int(sys.argv[1])), sys.stdout)
