"""`mcpgen templates`: the styles, copies of them, and the reference of the template context."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import mcpgen as library
import pytest
from mcpgen.emit.context import CONTEXT_VERSION, PackageContext, VersionContext
from mcpgen.emit.reference import context_reference
from mcpgen.emit.render import FILTERS
from mcpgen.errors import ConfigError, McpgenError
from mcpgen.model import model

from .tiny import ROOT, Outcome, snapshot, write_all

Command = Callable[..., Outcome]
TEMPLATES = ROOT / "templates"


# --- list ---------------------------------------------------------------------------------------


def test_list(mcpgen: Command) -> None:
    done = mcpgen("templates", "list")
    assert (done.code, done.err) == (0, "")
    rows = [tuple(line.split()) for line in done.out.splitlines()]
    assert ("methods.py.jinja", "{package}/{module}/methods.py") in rows
    assert ("types/dataclass.jinja2", "{package}/{module}/types.py") in rows
    assert "dataclass: Standard library dataclasses " in done.out


def test_list_as_json(mcpgen: Command) -> None:
    listed = json.loads(mcpgen("templates", "list", "--json").out)["styles"]
    assert [style["name"] for style in listed] == [
        path.parent.name for path in sorted(TEMPLATES.glob("*/style.toml"))
    ]
    for style in listed:
        for item in style["templates"]:
            assert (TEMPLATES / style["name"] / item["template"]).is_file()


# --- eject --------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", [style.name for style in library.styles()])
def test_an_ejected_style_emits_the_same(
    project: Path, mcpgen: Command, generate: Command, style: str
) -> None:
    done = mcpgen("templates", "eject", style, "mine/house")
    written = snapshot(project / "mine" / "house")
    use = "mcpgen generate --templates mine/house emits with it"
    assert done == Outcome(0, f"mine/house: a copy of the style {style}; {use}\n", "")
    assert written.keys() - {"README.md"} == {
        *snapshot(TEMPLATES / style).keys() - {"README.md"},
        *(f"runtime/{name}" for name in snapshot(TEMPLATES / "runtime")),
    }
    assert generate("--style", style, "--out", "plain").err == ""
    assert generate("--templates", "mine/house").err == ""
    assert snapshot(project / "generated") == snapshot(project / "plain")


def test_the_readme_tells_how_to_use_it(project: Path) -> None:
    library.eject("dataclass", project / "house")
    text = (project / "house" / "README.md").read_text()
    assert "    mcpgen generate --templates house\n" in text
    assert 'add `base = "dataclass"`' in text


def test_an_empty_folder_is_filled(project: Path) -> None:
    (project / "house").mkdir()
    written = library.eject("dataclass", project / "house")
    assert sorted(written) == sorted(
        path for path in (project / "house").rglob("*") if path.is_file()
    )


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (("dataclass", "full"), 1, "full: the folder is not empty: choose a new one: eject over"),
        (("dataclass", "full/a"), 1, "full/a: is a file, expected a new or empty folder"),
        (("dataclass", "full/a/b"), 1, "full/a/b/"),
        (("nope", "new"), 2, "style: found no style of the name 'nope': the styles are "),
        (("", "new"), 2, "style: found no style of the name ''"),
    ],
)
def test_nothing_is_overwritten(
    project: Path, mcpgen: Command, arguments: tuple[str, str], code: int, expected: str
) -> None:
    write_all(project, {"full/a": "mine"})
    before = snapshot(project)
    assert mcpgen("templates", "eject", *arguments).problem(code).startswith(expected)
    assert snapshot(project) == before


# --- styles of one's own ------------------------------------------------------------------------


@pytest.fixture
def house(project: Path) -> Path:
    """An ejected style, without its runtime, called `house`."""
    library.eject("dataclass", project / "house")
    for path in (project / "house" / "runtime").iterdir():
        path.unlink()
    rename(project / "house", 'name = "house"\nbase = "dataclass"')
    return project / "house"


def rename(folder: Path, lines: str) -> None:
    path = folder / "style.toml"
    text = path.read_text()
    assert 'name = "dataclass"' in text
    path.write_text(text.replace('name = "dataclass"', lines))


def test_a_style_with_a_name_of_its_own(house: Path, project: Path, generate: Command) -> None:
    (house / "methods.py.jinja").rename(house / "table.py.jinja")
    path = house / "style.toml"
    path.write_text(path.read_text().replace('"methods.py.jinja"', '"table.py.jinja"'))
    assert generate("--out", "plain").err == ""
    for options in ((), ("--style", "dataclass")):
        assert generate("--templates", "house", *options).err == ""
        made = snapshot(project / "generated" / "mcp_wire")
        assert made == snapshot(project / "plain" / "mcp_wire")


def test_the_readme_of_a_style_is_no_template(house: Path, generate: Command) -> None:
    (house / "READ.md").write_text("x")
    assert "READ.md: this template is never used" in generate("--templates", "house").problem()


@pytest.mark.parametrize(
    ("lines", "options", "expected"),
    [
        ('name = "x"', (), "found the name 'x' and no base: set base to the style it lies over"),
        ('name = "x"\nbase = 3', (), "found base = 3, expected a string"),
        ('name = "dataclass"', ("--style", "nope"), "found templates that lie over the style "),
        ('name = "x"\nbase = "nope"', (), "found base = 'nope': set base to the style it lies ov"),
    ],
)
def test_bases_that_will_not_do(
    project: Path, generate: Command, lines: str, options: tuple[str, ...], expected: str
) -> None:
    library.eject("dataclass", project / "house")
    rename(project / "house", lines)
    assert f": {expected}" in generate("--templates", "house", *options).problem()


@pytest.mark.parametrize("found", ["2", "0", "true", '"1"', "1.0"])
def test_another_context(project: Path, generate: Command, found: str) -> None:
    library.eject("dataclass", project / "house")
    path = project / "house" / "style.toml"
    path.write_text(path.read_text().replace("context = 1", f"context = {found}"))
    shown = "True" if found == "true" else found.replace('"', "'")
    assert generate("--templates", "house").problem() == (
        f"house/style.toml: found context = {shown}, expected 1: "
        "see mcpgen templates context, adapt the templates, then set it"
    )


def test_the_library_raises_what_the_command_reports(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        library.eject("nope", tmp_path / "new")
    (tmp_path / "file").touch()
    with pytest.raises(McpgenError, match=r"file: is a file"):
        library.eject("dataclass", tmp_path / "file")


# --- context ------------------------------------------------------------------------------------


def test_the_reference_is_up_to_date(mcpgen: Command) -> None:
    """If not: mcpgen templates context > templates/CONTEXT.md"""
    found = (TEMPLATES / "CONTEXT.md").read_text(encoding="utf-8")
    assert mcpgen("templates", "context") == Outcome(0, found, "")


def test_the_reference_has_everything_a_template_can_reach() -> None:
    text = context_reference()
    assert f"This is version {CONTEXT_VERSION}," in text
    for name in (*PackageContext.__annotations__, *VersionContext.__annotations__):
        assert f"\n{name}: " in text
    for name in FILTERS:
        assert f" | {name}" in text
    for cls in (model.Protocol, model.ObjectType, model.Field, model.Method, model.UnionPlan):
        for field in fields(cls):
            assert f"\n{field.name}: " in text.partition(f"### {cls.__name__}\n")[2]
    for name in ("TypeExpr", "Scalar", "FieldStep", "ObjectEncoder", "StubMethod", "MemberView"):
        assert f"\n### {name}\n" in text


def test_what_styles_say_they_are_written_for() -> None:
    for path in TEMPLATES.glob("*/style.toml"):
        assert f"\ncontext = {CONTEXT_VERSION}\n" in path.read_text()
