"""Interleaved timing: every contender runs in every round, and ratios are taken round by round.

A machine that slows down for a while slows all contenders of a round, so that the median of
the rounds' ratios holds still where times do not. Times are of the processor, not of the wall,
and garbage collection is off while a contender runs, as in `timeit`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from statistics import median
from time import process_time

SLICE = 0.004
"""Seconds that one contender gets in one round."""

Run = Callable[[], object]


def repetitions(run: Run) -> int:
    """Return how many calls of `run` take about one slice."""
    count = 1
    while True:
        seconds = _seconds(run, count)
        if seconds > SLICE / 4:
            return max(1, round(count * SLICE / seconds))
        count *= 4


def run_round(
    contenders: Mapping[str, Run], counts: Mapping[str, int], turn: int
) -> dict[str, float]:
    """Run one round; the seconds of one call of each contender. `turn` rotates their order."""
    names = list(contenders)
    start = turn % len(names)
    return {
        name: _seconds(contenders[name], counts[name]) / counts[name]
        for name in names[start:] + names[:start]
    }


def ratio(samples: list[dict[str, float]], name: str, base: str) -> float:
    """Return the median over rounds of one contender's time over another's."""
    return median(sample[name] / sample[base] for sample in samples)


def typical(samples: list[dict[str, float]], name: str) -> float:
    """Return a contender's median time in seconds."""
    return median(sample[name] for sample in samples)


def _seconds(run: Run, count: int) -> float:
    collecting = gc.isenabled()
    gc.disable()
    try:
        start = process_time()
        for _ in range(count):
            run()
        return process_time() - start
    finally:
        if collecting:
            gc.enable()
