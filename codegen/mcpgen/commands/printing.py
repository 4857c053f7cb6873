"""What all commands print alike: progress for people, tables, and JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any


def progress() -> Callable[[str], None] | None:
    """Prints what is being done, on a terminal only."""
    if not sys.stderr.isatty():
        return None
    return lambda message: print(message, file=sys.stderr)


def warning(message: str) -> None:
    """Prints a warning on stderr, a line."""
    print(f"warning: {message}", file=sys.stderr)


def print_json(document: dict[str, Any]) -> None:
    """Prints a JSON document."""
    print(json.dumps(document, indent=2))


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints rows under their head, each column as wide as its widest cell."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())
