"""Doc comments: what is prose, what is a tag, and where one ends."""

from __future__ import annotations

import pytest
from mcpgen.ingest.declarations import Doc
from mcpgen.ingest.jsdoc import is_doc_comment, parse


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("/** text */", True),
        ("/***/", True),
        ("/****/", True),
        ("/*** text */", True),
        ("/**/", False),
        ("/* text */", False),
        ("// text", False),
        ("// /** text */", False),
    ],
)
def test_what_is_a_doc_comment(comment: str, expected: bool) -> None:
    assert is_doc_comment(comment) is expected


@pytest.mark.parametrize("comment", ["/***/", "/****/", "/** */", "/**\n */", "/**\n *\n *\n */"])
def test_a_comment_may_say_nothing(comment: str) -> None:
    assert parse(comment) == Doc()


@pytest.mark.parametrize(
    ("comment", "text"),
    [
        ("/** One line. */", "One line."),
        ("/** Two\n * lines. */", "Two\nlines."),
        ("/**\n * First.\n *\n * Second.\n */", "First.\n\nSecond."),
        ("/**\r\n * Two\r\n * lines.\r\n */", "Two\nlines."),
        ("/**\n\t *\tTabbed.\n\t */", "Tabbed."),
        ("/**\n   without\n   stars\n*/", "without\nstars"),
        ("/**\n * keeps\n *     the indentation\n */", "keeps\n    the indentation"),
        ("/**\n * trailing space   \n * goes\n */", "trailing space\ngoes"),
        ("/**\n * **bold** and *less bold*\n */", "**bold** and *less bold*"),
        ("/** größer als ∞ 😀 */", "größer als ∞ 😀"),
        ("/** one\x0bline\x85only */", "one\x0bline\x85only"),
        ("/** two\u2028lines */", "two\nlines"),
    ],
)
def test_prose(comment: str, text: str) -> None:
    assert parse(comment) == Doc(text)


@pytest.mark.parametrize(
    ("comment", "tags"),
    [
        ("/** @internal */", [("internal", "")]),
        ("/**@internal*/", [("internal", "")]),
        ("/** @minimum 0 */", [("minimum", "0")]),
        ("/** @minimum\t0\r\n @maximum 1\r\n*/", [("minimum", "0"), ("maximum", "1")]),
        ("/** @minimum 0 @maximum 1 */", [("minimum", "0"), ("maximum", "1")]),
        ("/**\n * @see here\n * and there\n *\n * too\n */", [("see", "here\nand there\n\ntoo")]),
        ("/** @TJS-type number */", [("TJS-type", "number")]),
        ("/** @category `tools/list` */", [("category", "`tools/list`")]),
        ("/** @été x */", [("été", "x")]),
        ("/** @see a\n * @see b */", [("see", "a"), ("see", "b")]),
        ("/** @example\n * ```json\n * {}\n * ``` */", [("example", "```json\n{}\n```")]),
    ],
)
def test_tags(comment: str, tags: list[tuple[str, str]]) -> None:
    assert parse(comment) == Doc("", tuple(tags))


@pytest.mark.parametrize(
    ("comment", "text"),
    [
        ("/** Write to a@b.example. */", "Write to a@b.example."),
        ("/** See {@link Thing}. */", "See {@link Thing}."),
        ("/** See {@link Thing\n * @since ever}. */", "See {@link Thing\n@since ever}."),
        ("/** Run `npm i @scope/name`. */", "Run `npm i @scope/name`."),
        ("/** An @ sign, @1 and @. */", "An @ sign, @1 and @."),
        ("/** {nested {@link A} {braces}} */", "{nested {@link A} {braces}}"),
    ],
)
def test_what_only_looks_like_a_tag(comment: str, text: str) -> None:
    assert parse(comment) == Doc(text)


def test_a_tag_may_follow_prose_on_its_line() -> None:
    found = parse("/** Old. @deprecated since long */")
    assert found == Doc("Old.", (("deprecated", "since long"),))


def test_the_first_tag_of_a_name_is_taken() -> None:
    doc = parse("/** Text.\n * @see a\n * @see b\n * @internal */")
    assert doc.text == "Text."
    assert doc.tag("see") == "a"
    assert doc.tag("internal") == ""
    assert doc.tag("deprecated") is None
