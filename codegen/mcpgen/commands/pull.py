"""`mcpgen pull`: the specification into spec documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import AsJson, Versions, path_named
from .printing import print_json, print_table, progress

if TYPE_CHECKING:
    from ..ingest.pull import PullResult


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("pull")(_pull)


def _pull(
    versions: Versions = None,
    source: Annotated[
        str | None,
        typer.Option(
            help="An http(s):// base, a local checkout, or a git repository.",
            show_default="the upstream repository",
        ),
    ] = None,
    ref: Annotated[str | None, typer.Option(help="Branch, tag or commit to read.")] = None,
    spec_dir: Annotated[
        Path | None,
        typer.Option(
            parser=path_named, metavar="<path>", help="Folder to write.", show_default="spec"
        ),
    ] = None,
    all_versions: Annotated[
        bool, typer.Option("--all", help="Every released version of a checkout or repository.")
    ] = False,
    descriptions: Annotated[
        bool, typer.Option("--descriptions", help="Keep the specification's own descriptions.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if anything changed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read the specification into spec documents, and check them against its schema.json."""
    from ..config import load_settings
    from ..ingest.pull import pull

    settings = load_settings()
    result = pull(
        settings.versions(versions or []),
        all_versions=all_versions,
        source=settings.optional_text("source", source),
        ref=settings.optional_text("ref", ref),
        spec_dir=settings.path("spec-dir", spec_dir) or Path("spec"),
        descriptions=descriptions,
        check=check,
        progress=progress(),
    )
    if as_json:
        print_json(_document(result))
    else:
        _print_result(result, check)
    if check and result.changed:
        raise typer.Exit(1)


def _document(result: PullResult) -> dict[str, Any]:
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


def _print_result(result: PullResult, check: bool) -> None:
    for item in result.versions:
        print("\n".join(item.report.lines()))
    print()
    rows = [[item.version, item.status, ", ".join(item.changed)] for item in result.versions]
    print_table(["version", "status", "what changed"], rows)
    print()
    if check:
        print("something changed; pull to update" if result.changed else "nothing changed")
    elif result.written:
        print("\n".join(f"wrote {path}" for path in result.written))
    else:
        print("nothing to write")
