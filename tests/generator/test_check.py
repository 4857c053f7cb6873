"""`check`: says which emitted file is not as it was emitted, whatever was done to it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .tiny import NEW, OLD, Outcome, run_mcpgen, snapshot, write_all

Command = Callable[..., Outcome]
QUICK = (OLD, "--formatter", "none")


@pytest.fixture(scope="module")
def whole(pulled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the older version; only to be read."""
    folder = tmp_path_factory.mktemp("whole")
    done = run_mcpgen("generate", *QUICK, "--spec-dir", pulled, cwd=folder)
    assert (done.code, done.err) == (0, "")
    return folder / "generated"


@pytest.fixture
def out(project: Path, whole: Path) -> Path:
    """A package that is as emitted, in the folder `generated` of the current folder."""
    return shutil.copytree(whole, project / "generated")


@pytest.fixture
def found(
    out: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], dict[str, str]]:
    """Checks, and gives the kind of each difference; a check changes nothing."""

    def run() -> dict[str, str]:
        before = snapshot(out)
        done = mcpgen("check", *QUICK, "--json")
        assert done.err == ""
        assert snapshot(out) == before
        differences = json.loads(done.out)["differences"]
        assert done.code == (1 if differences else 0)
        return {item["path"]: item["kind"] for item in differences}

    return run


def test_as_emitted(out: Path, mcpgen: Command) -> None:
    assert mcpgen("check", *QUICK) == Outcome(0, "generated: as emitted\n", "")


def test_one_changed_byte_in_any_file(out: Path, found: Callable[[], dict[str, str]]) -> None:
    files = [path for path in sorted(out.rglob("*")) if path.is_file()]
    for path in files:
        content = path.read_bytes()
        middle = len(content) // 2
        path.write_bytes(content[:middle] + b"~" + content[middle + 1 :])
    names = [path.relative_to(out).as_posix() for path in files]
    assert len(names) > 40
    assert found() == dict.fromkeys(names, "changed")


@pytest.mark.parametrize("name", ["manifest.json", "README.md", "mcp_wire/py.typed"])
def test_one_file_changed_at_its_end(
    out: Path, found: Callable[[], dict[str, str]], name: str
) -> None:
    with (out / name).open("ab") as file:
        file.write(b"\n")
    assert found() == {name: "changed"}


def test_any_byte_of_the_manifest(out: Path, found: Callable[[], dict[str, str]]) -> None:
    manifest = out / "manifest.json"
    content = manifest.read_bytes()
    inputs = json.loads(content)["inputs"].encode()
    manifest.write_bytes(content.replace(inputs, inputs[::-1]))
    assert found() == {"manifest.json": "changed"}


def test_other_inputs_with_the_same_outcome(
    out: Path, found: Callable[[], dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcpgen.pipeline.metadata.version", lambda name: "99")
    assert found() == {}


def test_a_deleted_file(out: Path, found: Callable[[], dict[str, str]]) -> None:
    (out / "mcp_wire" / "v2030_01_01" / "types.py").unlink()
    assert found() == {"mcp_wire/v2030_01_01/types.py": "missing"}


def test_a_deleted_folder(out: Path, found: Callable[[], dict[str, str]]) -> None:
    shutil.rmtree(out / "mcp_wire" / "v2030_01_01")
    kinds = found()
    assert "mcp_wire/v2030_01_01/schema.json" in kinds
    assert set(kinds.values()) == {"missing"}


def test_nothing_there(out: Path, found: Callable[[], dict[str, str]]) -> None:
    shutil.rmtree(out)
    assert set(found().values()) == {"missing"}


def test_added_files(out: Path, found: Callable[[], dict[str, str]]) -> None:
    names = [
        ".hidden",
        "build",
        "extra.py",
        "mcp_wire/__pycache__x/code.py",
        "mcp_wire/.git/code.py",
        "mcp_wire/build/code.py",
        "mcp_wire/dist/code.py",
        "mcp_wire/extra.py",
        "mcp_wire/more/code.py",
        "mcp_wire/v2030_01_01/extra.json",
    ]
    write_all(out, dict.fromkeys(names, ""))
    assert found() == dict.fromkeys(names, "stray")


def test_what_running_and_building_leaves(out: Path, found: Callable[[], dict[str, str]]) -> None:
    names = ("__pycache__/a.pyc", "mcp_wire/__pycache__/a.pyc", "build/lib/a.py", "dist/a.whl")
    write_all(out, {**dict.fromkeys(names, b""), "mcp_wire.egg-info/PKG-INFO": b""})
    write_all(
        out,
        {".git/config": b"", ".mypy_cache/a": b"", ".ruff_cache/a": b"", ".pytest_cache/a": b""},
    )
    assert found() == {}


def test_a_folder_in_place_of_a_file(out: Path, found: Callable[[], dict[str, str]]) -> None:
    path = out / "mcp_wire" / "py.typed"
    path.unlink()
    path.mkdir()
    assert found() == {"mcp_wire/py.typed": "missing"}
    (path / "code.py").touch()
    assert found() == {"mcp_wire/py.typed": "missing", "mcp_wire/py.typed/code.py": "stray"}


def test_links(out: Path, found: Callable[[], dict[str, str]]) -> None:
    package = out / "mcp_wire"
    (out / "stray").symlink_to(out)
    (package / "py.typed").unlink()
    (package / "py.typed").symlink_to("nowhere")
    shutil.move(package / "runtime", out.parent / "runtime")
    (package / "runtime").symlink_to(out.parent / "runtime")
    kinds = found()
    assert (kinds["stray"], kinds["mcp_wire/py.typed"]) == ("stray", "changed")
    assert kinds["mcp_wire/runtime"] == "stray"
    assert kinds["mcp_wire/runtime/codec.py"] == "missing"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(out: Path, found: Callable[[], dict[str, str]]) -> None:
    path = out / "mcp_wire" / "py.typed"
    path.unlink()
    os.mkfifo(path)
    assert found() == {"mcp_wire/py.typed": "changed"}


def test_other_options_differ(out: Path, mcpgen: Command) -> None:
    done = mcpgen("check", NEW, "--formatter", "none")
    assert done.code == 1
    assert f"changed: {Path('generated', 'README.md')}\n" in done.out
    assert f"stray: {Path('generated', 'mcp_wire', 'v2030_01_01', 'codec.py')}\n" in done.out
    assert f"missing: {Path('generated', 'mcp_wire', 'v2031_01_01', 'codec.py')}\n" in done.out


def test_prints_a_diff_and_what_to_do(out: Path, mcpgen: Command) -> None:
    readme = out / "README.md"
    readme.write_text(readme.read_text().replace("Standard library only.", "Mine.\r"), newline="")
    write_all(out, {"extra.txt": "mine"})
    done = mcpgen("check", *QUICK)
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[:4] == [
        f"changed: {Path('generated', 'README.md')}",
        "--- README.md (found)",
        "+++ README.md (emitted)",
        "@@ -2,7 +2,7 @@",
    ]
    (line,) = [line for line in lines if line.startswith("-") and "Mine." in line]
    assert line.endswith("Mine.\\r")
    assert f"stray: {Path('generated', 'extra.txt')}" in lines
    assert lines[-1] == (
        "generated: 2 files not as emitted; remove what is stray and run mcpgen generate"
    )


def test_binary_content_and_any_terminal(out: Path, mcpgen: Command) -> None:
    (out / "README.md").write_bytes(b"\xff\xfe\0\x80")
    done = mcpgen("check", *QUICK)
    assert done.code == 1
    assert "-\ufffd\ufffd\0\ufffd (no line end)\n" in done.out


def test_out_is_a_file(project: Path, mcpgen: Command) -> None:
    (project / "generated").write_text("mine")
    problem = mcpgen("check", *QUICK).problem()
    assert problem == "generated: is a file, expected the folder of a package"


def test_generate_repairs_what_check_finds(
    out: Path, mcpgen: Command, found: Callable[[], dict[str, str]]
) -> None:
    for path in sorted(out.rglob("*.json")):
        path.write_bytes(path.read_bytes() + b" ")
    (out / "mcp_wire" / "__init__.py").unlink()
    assert len(found()) == 3
    assert mcpgen("generate", *QUICK).code == 0
    assert found() == {}
