"""The lock file: where each version of the specification came from, and digests of it all."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from ..errors import LockError
from ..files import read_file
from ..texts import parse_json
from .sources_common import is_version

LOCK_NAME = "lock.json"
_LOCK_VERSION = 1
_DIGEST = re.compile(r"[0-9a-f]{64}")
_ENTRY_KEYS = ("repository", "ref", "commit", "schema.ts", "schema.json", "document")
_RESTORE = "restore the file from version control, or pull again"


@dataclass(frozen=True, slots=True)
class LockEntry:
    """One locked version: where it was read, and the SHA-256 of its two sources and document.

    `schema_ts` or `schema_json` is None when the source has no such file, `commit` where the
    source does not tell it.
    """

    repository: str
    ref: str | None
    commit: str | None
    schema_ts: str | None
    schema_json: str | None
    document: str

    def to_dict(self) -> dict[str, str | None]:
        """The entry as it stands in the lock file."""
        return {
            "repository": self.repository,
            "ref": self.ref,
            "commit": self.commit,
            "schema.ts": self.schema_ts,
            "schema.json": self.schema_json,
            "document": self.document,
        }


@dataclass(frozen=True, slots=True)
class Lock:
    """The lock file's content: an entry for each version."""

    versions: Mapping[str, LockEntry] = field(default_factory=dict[str, LockEntry])

    @classmethod
    def load(cls, path: Path) -> Lock:
        """Reads a lock file. Raises `LockError` if it is missing, unreadable or malformed."""
        where = str(path)
        document = _object(_parse(path), where)
        found = document.get("lockVersion")
        if found != _LOCK_VERSION or isinstance(found, bool):
            raise LockError(
                f"{where}: lockVersion",
                f"found {json.dumps(found)}, expected {_LOCK_VERSION}",
                "use the mcpgen that wrote this file, or pull again into an empty folder",
            )
        _check_keys(document, ("lockVersion", "versions"), where)
        versions = _object(document["versions"], f"{where}: versions")
        return cls({name: _entry(name, value, where) for name, value in versions.items()})

    def to_bytes(self) -> bytes:
        """The lock file's text: sorted by version, two spaces, a newline at the end."""
        versions = {name: self.versions[name].to_dict() for name in sorted(self.versions)}
        document = {"lockVersion": _LOCK_VERSION, "versions": versions}
        return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def digest(data: bytes) -> str:
    """The SHA-256 of `data` in hexadecimal, as the lock file writes it."""
    return hashlib.sha256(data).hexdigest()


def digest_if_any(data: bytes | None) -> str | None:
    """The SHA-256 of a file's content; None where there is no such file."""
    return None if data is None else digest(data)


def verify_document(entry: LockEntry, data: bytes, where: str) -> None:
    """Checks a derived document, read from the file `where`, against its lock entry.

    Raises `LockError` with both digests when the file is not the one that was locked.
    """
    found = digest(data)
    if found != entry.document:
        raise LockError(
            where,
            f"its SHA-256 is {found}, but the lock file expects {entry.document}",
            "undo the change made by hand, or run mcpgen pull to derive the document anew",
        )


def _parse(path: Path) -> object:
    where = str(path)
    try:
        return parse_json(read_file(path).decode())
    except FileNotFoundError as error:
        remedy = "run mcpgen pull with the versions you want"
        raise LockError(where, "there is no lock file", remedy) from error
    except OSError as error:
        raise LockError(where, f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise LockError(where, f"byte {error.start} is not UTF-8", _RESTORE) from error
    except json.JSONDecodeError as error:
        line = f"{where}:{error.lineno}"
        raise LockError(line, f"not JSON: {error.msg.lower()}", _RESTORE) from error
    except ValueError as error:
        raise LockError(where, f"not a lock file: {error}", _RESTORE) from error


def _entry(version: str, value: object, path: str) -> LockEntry:
    where = f"{path}: versions.{version}"
    if not is_version(version):
        raise LockError(where, "expected a version such as 2025-11-25, or draft", _RESTORE)
    entry = _object(value, where)
    _check_keys(entry, _ENTRY_KEYS, where)
    if entry["schema.ts"] is None and entry["schema.json"] is None:
        raise LockError(where, "expected a digest of schema.ts, schema.json or both", _RESTORE)
    return LockEntry(
        repository=_text(entry, "repository", where),
        ref=_text_or_none(entry, "ref", where),
        commit=_text_or_none(entry, "commit", where),
        schema_ts=_digest_or_none(entry, "schema.ts", where),
        schema_json=_digest_or_none(entry, "schema.json", where),
        document=_digest(entry, "document", where),
    )


def _object(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise LockError(where, f"expected an object, found {_shown(value)}", _RESTORE)
    # Whatever the JSON parser gives has strings as keys.
    return cast("dict[str, object]", value)


def _check_keys(found: dict[str, object], expected: tuple[str, ...], where: str) -> None:
    for key in expected:
        if key not in found:
            raise LockError(where, f"the key {key!r} is missing", _RESTORE)
    for key in found:
        if key not in expected:
            raise LockError(where, f"the key {key!r} is not known there", _RESTORE)


def _text(entry: dict[str, object], key: str, where: str) -> str:
    value = entry[key]
    if not isinstance(value, str):
        raise LockError(f"{where}.{key}", f"expected a string, found {_shown(value)}", _RESTORE)
    return value


def _text_or_none(entry: dict[str, object], key: str, where: str) -> str | None:
    return None if entry[key] is None else _text(entry, key, where)


def _digest(entry: dict[str, object], key: str, where: str) -> str:
    value = _text(entry, key, where)
    if not _DIGEST.fullmatch(value):
        what = f"expected a SHA-256 of 64 hexadecimal digits, found {_shown(value)}"
        raise LockError(f"{where}.{key}", what, _RESTORE)
    return value


def _digest_or_none(entry: dict[str, object], key: str, where: str) -> str | None:
    return None if entry[key] is None else _digest(entry, key, where)


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "..."
