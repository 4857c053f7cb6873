"""`mcpgen templates`: the styles there are, a copy of one, and the reference of their context."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import AsJson, path_named
from .printing import print_json, print_table

if TYPE_CHECKING:
    from ..emit.eject import StyleSummary


def register(app: typer.Typer) -> None:
    """Adds the group of commands."""
    group = typer.Typer(help="List the styles, start one of your own, print what templates see.")
    group.command("list")(_list)
    group.command("eject")(_eject)
    group.command("context")(_context)
    app.add_typer(group, name="templates")


def _list(as_json: AsJson = False) -> None:
    """List the styles and what their templates make."""
    from ..emit.eject import styles

    found = styles()
    if as_json:
        print_json({"styles": [_document(style) for style in found]})
        return
    for number, style in enumerate(found):
        above = "\n" if number else ""
        print(f"{above}{style.name}: {style.description}\n")
        print_table(["template", "makes"], style.templates)


def _document(style: StyleSummary) -> dict[str, Any]:
    templates = [{"template": template, "makes": made} for template, made in style.templates]
    return {"name": style.name, "description": style.description, "templates": templates}


def _eject(
    style: Annotated[str, typer.Argument(help="Style to copy.", show_default=False)],
    folder: Annotated[
        Path,
        typer.Argument(
            parser=path_named,
            help="New or empty folder to write.",
            metavar="DIR",
            show_default=False,
        ),
    ],
) -> None:
    """Copy a style, to start one of your own from."""
    from ..emit.eject import eject

    eject(style, folder)
    use = f"mcpgen generate --templates {folder} emits with it"
    print(f"{folder}: a copy of the style {style}; {use}")


def _context() -> None:
    """Print what templates see, in Markdown."""
    from ..emit.reference import context_reference

    print(context_reference(), end="")
