"""Questions about versions of the protocol, answered as values.

`spec_dir` is where the versions are: by default the folder `spec` where it holds specs, else the
specs that come with mcpgen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .compare import Comparison, compare
from .config import default_spec_dir
from .describe import Inspection, Overview, inspect_name
from .errors import limited_depth
from .model.model import Protocol
from .spec_files import load_protocol
from .specs import load_protocols


def diff(
    old: str | Path,
    new: str | Path,
    *,
    spec_dir: Path | None = None,
    warn: Callable[[str], None] | None = None,
) -> Comparison:
    """What changed from one version to another, and whom it breaks.

    Both are versions, or paths of spec documents, of schema.ts or of schema.json; `warn` is told
    what a schema.json alone does not say. `Comparison.breaking` says whether any change breaks
    anybody, `mcpgen.compare.render` makes a report.

    Raises `McpgenError` and its kinds for a version that is not there and for a file that
    cannot be read or understood.
    """
    folder = spec_dir or default_spec_dir()
    before, after = (load_protocol(what, folder, warn) for what in (old, new))
    with limited_depth(f"{old} and {new}"):
        return compare(before, after)


def load_models(*versions: str, spec_dir: Path | None = None) -> tuple[Protocol, ...]:
    """The Models of the given versions, or of all in the spec folder, oldest first.

    The Model is what templates see. Raises `McpgenError` and its kinds for a version that is not
    there and for a folder whose documents, lock, overrides and descriptions do not fit together.
    """
    return load_protocols(spec_dir or default_spec_dir(), versions)


def inspect(version: str, name: str | None = None, *, spec_dir: Path | None = None) -> Inspection:
    """What there is to say of a version, or of one method, type, `Type.field` or constant of it.

    `mcpgen.describe` has its text and its JSON. Raises `McpgenError` and its kinds as
    `load_models` does, and for a name that the version does not have.
    """
    folder = spec_dir or default_spec_dir()
    if name is None:
        return Overview(load_protocols(folder, (version,))[0])
    protocols = load_protocols(folder)
    if all(protocol.version != version for protocol in protocols):
        protocols = load_protocols(folder, (version,))
    with limited_depth(f"MCP {version}"):
        return inspect_name(name, version, protocols)
