"""What the tests of the command share: an invented protocol, pulled once and emitted once."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from mcpgen.cli import main
from mcpgen.interruption import ENDING

from .tiny import NEW, OLD, Outcome, git, run_mcpgen, write_source

Command: TypeAlias = Callable[..., Outcome]


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with two invented versions of a specification."""
    root = write_source(tmp_path_factory.mktemp("upstream"), OLD, NEW)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=first")
    return root


@pytest.fixture(scope="session")
def pulled(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec folder with both versions, without overrides and descriptions; only to be read."""
    folder = tmp_path_factory.mktemp("pulled")
    done = run_mcpgen("pull", "--all", "--source", source, "--ref", "main", cwd=folder)
    assert (done.code, done.err) == (0, "")
    spec = folder / "spec"
    (spec / "overrides.toml").touch()
    (spec / "descriptions.toml").touch()
    return spec


@pytest.fixture(scope="session")
def emitted(pulled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of both versions, not formatted; only to be read."""
    folder = tmp_path_factory.mktemp("emitted")
    options = ("--spec-dir", pulled, "--jobs", 2, "--formatter", "none")
    done = run_mcpgen("generate", *options, cwd=folder, PYTHONHASHSEED="1")
    assert (done.code, done.err) == (0, "")
    return folder / "generated"


@pytest.fixture
def project(pulled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a spec folder of its own."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(pulled, tmp_path / "spec")
    return tmp_path


@pytest.fixture
def mcpgen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Command]:
    """Runs the command in this process, in the current folder."""
    ending = {number: signal.getsignal(number) for number in ENDING}

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["mcpgen", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Outcome(code, captured.out, captured.err)

    yield run
    for number, handler in ending.items():
        signal.signal(number, handler)


@pytest.fixture
def generate(mcpgen: Command) -> Command:
    """Emits the older invented version, not formatted, which is quick."""

    def run(*arguments: object) -> Outcome:
        return mcpgen("generate", OLD, "--formatter", "none", *arguments)

    return run
