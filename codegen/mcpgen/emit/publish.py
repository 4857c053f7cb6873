"""Publishes emitted files: into a folder as a whole, or compared with what is there."""

from __future__ import annotations

import difflib
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ..errors import McpgenError
from ..files import WriteReport, clear_leftovers, is_leftover, read_if_there, write_all
from .manifest import MANIFEST, is_same_package, read_manifest
from .package import MARK

# What running a package leaves beside its files, and building, installing and sharing it at
# the top.
_BYTE_CODE = "__pycache__"
_CACHES = {_BYTE_CODE, ".mypy_cache", ".ruff_cache", ".pytest_cache"}
_AT_THE_TOP = {"build", "dist", ".git"}


@dataclass(frozen=True, slots=True)
class Difference:
    """How a folder differs from what would be emitted: `kind` of one file, with a diff.

    The kinds are `changed`, `missing`, `stray`, and `leftover` of a run that was killed.
    """

    path: str
    kind: str
    diff: str = ""


def publish(files: Mapping[str, str], out: Path) -> WriteReport:
    """Writes every file, all or none, and removes those an earlier run wrote and this did not.

    Files that mcpgen did not write are never touched, nor are stale ones that were changed
    since. Raises `McpgenError` when the folder cannot be written, and when a file that
    mcpgen did not write is in the way.
    """
    manifest = read_manifest(out)
    before: Mapping[str, str] = manifest.files if manifest else {}
    for name, text in files.items():
        _refuse_way_out(out, name)
        if name not in before and name != MANIFEST and _is_foreign(out / name, text):
            what = "there is a file that mcpgen did not write"
            raise McpgenError(str(out / name), what, "move it away, or choose another folder")
    stale = {name: digest for name, digest in before.items() if name not in files}
    wanted = {out / name: text.encode() for name, text in files.items()}
    report = write_all(wanted, remove=_as_written(stale, out))
    tidy(out)
    _remove_empty(report.removed, out)
    return report


def tidy(out: Path) -> None:
    """Clears what runs that were killed left anywhere below the folder."""
    clear_leftovers({path.parent for path in _files(out, _AT_THE_TOP)})


def compare(files: Mapping[str, str], out: Path) -> list[Difference]:
    """What in a folder is not as emitted: changed, missing and stray files, by path.

    Raises `McpgenError` where `out` is a file.
    """
    if out.exists() and not out.is_dir():
        raise McpgenError(str(out), "is a file, expected the folder of a package")
    found = {path.relative_to(out).as_posix(): path for path in _files(out, _AT_THE_TOP)}
    return [
        difference
        for name in sorted({*files, *found})
        if (difference := _difference(name, found.get(name), files.get(name)))
    ]


def is_published(out: Path, inputs: str) -> bool:
    """Whether a folder holds, whole and unchanged, what the same inputs gave before."""
    manifest = read_manifest(out)
    if manifest is None or not manifest.intact or manifest.inputs != inputs:
        return False
    return all(_has(out / name, digest) for name, digest in manifest.files.items())


def published_count(out: Path) -> int:
    """How many files a folder holds by its manifest, the manifest included."""
    manifest = read_manifest(out)
    return len(manifest.files) + 1 if manifest else 0


def _refuse_way_out(out: Path, name: str) -> None:
    """Raises `McpgenError` where a folder of a file's path is a link that leads out of `out`."""
    root = out.resolve()
    for folder in (out / name).relative_to(out).parents:
        path = out / folder
        if path.is_symlink() and path != out and not path.resolve().is_relative_to(root):
            what = f"is a link that leads out of {out}"
            raise McpgenError(str(path), what, "remove it, or choose another folder")


def _is_foreign(path: Path, text: str) -> bool:
    """Whether a file is there with content of its own, and without the mark of emitted files."""
    found = read_if_there(path)
    if not found or found == text.encode():
        return False
    return MARK.encode() not in found.split(b"\n", 1)[0]


def _as_written(files: Mapping[str, str], out: Path) -> list[Path]:
    """Those of the files that are inside the folder and have the content they were given."""
    root = out.resolve()
    return [
        out / name
        for name, digest in files.items()
        if _has(out / name, digest) and (out / name).resolve().is_relative_to(root)
    ]


def _has(path: Path, digest: str) -> bool:
    try:
        return path.is_file() and sha256(path.read_bytes()).hexdigest() == digest
    except OSError:
        return False


def _remove_empty(removed: Iterable[Path], out: Path) -> None:
    """Removes the folders inside `out` that removed files leave empty but for byte code."""
    folders = {folder for path in removed for folder in path.relative_to(out).parents}
    for folder in sorted(folders - {Path()}, key=lambda folder: -len(folder.parts)):
        if {path.name for path in (out / folder).iterdir()} <= {_BYTE_CODE}:
            shutil.rmtree(out / folder)


def _difference(name: str, found: Path | None, expected: str | None) -> Difference | None:
    if found is None:
        return Difference(name, "missing")
    if expected is None:
        return Difference(name, "leftover" if is_leftover(found) else "stray")
    actual = found.read_bytes() if found.is_file() else None
    if actual == expected.encode():
        return None
    if actual is None:
        return Difference(name, "changed")
    if name == MANIFEST and is_same_package(actual, expected):
        return None
    return Difference(name, "changed", _diff(name, actual, expected))


def _files(folder: Path, passed_over: Iterable[str] = ()) -> Iterator[Path]:
    """The files below a folder, without caches, and without folders of these names in it."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if not path.is_dir() or path.is_symlink():
            yield path
        elif not (
            path.name in _CACHES or path.name in passed_over or path.name.endswith(".egg-info")
        ):
            yield from _files(path)


def _diff(name: str, actual: bytes, expected: str) -> str:
    """A unified diff; carriage returns and a missing line end at the end are shown."""
    found = actual.decode(errors="replace").replace("\r", "\\r")
    lines = difflib.unified_diff(
        _lines(found), _lines(expected), f"{name} (found)", f"{name} (emitted)", lineterm=""
    )
    return "".join(f"{line}\n" for line in lines)


def _lines(text: str) -> list[str]:
    """The lines of a text, the last with a note where nothing ends it."""
    *lines, rest = text.split("\n")
    return [*lines, f"{rest} (no line end)"] if rest else lines
