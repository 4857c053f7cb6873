"""`generate`: from an invented specification to a package that works, the same every time."""

from __future__ import annotations

import ast
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import mcpgen as library
import pytest
from mcpgen.errors import ConfigError

from .tiny import NEW, OLD, ROOT, Outcome, run_mcpgen, run_python, snapshot, write_all

Command = Callable[..., Outcome]

READ_AND_WRITE = """
import json
from {package} import LATEST_VERSION, VERSIONS, load
mcp = load("{version}")
frame = mcp.decode_message(
    b'{{"jsonrpc": "2.0", "id": 7, "method": "weather/measure",'
    b' "params": {{"place": "Oslo", "roof": "flat", "hours": [1, 2.5], "depth": null, "x": 1}}}}'
)
result = mcp.decode_result(
    "weather/measure", {{"temperatures": [{{"scale": "fahrenheit", "degrees": 5, "from": "sky"}}]}}
)
try:
    mcp.decode_as("Temperature", {{"scale": "kelvin", "degrees": 5}})
except mcp.DecodeError as error:
    refused = error.path
print(json.dumps([
    LATEST_VERSION, VERSIONS, type(frame).__name__, frame.params.place, frame.params.extra["x"],
    frame.to_dict(), type(result.temperatures[0]).__name__, mcp.encode_as("MeasureResult", result),
    refused, mcp.PROTOCOL_VERSION, mcp.METHODS["ping"].sent_by, mcp.__name__,
]))
"""


def read_and_write(folder: Path, package: str, version: str) -> list[object]:
    code = READ_AND_WRITE.format(package=package, version=version)
    found: list[object] = json.loads(run_python(code, folder))
    return found


# --- what is emitted ----------------------------------------------------------------------------


def test_from_a_specification_to_messages(emitted: Path) -> None:
    sent = {"place": "Oslo", "roof": "flat", "hours": [1, 2.5], "depth": None, "x": 1}
    assert read_and_write(emitted, "mcp_wire", NEW) == [
        NEW,
        [OLD, NEW],
        "MeasureRequest",
        "Oslo",
        1,
        {"jsonrpc": "2.0", "id": 7, "method": "weather/measure", "params": sent},
        "Fahrenheit",
        {"temperatures": [{"scale": "fahrenheit", "degrees": 5, "from": "sky"}]},
        "$.scale",
        NEW,
        ["client", "server"],
        "mcp_wire.v2031_01_01",
    ]


def test_every_module_can_be_imported(emitted: Path) -> None:
    names = sorted(
        ".".join(path.relative_to(emitted).with_suffix("").parts)
        for path in emitted.rglob("*.py")
        if path.name != "_json_msgspec.py"
    )
    code = f"import importlib\nfor name in {names}: importlib.import_module(name)"
    assert run_python(code, emitted) == ""


def test_the_package_may_have_another_name(project: Path, generate: Command) -> None:
    assert generate("--package", "acme_wire").code == 0
    out = project / "generated"
    found = read_and_write(out, "acme_wire", OLD)
    assert found[-1] == "acme_wire.v2030_01_01"
    assert sorted(path.name for path in out.iterdir()) == [
        "README.md",
        "acme_wire",
        "manifest.json",
        "pyproject.toml",
    ]
    assert 'name = "acme-wire"' in (out / "pyproject.toml").read_text()
    texts = snapshot(out)
    assert [name for name, content in texts.items() if b"mcp_wire" in content] == []
    assert [name for name, content in texts.items() if b"mcp-wire" in content] == []


def test_imports_between_modules_are_relative(emitted: Path) -> None:
    for path in emitted.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            assert not [name for name in names if name.split(".")[0] == "mcp_wire"], path


def test_a_former_package_is_removed(project: Path, generate: Command) -> None:
    generate("--package", "acme_wire")
    write_all(project / "generated", {"notes.txt": "mine"})
    done = generate()
    assert "removed" in done.out
    names = sorted(path.name for path in (project / "generated").iterdir())
    assert names == ["README.md", "manifest.json", "mcp_wire", "notes.txt", "pyproject.toml"]


def test_versions_that_are_not_asked_for_are_removed(
    project: Path, mcpgen: Command, emitted: Path
) -> None:
    shutil.copytree(emitted, project / "generated")
    run_python(f"import mcp_wire; mcp_wire.load({OLD!r})", project / "generated")
    assert mcpgen("generate", NEW, "--formatter", "none").code == 0
    modules = {path.name for path in (project / "generated" / "mcp_wire").iterdir()}
    shared = {"__init__.py", "py.typed", "runtime", "versions.py"}
    assert modules - {"__pycache__"} == {*shared, "v2031_01_01"}


def test_a_stale_file_that_was_changed_stays(project: Path, generate: Command) -> None:
    generate("--package", "acme_wire")
    changed = project / "generated" / "acme_wire" / "v2030_01_01" / "types.py"
    changed.write_text("# mine now\n")
    generate()
    assert changed.read_text() == "# mine now\n"
    assert [path.name for path in changed.parent.iterdir()] == ["types.py"]


# --- the same every time ------------------------------------------------------------------------


def test_hash_seed_and_processes_make_no_difference(
    pulled: Path, emitted: Path, tmp_path: Path
) -> None:
    options = ("--spec-dir", pulled, "--jobs", 1, "--formatter", "none")
    done = run_mcpgen("generate", *options, cwd=tmp_path, PYTHONHASHSEED="2")
    assert (done.code, done.err) == (0, "")
    assert snapshot(tmp_path / "generated") == snapshot(emitted)


def test_where_it_is_emitted_makes_no_difference(project: Path, generate: Command) -> None:
    generate("--out", "one")
    generate("--out", project / "some" / "where" / "else")
    assert snapshot(project / "one") == snapshot(project / "some" / "where" / "else")


def test_the_order_of_versions_makes_no_difference(project: Path, mcpgen: Command) -> None:
    quick = ("--formatter", "none", "--jobs", 1)
    mcpgen("generate", NEW, OLD, NEW, *quick, "--out", "one")
    mcpgen("generate", *quick, "--out", "two")
    assert snapshot(project / "one") == snapshot(project / "two")


def test_unchanged_inputs_write_nothing(project: Path, generate: Command) -> None:
    generate()
    files = [path for path in (project / "generated").rglob("*") if path.is_file()]
    for path in files:
        os.utime(path, ns=(0, 0))
    done = generate("--json")
    result = json.loads(done.out)
    assert (result["upToDate"], result["written"], result["removed"]) == (True, [], [])
    assert {path.stat().st_mtime_ns for path in files} == {0}


@pytest.mark.parametrize("damage", ["changed", "deleted", "manifest", "emptied"])
def test_what_was_damaged_is_repaired(project: Path, generate: Command, damage: str) -> None:
    generate()
    out = project / "generated"
    whole = snapshot(out)
    types, manifest = out / "mcp_wire" / "v2030_01_01" / "types.py", out / "manifest.json"
    match damage:
        case "changed":
            types.write_bytes(types.read_bytes() + b"\n")
        case "deleted":
            types.unlink()
        case "manifest":
            manifest.write_bytes(manifest.read_bytes().replace(b"mcpgen 0", b"mcpgen 9"))
        case _:
            content = json.loads(manifest.read_bytes())
            manifest.write_text(json.dumps(content | {"files": {}}, indent=2) + "\n")
    result = json.loads(generate("--json").out)
    assert not result["upToDate"]
    assert len(result["written"]) == 1
    assert snapshot(out) == whole


def test_a_manifest_in_ruins_is_made_anew(project: Path, generate: Command) -> None:
    generate()
    manifest = project / "generated" / "manifest.json"
    whole = manifest.read_bytes()
    manifest.write_bytes(whole[:-40])
    assert generate().code == 0
    assert manifest.read_bytes() == whole


# --- what it prints -----------------------------------------------------------------------------


def test_prints_a_table(project: Path, generate: Command) -> None:
    done = generate()
    head, row, blank, summary = done.out.splitlines()
    assert head.split("  ")[0] == "version"
    assert row.split()[:2] == [OLD, "37"]
    assert row.split()[3:6] == ["8", "of", "8"]
    assert blank == ""
    assert summary.startswith("generated: ")
    assert " files written, 0 unchanged, " in summary
    assert done.err == ""


def test_json(project: Path, generate: Command) -> None:
    result = json.loads(generate("--json").out)
    (version,) = result["versions"]
    assert {key: version[key] for key in ("version", "methods", "files", "written")} == {
        "version": OLD,
        "methods": 5,
        "files": 8,
        "written": 8,
    }
    assert str(Path("generated", "manifest.json")) in result["written"]


def test_as_a_function(project: Path) -> None:
    options = library.GenerateOptions(versions=(OLD,), spec_dir=Path("spec"), formatter="none")
    said: list[str] = []
    result = library.generate(options, said.append)
    assert [item.version for item in result.versions] == [OLD]
    assert said == [f"emitting {OLD}", "formatting with none"]
    assert library.check(options) == []
    again = library.generate(options)
    assert (again.up_to_date, again.written, again.unchanged) == (True, (), len(result.written))


def test_a_function_refuses_names_too() -> None:
    options = library.GenerateOptions(package="json")
    with pytest.raises(ConfigError, match="standard library"):
        library.generate(options)


# --- names and folders that will not do ---------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["", "class", "a-b", "a.b", "1a", "_a", "a_", "wíre", "a b", "../a", "a/b", "a\n", "None"],
)
def test_names_no_package_can_have(project: Path, generate: Command, name: str) -> None:
    problem = generate("--package", name).problem(2)
    assert problem.startswith(f"--package: found the name {name!r}, which no package can have: ")
    assert not (project / "generated").exists()


@pytest.mark.parametrize("name", ["json", "typing", "types", "_thread", "mcpgen"])
def test_names_that_hide_another(project: Path, generate: Command, name: str) -> None:
    assert generate("--package", name).problem(2).startswith("--package: found the name ")
    assert not (project / "generated").exists()


def test_out_is_a_file(project: Path, generate: Command) -> None:
    (project / "generated").write_text("mine")
    assert "generated" in generate().problem()
    assert (project / "generated").read_text() == "mine"


def test_a_folder_where_a_file_belongs(project: Path, generate: Command) -> None:
    (project / "generated" / "README.md").mkdir(parents=True)
    assert f"{Path('generated', 'README.md')}: " in generate().problem()
    assert snapshot(project / "generated") == {}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_out_may_not_be_written(project: Path, generate: Command) -> None:
    (project / "generated").mkdir(mode=0o500)
    assert "generated" in generate().problem()
    assert snapshot(project / "generated") == {}


def test_files_of_others_are_not_overwritten(project: Path, generate: Command) -> None:
    write_all(project, {"pyproject.toml": "[project]\nname = 'mine'\n", "README.md": "mine\n"})
    before = snapshot(project)
    problem = generate("--out", ".").problem()
    assert problem.endswith(
        ": there is a file that mcpgen did not write: move it away, or choose another folder"
    )
    assert snapshot(project) == before


def test_a_manifest_of_others_is_not_overwritten(project: Path, generate: Command) -> None:
    write_all(project / "generated", {"manifest.json": '{"name": "my web page", "files": {}}'})
    assert generate().problem().startswith(f"{Path('generated', 'manifest.json')}: there is")
    assert len(snapshot(project / "generated")) == 1


def test_files_of_an_earlier_run_without_manifest_are_known(
    project: Path, generate: Command
) -> None:
    generate()
    (project / "generated" / "manifest.json").unlink()
    (project / "generated" / "README.md").write_text("<!-- Generated by mcpgen 0.0.1 -->\nold\n")
    assert generate().code == 0


@pytest.mark.parametrize("name", ["../outside.txt", "{root}/outside.txt", "link/outside.txt"])
def test_a_manifest_cannot_lead_outside(project: Path, generate: Command, name: str) -> None:
    from hashlib import sha256

    generate()
    outside = write_all(project, {"outside.txt": "mine"}) / "outside.txt"
    (project / "generated" / "link").symlink_to(project)
    manifest = project / "generated" / "manifest.json"
    content = json.loads(manifest.read_bytes())
    content["files"][name.format(root=project)] = sha256(b"mine").hexdigest()
    content["files"] |= {"a\0b": "", "x" * 5000: "", "no digest": 5, "": ""}
    manifest.write_text(json.dumps(content))
    assert generate().code == 0
    assert outside.read_text() == "mine"


def test_nothing_is_written_when_writing_fails(
    project: Path, generate: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate()
    before = snapshot(project)
    replace, moves = Path.replace, list[Path]()

    def failing(self: Path, target: Path) -> Path:
        moves.append(target)
        if len(moves) == 3:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    assert "no space left on device" in generate("--package", "acme_wire").problem()
    assert snapshot(project) == before


def test_an_interruption_leaves_nothing(
    project: Path, generate: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, moves = Path.replace, list[Path]()

    def interrupted(self: Path, target: Path) -> Path:
        moves.append(target)
        if len(moves) == 3:
            raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    assert generate().problem() == "interrupted"
    assert not (project / "generated").exists()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_ends_too_soon(
    project: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    import multiprocessing

    if multiprocessing.get_start_method() != "fork":
        pytest.skip("what is patched here reaches other processes only by forking")
    monkeypatch.setattr("mcpgen.pipeline.emit_version", lambda *_: os._exit(3))
    problem = mcpgen("generate", "--jobs", 2).problem()
    assert problem == "emitting: a process ended before its work was done: try again with --jobs 1"
    assert not (project / "generated").exists()


def test_problems_come_back_from_other_processes(project: Path) -> None:
    write_all(project / "mine", {"methods.py.jinja": "{{ nope }}"})
    options = ("--jobs", 2, "--templates", "mine")
    problem = run_mcpgen("generate", *options, cwd=project).problem()
    assert problem == f"{Path('mine', 'methods.py.jinja')}:1: UndefinedError: 'nope' is undefined"


def test_what_is_loaded_later_is_listed() -> None:
    code = "import mcp_wire; print(set(mcp_wire.__all__) == set(dir(mcp_wire)))"
    code += "; m = mcp_wire.load('2025-11-25'); print(set(m.__all__) == set(dir(m)))"
    assert run_python(code, ROOT / "generated") == "True\nTrue"
