"""The command `mcpgen`: settings in, one table or one error line out.

Exit codes: 0 done, 1 a check found a difference or something failed, 2 usage. Heavy imports
stay inside the commands, so that `mcpgen --help` answers at once.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from .errors import ConfigError, McpgenError
from .version import VERSION

if TYPE_CHECKING:
    from .emit.publish import Difference
    from .ingest.pull import PullResult
    from .pipeline import GenerateOptions, GenerateResult

app = typer.Typer(
    name="mcpgen",
    help="Generate a typed Python package from the Model Context Protocol's TypeScript schema.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Versions = Annotated[
    list[str] | None,
    typer.Argument(help="Protocol versions, such as 2025-11-25.", show_default="all"),
]
SpecDir = Annotated[Path | None, typer.Option(help="Folder of the spec documents and their lock.")]
Style = Annotated[
    str | None, typer.Option(help="Style of the templates.", show_default="dataclass")
]
Templates = Annotated[
    Path | None, typer.Option(help="Folder of templates to lay over the style, file by file.")
]
Package = Annotated[
    str | None, typer.Option(help="Import name of the package.", show_default="mcp_wire")
]
Out = Annotated[
    Path | None, typer.Option(help="Folder of the distribution.", show_default="generated")
]
FormatterName = Annotated[
    str | None, typer.Option(help="black, ruff or none.", show_default="black")
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="Processes to use.", show_default="one for each processor"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def main() -> NoReturn:
    """Runs the command and exits; every failure ends in one line on stderr."""
    try:
        app()
    except ConfigError as error:
        _fail(str(error), 2)
    except McpgenError as error:
        _fail(str(error), 1)
    except BrokenPipeError:
        # The reader of our output went away; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _fail(f"{error.filename or 'input and output'}: {error.strerror or error}", 1)
    except Exception as error:
        if os.environ.get("MCPGEN_DEBUG"):
            raise
        _fail(f"mcpgen itself: {type(error).__name__}: {error}: set MCPGEN_DEBUG=1 to see where", 1)
    sys.exit(0)


def _fail(message: str, code: int) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(code)


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version of mcpgen.")
    ] = False,
) -> None:
    if version:
        print(f"mcpgen {VERSION}")
        raise typer.Exit


@app.command()
def pull(
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
        Path | None, typer.Option(help="Folder to write.", show_default="spec")
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
    from .config import load_settings
    from .ingest.pull import pull as run

    settings = load_settings()
    result = run(
        settings.versions(versions or []),
        all_versions=all_versions,
        source=settings.optional_text("source", source),
        ref=settings.optional_text("ref", ref),
        spec_dir=settings.path("spec-dir", spec_dir) or Path("spec"),
        descriptions=descriptions,
        check=check,
        progress=_progress(),
    )
    _print_json(_pull_document(result)) if as_json else _print_pull(result, check)
    if check and result.changed:
        raise typer.Exit(1)


@app.command()
def generate(
    versions: Versions = None,
    style: Style = None,
    templates: Templates = None,
    package: Package = None,
    out: Out = None,
    spec_dir: SpecDir = None,
    formatter: FormatterName = None,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> None:
    """Emit the package."""
    from .pipeline import generate as run

    chosen = _generate_options(versions, style, templates, package, out, spec_dir, formatter, jobs)
    result = run(chosen, _progress())
    _print_json(_generate_document(result)) if as_json else _print_generate(result, chosen)


@app.command()
def check(
    versions: Versions = None,
    style: Style = None,
    templates: Templates = None,
    package: Package = None,
    out: Out = None,
    spec_dir: SpecDir = None,
    formatter: FormatterName = None,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> None:
    """Emit the package to memory and compare; exit 1 on any difference."""
    from .pipeline import check as run

    chosen = _generate_options(versions, style, templates, package, out, spec_dir, formatter, jobs)
    differences = run(chosen, _progress())
    if as_json:
        _print_json({"differences": [{"path": d.path, "kind": d.kind} for d in differences]})
    else:
        _print_check(differences, chosen)
    if differences:
        raise typer.Exit(1)


def _generate_options(
    versions: list[str] | None,
    style: str | None,
    templates: Path | None,
    package: str | None,
    out: Path | None,
    spec_dir: Path | None,
    formatter: str | None,
    jobs: int | None,
) -> GenerateOptions:
    """What to generate, from the flags and the settings under them."""
    from .config import load_settings
    from .emit.format import FORMATTERS
    from .emit.package import PackageOptions
    from .pipeline import GenerateOptions

    settings = load_settings()
    chosen = settings.text("formatter", formatter, "black")
    known = [item for item in FORMATTERS if item == chosen]
    if not known:
        raise ConfigError("--formatter", f"found {chosen!r}, expected {', '.join(FORMATTERS)}")
    return GenerateOptions(
        versions=settings.versions(versions or []),
        style=settings.text("style", style, "dataclass"),
        templates=settings.path("templates", templates),
        package=PackageOptions(settings.text("package", package, "mcp_wire"), known[0]),
        out=settings.path("out", out) or Path("generated"),
        spec_dir=settings.spec_dir(spec_dir),
        jobs=settings.jobs(jobs),
    )


# --- output -------------------------------------------------------------------------------------


def _progress() -> Callable[[str], None] | None:
    """Prints what is being done, on a terminal only."""
    if not sys.stderr.isatty():
        return None
    return lambda message: print(message, file=sys.stderr)


def _print_json(document: dict[str, Any]) -> None:
    print(json.dumps(document, indent=2))


def _pull_document(result: PullResult) -> dict[str, Any]:
    return {
        "changed": result.changed,
        "written": [str(path) for path in result.written],
        "versions": [
            {
                "version": item.version,
                "status": item.status,
                "changed": list(item.changed),
                "reconciled": item.report.checked,
                "distortions": {name: list(sites) for name, sites in item.report.sites.items()},
            }
            for item in result.versions
        ],
    }


def _print_pull(result: PullResult, check: bool) -> None:
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


def _generate_document(result: GenerateResult) -> dict[str, Any]:
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


def _print_generate(result: GenerateResult, options: GenerateOptions) -> None:
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


def _print_check(differences: list[Difference], options: GenerateOptions) -> None:
    for item in differences:
        print(f"{item.kind}: {options.out / item.path}")
        if item.diff:
            print(item.diff, end="")
    if differences:
        count = f"{len(differences)} {'file' if len(differences) == 1 else 'files'}"
        print(f"{options.out}: {count} not as emitted; run mcpgen generate")
    else:
        print(f"{options.out}: as emitted")


def _print_table(head: list[str], rows: list[list[str]]) -> None:
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())
