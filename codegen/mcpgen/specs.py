"""Loads the Model of a version from a spec folder, checked against its lock."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from . import resources
from .errors import LockError, OverrideError, SchemaError
from .ingest.lock import LOCK_NAME, Lock, verify_document
from .jsonvalues import is_object
from .model.descriptions import Descriptions
from .model.model import Protocol
from .model.normalise import normalise
from .model.overrides import Overrides


def load_protocols(spec_dir: Path, versions: tuple[str, ...] = ()) -> tuple[Protocol, ...]:
    """The Models of the given versions, or of all in the lock, oldest first.

    Raises `LockError` when a document is missing or is not the one the lock describes, and
    whatever `normalise` raises for its content.
    """
    lock = Lock.load(spec_dir / LOCK_NAME)
    overrides = Overrides.load(_beside(spec_dir, "overrides.toml"))
    described = _beside(spec_dir, "descriptions.toml")
    descriptions = Descriptions.load(described)
    wanted = versions or tuple(lock.versions)
    protocols = tuple(
        _load(spec_dir, version, lock, overrides, descriptions) for version in sorted(set(wanted))
    )
    complete = described.parent == spec_dir and set(wanted) >= set(lock.versions)
    if complete and (unused := descriptions.unused()):
        raise OverrideError(
            str(described),
            f"found descriptions of things no version has: {', '.join(unused)}",
            "correct or remove them",
        )
    return protocols


def _beside(spec_dir: Path, name: str) -> Path:
    """A file of the spec folder, or the one that comes with mcpgen where it has none."""
    own = spec_dir / name
    return own if own.exists() else resources.spec_dir() / name


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
        raise LockError(str(spec_dir / LOCK_NAME), f"found no version {version}, only {known}")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LockError(str(path), f"cannot be read: {error.strerror}", "pull it again") from None
    verify_document(entry, content, str(path))
    document = json.loads(content)
    if not is_object(document) or not is_object(document.get("x-mcp")):
        raise SchemaError(str(path), "found no x-mcp object, expected a spec document")
    digest = hashlib.sha256(content).hexdigest()
    return normalise(document, overrides, descriptions, digest=digest)
