"""Overrides: what they assert and change, and that none is stale, unused or malformed."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from mcpgen.errors import OverrideError
from mcpgen.model.overrides import Overrides, VersionRange

VERSION = "2030-01-01"
DOCUMENT: dict[str, Any] = {
    "$defs": {
        "Cat": {"type": "object", "properties": {"age": {"type": "number"}}, "required": ["age"]},
        "CatFood": {"properties": {"age": {"type": "number", "minimum": 0}}},
        "Dog": {"anyOf": [{"type": "string"}, {"type": "number"}], "properties": {"x": True}},
    },
    "x-mcp": {"methods": {"cat/feed": {"results": ["A"]}, "cat~feed": {"results": []}}},
}


def load(folder: Path, text: str) -> Overrides:
    path = folder / "overrides.toml"
    path.write_text(text, encoding="utf-8")
    return Overrides.load(path)


def apply(folder: Path, entry: str, version: str = VERSION) -> dict[str, Any]:
    text = f"[[override]]\nreason = 'because'\nsource = 's'\n{entry}"
    before = copy.deepcopy(DOCUMENT)
    changed = load(folder, text).applied(DOCUMENT, version)
    assert before == DOCUMENT
    return changed


def fails(folder: Path, entry: str, version: str = VERSION) -> str:
    with pytest.raises(OverrideError) as caught:
        apply(folder, entry, version)
    assert caught.value.where == str(folder / "overrides.toml")
    assert caught.value.remedy.startswith("correct the entry or its versions (now ")
    what, because, _ = caught.value.what.partition("; it was made because ")
    assert because
    return what


# --- what they change ---------------------------------------------------------------------------


def test_a_value_is_replaced(tmp_path: Path) -> None:
    changed = apply(
        tmp_path, "path = '/$defs/Cat/properties/age/type'\nold='number'\nnew='integer'"
    )
    expected = copy.deepcopy(DOCUMENT)
    expected["$defs"]["Cat"]["properties"]["age"]["type"] = "integer"
    assert changed == expected


def test_without_old_a_value_is_added(tmp_path: Path) -> None:
    changed = apply(tmp_path, "path = '/$defs/Cat/properties/age/minimum'\nnew = 0")
    assert changed["$defs"]["Cat"]["properties"]["age"] == {"type": "number", "minimum": 0}


def test_without_new_a_value_is_removed(tmp_path: Path) -> None:
    changed = apply(tmp_path, "path = '/$defs/Cat/required'\nold = ['age']")
    assert changed["$defs"]["Cat"].keys() == {"type", "properties"}


@pytest.mark.parametrize(
    ("path", "touched"),
    [
        ("/$defs/*/properties/age/type", {"Cat", "CatFood"}),
        ("/$defs/Cat*/properties/age/type", {"Cat", "CatFood"}),
        ("/$defs/*Food/properties/age/type", {"CatFood"}),
        ("/$defs/C*F*d/properties/*/type", {"CatFood"}),
        ("/$defs/Cat/properties/age/t*e", {"Cat"}),
        ("/$defs/Cat/properties/*/type", {"Cat"}),
    ],
)
def test_a_star_stands_for_any_part_of_a_key(tmp_path: Path, path: str, touched: set[str]) -> None:
    changed = apply(tmp_path, f"path = '{path}'\nold = 'number'\nnew = 'integer'")
    found = {
        name
        for name, schema in changed["$defs"].items()
        if "integer" in str(schema.get("properties"))
    }
    assert found == touched


@pytest.mark.parametrize("key", ["ca[td]*", "ca?*", "*[!x]"])
def test_only_the_star_is_special(tmp_path: Path, key: str) -> None:
    path = f"/$defs/{key}/type"
    found = fails(tmp_path, f"path = '{path}'\nold = 'number'\nnew = 'integer'")
    assert found == f"{path} matches nothing in 2030-01-01"


def test_slashes_and_tildes_in_keys_are_escaped(tmp_path: Path) -> None:
    changed = apply(
        tmp_path, "path = '/x-mcp/methods/cat~1feed/results'\nold = ['A']\nnew = ['A', 'B']"
    )
    assert changed["x-mcp"]["methods"]["cat/feed"] == {"results": ["A", "B"]}
    changed = apply(tmp_path, "path = '/x-mcp/methods/cat~0feed/results'\nold = []\nnew = ['C']")
    assert changed["x-mcp"]["methods"]["cat~feed"] == {"results": ["C"]}


def test_a_path_may_lead_through_an_array(tmp_path: Path) -> None:
    changed = apply(tmp_path, "path = '/$defs/Dog/anyOf/1/type'\nold = 'number'\nnew = 'integer'")
    assert changed["$defs"]["Dog"]["anyOf"] == [{"type": "string"}, {"type": "integer"}]
    changed = apply(tmp_path, "path = '/$defs/Dog/anyOf/*/format'\nnew = 'x'")
    assert [item["format"] for item in changed["$defs"]["Dog"]["anyOf"]] == ["x", "x"]


def test_entries_are_made_in_their_order(tmp_path: Path) -> None:
    entry = "path = '/$defs/Cat/properties/age/type'\nold='number'\nnew='integer'"
    again = (
        f"{entry}\n[[override]]\nreason = 'r'\nsource = 's'\npath = '/$defs/*/properties/*/type'\n"
    )
    assert "CatFood/properties/age/type in 2030-01-01 is 'number'" in fails(
        tmp_path, f"{again}old = 'integer'\nnew = 'string'"
    )


# --- versions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("since", "until", "version", "holds"),
    [
        (None, None, "2030-01-01", True),
        ("2030-01-01", None, "2030-01-01", True),
        ("2030-01-01", None, "2029-12-31", False),
        ("2030-01-01", None, "draft", True),
        (None, "2030-01-01", "2030-01-01", True),
        (None, "2030-01-01", "2030-01-02", False),
        (None, "2030-01-01", "draft", False),
        ("2030-01-01", "2030-06-01", "2030-03-01", True),
        ("draft", "draft", "draft", True),
        ("draft", None, "2030-01-01", False),
    ],
)
def test_version_ranges_include_both_ends(
    since: str | None, until: str | None, version: str, holds: bool
) -> None:
    assert (version in VersionRange(since, until)) is holds


def test_an_entry_holds_for_its_versions_only(tmp_path: Path) -> None:
    entry = "path = '/$defs/Missing/type'\nnew = 'x'\nuntil = '2029-01-01'"
    assert apply(tmp_path, entry) == DOCUMENT
    assert (
        fails(tmp_path, entry, "2028-01-01") == "/$defs/Missing/type matches nothing in 2028-01-01"
    )


def test_entries_that_hold_for_no_version_are_unused(tmp_path: Path) -> None:
    overrides = load(
        tmp_path,
        "[[override]]\npath = '/a~1b/*'\nnew = 1\nreason = 'r'\nsource = 's'\n"
        "until = '2024-01-01'\n"
        "[[override]]\npath = '/c'\nnew = 1\nreason = 'r'\nsource = 's'\n"
        "[[name]]\nsite = 'T.a'\nname = 'U'\nreason = 'r'\nsince = 'draft'\n",
    )
    assert overrides.unused(["2025-01-01", "2026-01-01"]) == ["/a~1b/*", "T.a"]
    assert overrides.unused(iter(["2023-01-01", "draft"])) == []


# --- what must stop -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "path = '/$defs/Cat/type'\nold = 'array'\nnew = 'object'",
            "/$defs/Cat/type in 2030-01-01 is 'object', the override expects 'array'",
        ),
        (
            "path = '/$defs/Cat/type'\nnew = 'x'",
            "/$defs/Cat/type in 2030-01-01 is 'object', the override expects absent",
        ),
        (
            "path = '/$defs/Cat/kind'\nold = 'x'",
            "/$defs/Cat/kind matches nothing in 2030-01-01",
        ),
        (
            "path = '/$defs/CatFood/properties/age/minimum'\nold = 0.0\nnew = 1",
            "/$defs/CatFood/properties/age/minimum in 2030-01-01 is 0, the override expects 0.0",
        ),
        (
            "path = '/$defs/Dog/properties/x'\nold = 1\nnew = 2",
            "/$defs/Dog/properties/x in 2030-01-01 is True, the override expects 1",
        ),
        (
            "path = '/$defs/Cat/type/deeper'\nnew = 'x'",
            "/$defs/Cat/type/deeper matches nothing in 2030-01-01",
        ),
        ("path = '/$defs/Cow*/type'\nnew = 'x'", "/$defs/Cow*/type matches nothing in 2030-01-01"),
        ("path = '/$defs/Cow/type'\nnew = 'x'", "/$defs/Cow/type matches nothing in 2030-01-01"),
        (
            "path = '/$defs/*/properties/age/type'\nold = 'integer'\nnew = 'x'",
            "/$defs/Cat/properties/age/type in 2030-01-01 is 'number', "
            "the override expects 'integer'",
        ),
        (
            "path = '/$defs/Dog/anyOf/0'\nold = { type = 'string' }",
            "/$defs/Dog/anyOf/0 in 2030-01-01 is an element of an array, "
            "the override expects a member of an object",
        ),
        (
            "path = '/x-mcp/methods/*/results/0'\nold = 'A'\nnew = 'B'",
            "/x-mcp/methods/cat~1feed/results/0 in 2030-01-01 is an element of an array, "
            "the override expects a member of an object",
        ),
    ],
)
def test_an_entry_that_does_not_fit_stops(tmp_path: Path, entry: str, message: str) -> None:
    assert fails(tmp_path, entry) == message


def test_the_remedy_names_the_versions_the_entry_has_now(tmp_path: Path) -> None:
    path = tmp_path / "overrides.toml"
    path.write_text(
        "[[override]]\npath = '/a'\nold = 1\nreason = 'r'\nsource = 's'\nsince = '2029-01-01'\n",
        encoding="utf-8",
    )
    with pytest.raises(OverrideError) as caught:
        Overrides.load(path).applied({}, VERSION)
    assert caught.value.remedy == (
        "correct the entry or its versions (now 2029-01-01 to the last version)"
    )


OVERRIDE = "[[override]]\npath = '/a'\nnew = 1\nreason = 'r'\n"


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("[[override]]\nreason = 'r'\nsource = 's'\nnew = 1", " [[override]] 1", "found no path"),
        ("[[override]]\npath = '/a'\nnew = 1", " [[override]] 1", "found no reason"),
        ("[[name]]\nname = 'U'\nreason = 'r'", " [[name]] 1", "found no site"),
        ("[[name]]\nsite = 'T.a'\nreason = 'r'", " [[name]] 1", "found no name"),
        ("[[name]]\nsite = 'T.a'\nname = 'U'", " [[name]] 1", "found no reason"),
        (
            "[[override]]\npath = '/a'\nreason = 'r'\nsource = 's'",
            " [[override]] 1",
            "found neither old nor new, expected at least one",
        ),
        (f"{OVERRIDE}extra = 1", " [[override]] 1", "found the unknown key 'extra'"),
        (
            f"{OVERRIDE}\n{OVERRIDE}versions = 'all'",
            " [[override]] 2",
            "found the unknown key 'versions'",
        ),
        (
            f"{OVERRIDE}until = 2030-01-01",
            " [[override]] 1",
            "found until = datetime.date(2030, 1, 1), expected a string",
        ),
        (f"{OVERRIDE}source = ''", " [[override]] 1", "found source = '', expected a string"),
        (
            f"{OVERRIDE}since = '2030'",
            " [[override]] 1",
            "found the version '2030', expected a date or draft",
        ),
        (
            "[[name]]\nsite = 'T.a'\nname = 'U'\nreason = 'r'\nuntil = 'latest'",
            " [[name]] 1",
            "found the version 'latest', expected a date or draft",
        ),
        (
            f"{OVERRIDE}since = '2030-01-02'\nuntil = '2030-01-01'",
            " [[override]] 1",
            "found no version, since 2030-01-02 is after until 2030-01-01",
        ),
        (
            f"{OVERRIDE}old = 2030-01-01",
            " [[override]] 1",
            "found old = datetime.date(2030, 1, 1), expected a JSON value",
        ),
        (f"{OVERRIDE}old = nan", " [[override]] 1", "found old = nan, expected a JSON value"),
        (
            OVERRIDE.replace("/a", "a/b"),
            " [[override]] 1",
            "found the path 'a/b', expected a JSON pointer",
        ),
        (
            OVERRIDE.replace("/a", "/"),
            " [[override]] 1",
            "found the path '/', expected a JSON pointer",
        ),
        (
            "[override]\npath = '/a'\nnew = 1\nreason = 'r'",
            "",
            "found a single override, expected [[override]]",
        ),
        ("override = [1]", " [[override]] 1", "found no table"),
        ("name = 'x'", "", "found a single name, expected [[name]]"),
        ("[[overrides]]", "", "found 'overrides', expected [[override]] or [[name]]"),
    ],
)
def test_a_malformed_entry_stops(tmp_path: Path, text: str, where: str, what: str) -> None:
    with pytest.raises(OverrideError) as caught:
        load(tmp_path, text)
    assert caught.value.where == f"{tmp_path / 'overrides.toml'}{where}"
    assert caught.value.what == what


@pytest.mark.parametrize("content", [b"[[override]", b"a = 1\na = 2", b'a = "\xff"'])
def test_a_file_that_is_not_toml_stops(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "overrides.toml"
    path.write_bytes(content)
    with pytest.raises(OverrideError, match="not a readable TOML file") as caught:
        Overrides.load(path)
    assert caught.value.where == str(path)


def test_a_folder_in_the_place_of_the_file_stops(tmp_path: Path) -> None:
    with pytest.raises(OverrideError, match="not a readable TOML file"):
        Overrides.load(tmp_path)


def test_a_missing_or_empty_file_overrides_nothing(tmp_path: Path) -> None:
    for overrides in (Overrides.load(tmp_path / "none.toml"), load(tmp_path, "# nothing\n")):
        assert overrides.applied(DOCUMENT, VERSION) == DOCUMENT
        assert overrides.name_of("T.a", VERSION) is None
        assert overrides.unused([]) == []
        overrides.require_names_used(set(), VERSION)


# --- reduced documents --------------------------------------------------------------------------


def leniently(folder: Path, entry: str) -> dict[str, Any]:
    return (
        load(folder, f"[[override]]\nreason = 'because'\nsource = 's'\n{entry}")
        .leniently()
        .applied(DOCUMENT, VERSION)
    )


@pytest.mark.parametrize(
    "entry",
    [
        "path = '/$defs/Cat/properties/age/type'\nold = 'integer'\nnew = 'number'",
        "path = '/$defs/Cat/properties/age/type'\nnew = 'number'",
        "path = '/$defs/Bird/type'\nold = 'object'\nnew = 'array'",
        "path = '/$defs/Cat/minimum'\nold = 1",
    ],
)
def test_a_reduced_document_may_have_no_need_of_an_entry(tmp_path: Path, entry: str) -> None:
    assert leniently(tmp_path, entry) == DOCUMENT


def test_a_reduced_document_is_changed_where_the_old_value_matches(tmp_path: Path) -> None:
    entry = "path = '/$defs/*/properties/age/type'\nold = 'number'\nnew = 'integer'"
    changed = leniently(tmp_path, entry)
    assert changed["$defs"]["CatFood"]["properties"]["age"]["type"] == "integer"


def test_another_value_is_refused_in_a_reduced_document_too(tmp_path: Path) -> None:
    entry = "path = '/$defs/Cat/properties/age/type'\nold = 'integer'\nnew = 'string'"
    with pytest.raises(OverrideError, match="is 'number', the override expects 'integer'"):
        leniently(tmp_path, entry)


def test_a_name_without_a_site_is_passed_over_in_a_reduced_document(tmp_path: Path) -> None:
    text = "[[name]]\nsite = 'Cat.food'\nname = 'Food'\nreason = 'because'"
    load(tmp_path, text).leniently().require_names_used(set(), VERSION)


def test_tables_that_nest_too_deeply(tmp_path: Path) -> None:
    path = tmp_path / "overrides.toml"
    path.write_text(f"a = {'[' * 5000}", encoding="utf-8")
    with pytest.raises(OverrideError, match="not a readable TOML file: it nests more deeply"):
        Overrides.load(path)
