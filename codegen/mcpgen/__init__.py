"""mcpgen: from the Model Context Protocol's TypeScript schema to a typed Python package.

What the command line does is here as functions: `pull` reads the specification into spec
documents, `generate` emits the package, `check` compares a package with what would be emitted,
`diff` says what changed between two versions, `inspect` what there is to say of a version or of
one thing of it, and `load_models` gives what templates see. `validate` judges JSON documents;
`styles`, `eject` and `context_reference` help to write templates.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import McpgenError
from .version import VERSION

if TYPE_CHECKING:
    from .compare import Change, Comparison
    from .describe import Inspection
    from .emit.eject import StyleSummary, eject, styles
    from .emit.publish import Difference
    from .emit.reference import context_reference
    from .ingest.download import HttpOptions
    from .ingest.pull import PullResult, VersionPull, pull
    from .pipeline import GenerateOptions, GenerateResult, VersionSummary, check, generate
    from .queries import diff, inspect, load_models
    from .validation.validate import Fault, Note, Validation, validate

__all__ = [
    "Change",
    "Comparison",
    "Difference",
    "Fault",
    "GenerateOptions",
    "GenerateResult",
    "HttpOptions",
    "Inspection",
    "McpgenError",
    "Note",
    "PullResult",
    "StyleSummary",
    "Validation",
    "VersionPull",
    "VersionSummary",
    "__version__",
    "check",
    "context_reference",
    "diff",
    "eject",
    "generate",
    "inspect",
    "load_models",
    "pull",
    "styles",
    "validate",
]

__version__ = VERSION

# Loaded when first used: reading and emitting need libraries that take long to import.
_MODULES = {
    "Change": ".compare",
    "Comparison": ".compare",
    "Difference": ".emit.publish",
    "Fault": ".validation.validate",
    "GenerateOptions": ".pipeline",
    "GenerateResult": ".pipeline",
    "HttpOptions": ".ingest.download",
    "Inspection": ".describe",
    "Note": ".validation.validate",
    "PullResult": ".ingest.pull",
    "StyleSummary": ".emit.eject",
    "Validation": ".validation.validate",
    "VersionPull": ".ingest.pull",
    "VersionSummary": ".pipeline",
    "check": ".pipeline",
    "context_reference": ".emit.reference",
    "eject": ".emit.eject",
    "diff": ".queries",
    "generate": ".pipeline",
    "inspect": ".queries",
    "load_models": ".queries",
    "pull": ".ingest.pull",
    "styles": ".emit.eject",
    "validate": ".validation.validate",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name], __name__), name)
