"""The command `mcpgen`: settings in, one table or one error line out.

Exit codes: 0 done, 1 a check found a difference or something failed, 2 usage. Heavy imports
stay inside the commands, so that `mcpgen --help` answers at once.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, Protocol, TextIO, runtime_checkable

import typer

from . import printing
from .errors import ConfigError, McpgenError
from .version import VERSION

if TYPE_CHECKING:
    from .pipeline import GenerateOptions

app = typer.Typer(
    name="mcpgen",
    help="Generate a typed Python package from the Model Context Protocol's TypeScript schema.",
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

# With this code typer answers an interruption, as shells do.
_INTERRUPTED = 130


@runtime_checkable
class _UsageProblem(Protocol):
    """What typer raises for arguments it does not understand."""

    exit_code: int

    def format_message(self) -> str:
        """What is wrong, in a sentence."""
        ...


def main() -> NoReturn:
    """Runs the command and exits; every failure ends in one line on stderr."""
    sys.stdout, sys.stderr = _usable(sys.stdout), _usable(sys.stderr)
    # Ends like an interruption: what was begun is taken back.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(_run())


def _run() -> int:
    try:
        code = app(prog_name="mcpgen", standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        return _failure("interrupted")
    except ConfigError as error:
        return _failure(str(error), 2)
    except McpgenError as error:
        return _failure(str(error))
    except OSError as error:
        return _input_output_failure(error)
    except Exception as error:
        if isinstance(error, _UsageProblem):
            what = error.format_message().rstrip(".")
            return _failure(f"{what}: see mcpgen --help", error.exit_code)
        if os.environ.get("MCPGEN_DEBUG"):
            raise
        what = f"mcpgen itself: {type(error).__name__}: {error}"
        return _failure(f"{what}: set MCPGEN_DEBUG=1 to see where")
    return _failure("interrupted") if code == _INTERRUPTED else code or 0


def _input_output_failure(error: OSError) -> int:
    """Reports what the system refused; a reader of our output that went away is told nothing."""
    if error.filename is None:
        # What is left to print cannot be printed, and must not fail again at the end.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 1
    return _failure(f"{error.filename or 'input and output'}: {error.strerror or error}")


def _failure(message: str, code: int = 1) -> int:
    lines = (line.strip() for line in message.splitlines())
    print(f"error: {'; '.join(line for line in lines if line)}", file=sys.stderr)
    return code


def _usable(stream: TextIO | None) -> TextIO:
    """A stream that takes any text; one that leads nowhere if it was closed beforehand."""
    if stream is None:
        return Path(os.devnull).open("w", encoding="utf-8")
    _let_escape(stream)
    return stream


def _let_escape(stream: object) -> None:
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version of mcpgen.")
    ] = False,
) -> None:
    if version:
        print(f"mcpgen {VERSION}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(2)


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
        progress=printing.progress(),
    )
    if as_json:
        printing.print_json(printing.pull_document(result))
    else:
        printing.print_pull(result, check)
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
    result = run(chosen, printing.progress())
    if as_json:
        printing.print_json(printing.generate_document(result))
    else:
        printing.print_generate(result, chosen)


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
    differences = run(chosen, printing.progress())
    if as_json:
        printing.print_json(printing.check_document(differences))
    else:
        printing.print_check(differences, chosen)
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
    from .emit.format import formatter_named
    from .emit.package import PackageOptions, check_package_name
    from .pipeline import GenerateOptions

    settings = load_settings()
    name = settings.text("package", package, "mcp_wire")
    check_package_name(name, settings.place("package", package))
    chosen = settings.text("formatter", formatter, "black")
    known = formatter_named(chosen, settings.place("formatter", formatter))
    return GenerateOptions(
        versions=settings.versions(versions or []),
        style=settings.text("style", style, "dataclass"),
        templates=settings.path("templates", templates),
        package=PackageOptions(name, known),
        out=settings.path("out", out) or Path("generated"),
        spec_dir=settings.spec_dir(spec_dir),
        jobs=settings.jobs(jobs),
    )
