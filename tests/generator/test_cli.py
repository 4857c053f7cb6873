"""The command as a whole: exit codes, one line for every failure, and what it loads."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from mcpgen import version
from mcpgen.ingest.lock import Lock, digest
from mcpgen.interruption import ENDING

from .tiny import NEW, OLD, ROOT, Outcome, environment, run_mcpgen, run_python, snapshot, write_all

Command = Callable[..., Outcome]


# --- usage --------------------------------------------------------------------------------------


def test_version(mcpgen: Command) -> None:
    assert mcpgen("--version") == Outcome(0, f"mcpgen {version.VERSION}\n", "")


@pytest.mark.parametrize("command", ["", "pull", "generate", "check", "diff", "inspect"])
def test_help(mcpgen: Command, command: str) -> None:
    done = mcpgen(*filter(None, [command]), "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Usage: mcpgen ")


def test_no_command_is_a_usage_error_with_the_help(mcpgen: Command) -> None:
    done = mcpgen()
    assert (done.code, done.out) == (2, "")
    assert done.err == mcpgen("--help").out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nope"], "No such command 'nope'"),
        (["generate", "--nope"], "No such option: --nope"),
        (["generate", "--jobs", "0"], "Invalid value for '--jobs': "),
        (["generate", "--jobs", "many"], "Invalid value for '--jobs': "),
        (["generate", "--jobs"], "Option '--jobs' requires an argument"),
        (["check", "--formatter", "tidy"], "--formatter: found 'tidy', expected black, ruff or"),
        (["pull", "2025-1-1"], "'2025-1-1': is not a version"),
        (["pull", "--ref", "-x"], "--ref: "),
        (["pull", "--source", "ftp://example.org", OLD], "--source: cannot read 'ftp://exa"),
        (["pull", "--source", "", OLD], "--source: the location is empty"),
        (["pull", "--source", "http://localhost:1", "--all"], "http://localhost:1: versions cann"),
        (["pull", "--spec-dir", "nowhere"], "nowhere/lock.json: no version is named, and none is"),
    ],
)
def test_usage_errors(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mcpgen: Command,
    arguments: list[str],
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert expected in mcpgen(*arguments).problem(2)
    assert list(tmp_path.iterdir()) == []


def test_as_a_module_and_as_a_script(tmp_path: Path) -> None:
    expected = Outcome(0, f"mcpgen {version.VERSION}\n", "")
    assert run_mcpgen("--version", cwd=tmp_path) == expected
    code = "import mcpgen.__main__, mcpgen; print(sorted(set(dir(mcpgen)) & {'cli', 'pipeline'}))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, check=True, text=True
    )
    assert done.stdout == "['cli']\n"


# --- what it loads ------------------------------------------------------------------------------

HEAVY = {"black", "datamodel_code_generator", "httpx", "jinja2", "tree_sitter", "multiprocessing"}


def loaded_by(cwd: Path, *arguments: str) -> set[str]:
    """The modules that a command has loaded when it ends."""
    code = (
        "import sys\nfrom mcpgen.cli import main\n"
        "try:\n    main()\nexcept SystemExit as ended:\n    assert ended.code == 0, ended.code\n"
        "print('\\nmodules', *sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        check=True,
        text=True,
    )
    return set(done.stdout.splitlines()[-1].split()[1:])


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    loaded = loaded_by(tmp_path, "--help")
    assert loaded & HEAVY == set()
    assert {name for name in loaded if name.startswith("mcpgen.")} <= {
        "mcpgen.cli",
        "mcpgen.errors",
        "mcpgen.commands",
        "mcpgen.commands.diff",
        "mcpgen.commands.generate",
        "mcpgen.commands.inspect",
        "mcpgen.commands.options",
        "mcpgen.commands.printing",
        "mcpgen.commands.pull",
        "mcpgen.commands.templates",
        "mcpgen.commands.validate",
        "mcpgen.interruption",
        "mcpgen.version",
    }


def test_unchanged_inputs_load_no_generator(project: Path, generate: Command) -> None:
    generate()
    loaded = loaded_by(project, "generate", OLD, "--formatter", "none")
    assert loaded & {"black", "datamodel_code_generator", "httpx", "tree_sitter"} == set()


# --- pull ---------------------------------------------------------------------------------------


@pytest.fixture
def address(source: Path) -> Iterator[str]:
    """The specification over HTTP."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(source)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_pull_from_http_git_and_folders_is_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mcpgen: Command,
    source: Path,
    address: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    locks: list[Lock] = []
    for number, arguments in enumerate(
        [("--source", address), ("--source", source), ("--source", source / ".git")]
    ):
        done = mcpgen("pull", OLD, NEW, "--spec-dir", number, *arguments)
        assert (done.code, done.err) == (0, "")
        assert f"{OLD}: no schema.json to compare with\n" in done.out
        assert done.out.endswith(f"wrote {number}/{NEW}.json\nwrote {number}/lock.json\n")
        locks.append(Lock.load(tmp_path / str(number) / "lock.json"))
    assert len({entry.schema_ts for lock in locks for entry in lock.versions.values()}) == 2
    assert [lock.versions[OLD].commit is not None for lock in locks] == [False, True, True]


def test_pull_again_and_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mcpgen: Command, source: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    origin = shutil.copytree(source, tmp_path / "origin", ignore=shutil.ignore_patterns(".git"))
    arguments = ("pull", "--source", origin)
    done = mcpgen(*arguments, OLD, "--check", "--json")
    assert (done.code, json.loads(done.out)["changed"]) == (1, True)
    assert not (tmp_path / "spec").exists()
    assert mcpgen(*arguments, OLD).code == 0
    before = snapshot(tmp_path / "spec")
    assert mcpgen(*arguments, "--check").out.endswith("\nnothing changed\n")
    assert mcpgen(*arguments).out.endswith("\nnothing to write\n")
    schema = origin / "schema" / OLD / "schema.ts"
    schema.write_text(schema.read_text().replace("place: string", "places: string"))
    done = mcpgen(*arguments, "--check")
    assert (done.code, done.err) == (1, "")
    assert done.out.endswith("\nsomething changed; pull to update\n")
    assert snapshot(tmp_path / "spec") == before
    assert mcpgen(*arguments, "--json").code == 0
    assert snapshot(tmp_path / "spec") != before


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--source", "nowhere", OLD], "nowhere: does not exist: give a folder or"),
        (["--source", "{source}", "2029-01-01"], "/schema/2029-01-01/schema.ts: is not there"),
        (["--source", "{source}", "--ref", "nope", OLD], "names no commit 'nope'"),
        (["--source", "{address}", "2029-01-01"], "/schema/2029-01-01/schema.ts: is not there"),
        (["--source", "http://127.0.0.1:1", OLD], "http://127.0.0.1:1/schema/2030-01-01/schema.ts"),
        (["--source", "{source}", "--spec-dir", "file", OLD], "file"),
    ],
)
def test_pull_that_fails_writes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mcpgen: Command,
    source: Path,
    address: str,
    arguments: list[str],
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_all(tmp_path, {"file": "mine"})
    given = [item.format(source=source, address=address) for item in arguments]
    assert expected in mcpgen("pull", *given).problem()
    assert snapshot(tmp_path) == {"file": b"mine"}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("place: string;", "place: string | ;", "schema/2030-01-01/schema.ts:"),
        ("place: string;", "place: Nope;", "schema/2030-01-01/schema.ts:"),
        ("place: string;", "place: Map<string, 5>;", "schema/2030-01-01/schema.ts:"),
        ("| MeasureRequest;", ";", "MeasureRe"),
        (OLD, NEW, f"found protocol version {NEW}, expected {OLD}"),
        ("", "enum X { A }\n", "schema/2030-01-01/schema.ts:"),
    ],
)
def test_pull_of_a_specification_that_is_not_understood(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mcpgen: Command,
    source: Path,
    old: str,
    new: str,
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(source / "schema", tmp_path / "schema")
    schema = tmp_path / "schema" / OLD / "schema.ts"
    schema.write_text(schema.read_text().replace(old, new, 1))
    before = snapshot(tmp_path)
    assert expected in mcpgen("pull", "--source", ".", OLD, NEW).problem()
    assert snapshot(tmp_path) == before


# --- specs that will not do ---------------------------------------------------------------------


@pytest.mark.parametrize("command", ["generate", "check"])
@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("lock", "lock.json: there is no lock file: run mcpgen pull"),
        ("document", f"{OLD}.json: cannot be read: No such file or directory: pull it again"),
        ("digest", f"{OLD}.json: its SHA-256 is "),
        ("lock text", "lock.json:1: not JSON: "),
        ("empty lock", "lock.json: has no version: run mcpgen pull first"),
        ("no json", f"{OLD}.json: "),
        ("no spec", f"{OLD}.json: "),
        ("overrides", "overrides.toml: is not a readable TOML file: "),
        ("override", "overrides.toml: "),
        ("description", "descriptions.toml: found entries that no version has a use for: Nope"),
    ],
)
def test_a_damaged_spec_folder(
    project: Path, mcpgen: Command, command: str, damage: str, expected: str
) -> None:
    spec = project / "spec"
    match damage:
        case "lock":
            (spec / "lock.json").unlink()
        case "document":
            (spec / f"{OLD}.json").unlink()
        case "digest":
            (spec / f"{OLD}.json").write_bytes((spec / f"{OLD}.json").read_bytes() + b"\n")
        case "lock text":
            (spec / "lock.json").write_text("{")
        case "empty lock":
            (spec / "lock.json").write_bytes(Lock().to_bytes())
        case "no json" | "no spec":
            text = b"{" if damage == "no json" else b'{"$defs": {}}'
            replace_document(spec, text)
        case "overrides":
            (spec / "overrides.toml").write_text("[[")
        case "override":
            entry = (
                "[[override]]\npath = '/title'\nold = 'x'\nnew = 'y'\nreason = 'z'\nsource = 's'\n"
            )
            (spec / "overrides.toml").write_text(entry)
        case _:
            (spec / "descriptions.toml").write_text('Nope = "Nothing."\n')
    assert expected in mcpgen(command, "--formatter", "none").problem()
    assert not (project / "generated").exists()


def replace_document(spec: Path, content: bytes) -> None:
    """Another document under the name of the older version, which the lock agrees to."""
    (spec / f"{OLD}.json").write_bytes(content)
    lock = json.loads((spec / "lock.json").read_bytes())
    lock["versions"][OLD]["document"] = digest(content)
    (spec / "lock.json").write_text(json.dumps(lock))


@pytest.mark.parametrize("wanted", ["2029-01-01", "draft"])
def test_a_version_that_is_not_there(project: Path, mcpgen: Command, wanted: str) -> None:
    problem = mcpgen("generate", wanted).problem()
    assert f"found no version {wanted!r}, only {OLD}, {NEW}: " in problem


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("generate nonsense", "'nonsense': is not a version"),
        ("generate ../lock", "'../lock': is not a version"),
        ("check 2025", "'2025': is not a version"),
        ("pull nonsense", "'nonsense': is not a version"),
        ("pull --ref -x --source .", "--ref: '-x' is not a ref"),
        ("generate --style nope", "style: found no style of the name 'nope'"),
        ("generate --templates nowhere", "templates: found no folder 'nowhere'"),
        ("generate --package 1x", "--package: "),
        ("generate --formatter nope", "--formatter: found 'nope'"),
        ("generate --jobs 0", "'--jobs'"),
        ("generate --nope", "--nope"),
        ("nope", "nope"),
    ],
)
def test_arguments_that_mean_nothing(
    project: Path, mcpgen: Command, command: str, said: str
) -> None:
    assert said in mcpgen(*command.split()).problem(2)


def test_an_empty_folder_uses_the_shipped_specs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mcpgen: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    assert mcpgen("generate", "2024-11-05", "--formatter", "none").code == 0
    assert (tmp_path / "generated" / "mcp_wire" / "v2024_11_05" / "types.py").is_file()


# --- failures of all kinds ----------------------------------------------------------------------


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("mcpgen.config.load_settings", fail)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (KeyboardInterrupt(), "interrupted"),
        (PermissionError(13, "Permission denied", "a/b"), "a/b: Permission denied"),
        (OSError(28, "No space left on device"), "input and output: No space left on device"),
        (OSError("odd"), "input and output: odd"),
        (RuntimeError("a\nb"), "mcpgen itself: RuntimeError: a; b: set MCPGEN_DEBUG=1 to see"),
        (RecursionError("deep"), "mcpgen itself: RecursionError: deep: set MCPGEN_DEBUG=1"),
    ],
)
def test_every_failure_is_one_line(
    monkeypatch: pytest.MonkeyPatch, mcpgen: Command, error: BaseException, expected: str
) -> None:
    failing(monkeypatch, error)
    assert mcpgen("generate").problem().startswith(expected)


def test_debugging_shows_where(monkeypatch: pytest.MonkeyPatch, mcpgen: Command) -> None:
    failing(monkeypatch, RuntimeError("here"))
    monkeypatch.setenv("MCPGEN_DEBUG", "1")
    with pytest.raises(RuntimeError, match="here"):
        mcpgen("generate")


def test_text_a_terminal_cannot_show(project: Path) -> None:
    out = b"w\xff\xc3\xa4".decode(errors="surrogateescape")
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    options = (OLD, "--formatter", "none", "--out", out)
    done = run_mcpgen("generate", *options, cwd=project, **ascii_only)
    assert (done.code, done.err) == (0, "")
    assert "w\\udcff" in done.out
    (Path(out) / "README.md").write_text("ä")
    assert run_mcpgen("check", *options, cwd=project, **ascii_only).code == 1


def start(project: Path, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "mcpgen", *arguments]
    return subprocess.Popen(command, cwd=project, **{"env": environment(), **options})


def test_a_reader_that_goes_away(project: Path) -> None:
    """More output than a pipe holds, and a reader that stops at once."""
    (project / "generated").mkdir()
    for number in range(4000):
        (project / "generated" / f"a stray file with a long name, number {number}").touch()
    process = start(
        project,
        *("check", OLD, "--formatter", "none"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate()
    assert (process.returncode, err) == (1, b"")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", ">&- 2>&- <&-"])
def test_closed_streams(project: Path, closed: str) -> None:
    command = f'"$0" -m mcpgen generate {OLD} --formatter none {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable], cwd=project, env=environment())
    assert done.returncode == 0
    assert (project / "generated" / "manifest.json").is_file()
    command = f'"$0" -m mcpgen generate 2029-01-01 {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable], cwd=project, env=environment())
    assert done.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        process = start(tmp_path, "--version", stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate()
    assert process.returncode == 1
    assert err == b"error: input and output: No space left on device\n"


def children_of(process: subprocess.Popen[bytes]) -> list[int]:
    """The processes that a command emits in, once there are two of them."""
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while len(found := path.read_text().split()) < 2:
        assert process.poll() is None
        time.sleep(0.05)
    return [int(child) for child in found]


@pytest.fixture
def emitting(tmp_path: Path) -> subprocess.Popen[bytes]:
    """A command that has begun to emit in two processes, as a group of its own."""
    (tmp_path / "scratch").mkdir()
    process = start(
        tmp_path,
        *("generate", "--jobs", "2", "--spec-dir", str(ROOT / "spec")),
        env=environment(TMPDIR=str(tmp_path / "scratch")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    if not Path(f"/proc/{process.pid}/task/{process.pid}/children").exists():
        process.kill()
        process.communicate()
        pytest.skip("cannot see when processes have been started")
    children_of(process)
    # A signal in the very moment of starting a process is lost: Python ignores errors there.
    time.sleep(0.5)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, *ENDING])
def test_an_interruption(
    tmp_path: Path, emitting: subprocess.Popen[bytes], number: signal.Signals
) -> None:
    """From a terminal it reaches the whole group, and may come more than once."""
    os.killpg(emitting.pid, number)
    out, err = emitting.communicate(timeout=60)
    assert (emitting.returncode, out, err) == (1, b"", b"error: interrupted\n")
    assert [path.name for path in tmp_path.rglob("*")] == ["scratch"]


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no such signal")
def test_a_closed_terminal_ends_nothing_that_is_told_to_go_on() -> None:
    code = (
        "import os, signal; from mcpgen.interruption import end_like_interruptions\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN); end_like_interruptions()\n"
        "os.kill(os.getpid(), signal.SIGHUP); print('went on')"
    )
    assert run_python(code, ROOT / "codegen") == "went on"


def is_running(number: int) -> bool:
    """Whether there is such a process, and not only its exit status."""
    try:
        status = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_no_process_outlives_a_killed_command(emitting: subprocess.Popen[bytes]) -> None:
    children = children_of(emitting)
    emitting.kill()
    emitting.communicate()
    limit = time.monotonic() + 60
    while any(map(is_running, children)):
        assert time.monotonic() < limit
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["generate", "--out", ""], "'--out'"),
        (["check", "--templates", ""], "'--templates'"),
        (["inspect", OLD, "--spec-dir", ""], "'--spec-dir'"),
        (["pull", "--spec-dir", ""], "'--spec-dir'"),
        (["validate", "--version", OLD, "a", ""], "'FILE"),
        (["diff", "", OLD], "'OLD'"),
        (["diff", OLD, ""], "'NEW'"),
        (["templates", "eject", "dataclass", ""], "'DIR'"),
    ],
)
def test_an_empty_argument(project: Path, mcpgen: Command, arguments: list[str], name: str) -> None:
    problem = mcpgen(*arguments).problem(2)
    assert name in problem
    assert "expected something, found an empty argument" in problem


@pytest.mark.skipif(os.name != "posix", reason="the current folder cannot be removed")
def test_a_current_folder_that_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    command = f"rmdir {folder} && {sys.executable} -m mcpgen generate"
    done = subprocess.run(
        command, cwd=folder, env=environment(), shell=True, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    expected = "the current folder: it is not there any more: change to one that exists"
    assert done.stderr == f"error: {expected}\n"
