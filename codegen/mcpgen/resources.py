"""Where the templates and specs that come with mcpgen are."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def templates_dir() -> Path:
    """The folder of the built-in styles and the runtime."""
    return _shipped("templates")


def spec_dir() -> Path:
    """The folder of the spec documents that come with this version of mcpgen."""
    return _shipped("spec")


def _shipped(name: str) -> Path:
    """A folder inside the installed package; in a checkout, the one at the repository's root."""
    packaged = _PACKAGE / f"_{name}"
    return packaged if packaged.is_dir() else _PACKAGE.parents[1] / name
