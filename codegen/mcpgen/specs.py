"""Loads the Models of versions from a spec folder, checked against its lock."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from . import resources
from .errors import LockError, OverrideError, SchemaError, limited_depth
from .files import read_file
from .ingest.lock import LOCK_NAME, Lock, verify_document
from .ingest.sources_common import check_version
from .jsonvalues import is_object
from .model.descriptions import Descriptions
from .model.model import Protocol
from .model.normalise import normalise
from .model.overrides import Overrides
from .texts import parse_json


def load_protocols(spec_dir: Path, versions: tuple[str, ...] = ()) -> tuple[Protocol, ...]:
    """The Models of the given versions, or of all in the lock, oldest first.

    Raises `ConfigError` for what is no version, `LockError` when a document is missing or is
    not the one the lock describes, `OverrideError` when the folder has overrides or
    descriptions that none of its versions uses, and whatever `normalise` raises for a
    document's content.
    """
    lock = Lock.load(spec_dir / LOCK_NAME)
    overridden = beside("overrides.toml", spec_dir)
    described = beside("descriptions.toml", spec_dir)
    overrides, descriptions = Overrides.load(overridden), Descriptions.load(described)
    for version in versions:
        check_version(version)
    wanted = versions or tuple(lock.versions)
    if not wanted:
        raise LockError(str(spec_dir / LOCK_NAME), "has no version", "run mcpgen pull first")
    try:
        protocols = tuple(
            _load(spec_dir, version, lock, overrides, descriptions)
            for version in sorted(set(wanted))
        )
    except OverrideError as error:
        if overridden.parent == spec_dir:
            raise
        remedy = f"{spec_dir} has no overrides.toml, so mcpgen's own is used: put one there, even "
        raise OverrideError(error.where, error.what, f"{remedy}an empty one") from None
    if set(wanted) >= set(lock.versions):
        _refuse_unused(spec_dir, overridden, overrides.unused(lock.versions))
        _refuse_unused(spec_dir, described, descriptions.unused())
    return protocols


def _refuse_unused(spec_dir: Path, path: Path, unused: Sequence[str]) -> None:
    """Stops at entries nothing uses in a file of the folder; one of mcpgen's may have some."""
    if unused and path.parent == spec_dir:
        raise OverrideError(
            str(path),
            f"found entries that no version has a use for: {', '.join(unused)}",
            "correct or remove them",
        )


def beside(name: str, *folders: Path) -> Path:
    """The file of that name in the first folder that has it, else the one mcpgen comes with."""
    candidates = (folder / name for folder in folders)
    return next((path for path in candidates if path.exists()), resources.spec_dir() / name)


def _load(
    spec_dir: Path,
    version: str,
    lock: Lock,
    overrides: Overrides,
    descriptions: Descriptions,
) -> Protocol:
    path = spec_dir / f"{version}.json"
    entry = lock.versions.get(version)
    if entry is None:
        known = ", ".join(lock.versions)
        what = f"found no version {version!r}, only {known or 'an empty list'}"
        raise LockError(str(spec_dir / LOCK_NAME), what, "pull it first")
    try:
        content = read_file(path)
    except OSError as error:
        raise LockError(str(path), f"cannot be read: {error.strerror}", "pull it again") from None
    verify_document(entry, content, str(path))
    try:
        document = parse_json(content)
    except ValueError as error:
        raise SchemaError(str(path), f"found text that is not JSON ({error})") from None
    if not is_object(document) or not is_object(document.get("x-mcp")):
        raise SchemaError(str(path), "found no x-mcp object, expected a spec document")
    digest = hashlib.sha256(content).hexdigest()
    with limited_depth(str(path)):
        return normalise(
            document, overrides, descriptions, version=version, digest=digest, where=str(path)
        )
