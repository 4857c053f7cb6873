"""The options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer


def path_named(text: str) -> Path:
    """The path of an argument; an empty one would be the current folder, and is a mistake."""
    return Path(not_empty(text))


def not_empty(text: str) -> str:
    """An argument that is not empty."""
    if not text:
        raise typer.BadParameter("expected something, found an empty argument")
    return text


Versions = Annotated[
    list[str] | None,
    typer.Argument(help="Protocol versions, such as 2025-11-25.", show_default="all"),
]
SpecDir = Annotated[
    Path | None,
    typer.Option(
        parser=path_named,
        metavar="<path>",
        help="Folder of the spec documents and their lock.",
        show_default="spec, or the specs that come with mcpgen",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def schema_option(print_schema: Callable[[], None]) -> Any:
    """`--schema`, which prints the JSON Schema of what a command prints, and ends it."""

    def answer(asked: bool) -> None:
        if asked:
            print_schema()
            raise typer.Exit

    return typer.Option(
        "--schema",
        is_eager=True,
        callback=answer,
        help="Print the JSON Schema of the JSON output, and nothing else.",
    )
