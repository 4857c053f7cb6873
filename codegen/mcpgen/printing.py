"""What the commands print: tables and sentences for people, JSON documents for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .emit.publish import Difference
    from .ingest.pull import PullResult
    from .pipeline import GenerateOptions, GenerateResult


def progress() -> Callable[[str], None] | None:
    """Prints what is being done, on a terminal only."""
    if not sys.stderr.isatty():
        return None
    return lambda message: print(message, file=sys.stderr)


def print_json(document: dict[str, Any]) -> None:
    """Prints a JSON document."""
    print(json.dumps(document, indent=2))


def pull_document(result: PullResult) -> dict[str, Any]:
    """What a pull found and wrote, for programs."""
    return {
        "changed": result.changed,
        "written": [str(path) for path in result.written],
        "versions": [
            {
                "version": item.version,
                "status": item.status,
                "changed": list(item.changed),
                "reconciled": item.report.checked,
                "reduced": item.report.reduced,
                "missing": list(item.report.missing),
                "distortions": {name: list(sites) for name, sites in item.report.sites.items()},
            }
            for item in result.versions
        ],
    }


def print_pull(result: PullResult, check: bool) -> None:
    """Prints what a pull found and wrote."""
    for item in result.versions:
        print("\n".join(item.report.lines()))
    print()
    rows = [[item.version, item.status, ", ".join(item.changed)] for item in result.versions]
    _print_table(["version", "status", "what changed"], rows)
    print()
    if check:
        print("something changed; pull to update" if result.changed else "nothing changed")
    elif result.written:
        print("\n".join(f"wrote {path}" for path in result.written))
    else:
        print("nothing to write")


def generate_document(result: GenerateResult) -> dict[str, Any]:
    """What was generated, for programs."""
    return {
        "upToDate": result.up_to_date,
        "written": [str(path) for path in result.written],
        "removed": [str(path) for path in result.removed],
        "seconds": round(result.seconds, 3),
        "versions": [
            {
                "version": item.version,
                "types": item.types,
                "methods": item.methods,
                "files": item.files,
                "written": item.written,
                "seconds": round(item.seconds, 3),
            }
            for item in result.versions
        ],
    }


def print_generate(result: GenerateResult, options: GenerateOptions) -> None:
    """Prints what was generated."""
    rows = [
        [
            item.version,
            str(item.types),
            str(item.methods),
            "up to date" if result.up_to_date else f"{item.written} of {item.files}",
            f"{item.seconds:.1f}",
        ]
        for item in result.versions
    ]
    _print_table(["version", "types", "methods", "files written", "seconds"], rows)
    removed = f", {len(result.removed)} removed" if result.removed else ""
    print(
        f"\n{options.out}: {len(result.written)} files written{removed}, "
        f"{result.unchanged} unchanged, {result.seconds:.1f} s"
    )


# What to do about a difference, where generating again is not enough.
_REMEDIES = {"stray": "remove what is stray"}


def check_document(differences: list[Difference]) -> dict[str, Any]:
    """The differences, for programs."""
    return {"differences": [{"path": item.path, "kind": item.kind} for item in differences]}


def print_check(differences: list[Difference], options: GenerateOptions) -> None:
    """Prints the differences, and what to do about them."""
    for item in differences:
        print(f"{item.kind}: {options.out / item.path}")
        if item.diff:
            print(item.diff, end="")
    if differences:
        count = f"{len(differences)} {'file' if len(differences) == 1 else 'files'}"
        remedies = {_REMEDIES.get(item.kind, "run mcpgen generate") for item in differences}
        print(f"{options.out}: {count} not as emitted; {' and '.join(sorted(remedies))}")
    else:
        print(f"{options.out}: as emitted")


def _print_table(head: list[str], rows: list[list[str]]) -> None:
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())
