"""Looking texts up by version, and refusing a descriptions file that is not as documented."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.errors import OverrideError
from mcpgen.model.descriptions import Descriptions

COMMITTED = Path(__file__).parents[2] / "spec" / "descriptions.toml"


def load(folder: Path, text: str) -> Descriptions:
    path = folder / "descriptions.toml"
    path.write_text(text, encoding="utf-8")
    return Descriptions.load(path)


def test_a_missing_or_empty_file_describes_nothing(tmp_path: Path) -> None:
    for descriptions in (Descriptions.load(tmp_path / "none.toml"), load(tmp_path, "# nothing\n")):
        assert descriptions.type_text("2025-11-25", "Tool") == ""
        assert descriptions.field_text("2025-11-25", ("Tool",), "name") == ""
        assert descriptions.method_text("2025-11-25", "tools/call") == ""
        assert descriptions.unused() == ()


def test_types_fields_and_methods_are_told_apart(tmp_path: Path) -> None:
    descriptions = load(
        tmp_path,
        '"Tool" = "type"\n"Tool.name" = "field"\n"ping" = "method"\n"tools/call" = "slash"\n',
    )
    assert descriptions.type_text("2025-11-25", "Tool") == "type"
    assert descriptions.field_text("2025-11-25", ["Tool"], "name") == "field"
    assert descriptions.method_text("2025-11-25", "ping") == "method"
    assert descriptions.method_text("2025-11-25", "tools/call") == "slash"
    assert descriptions.field_text("2025-11-25", ["Tool"], "title") == ""


@pytest.mark.parametrize(
    "wire_name", ["io.modelcontextprotocol/clientInfo", "$schema", "_meta", "a.b.c"]
)
def test_a_field_is_all_that_follows_the_first_dot(tmp_path: Path, wire_name: str) -> None:
    descriptions = load(tmp_path, f'"Some_Type2.{wire_name}@2025-06-18" = "text"')
    assert descriptions.field_text("2025-06-18", ("Some_Type2",), wire_name) == "text"


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2024-11-05", "first"),
        ("2025-03-26", "first"),
        ("2025-06-18", "second"),
        ("2025-11-25", "second"),
        ("2026-07-28", "third"),
        ("2027-01-01", "third"),
        ("draft", "fourth"),
    ],
)
def test_a_versioned_text_holds_until_the_next(tmp_path: Path, version: str, expected: str) -> None:
    descriptions = load(
        tmp_path,
        '"Tool@draft" = "fourth"\n"Tool@2026-07-28" = "third"\n'
        '"Tool" = "first"\n"Tool@2025-06-18" = "second"\n',
    )
    assert descriptions.type_text(version, "Tool") == expected


def test_a_text_with_a_version_only_says_nothing_earlier(tmp_path: Path) -> None:
    descriptions = load(tmp_path, '"tools/call@2025-06-18" = "text"')
    assert descriptions.method_text("2025-03-26", "tools/call") == ""
    assert descriptions.unused() == ("tools/call@2025-06-18",)


def test_draft_is_after_every_date(tmp_path: Path) -> None:
    descriptions = load(tmp_path, '"Tool" = "dates"\n"Tool@draft" = "draft"')
    assert descriptions.type_text("9999-12-31", "Tool") == "dates"
    assert descriptions.type_text("draft", "Tool") == "draft"


def test_the_first_owner_that_describes_a_field_is_taken(tmp_path: Path) -> None:
    descriptions = load(
        tmp_path,
        '"BaseMetadata.name" = "base"\n"Tool.name@2025-11-25" = "own"\n"Icons.name" = "never"\n',
    )
    owners = ("Tool", "BaseMetadata", "Icons")
    assert descriptions.field_text("2025-11-25", owners, "name") == "own"
    assert descriptions.field_text("2025-06-18", owners, "name") == "base"
    assert descriptions.unused() == ("Icons.name",)


def test_unused_keys_are_those_never_served(tmp_path: Path) -> None:
    descriptions = load(
        tmp_path,
        '"Tool" = "a"\n"Tool@2025-11-25" = "b"\n"Tool.name" = "c"\n"ping" = "d"\n',
    )
    assert descriptions.unused() == ("Tool", "Tool.name", "Tool@2025-11-25", "ping")
    descriptions.type_text("2026-07-28", "Tool")
    descriptions.method_text("2026-07-28", "ping")
    descriptions.field_text("2026-07-28", ("Tool",), "title")
    assert descriptions.unused() == ("Tool", "Tool.name")


def test_paragraphs_are_kept_and_line_breaks_in_them_are_not(tmp_path: Path) -> None:
    descriptions = load(
        tmp_path, '"Tool" = """\n\n  One\nsentence.\n \n\nMore\n  text,\tand more.\n"""'
    )
    assert descriptions.type_text("draft", "Tool") == "One sentence.\n\nMore text, and more."


@pytest.mark.parametrize(
    ("line", "key", "found"),
    [
        ('"Tool" = 3', "Tool", "found 3, expected a string"),
        ('"Tool" = ["a"]', "Tool", "found ['a'], expected a string"),
        ('Tool.name = "unquoted"', "Tool", "found a table, expected a string"),
        ('"Tool.name" = ""', "Tool.name", "found an empty text"),
        ('"Tool.name" = " \\n\\n "', "Tool.name", "found an empty text"),
        ('"Tool@" = "text"', "Tool@", "found the version ''"),
        ('"Tool@v1" = "text"', "Tool@v1", "found the version 'v1'"),
        ('"Tool@2025-1-1" = "text"', "Tool@2025-1-1", "found the version '2025-1-1'"),
        ('"Tool@draft@draft" = "text"', "Tool@draft@draft", "found the version 'draft@draft'"),
        ('"Tool." = "text"', "Tool.", "found 'Tool.', expected"),
        ('".name" = "text"', ".name", "found '.name', expected"),
        ('"tool.name" = "text"', "tool.name", "found 'tool.name', expected"),
        ('"tools/" = "text"', "tools/", "found 'tools/', expected"),
        ('"two words" = "text"', "two words", "found 'two words', expected"),
        ('"" = "text"', "", "found '', expected"),
        ('"@draft" = "text"', "@draft", "found '', expected"),
    ],
)
def test_what_is_malformed_is_reported_with_file_and_key(
    tmp_path: Path, line: str, key: str, found: str
) -> None:
    with pytest.raises(OverrideError) as caught:
        load(tmp_path, '"Fine" = "text"\n' + line)
    assert caught.value.where == f"{tmp_path / 'descriptions.toml'}, key {key!r}"
    assert found in caught.value.what


@pytest.mark.parametrize("content", [b'"Tool" = ', b'"A" = "1"\n"A" = "2"', b'"A" = "\xff"'])
def test_a_file_that_is_not_toml_is_reported(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "descriptions.toml"
    path.write_bytes(content)
    with pytest.raises(OverrideError, match="not a readable TOML file") as caught:
        Descriptions.load(path)
    assert caught.value.where == str(path)


def test_a_folder_in_the_place_of_the_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(OverrideError, match="not a readable TOML file"):
        Descriptions.load(tmp_path)


def test_the_committed_file_is_well_formed_and_its_summaries_are_sentences() -> None:
    descriptions = Descriptions.load(COMMITTED)
    keys = descriptions.unused()
    assert keys
    for key in keys:
        subject, _, since = key.partition("@")
        version = since or "2024-11-05"
        owner, _, wire_name = subject.partition(".")
        text = (
            descriptions.field_text(version, (owner,), wire_name)
            if wire_name
            else descriptions.type_text(version, owner) or descriptions.method_text(version, owner)
        )
        summary = text.split("\n\n")[0]
        assert summary.endswith("."), key
        assert summary[0].isupper(), key


def test_tables_that_nest_too_deeply(tmp_path: Path) -> None:
    path = tmp_path / "descriptions.toml"
    path.write_text(f"a = {'[' * 5000}", encoding="utf-8")
    with pytest.raises(OverrideError, match="not a readable TOML file: it nests more deeply"):
        Descriptions.load(path)
