"""Whole files or nothing: a set of files is put in place together, or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO

from .errors import McpgenError

LARGEST_FILE = 64 * 1024 * 1024
"""The most bytes that are read of a file, or of standard input."""

# What is written beside targets is named after its process and its run, so that what a
# killed run left can be told from what a living one is about to move.
_RUN = secrets.token_hex(4)
_BESIDE = re.compile(r"\.mcpgen-([0-9]+)-([0-9a-f]{8})-[0-9a-f]{16}\.tmp")
# In seconds; no run takes an hour.
_LONGEST_RUN = 3600


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What `write_all` did with each file it was given."""

    written: tuple[Path, ...] = ()
    unchanged: tuple[Path, ...] = ()
    removed: tuple[Path, ...] = ()


def read_if_there(path: Path) -> bytes | None:
    """The content of a file, None where there is none.

    Raises `McpgenError` where there is something that cannot be read as a file.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _explained(path, error) from error


def read_file(path: Path) -> bytes:
    """The content of a file or a pipe of at most `LARGEST_FILE` bytes.

    Raises `OSError` for one that cannot be read, and for what is neither, such as a device,
    which may have no end.
    """
    mode = path.stat().st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        raise OSError(errno.EINVAL, "it is neither a file nor a pipe", str(path))
    with path.open("rb") as stream:
        return read_stream(stream, str(path))


def read_stream(stream: BinaryIO, name: str) -> bytes:
    """What is left in a stream; raises `OSError` for more than `LARGEST_FILE` bytes."""
    data = stream.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST_FILE} bytes, the limit", name)
    return data


def write_all(files: Mapping[Path, bytes], remove: Iterable[Path] = ()) -> WriteReport:
    """Writes all files and removes those in `remove`, or changes nothing.

    New contents and copies of the old ones are made beside their targets first; only then
    is everything moved in place, and moved back when a move fails. A file that already has
    its content is left untouched, its time of modification included. Files to remove that
    are not there, or that `files` writes, are passed over. Missing folders are made.

    What runs that were killed left in the folders is cleared away once all is in place.

    Raises `McpgenError`, naming the path, for any failure of the file system.
    """
    outdated = {path: data for path, data in files.items() if read_if_there(path) != data}
    doomed = tuple(path for path in dict.fromkeys(remove) if path not in files and _there(path))
    change = _Change()
    try:
        for path, data in outdated.items():
            change.stage(path, data)
        for path in doomed:
            change.stage_removal(path)
        change.commit()
    except BaseException:
        change.roll_back()
        raise
    change.clean_up()
    clear_leftovers({path.parent for path in (*files, *doomed)})
    unchanged = tuple(path for path in files if path not in outdated)
    return WriteReport(tuple(outdated), unchanged, doomed)


def clear_leftovers(folders: Iterable[Path]) -> None:
    """Removes the leftovers in folders; what cannot be removed, or looked at, stays."""
    for folder in folders:
        with suppress(OSError):
            for path in folder.iterdir():
                if is_leftover(path):
                    _attempt(path.unlink)


def is_leftover(path: Path) -> bool:
    """Whether a file was left beside its target by a run that was killed.

    That is one whose process is no more, or began so long ago that another has its number.
    """
    named = _BESIDE.fullmatch(path.name)
    return named is not None and not (_is_running(*named.groups()) and _is_recent(path))


def _is_running(process: str, run: str) -> bool:
    if int(process) == os.getpid():
        # In a container most processes have the number that others had before.
        return run == _RUN
    if sys.platform == "win32":
        # There is no harmless signal to ask with; the age decides.
        return True
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _is_recent(path: Path) -> bool:
    try:
        # Not the time of modification, which the copy of an old content has from that.
        return time.time() - path.lstat().st_ctime < _LONGEST_RUN
    except OSError:
        return True


@dataclass(slots=True)
class _Change:
    """The steps of one `write_all`, with what it takes to undo them."""

    _moves: list[tuple[Path, Callable[[], object]]] = field(
        default_factory=list[tuple[Path, Callable[[], object]]]
    )
    _copies: dict[Path, Path] = field(default_factory=dict[Path, Path])
    _begun: list[Path] = field(default_factory=list[Path])
    _beside: list[Path] = field(default_factory=list[Path])
    _folders: list[Path] = field(default_factory=list[Path])

    def stage(self, path: Path, data: bytes) -> None:
        """Writes the new content beside `path`, and keeps a copy of the old one."""
        try:
            self._make_folder(path.parent)
            fresh = self._name_beside(path)
            fresh.write_bytes(data)
            if _there(path):
                shutil.copymode(path, fresh)
                self._keep(path)
        except OSError as error:
            raise _explained(path, error) from error
        self._moves.append((path, partial(fresh.replace, path)))

    def stage_removal(self, path: Path) -> None:
        """Keeps a copy of a file that is to be removed."""
        try:
            self._keep(path)
        except OSError as error:
            raise _explained(path, error) from error
        self._moves.append((path, path.unlink))

    def commit(self) -> None:
        """Moves everything in place."""
        for path, move in self._moves:
            self._begun.append(path)
            try:
                move()
            except OSError as error:
                self._begun.pop()
                raise _explained(path, error) from error

    def roll_back(self) -> None:
        """Puts everything back as it was, as far as the file system lets us."""
        for path in reversed(self._begun):
            self._restore(path)
        self.clean_up()
        for folder in reversed(self._folders):
            _attempt(folder.rmdir)

    def clean_up(self) -> None:
        """Removes what was written beside the files."""
        for path in self._beside:
            _attempt(partial(path.unlink, missing_ok=True))

    def _make_folder(self, folder: Path) -> None:
        missing = [f for f in (folder, *folder.parents) if not _there(f)]
        for path in reversed(missing):
            path.mkdir()
            self._folders.append(path)

    def _keep(self, path: Path) -> None:
        self._copies[path] = copy = self._name_beside(path)
        shutil.copy2(path, copy, follow_symlinks=False)

    def _restore(self, path: Path) -> None:
        copy = self._copies.get(path)
        if copy is None:
            _attempt(partial(path.unlink, missing_ok=True))
        elif not _attempt(partial(copy.replace, path)):
            # The only copy of the old content left: better a stray file than none.
            self._beside.remove(copy)

    def _name_beside(self, path: Path) -> Path:
        # A short name: that of the target may already be as long as the system allows.
        name = f".mcpgen-{os.getpid()}-{_RUN}-{secrets.token_hex(8)}.tmp"
        beside = path.parent / name
        self._beside.append(beside)
        return beside


def _there(path: Path) -> bool:
    return os.path.lexists(path)


def _attempt(step: Callable[[], object]) -> bool:
    """Takes a step of the way back; the failure that led there is the one to report."""
    try:
        step()
    except OSError:
        return False
    return True


def _explained(path: Path, error: OSError) -> McpgenError:
    reason = (error.strerror or str(error)).lower()
    match error:
        case PermissionError():
            remedy = "give yourself the right to write there, or choose another folder"
        case NotADirectoryError() | FileExistsError():
            remedy = "a folder of the path is a file: move it away, or choose another folder"
        case IsADirectoryError():
            remedy = "there is a folder of that name: move it away, or choose another folder"
        case _:
            remedy = "nothing was changed; put this right, then repeat"
    return McpgenError(str(path), reason, remedy)
