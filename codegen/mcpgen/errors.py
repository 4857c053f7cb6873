"""The problems `mcpgen` reports: every one says where, what was found, and what to do."""

from __future__ import annotations


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
