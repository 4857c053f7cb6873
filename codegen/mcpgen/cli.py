"""The command `mcpgen`: runs one of `commands`, and turns every failure into one error line.

Exit codes: 0 done, 1 a check found a difference or something failed, 2 usage.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, NoReturn, Protocol, TextIO, runtime_checkable

import typer

from .commands import diff, generate, inspect, pull, templates, validate
from .errors import ConfigError, McpgenError
from .interruption import end_like_interruptions
from .version import VERSION

app = typer.Typer(
    name="mcpgen",
    help="Generate a typed Python package from the Model Context Protocol's TypeScript schema.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

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
    end_like_interruptions()
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


for group in (pull, generate, diff, inspect, validate, templates):
    group.register(app)
