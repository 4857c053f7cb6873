"""`mcpgen generate` and `mcpgen check`: the package, emitted or compared with what is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from .options import AsJson, SpecDir, Versions, path_named
from .printing import print_json, print_table, progress

if TYPE_CHECKING:
    from ..emit.publish import Difference
    from ..pipeline import GenerateOptions, GenerateResult

Run: TypeAlias = "Callable[[GenerateOptions, bool], None]"


def register(app: typer.Typer) -> None:
    """Adds both commands, which have the same options."""
    app.command("generate", help="Emit the package.")(_with_options(_generate))
    help = "Emit the package to memory and compare; exit 1 on any difference."
    app.command("check", help=help)(_with_options(_check))


def _with_options(run: Run) -> Callable[..., None]:
    """A command that makes of its options what to generate; flags win over settings."""

    def command(
        versions: Versions = None,
        style: Annotated[
            str | None,
            typer.Option(
                help="Style of the templates.",
                show_default="the one DIR lies over, or dataclass",
            ),
        ] = None,
        templates: Annotated[
            Path | None,
            typer.Option(
                parser=path_named,
                metavar="<path>",
                help="Folder of templates to lay over the style, file by file.",
            ),
        ] = None,
        package: Annotated[
            str | None, typer.Option(help="Import name of the package.", show_default="mcp_wire")
        ] = None,
        out: Annotated[
            Path | None,
            typer.Option(
                parser=path_named,
                metavar="<path>",
                help="Folder of the distribution.",
                show_default="generated",
            ),
        ] = None,
        spec_dir: SpecDir = None,
        formatter: Annotated[
            str | None, typer.Option(help="black, ruff or none.", show_default="black")
        ] = None,
        jobs: Annotated[
            int | None,
            typer.Option(min=1, help="Processes to use.", show_default="one for each processor"),
        ] = None,
        as_json: AsJson = False,
    ) -> None:
        from ..config import load_settings
        from ..emit.format import formatter_named
        from ..emit.package import check_package_name
        from ..pipeline import GenerateOptions

        settings = load_settings()
        name = settings.text("package", package, "mcp_wire")
        check_package_name(name, settings.place("package", package))
        chosen = settings.text("formatter", formatter, "black")
        known = formatter_named(chosen, settings.place("formatter", formatter))
        options = GenerateOptions(
            versions=settings.versions(versions or []),
            style=settings.optional_text("style", style),
            templates=settings.path("templates", templates),
            package=name,
            formatter=known,
            out=settings.path("out", out) or Path("generated"),
            spec_dir=settings.spec_dir(spec_dir),
            jobs=settings.jobs(jobs),
        )
        run(options, as_json)

    return command


def _generate(options: GenerateOptions, as_json: bool) -> None:
    from ..pipeline import generate

    result = generate(options, progress())
    if as_json:
        print_json(_result_document(result))
    else:
        _print_result(result, options)


def _check(options: GenerateOptions, as_json: bool) -> None:
    from ..pipeline import check

    differences = check(options, progress())
    if as_json:
        found = [{"path": item.path, "kind": item.kind} for item in differences]
        print_json({"differences": found})
    else:
        _print_differences(differences, options)
    if differences:
        raise typer.Exit(1)


def _result_document(result: GenerateResult) -> dict[str, Any]:
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


def _print_result(result: GenerateResult, options: GenerateOptions) -> None:
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
    print_table(["version", "types", "methods", "files written", "seconds"], rows)
    removed = f", {len(result.removed)} removed" if result.removed else ""
    print(
        f"\n{options.out}: {_files(len(result.written))} written{removed}, "
        f"{result.unchanged} unchanged, {result.seconds:.1f} s"
    )


# What to do about a difference, where generating again is not enough.
_REMEDIES = {"stray": "remove what is stray"}


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _print_differences(differences: list[Difference], options: GenerateOptions) -> None:
    from ..emit.manifest import MANIFEST

    if differences and not options.out.exists():
        print(f"{options.out}: there is nothing; run mcpgen generate")
        return
    for item in differences:
        print(f"{item.kind}: {options.out / item.path}")
        # What differs in the manifest are digests of what is told beside it.
        if item.path != MANIFEST:
            print(item.diff, end="")
    if differences:
        count = _files(len(differences))
        remedies = {_REMEDIES.get(item.kind, "run mcpgen generate") for item in differences}
        print(f"{options.out}: {count} not as emitted; {' and '.join(sorted(remedies))}")
    else:
        print(f"{options.out}: as emitted")
