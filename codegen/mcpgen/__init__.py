"""mcpgen: from the Model Context Protocol's TypeScript schema to a typed Python package.

What the command line does is here as functions: `pull` reads the specification into spec
documents, `generate` emits the package, `check` compares a package with what would be emitted.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import McpgenError
from .version import VERSION

if TYPE_CHECKING:
    from .emit.publish import Difference
    from .ingest.download import HttpOptions
    from .ingest.pull import PullResult, VersionPull, pull
    from .pipeline import GenerateOptions, GenerateResult, VersionSummary, check, generate

__all__ = [
    "Difference",
    "GenerateOptions",
    "GenerateResult",
    "HttpOptions",
    "McpgenError",
    "PullResult",
    "VersionPull",
    "VersionSummary",
    "__version__",
    "check",
    "generate",
    "pull",
]

__version__ = VERSION

# Loaded when first used: reading and emitting need libraries that take long to import.
_MODULES = {
    "Difference": ".emit.publish",
    "GenerateOptions": ".pipeline",
    "GenerateResult": ".pipeline",
    "HttpOptions": ".ingest.download",
    "PullResult": ".ingest.pull",
    "VersionPull": ".ingest.pull",
    "VersionSummary": ".pipeline",
    "check": ".pipeline",
    "generate": ".pipeline",
    "pull": ".ingest.pull",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name], __name__), name)
