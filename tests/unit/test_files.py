"""Whole files or nothing: what `write_all` leaves behind when it works and when it does not."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mcpgen import files
from mcpgen.errors import McpgenError
from mcpgen.files import read_file, read_if_there, write_all


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every path below a folder, with the content of files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def fail_on_move_to(monkeypatch: pytest.MonkeyPatch, target: Path, error: OSError) -> None:
    """Makes moving anything to one path fail."""
    real = Path.replace

    def replace(self: Path, to: Path) -> Path:
        if to == target:
            raise error
        return real(self, to)

    monkeypatch.setattr(Path, "replace", replace)


def test_writes_new_and_changed_files_and_leaves_the_rest_alone(tmp_path: Path) -> None:
    same, old, new = tmp_path / "same", tmp_path / "old", tmp_path / "deep" / "er" / "new"
    same.write_bytes(b"1")
    os.utime(same, (1_000_000, 1_000_000))
    old.write_bytes(b"2")
    report = write_all({same: b"1", old: b"two", new: b"3"})
    assert report.written == (old, new)
    assert report.unchanged == (same,)
    assert same.stat().st_mtime == 1_000_000
    assert contents(tmp_path) == {
        "same": b"1",
        "old": b"two",
        "deep": None,
        "deep/er": None,
        "deep/er/new": b"3",
    }


def test_a_second_write_changes_nothing(tmp_path: Path) -> None:
    content = {tmp_path / "a": b"a", tmp_path / "b" / "c": b""}
    write_all(content)
    assert write_all(content).written == ()


def test_removes_files_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "stray").write_bytes(b"x")
    (tmp_path / "kept").write_bytes(b"x")
    remove = [tmp_path / "stray", tmp_path / "missing", tmp_path / "kept", tmp_path / "stray"]
    report = write_all({tmp_path / "kept": b"y"}, remove=remove)
    assert report.removed == (tmp_path / "stray",)
    assert contents(tmp_path) == {"kept": b"y"}


def test_keeps_the_mode_of_a_file_and_gives_new_ones_the_usual_one(tmp_path: Path) -> None:
    script, fresh, usual = tmp_path / "script", tmp_path / "fresh", tmp_path / "usual"
    script.write_bytes(b"old")
    script.chmod(0o754)
    usual.touch()
    write_all({script: b"new", fresh: b"new"})
    assert script.stat().st_mode & 0o777 == 0o754
    assert fresh.stat().st_mode == usual.stat().st_mode


def test_writes_names_as_long_as_the_system_allows(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    assert write_all({path: b"x"}).written == (path,)


@pytest.mark.parametrize("failing", ["a", "b", "new/c"])
def test_a_failing_move_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    for name in ("a", "b", "stray"):
        (tmp_path / name).write_bytes(b"old")
        os.utime(tmp_path / name, (1_000_000, 1_000_000))
    before = contents(tmp_path)
    error = PermissionError(errno.EACCES, "Permission denied")
    fail_on_move_to(monkeypatch, tmp_path / failing, error)
    new = {tmp_path / name: b"new" for name in ("a", "b", "new/c")}
    with pytest.raises(McpgenError, match=r"permission denied.*right to write") as caught:
        write_all(new, remove=[tmp_path / "stray"])
    assert caught.value.where == str(tmp_path / failing)
    assert contents(tmp_path) == before
    assert {p.stat().st_mtime for p in tmp_path.iterdir()} == {1_000_000}


def test_a_failing_removal_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stray, other = tmp_path / "stray", tmp_path / "other"
    stray.write_bytes(b"old")
    other.write_bytes(b"old")
    before = contents(tmp_path)
    real = Path.unlink

    def unlink(self: Path, missing_ok: bool = False) -> None:
        if self == stray:
            raise OSError(errno.EPERM, "Operation not permitted")
        real(self, missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink)
    with pytest.raises(McpgenError, match="stray: operation not permitted"):
        write_all({other: b"new", tmp_path / "fresh": b"new"}, remove=[stray])
    assert contents(tmp_path) == before


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"old")
    before = contents(tmp_path)
    real = Path.write_bytes

    def write_bytes(self: Path, data: bytes) -> int:
        if data == b"too much":
            real(self, data[:3])
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, data)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(McpgenError, match="no space left on device"):
        write_all({tmp_path / "a": b"new", tmp_path / "x" / "y" / "b": b"too much"})
    assert contents(tmp_path) == before


def test_an_interrupt_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"old")
    before = contents(tmp_path)
    target = tmp_path / "b"
    real = Path.replace

    def replace(self: Path, to: Path) -> Path:
        moved = real(self, to)
        if to == target:
            raise KeyboardInterrupt
        return moved

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        write_all({tmp_path / "a": b"new", target: b"new"})
    assert contents(tmp_path) == before


def test_the_old_content_survives_when_even_the_way_back_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"precious")
    second.write_bytes(b"old")
    real = Path.replace
    moved: list[Path] = []

    def replace(self: Path, to: Path) -> Path:
        if moved:
            raise OSError(errno.EIO, "Input/output error")
        moved.append(to)
        return real(self, to)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(McpgenError, match="input/output error"):
        write_all({first: b"new", second: b"new"})
    assert sorted(filter(None, contents(tmp_path).values())) == [b"new", b"old", b"precious"]


def test_a_file_in_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    before = contents(tmp_path)
    for path in (tmp_path / "file" / "x", tmp_path / "file" / "deep" / "x"):
        with pytest.raises(McpgenError, match="not a directory: a folder of the path is a file"):
            write_all({tmp_path / "a": b"a", path: b"x"})
    assert contents(tmp_path) == before


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(McpgenError, match="is a directory: there is a folder of that name"):
        write_all({tmp_path / "a": b"a", tmp_path / "folder": b"x"})
    assert contents(tmp_path) == {"folder": None}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_without_the_right_to_write(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    with pytest.raises(McpgenError, match="permission denied"):
        write_all({tmp_path / "a": b"a", locked / "b": b"b"})
    assert contents(tmp_path) == {"locked": None}


def test_read_if_there(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    assert read_if_there(tmp_path / "a") == b"a"
    assert read_if_there(tmp_path / "b") is None
    with pytest.raises(McpgenError, match="is a directory"):
        read_if_there(tmp_path)


def beside(process: int, run: str = "0" * 8) -> str:
    """The name of what a run writes beside its targets."""
    return f".mcpgen-{process}-{run}-{'f' * 16}.tmp"


def ended_process() -> int:
    """The number of a process that is no more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal")
@pytest.mark.parametrize("moves", [0, 1])
def test_what_a_killed_run_leaves_is_cleared_by_the_next(tmp_path: Path, moves: int) -> None:
    old, new = tmp_path / "old", tmp_path / "deep" / "new"
    old.write_bytes(b"old")
    code = f"""
import os, signal
from pathlib import Path
from mcpgen.files import write_all
real, moves = Path.replace, []
def replace(self, to):
    if len(moves) == {moves}:
        os.kill(os.getpid(), signal.SIGKILL)
    moves.append(to)
    return real(self, to)
Path.replace = replace
write_all({{Path({str(old)!r}): b"1", Path({str(new)!r}): b"2"}})
"""
    paths = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": paths}, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert len(contents(tmp_path)) > 2
    write_all({old: b"1", new: b"2"})
    assert contents(tmp_path) == {"old": b"1", "deep": None, "deep/new": b"2"}


def test_a_leftover_is_told_by_its_process(tmp_path: Path) -> None:
    for process in (ended_process(), 2**70, os.getpid()):
        (tmp_path / beside(process)).touch()
    living = tmp_path / beside(os.getppid())
    others = [tmp_path / ".mcpgen-1-notes.tmp", tmp_path / ".mine.tmp"]
    for path in (living, *others):
        path.touch()
    write_all({tmp_path / "a": b"a"})
    assert set(tmp_path.iterdir()) == {living, *others, tmp_path / "a"}


def test_a_leftover_is_told_by_its_age(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leftover = tmp_path / beside(os.getppid())
    leftover.touch()
    # As old as the content it is a copy of.
    os.utime(leftover, (1_000_000, 1_000_000))
    write_all({tmp_path / "a": b"a"})
    assert leftover.exists()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 4000)
    write_all({tmp_path / "a": b"a"})
    assert not leftover.exists()


def test_two_threads_of_one_process_do_not_clear_away_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.replace
    other = {tmp_path / "b": b"b"}

    def replace(self: Path, to: Path) -> Path:
        if other:
            write_all({other.popitem()[0]: b"b"})
        return real(self, to)

    monkeypatch.setattr(Path, "replace", replace)
    write_all({tmp_path / "a": b"a"})
    assert contents(tmp_path) == {"a": b"a", "b": b"b"}


def test_the_limit_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    monkeypatch.setattr(files, "LARGEST_FILE", 5)
    assert read_file(tmp_path / "a") == b"12345"
    monkeypatch.setattr(files, "LARGEST_FILE", 4)
    with pytest.raises(OSError, match="it is larger than 4 bytes, the limit"):
        read_file(tmp_path / "a")
