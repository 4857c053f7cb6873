"""Publishes emitted files: into a folder as a whole, or compared with what is there."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ..errors import McpgenError
from ..files import WriteReport, write_all
from ..jsonvalues import is_object
from .package import MANIFEST

# What building, installing and running a package leaves beside its files.
_BY_PRODUCTS = {"__pycache__", "build", "dist", ".mypy_cache", ".ruff_cache", ".pytest_cache"}


@dataclass(frozen=True, slots=True)
class Difference:
    """How a folder differs from what would be emitted: `kind` of one file, with a diff."""

    path: str
    kind: str
    diff: str = ""


def publish(files: Mapping[str, str], out: Path) -> WriteReport:
    """Writes every file, all or none, and removes those an earlier run wrote and this did not.

    Files that mcpgen did not write are never touched. Raises `McpgenError` when the folder
    cannot be written.
    """
    wanted = {out / name: text.encode() for name, text in files.items()}
    stale = [path for name in _written_before(out) if (path := out / name) not in wanted]
    return write_all(wanted, remove=[path for path in stale if path.is_file()])


def compare(files: Mapping[str, str], out: Path) -> list[Difference]:
    """What in a folder is not as emitted: changed, missing and stray files, by path."""
    found = {path.relative_to(out).as_posix(): path for path in _files(out)}
    differences: list[Difference] = []
    for name in sorted({*files, *found}):
        if name not in found:
            differences.append(Difference(name, "missing"))
        elif name not in files:
            differences.append(Difference(name, "stray"))
        elif (actual := found[name].read_bytes()) != files[name].encode():
            differences.append(Difference(name, "changed", _diff(name, actual, files[name])))
    return differences


def is_published(out: Path, inputs: str) -> bool:
    """Whether a folder holds, whole and unchanged, what the same inputs gave before."""
    content = _manifest(out)
    files = content.get("files")
    if content.get("inputs") != inputs or not is_object(files):
        return False
    try:
        return all(
            sha256((out / name).read_bytes()).hexdigest() == digest
            for name, digest in files.items()
        )
    except OSError:
        return False


def published_count(out: Path) -> int:
    """How many files a folder holds by its manifest, the manifest included."""
    files = _manifest(out).get("files")
    return len(files) + 1 if is_object(files) else 0


def _written_before(out: Path) -> list[str]:
    """The files the manifest of an earlier run names, those inside the folder only."""
    names = _manifest(out).get("files")
    if not is_object(names):
        return []
    root = out.resolve()
    return [name for name in names if (out / name).resolve().is_relative_to(root)]


def _manifest(out: Path) -> dict[str, object]:
    path = out / MANIFEST
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, OSError) as error:
        raise McpgenError(
            str(path), f"cannot be read: {error}", "delete it and generate again"
        ) from None
    return content if is_object(content) else {}


def _files(out: Path) -> Iterator[Path]:
    if not out.is_dir():
        return
    for path in sorted(out.iterdir()):
        if path.name in _BY_PRODUCTS or path.name.endswith(".egg-info"):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _files(path)
        else:
            yield path


def _diff(name: str, actual: bytes, expected: str) -> str:
    lines = difflib.unified_diff(
        actual.decode(errors="replace").splitlines(keepends=True),
        expected.splitlines(keepends=True),
        f"{name} (found)",
        f"{name} (emitted)",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
