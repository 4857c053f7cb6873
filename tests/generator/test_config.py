"""Settings from pyproject.toml: which file counts, what they may be, and that flags win."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from mcpgen import resources
from mcpgen.config import Settings, load_settings
from mcpgen.errors import ConfigError

from .tiny import NEW, OLD, Outcome, write_all

Command = Callable[..., Outcome]


def settings(folder: Path, text: str) -> Settings:
    write_all(folder, {"pyproject.toml": text})
    return load_settings(folder)


def test_no_file(tmp_path: Path) -> None:
    found = load_settings(tmp_path)
    assert found.text("style", None, "dataclass") == "dataclass"
    assert found.optional_text("ref", None) is None
    assert found.path("out", None) is None
    assert found.versions([]) == ()
    assert found.jobs(None) == os.cpu_count()
    assert found.place("style", None) == "--style"


def test_every_setting(tmp_path: Path) -> None:
    found = settings(
        tmp_path,
        "[tool.mcpgen]\nversions = ['2025-11-25', 'draft']\nstyle = 'a'\ntemplates = 't'\n"
        "package = 'p'\nout = '../o'\nspec-dir = '/s'\nformatter = 'none'\njobs = 3\n"
        "source = 'https://example.org'\nref = 'main'\n",
    )
    assert found.versions([]) == ("2025-11-25", "draft")
    assert found.text("style", None, "x") == "a"
    assert found.text("package", None, "x") == "p"
    assert found.text("formatter", None, "x") == "none"
    assert found.optional_text("source", None) == "https://example.org"
    assert found.optional_text("ref", None) == "main"
    assert found.path("templates", None) == tmp_path / "t"
    assert found.path("out", None) == tmp_path / ".." / "o"
    assert found.spec_dir(None) == Path("/s")
    assert found.jobs(None) == 3
    assert found.place("style", None) == f"{tmp_path / 'pyproject.toml'} [tool.mcpgen] style"


def test_flags_win(tmp_path: Path) -> None:
    found = settings(
        tmp_path,
        "[tool.mcpgen]\nversions = ['draft']\nstyle = 'a'\nout = 'o'\nspec-dir = 's'\njobs = 3\n",
    )
    assert found.versions([OLD]) == (OLD,)
    assert found.text("style", "b", "x") == "b"
    assert found.path("out", Path("here")) == Path("here")
    assert found.spec_dir(Path("there")) == Path("there")
    assert found.jobs(1) == 1
    assert found.place("style", "b") == "--style"


def test_the_nearest_file_with_the_table_counts(tmp_path: Path) -> None:
    write_all(
        tmp_path,
        {
            "pyproject.toml": "[tool.mcpgen]\nout = 'outer'\n",
            "a/pyproject.toml": "[tool.mcpgen]\nout = 'inner'\n",
            "a/b/pyproject.toml": "[project]\nname = 'x'\n",
            "a/b/c/x": "",
            "d/pyproject.toml": "[tool.mcpgen]\n",
            "e/pyproject.toml/x": "",
        },
    )
    assert load_settings(tmp_path / "a" / "b" / "c").path("out", None) == tmp_path / "a" / "inner"
    assert load_settings(tmp_path / "a").path("out", None) == tmp_path / "a" / "inner"
    assert load_settings(tmp_path / "d").path("out", None) is None
    assert load_settings(tmp_path / "e").path("out", None) == tmp_path / "outer"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("style = 5", "[tool.mcpgen] style: found 5, expected a string that is not empty"),
        ("style = ''", "[tool.mcpgen] style: found '', expected a string that is not empty"),
        ("out = ['x']", "[tool.mcpgen] out: found ['x'], expected a string"),
        ("spec-dir = true", "[tool.mcpgen] spec-dir: found True, expected a string"),
        ('out = "a\\u0000b"', "[tool.mcpgen] out: found 'a\\x00b', expected a string without null"),
        ('source = "\\u0000"', "[tool.mcpgen] source: found '\\x00', expected a string without"),
        ("jobs = 0", "[tool.mcpgen] jobs: found 0, expected a positive integer"),
        ("jobs = true", "[tool.mcpgen] jobs: found True, expected a positive integer"),
        ("jobs = 1.5", "[tool.mcpgen] jobs: found 1.5, expected a positive integer"),
        ("jobs = '2'", "[tool.mcpgen] jobs: found '2', expected a positive integer"),
        ("versions = 'draft'", "[tool.mcpgen] versions: found 'draft', expected a list of"),
        ("versions = ['draft', 5]", "[tool.mcpgen] versions: found ['draft', 5], expected a list"),
        ("spec_dir = 's'", "[tool.mcpgen]: found the unknown setting 'spec_dir': known are form"),
        ("[tool.mcpgen.more]", "[tool.mcpgen]: found the unknown setting 'more': known are form"),
    ],
)
def test_a_wrong_setting(tmp_path: Path, line: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        settings(tmp_path, f"[tool.mcpgen]\n{line}\n")
    assert str(caught.value).startswith(f"{tmp_path / 'pyproject.toml'} {expected}")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[tool]\nmcpgen = 5\n", " [tool.mcpgen]: found no table"),
        ("[[tool.mcpgen]]\n", " [tool.mcpgen]: found no table"),
        ("[tool.mcpgen\n", ": found text that is not TOML: "),
        (f"a = {'[' * 5000}", ": found text that is not TOML: it nests more deeply than mcpgen"),
        (b"[tool.mcpgen]\nout = '\xff'\n", ": found text that is not TOML: "),
    ],
)
def test_a_wrong_file(tmp_path: Path, content: str | bytes, expected: str) -> None:
    write_all(tmp_path, {"pyproject.toml": content})
    with pytest.raises(ConfigError) as caught:
        load_settings(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'pyproject.toml'}{expected}")


@pytest.mark.parametrize("content", ["tool = 5\n", "[tool.other]\nx = 1\n", ""])
def test_a_file_about_other_things(tmp_path: Path, content: str) -> None:
    assert settings(tmp_path, content) == Settings()


# --- the spec folder ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("spec/lock.json", True),
        ("spec/2025-11-25.json", True),
        ("spec/draft.json", True),
        ("spec/package.json", False),
        ("spec/overrides.toml", False),
        ("spec/models/user_spec.rb", False),
        ("other/lock.json", False),
    ],
)
def test_a_spec_folder_is_known_by_its_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, taken: bool
) -> None:
    write_all(tmp_path, {name: "{}"})
    monkeypatch.chdir(tmp_path)
    assert Settings().spec_dir(None) == (Path("spec") if taken else resources.spec_dir())


def test_shipped_folders_are_there() -> None:
    assert (resources.spec_dir() / "lock.json").is_file()
    assert (resources.templates_dir() / "dataclass" / "style.toml").is_file()
    assert (resources.templates_dir() / "runtime" / "codec.py").is_file()


# --- in the command -----------------------------------------------------------------------------


def test_a_project_with_settings(
    project: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_all(
        project,
        {
            "pyproject.toml": "[tool.mcpgen]\nversions = ['2030-01-01']\npackage = 'acme_wire'\n"
            "out = 'wire'\nspec-dir = 'spec'\nformatter = 'none'\njobs = 1\ntemplates = 'mine'\n",
            "mine/README.md.jinja": "{{ header_line }}",
            "deep/down/x": "",
        },
    )
    monkeypatch.chdir(project / "deep" / "down")
    assert mcpgen("generate").code == 0
    readme = (project / "wire" / "README.md").read_text()
    assert readme.endswith("from MCP 2030-01-01. Do not edit.")
    assert (project / "wire" / "acme_wire" / "v2030_01_01" / "codec.py").is_file()
    assert mcpgen("check").code == 0
    assert mcpgen("check", NEW).code == 1
    assert mcpgen("generate", "--out", "here", "--package", "other", NEW).code == 0
    assert (project / "deep" / "down" / "here" / "other" / "v2031_01_01").is_dir()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("package = 'json'", "package: found the name 'json', which belongs to Python's standard"),
        ("formatter = 'tidy'", "formatter: found 'tidy', expected black, ruff or none"),
        ("jobs = -1", "jobs: found -1, expected a positive integer"),
    ],
)
def test_a_wrong_setting_is_found_where_it_stands(
    project: Path, mcpgen: Command, line: str, expected: str
) -> None:
    path = write_all(project, {"pyproject.toml": f"[tool.mcpgen]\n{line}\n"}) / "pyproject.toml"
    for command in ("generate", "check"):
        problem = mcpgen(command).problem(2)
        assert problem.startswith(f"{path} [tool.mcpgen] {expected}")
