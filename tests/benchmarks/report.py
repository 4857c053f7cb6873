"""The benchmark's figures as tables for people, beside their budgets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

BASES = {"over_json": "json alone", "over_official": "official"}


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that the geometric mean and the worst message may take, None for no limit."""

    mean: float | None = None
    worst: float | None = None


BUDGETS: Mapping[tuple[str, str, str], Budget] = {
    ("json", "decode", "over_json"): Budget(mean=1.2, worst=2.0),
    ("json", "decode", "over_official"): Budget(mean=0.33, worst=0.6),
    ("json", "encode", "over_json"): Budget(mean=0.95, worst=1.4),
    ("json", "encode", "over_official"): Budget(mean=0.6, worst=1.0),
    ("msgspec", "decode", "over_official"): Budget(mean=0.2),
    ("msgspec", "encode", "over_official"): Budget(mean=0.12),
}
STARTUP_BUDGET = 0.3

_TITLES = {"decode": "bytes to typed message", "encode": "typed message to bytes"}


def codec_lines(report: dict[str, Any], direction: str) -> Iterator[str]:
    """Yield the table of one JSON backend and one direction."""
    backend = report["backend"]
    rows: dict[str, Any] = report[direction]
    yield f"{_TITLES[direction]}, JSON by {_LIBRARIES[backend]}; microseconds and ratios"
    yield (
        f"{'':24}{'json':>9}{'emitted':>10}{'official':>10}"
        f"{'emitted/json':>15}{'emitted/official':>18}"
    )
    for name, row in rows.items():
        times = row["us"]
        yield (
            f"{name:24}{times['json']:9.1f}{times['emitted']:10.1f}{times['official']:10.1f}"
            f"{row['over_json']:15.2f}{row['over_official']:18.2f}"
        )
    for base, title in BASES.items():
        budget = BUDGETS.get((backend, direction, base), Budget())
        ratios = {name: row[base] for name, row in rows.items()}
        worst = max(ratios, key=ratios.__getitem__)
        yield _figure(f"geometric mean over {title}", geometric_mean(ratios.values()), budget.mean)
        yield f"{_figure(f'worst over {title}', ratios[worst], budget.worst)}  ({worst})"


def startup_lines(report: dict[str, Any]) -> Iterator[str]:
    """Yield the start-up section."""
    yield "new process: import a version and decode one tools/call, over `import mcp_types` alone"
    yield f"net of a bare interpreter, which takes {report['bare_ms']:.0f} ms"
    yield f"  import mcp_types {report['official']['net_ms']:.0f} ms"
    for backend, library in _LIBRARIES.items():
        if backend in report:
            figure = _figure(f"JSON by {library}", report[backend]["ratio"], STARTUP_BUDGET)
            yield f"{figure}  ({report[backend]['net_ms']:.0f} ms)"


_LIBRARIES = {"json": "the standard library", "msgspec": "msgspec"}


def _figure(label: str, value: float, budget: float | None) -> str:
    line = f"  {label:40}{value:8.2f}"
    if budget is None:
        return line
    return f"{line}   budget {budget:.2f} {'met' if value <= budget else 'MISSED'}"
