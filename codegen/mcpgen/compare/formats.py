"""The formats a comparison is rendered in."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import ConfigError
from .changes import Comparison
from .document import render_json
from .html import render_html
from .markdown import render_markdown
from .text import render_text

FORMATS: dict[str, Callable[[Comparison], str]] = {
    "text": render_text,
    "markdown": render_markdown,
    "json": render_json,
    "html": render_html,
}


def render(comparison: Comparison, format: str) -> str:
    """The comparison in one of `FORMATS`, ending in a line break.

    Raises `ConfigError` for a format that is none of them.
    """
    renderer = FORMATS.get(format)
    if renderer is None:
        raise ConfigError("format", f"found {format!r}, expected one of {', '.join(FORMATS)}")
    return renderer(comparison)
