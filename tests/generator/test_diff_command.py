"""`mcpgen diff` and `mcpgen.diff`: versions and files in, every format and exit code out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcpgen as library
import pytest
from jsonschema import Draft202012Validator
from mcpgen.compare import FORMATS
from mcpgen.errors import SchemaError

from .tiny import NEW, OLD, ROOT, Outcome, schema, write_all

Command = Callable[..., Outcome]

# What the newer invented version has in addition.
ADDED = "MeasureRequestParams.roof"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with schema.ts files in the places and under the names people give them."""
    return write_all(
        tmp_path / "files",
        {f"{OLD}/schema.ts": schema(OLD), f"{NEW}/schema.ts": schema(NEW), "new.ts": schema(NEW)},
    )


# --- what is compared ---------------------------------------------------------------------------


def test_two_versions_of_the_spec_folder(project: Path, mcpgen: Command) -> None:
    done = mcpgen("diff", OLD, NEW)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"MCP {OLD} to {NEW}\n2 changes: 1 breaking for writers, 1 comp")
    assert f"\n    - {ADDED}: required field added: string\n" in done.out


@pytest.mark.parametrize("new", [f"spec/{NEW}.json", f"files/{NEW}/schema.ts", "files/new.ts"])
def test_files_are_compared_as_versions_are(
    project: Path, files: Path, mcpgen: Command, new: str
) -> None:
    expected = mcpgen("diff", OLD, NEW)
    assert mcpgen("diff", OLD, new) == expected
    assert mcpgen("diff", f"spec/{OLD}.json", new) == expected


def test_a_schema_that_names_no_known_version_is_the_draft(
    project: Path, files: Path, mcpgen: Command
) -> None:
    (files / "next.ts").write_text(schema("DRAFT-2032-v1"), encoding="utf-8")
    done = mcpgen("diff", OLD, "files/next.ts")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"MCP {OLD} to draft\n2 changes: ")


def test_a_lone_schema_json_is_read_with_a_warning(tmp_path: Path, mcpgen: Command) -> None:
    path = tmp_path / OLD / "schema.json"
    write_all(tmp_path, {f"{OLD}/schema.json": json.dumps(PUBLISHED)})
    write_all(tmp_path, {"empty/overrides.toml": "", "empty/descriptions.toml": ""})
    done = mcpgen("diff", path, path, "--spec-dir", tmp_path / "empty")
    assert done.out == f"MCP {OLD} to {OLD}\nNothing changed.\n"
    assert done.code == 0
    first, second = done.err.splitlines()
    assert first == second
    assert first.startswith(f"warning: {path}: is read without its schema.ts, so ")
    assert "constants, results, extends" in first


PUBLISHED: dict[str, Any] = {
    "$defs": {
        "RequestId": {"type": ["string", "integer"]},
        "PingRequest": {
            "type": "object",
            "properties": {"method": {"const": "ping"}},
            "required": ["method"],
        },
        "EmptyResult": {"type": "object", "properties": {}, "additionalProperties": {}},
        "ClientRequest": {"anyOf": [{"$ref": "#/$defs/PingRequest"}]},
        "ServerResult": {"anyOf": [{"$ref": "#/$defs/EmptyResult"}]},
    }
}


def test_overrides_that_a_newer_file_has_no_use_for_are_passed_over(
    project: Path, files: Path, mcpgen: Command
) -> None:
    entry = (
        '[[override]]\npath = "/$defs/Gone/type"\nnew = "object"\nreason = "it was"\nsource = "s"\n'
    )
    (project / "spec" / "overrides.toml").write_text(entry, encoding="utf-8")
    assert "matches nothing" in mcpgen("diff", OLD, NEW).problem()
    done = mcpgen("diff", f"files/{OLD}/schema.ts", f"files/{NEW}/schema.ts")
    assert (done.code, done.err) == (0, "")


# --- formats and exit codes ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("new", "fail_on", "code"),
    [
        (NEW, (), 0),
        (NEW, ("--fail-on", "breaking"), 1),
        (NEW, ("--fail-on", "any"), 1),
        (OLD, ("--fail-on", "breaking"), 0),
        (OLD, ("--fail-on", "any"), 0),
    ],
)
def test_exit_code(
    project: Path, mcpgen: Command, new: str, fail_on: tuple[str, ...], code: int
) -> None:
    done = mcpgen("diff", OLD, new, *fail_on)
    assert (done.code, done.err) == (code, "")
    assert done.out.startswith(f"MCP {OLD} to {new}\n")


def test_a_compatible_change_fails_only_where_any_does(
    project: Path, files: Path, mcpgen: Command
) -> None:
    text = schema(OLD).replace("place: string;", "place: string; roof?: string;")
    changed = write_all(files, {f"changed/{OLD}.ts": text}) / "changed" / f"{OLD}.ts"
    assert mcpgen("diff", OLD, changed, "--fail-on", "breaking").code == 0
    assert mcpgen("diff", OLD, changed, "--fail-on", "any").code == 1


@pytest.mark.parametrize(
    ("format", "start"),
    [
        ("text", f"MCP {OLD} to {NEW}\n"),
        ("markdown", f"## MCP {OLD} to {NEW}\n"),
        ("json", '{\n  "format": "mcpgen-diff/1",\n'),
        ("html", "<!DOCTYPE html>\n"),
    ],
)
def test_every_format(project: Path, mcpgen: Command, format: str, start: str) -> None:
    done = mcpgen("diff", OLD, NEW, "--format", format)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(start)
    assert "roof" in done.out
    assert done.out.endswith("\n")
    assert not done.out.endswith("\n\n")
    assert "\x1b" not in done.out


def test_every_format_is_tried_above() -> None:
    assert set(FORMATS) == {"text", "markdown", "json", "html"}


def test_json_is_as_its_schema_says(project: Path, mcpgen: Command) -> None:
    validator = Draft202012Validator(json.loads(mcpgen("diff", "--schema").out))
    found = json.loads(mcpgen("diff", OLD, NEW, "--format", "json").out)
    validator.validate(found)
    assert not validator.is_valid({**found, "changes": [{"kind": "nothing known"}]})
    assert [change["path"] for change in found["changes"]] == [ADDED, "LATEST_PROTOCOL_VERSION"]


# --- problems -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        ([OLD], 2, "Missing argument 'NEW'"),
        ([OLD, NEW, "--format", "rtf"], 2, "--format: found 'rtf', expected one of text, mark"),
        ([OLD, NEW, "--fail-on", "x"], 2, "--fail-on: found 'x', expected breaking or any"),
        ([OLD, "2031-02-02"], 1, f"found no version '2031-02-02', only {OLD}, {NEW}: pull it"),
        ([OLD, "nope"], 1, "nope: is no file and no version, expected a version such as"),
        ([OLD, "spec"], 1, "spec: cannot be read: "),
        ([OLD, "text.txt"], 1, "text.txt: found text that is not JSON"),
        ([OLD, "empty.json"], 1, "empty.json: is empty"),
        ([OLD, "any.json"], 1, "any.json: found a schema.json that does not say its version"),
        ([OLD, f"{NEW}.json"], 1, f"{NEW}.json: "),
        ([OLD, "broken.json"], 1, "broken.json: $defs: found no object, expected a spec document"),
        ([OLD, "deep.json"], 1, "deep.json: found text that is not JSON (it nests more deeply"),
        ([OLD, "deep.ts"], 1, "deep.ts: found types that nest, or build on one another, more dee"),
        ([OLD, f"{NEW}/schema.ts"], 1, f"{NEW}/schema.ts: found types that nest, or build on one"),
        ([OLD, "broken.ts"], 1, "broken.ts:1"),
        ([OLD, f"{NEW}.ts"], 1, f"{NEW}.ts: found protocol version {OLD}, expected {NEW}"),
    ],
)
def test_problems(
    project: Path, mcpgen: Command, arguments: list[str], code: int, expected: str
) -> None:
    contents = {
        "text.txt": "sheep",
        "empty.json": "",
        "any.json": "{}",
        f"{NEW}.json": "{}",
        "broken.json": '{"x-mcp": {}}',
        "broken.ts": "interface Sheep extends {",
        f"{NEW}.ts": schema(OLD),
        "deep.json": "[" * 100_000,
        "deep.ts": f"export type T = {'Array<' * 2000}string{'>' * 2000};",
        f"{NEW}/schema.ts": f"{schema(NEW)}export type T = {'(' * 3000}string{')' * 3000}[];",
    }
    write_all(project, contents)
    assert expected in mcpgen("diff", *arguments).problem(code)


# --- the same as a function ---------------------------------------------------------------------


def test_diff_as_a_function(pulled: Path) -> None:
    comparison = library.diff(OLD, pulled / f"{NEW}.json", spec_dir=pulled)
    assert (comparison.old, comparison.new, comparison.breaking) == (OLD, NEW, True)
    assert [change.path for change in comparison.changes] == [ADDED, "LATEST_PROTOCOL_VERSION"]


def test_a_path_object_is_a_file_even_where_it_looks_like_a_version(tmp_path: Path) -> None:
    with pytest.raises(library.McpgenError, match="is no file"):
        library.diff("2025-06-18", Path("2025-11-25"))


def test_the_specs_that_come_with_mcpgen_are_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    comparison = library.diff("2025-06-18", "2025-11-25")
    golden = ROOT / "tests/generator/golden/diff/2025-06-18..2025-11-25.txt"
    assert FORMATS["text"](comparison) == golden.read_text(encoding="utf-8")


def test_a_changed_copy_of_a_document_is_compared(pulled: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.json"
    shutil.copy(pulled / f"{OLD}.json", copy)
    assert library.diff(OLD, copy, spec_dir=pulled).changes == ()
    document = json.loads(copy.read_text(encoding="utf-8"))
    document["$defs"]["Celsius"]["properties"]["degrees"] = {"type": "string"}
    copy.write_text(json.dumps(document), encoding="utf-8")
    (change,) = library.diff(OLD, copy, spec_dir=pulled).changes
    assert (change.kind, change.path) == ("type-changed", "Celsius.degrees")
    document["$defs"]["Celsius"]["properties"]["degrees"] = {"type": "sheep"}
    copy.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(SchemaError):
        library.diff(OLD, copy, spec_dir=pulled)


def test_the_readme_shows_what_is_printed() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("$ mcpgen diff 2025-06-18 2025-11-25\n")[2].partition("```")[0]
    rest = FORMATS["text"](library.diff("2025-06-18", "2025-11-25", spec_dir=ROOT / "spec"))
    *pieces, end = shown.split("  …\n")
    assert (len(pieces), end) == (3, "")
    assert rest.startswith(pieces[0])
    for piece in pieces:
        _, found, rest = rest.partition(piece)
        assert found == piece
