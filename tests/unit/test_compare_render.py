"""The formats of a comparison: what they say, and that no name or value breaks out of them."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcpgen.compare import FORMATS, Comparison, document, document_schema, render
from mcpgen.compare.text import WIDTH
from mcpgen.errors import ConfigError
from mcpgen.model.model import Const

from .compare_models import INTEGER, Part, comparison, field, method, obj

NOTE = "Deprecated since 2."
HOSTILE = "a`b``|<script>alert(1)</script>\n# *x* \x1b[31m \ud800"


@pytest.fixture
def sample() -> Comparison:
    base = obj("Base", field("a"))
    extenders = [obj(f"Extender{n}", field("a", owner="Base")) for n in range(9)]
    old: list[Part] = [method("gone"), method("lost"), base, *extenders, obj("Tool", field("b?"))]
    new: list[Part] = [
        obj("Base", field("a", INTEGER)),
        *(obj(one.name, field("a", INTEGER, owner="Base")) for one in extenders),
        obj("Tool", field("b", deprecated=NOTE), deprecated=NOTE),
    ]
    return comparison(old, new)


TEXT = """\
MCP 1 to 2
6 changes: 1 breaking for readers and writers, 3 breaking for writers, 2 compatible.
Readers and writers are programs made for 1: readers receive from programs made for 2, writers send
to them.

METHODS

  breaking for writers
    - method removed: gone, lost

TYPES

  breaking for readers and writers
    - Base.a: type changed, was string, now integer; and 9 types that extend it: Extender0,
      Extender1, Extender2, Extender3, Extender4 and 4 more

  breaking for writers
    - Tool.b: now required

DEPRECATIONS

  compatible
    - Deprecated since 2: Tool, Tool.b
"""


def test_text_says_it_in_a_hundred_columns(sample: Comparison) -> None:
    assert render(sample, "text") == TEXT
    assert max(map(len, TEXT.splitlines())) <= WIDTH


def test_markdown_says_the_same(sample: Comparison) -> None:
    assert render(sample, "markdown").splitlines()[6:20] == [
        "### Methods",
        "",
        "**Breaking for writers**",
        "",
        "- method removed: `gone`, `lost`",
        "",
        "### Types",
        "",
        "**Breaking for readers and writers**",
        "",
        "- `Base.a`: type changed, was `string`, now `integer`; and 9 types that extend it: "
        "`Extender0`, `Extender1`, `Extender2`, `Extender3`, `Extender4` and 4 more",
        "",
        "**Breaking for writers**",
        "",
    ]


def test_the_document_has_everything_and_is_as_described(sample: Comparison) -> None:
    content = json.loads(render(sample, "json"))
    assert content == document(sample)
    Draft202012Validator.check_schema(document_schema())
    Draft202012Validator(document_schema()).validate(content)
    assert content["breaking"] is True
    assert content["summary"]["breaking for writers"] == 3
    assert set(content["rules"]) == {change["kind"] for change in content["changes"]}
    (base,) = [change for change in content["changes"] if change["path"] == "Base.a"]
    assert base == {
        "group": "types",
        "kind": "type-changed",
        "path": "Base.a",
        "breaks": ["readers", "writers"],
        "old": "string",
        "new": "integer",
        "covers": [f"Extender{n}" for n in range(9)],
    }


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: content.update(extra=1),
        lambda content: content.pop("summary"),
        lambda content: content["changes"][0].update(kind="unknown"),
        lambda content: content["changes"][0].update(breaks=["nobody"]),
    ],
)
def test_the_schema_of_the_document_refuses_what_is_not_one(spoil: Any, sample: Comparison) -> None:
    content = document(sample)
    spoil(content)
    assert not Draft202012Validator(document_schema()).is_valid(content)


def test_a_note_that_does_not_name_the_rule_is_put_beside_it() -> None:
    result = comparison([obj("T")], [obj("T", deprecated="Use\n\tU \x07instead.")])
    assert "    - deprecated (Use U instead): T\n" in render(result, "text")


@pytest.mark.parametrize("name", FORMATS)
def test_no_changes_are_said_in_every_format(name: str) -> None:
    result = comparison([obj("T")], [obj("T")])
    assert not result.breaking
    assert ("Nothing changed." in render(result, name)) == (name != "json")
    assert render(result, name).endswith("\n")
    Draft202012Validator(document_schema()).validate(document(result))


def hostile() -> Comparison:
    old: list[Part] = [obj("T", field("a", Const("x"))), method("m")]
    new: list[Part] = [
        obj("T", field("a", Const(HOSTILE)), field(HOSTILE), deprecated=HOSTILE),
        method("m", capability=HOSTILE),
        method(HOSTILE),
    ]
    return comparison(old, new)


class Tags(HTMLParser):
    """The names of the elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)


def test_html_is_a_page_of_its_own_and_escapes_everything(sample: Comparison) -> None:
    ours, theirs = Tags(), Tags()
    ours.feed(render(sample, "html"))
    theirs.feed(render(hostile(), "html"))
    assert theirs.found == ours.found
    assert not ours.found & {"script", "link", "img", "iframe"}
    assert "<code>Base.a</code>: type changed" in render(sample, "html")


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_names_stay_on_their_line_and_can_be_written(name: str) -> None:
    text = render(hostile(), name)
    assert text.encode("utf-8")
    assert all(char.isprintable() or char == "\n" for char in text)
    assert not [line for line in text.splitlines() if line.startswith("# *x*")]


def test_code_spans_are_fenced_with_more_backticks_than_they_hold() -> None:
    assert '- `T.a`: type changed, was `"x"`, now ```"a`b``|' in render(hostile(), "markdown")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ConfigError, match="found 'pdf', expected one of text, markdown"):
        render(comparison([], []), "pdf")
