"""The options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Versions = Annotated[
    list[str] | None,
    typer.Argument(help="Protocol versions, such as 2025-11-25.", show_default="all"),
]
SpecDir = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the spec documents and their lock.",
        show_default="spec, or the specs that come with mcpgen",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
