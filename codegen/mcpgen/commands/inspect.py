"""`mcpgen inspect`: one thing of a version, or the whole of it."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import AsJson, SpecDir, schema_option
from .printing import print_json


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("inspect")(_inspect)


def _print_schema() -> None:
    from ..describe import document_schema

    print_json(document_schema())


def _inspect(
    version: Annotated[
        str, typer.Argument(metavar="VERSION", help="A version of the spec folder.")
    ],
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A method, a type, a Type.field or a constant.",
            show_default="the whole version",
        ),
    ] = None,
    as_json: AsJson = False,
    spec_dir: SpecDir = None,
    schema: Annotated[bool, schema_option(_print_schema)] = False,
) -> None:
    """Show a method or a type as it is written, and what changed in it; or a whole version."""
    from ..config import load_settings
    from ..describe import document, render_text
    from ..queries import inspect

    found = inspect(version, name, spec_dir=load_settings().spec_dir(spec_dir))
    if as_json:
        print_json(document(found))
    else:
        print(render_text(found), end="")
