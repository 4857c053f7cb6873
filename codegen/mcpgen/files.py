"""Whole files or nothing: a set of files is put in place together, or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from .errors import McpgenError


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


def write_all(files: Mapping[Path, bytes], remove: Iterable[Path] = ()) -> WriteReport:
    """Writes all files and removes those in `remove`, or changes nothing.

    New contents and copies of the old ones are made beside their targets first; only then
    is everything moved in place, and moved back when a move fails. A file that already has
    its content is left untouched, its time of modification included. Files to remove that
    are not there, or that `files` writes, are passed over. Missing folders are made.

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
    unchanged = tuple(path for path in files if path not in outdated)
    return WriteReport(tuple(outdated), unchanged, doomed)


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
        beside = path.parent / f".{secrets.token_hex(8)}.tmp"
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
