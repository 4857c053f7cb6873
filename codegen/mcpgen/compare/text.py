"""A comparison as plain text for a terminal, at most 100 columns wide."""

from __future__ import annotations

import textwrap
from itertools import groupby

from .changes import Comparison
from .wording import Span, heading, legend, sections, summary

WIDTH = 100


def render_text(comparison: Comparison) -> str:
    """The comparison as text that ends in a line break; only over-long words pass the width."""
    lines = [heading(comparison)]
    for paragraph in (summary(comparison), legend(comparison)):
        lines += _wrapped(paragraph, "", "")
    for group, found in groupby(sections(comparison), key=lambda section: section.group):
        lines += ["", group.upper()]
        for section in found:
            lines += ["", f"  {section.severity.title}"]
            for entry in section.entries:
                lines += _wrapped(_plain(entry), "    - ", "      ")
    return "\n".join(lines) + "\n"


def _plain(entry: tuple[Span, ...]) -> str:
    return "".join(span.text for span in entry)


def _wrapped(text: str, first: str, later: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
