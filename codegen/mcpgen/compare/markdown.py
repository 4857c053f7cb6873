"""A comparison as Markdown, for release notes."""

from __future__ import annotations

import re
from itertools import groupby

from .changes import Comparison
from .wording import Span, heading, legend, sections, summary

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|&])")


def render_markdown(comparison: Comparison) -> str:
    """The comparison as Markdown that ends in a line break: one list for each severity."""
    lines = [f"## {_escaped(heading(comparison))}"]
    for paragraph in filter(None, (summary(comparison), legend(comparison))):
        lines += ["", _escaped(paragraph)]
    for group, found in groupby(sections(comparison), key=lambda section: section.group):
        lines += ["", f"### {group.capitalize()}"]
        for section in found:
            lines += ["", f"**{section.severity.title.capitalize()}**", ""]
            lines += [f"- {''.join(map(_marked, entry))}" for entry in section.entries]
    return "\n".join(lines) + "\n"


def _marked(span: Span) -> str:
    return _code(span.text) if span.code else _escaped(span.text)


def _code(text: str) -> str:
    """A code span, fenced with more backticks than the text has in a row."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
