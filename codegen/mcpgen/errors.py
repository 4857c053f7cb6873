"""The problems `mcpgen` reports: every one says where, what was found, and what to do."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


class McpgenError(Exception):
    """A problem the user can act on; the command line prints it as one `error:` line.

    `where` names the file, line, path or address; `what` says what was found and what
    was expected there; `remedy` says what to do, and is empty when `what` already does.
    """

    def __init__(self, where: str, what: str, remedy: str = "") -> None:
        self.where = where
        self.what = what
        self.remedy = remedy
        # The arguments as they are, so that the error survives the way between processes.
        super().__init__(where, what, remedy)

    def __str__(self) -> str:
        return ": ".join(part for part in (self.where, self.what, self.remedy) if part)


class SourceError(McpgenError):
    """The specification could not be read: network, folder or git repository."""


class SchemaError(McpgenError):
    """A schema says something the generator does not understand, or contradicts itself."""


@contextmanager
def limited_depth(where: str) -> Generator[None]:
    """Raises `SchemaError` where types nest, or build on each other, deeper than Python goes."""
    try:
        yield
    except RecursionError:
        what = "found types that nest, or build on one another, more deeply than mcpgen follows"
        raise SchemaError(where, what, "give the inner ones names, or shorten the chain") from None


class ReconcileError(SchemaError):
    """The published schema.json differs from the TypeScript in a way no distortion explains."""


class OverrideError(McpgenError):
    """An entry of overrides.toml or descriptions.toml is malformed, stale or unused."""


class LockError(McpgenError):
    """The lock file and the files it describes disagree."""


class TemplateError(McpgenError):
    """A style, a template or the code a template produced is wrong."""


class ConfigError(McpgenError):
    """A setting on the command line or in pyproject.toml is unknown or malformed."""
