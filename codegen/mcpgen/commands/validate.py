"""`mcpgen validate`: whether JSON documents are valid messages, or values of a named type."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import AsJson, SpecDir, path_named
from .printing import print_json

if TYPE_CHECKING:
    from ..validation.validate import Validation


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("validate")(_validate)


def _validate(
    files: Annotated[
        list[Path],
        typer.Argument(
            parser=path_named,
            help="JSON documents, JSON lines or recorded sessions; - is standard input.",
            metavar="FILE",
            show_default=False,
        ),
    ],
    version: Annotated[str, typer.Option(help="Protocol version to judge by.", show_default=False)],
    type: Annotated[
        str | None,
        typer.Option(help="Named type that every document has to be.", show_default="a message"),
    ] = None,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop after the first that is not valid.")
    ] = False,
    spec_dir: SpecDir = None,
    as_json: AsJson = False,
) -> None:
    """Say of each JSON document whether it is valid, and where and why not; exit 1 if any is not.

    A file is one document, JSON lines, or a recorded session: messages in order, plain or as
    {"from": "client" or "server", "message": ...}. Results are judged by the request that
    they answer.
    """
    from ..config import load_settings
    from ..validation.validate import validate

    settings = load_settings()
    found = validate(
        files,
        version=version,
        type=type,
        spec_dir=settings.spec_dir(spec_dir),
        fail_fast=fail_fast,
    )
    if as_json:
        print_json(_document(found))
    else:
        _print_result(found, "messages" if type is None else "documents")
    if not found.valid:
        raise typer.Exit(1)


def _document(found: Validation) -> dict[str, Any]:
    return {
        "valid": found.valid,
        "judged": found.judged,
        "faults": [
            {
                "file": str(item.file),
                "line": item.line,
                "path": item.path,
                "expected": item.expected,
                "found": item.found,
            }
            for item in found.faults
        ],
        "notes": [
            {"file": str(item.file), "line": item.line, "text": item.text} for item in found.notes
        ],
    }


def _print_result(found: Validation, what: str) -> None:
    for item in found.findings:
        print(item)
    counted = what.removesuffix("s") if found.judged == 1 else what
    verdict = f"{len(found.faults)} not valid" if found.faults else "all valid"
    print(f"{found.judged} {counted}, {verdict}")
