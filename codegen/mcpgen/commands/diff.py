"""`mcpgen diff`: what changed between two versions, and whom it breaks."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import SpecDir, not_empty, schema_option
from .printing import print_json, warning

_FAIL_ON = ("breaking", "any")


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("diff")(_diff)


def _print_schema() -> None:
    from ..compare import document_schema

    print_json(document_schema())


def _diff(
    old: Annotated[
        str,
        typer.Argument(
            parser=not_empty,
            metavar="OLD",
            help="A version such as 2025-06-18, or the path of a spec document, a schema.ts or a "
            "schema.json.",
        ),
    ],
    new: Annotated[str, typer.Argument(parser=not_empty, metavar="NEW", help="Another one.")],
    format: Annotated[str, typer.Option(help="text, markdown, json or html.")] = "text",
    fail_on: Annotated[
        str | None, typer.Option(help="Exit 1 if there is such a change: breaking or any.")
    ] = None,
    spec_dir: SpecDir = None,
    schema: Annotated[bool, schema_option(_print_schema)] = False,
) -> None:
    """Say what changed between two versions: methods, types, constants, deprecations."""
    from ..compare import FORMATS, render
    from ..config import load_settings
    from ..errors import ConfigError
    from ..queries import diff

    if format not in FORMATS:
        expected = f"found {format!r}, expected one of {', '.join(FORMATS)}"
        raise ConfigError("--format", expected)
    if fail_on not in (None, *_FAIL_ON):
        raise ConfigError("--fail-on", f"found {fail_on!r}, expected {' or '.join(_FAIL_ON)}")
    comparison = diff(old, new, spec_dir=load_settings().spec_dir(spec_dir), warn=warning)
    print(render(comparison, format), end="")
    failed = {"breaking": comparison.breaking, "any": bool(comparison.changes), None: False}
    if failed[fail_on]:
        raise typer.Exit(1)
