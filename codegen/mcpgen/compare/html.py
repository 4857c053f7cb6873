"""A comparison as a small HTML page of its own."""

from __future__ import annotations

from html import escape
from itertools import groupby

from .changes import Comparison, Severity
from .wording import Section, Span, heading, legend, sections, summary

_STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code { font-size: .9em; background: #8882; padding: .1em .3em; border-radius: .2em; }
h3 { font-size: 1em; }
.breaking h3 { color: #c22; }
"""


def render_html(comparison: Comparison) -> str:
    """The comparison as a page that needs nothing else; every text in it is escaped."""
    title = escape(heading(comparison))
    paragraphs = filter(None, (summary(comparison), legend(comparison)))
    body = [f"<h1>{title}</h1>", *(f"<p>{escape(text)}</p>" for text in paragraphs)]
    for group, found in groupby(sections(comparison), key=lambda section: section.group):
        body.append(f"<h2>{group.capitalize()}</h2>")
        body += map(_section, found)
    head = f'<meta charset="utf-8">\n<title>{title}</title>\n<style>\n{_STYLE}</style>'
    content = "\n".join(body)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n'
        f"<body>\n{content}\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    kind = "compatible" if section.severity is Severity.COMPATIBLE else "breaking"
    entries = "\n".join(f"<li>{''.join(map(_marked, entry))}</li>" for entry in section.entries)
    title = escape(section.severity.title.capitalize())
    return f'<section class="{kind}">\n<h3>{title}</h3>\n<ul>\n{entries}\n</ul>\n</section>'


def _marked(span: Span) -> str:
    text = escape(span.text)
    return f"<code>{text}</code>" if span.code else text
