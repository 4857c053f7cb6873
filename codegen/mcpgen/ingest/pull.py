"""`mcpgen pull`: reads versions of the specification, derives their documents, locks them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from ..errors import ConfigError, SourceError
from ..files import read_if_there, write_all
from . import document
from .lock import LOCK_NAME, Lock, LockEntry, digest, digest_if_any
from .reconcile import ReconcileReport
from .sources import HttpOptions, Source, SourceFiles, open_source
from .sources_common import check_version, is_address

Status: TypeAlias = Literal["added", "changed", "unchanged"]
Progress: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class VersionPull:
    """What a pull found for one version.

    `changed` names what differs from the lock, by its keys there. The status goes by
    content alone: unchanged content read at another commit is `unchanged`.
    """

    version: str
    status: Status
    changed: tuple[str, ...]
    report: ReconcileReport


@dataclass(frozen=True, slots=True)
class PullResult:
    """What a pull found, and the files it wrote (none when it only checked)."""

    versions: tuple[VersionPull, ...]
    written: tuple[Path, ...]

    @property
    def changed(self) -> bool:
        """Whether any version is new or has another content than the lock says."""
        return any(version.status != "unchanged" for version in self.versions)


def pull(
    versions: Sequence[str] = (),
    *,
    all_versions: bool = False,
    source: str | None = None,
    ref: str | None = None,
    spec_dir: Path = Path("spec"),
    descriptions: bool = False,
    check: bool = False,
    http: HttpOptions | None = None,
    progress: Progress | None = None,
) -> PullResult:
    """Reads versions of the specification and writes their documents and the lock file.

    `versions` are dates or `draft`; none means those in the lock, `all_versions` adds every
    released one that the source lists. Everything is read and derived before anything is
    written, and then all files are written or none. Other versions in the lock stay as they
    are. `check` writes nothing, and only says whether a pull would find other content.

    Raises `ConfigError` for malformed or missing settings, `SourceError` when the source
    cannot be read or a locked commit has other content than it had, `LockError` for a
    malformed lock, `SchemaError` for a specification that is not understood, and
    `McpgenError` when files cannot be written.
    """
    lock_path = spec_dir / LOCK_NAME
    lock = Lock.load(lock_path) if lock_path.exists() else Lock()
    for version in versions:
        check_version(version)
    origin = open_source(source, ref, http)
    names = _names(versions, all_versions, origin, lock, lock_path)

    def derived(files: SourceFiles) -> _Derivation:
        return _Derivation.of(files, document.derive(files, descriptions=descriptions))

    pulled: list[_Pulled] = []
    for name in names:
        if progress is not None:
            progress(f"reading {name}")
        pulled.append(_pull_one(origin.read(name), lock.versions.get(name), spec_dir, derived))
    found = tuple(one.summary(check=check) for one in pulled)
    return PullResult(found, () if check else _write(pulled, lock, spec_dir))


@dataclass(frozen=True, slots=True)
class _Derivation:
    """A derived document as bytes, with the lock entry that fits it."""

    entry: LockEntry
    data: bytes
    report: ReconcileReport

    @classmethod
    def of(cls, files: SourceFiles, derived: document.Derived) -> _Derivation:
        data = document.to_bytes(derived.document)
        entry = LockEntry(
            repository=files.repository,
            ref=files.ref,
            commit=files.commit,
            schema_ts=digest_if_any(files.typescript),
            schema_json=digest_if_any(files.json),
            document=digest(data),
        )
        return cls(entry, data, derived.report)


@dataclass(frozen=True, slots=True)
class _Pulled:
    """One version read: what to write, and how its content compares with the lock."""

    version: str
    path: Path
    result: _Derivation
    locked: LockEntry | None
    content: tuple[str, ...]

    def summary(self, *, check: bool) -> VersionPull:
        if self.locked is None:
            return VersionPull(self.version, "added", (), self.result.report)
        status: Status = "changed" if self.content else "unchanged"
        origin = () if check else _origin_changes(self.locked, self.result.entry)
        return VersionPull(self.version, status, self.content + origin, self.result.report)


def _names(
    versions: Sequence[str], all_versions: bool, origin: Source, lock: Lock, lock_path: Path
) -> tuple[str, ...]:
    """The versions to pull, each once, oldest first."""
    names = {*versions, *(origin.versions() if all_versions else ())}
    if not names and all_versions:
        what = "holds no released version: expected schema/<date>/schema.ts or schema.json"
        raise SourceError("--all", what, "check the source and the ref")
    if not names:
        names = {*lock.versions}
    if not names:
        what = "no version is named, and none is locked"
        raise ConfigError(str(lock_path), what, "name the versions to pull, such as 2025-11-25")
    return tuple(sorted(names))


def _pull_one(
    files: SourceFiles,
    locked: LockEntry | None,
    spec_dir: Path,
    derived: Callable[[SourceFiles], _Derivation],
) -> _Pulled:
    """Derives the document of one version and compares it with the lock.

    A document names the place its sources were read from. To compare contents alone, it is
    derived as if the same sources had been read where the lock says.
    """
    path = spec_dir / f"{files.version}.json"
    if locked is None:
        return _Pulled(files.version, path, derived(files), None, ())
    sources = _source_changes(files, locked)
    _check_pinned(files, locked, sources)
    as_locked = replace(files, repository=locked.repository, ref=locked.ref, commit=locked.commit)
    compared = derived(files if sources else as_locked)
    same = compared.entry.document == locked.document and read_if_there(path) == compared.data
    content = sources if same else (*sources, "document")
    result = compared if sources or not _tells_more(files, locked) else derived(files)
    return _Pulled(files.version, path, result, locked, content)


def _source_changes(files: SourceFiles, locked: LockEntry) -> tuple[str, ...]:
    pairs = {
        "schema.ts": (digest_if_any(files.typescript), locked.schema_ts),
        "schema.json": (digest_if_any(files.json), locked.schema_json),
    }
    return tuple(name for name, (found, expected) in pairs.items() if found != expected)


def _check_pinned(files: SourceFiles, locked: LockEntry, sources: tuple[str, ...]) -> None:
    """Raises `SourceError` when a commit that is locked has other files than it had."""
    if files.commit is None or files.commit != locked.commit:
        return
    # Not every source offers both files: one that was missing before is no contradiction.
    known = locked.to_dict()
    if wrong := [name for name in sources if known[name] is not None]:
        where = f"{files.repository} at {files.commit}: schema/{files.version}"
        what = f"not as locked for this very commit: {' and '.join(wrong)}"
        remedy = "a commit cannot change: do not trust this source, or restore the lock file"
        raise SourceError(where, what, remedy)


def _tells_more(files: SourceFiles, locked: LockEntry) -> bool:
    """Whether the lock should move to the place where unchanged sources were read again.

    What the lock says of their origin still holds, so only another commit is news, and it is
    not worth an address that others can use for the bare name of a folder.
    """
    if files.commit is None or files.commit == locked.commit:
        return False
    return is_address(files.repository) or not is_address(locked.repository)


def _origin_changes(locked: LockEntry, found: LockEntry) -> tuple[str, ...]:
    before, after = locked.to_dict(), found.to_dict()
    return tuple(key for key in ("repository", "ref", "commit") if before[key] != after[key])


def _write(pulled: Sequence[_Pulled], lock: Lock, spec_dir: Path) -> tuple[Path, ...]:
    entries = {**lock.versions, **{one.version: one.result.entry for one in pulled}}
    files = {one.path: one.result.data for one in pulled}
    files[spec_dir / LOCK_NAME] = Lock(entries).to_bytes()
    return write_all(files).written
