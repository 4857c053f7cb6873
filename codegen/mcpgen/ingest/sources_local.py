"""Sources on this machine: a checkout's work tree, or the commits of a git repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import SourceError
from ..files import read_file
from .git import GitRepository
from .sources_common import SourceFiles, checked, file_paths, is_released, require_schema

_FILES = ("schema.ts", "schema.json")


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A folder with `schema/<version>/…` in it, read as it lies there."""

    folder: Path
    repository: str
    git: GitRepository | None

    def versions(self) -> tuple[str, ...]:
        """The dated folders that hold a schema."""
        root = self.folder / "schema"
        try:
            names = [entry.name for entry in root.iterdir()]
        except OSError as error:
            what = f"cannot be listed: {error.strerror or error}"
            raise SourceError(str(root), what, "expected the folder of all versions") from error
        return tuple(sorted(n for n in names if is_released(n) and _has_schema(root / n)))

    def read(self, version: str) -> SourceFiles:
        """The files of one version; the commit only where it holds exactly these files."""
        typescript_path, json_path = file_paths(version)
        typescript, json = self._file(typescript_path), self._file(json_path)
        require_schema(typescript, json, str(self.folder / typescript_path))
        commit = self._commit({typescript_path: typescript, json_path: json})
        return SourceFiles(version, typescript, json, self.repository, None, commit)

    def _file(self, path: str) -> bytes | None:
        where = self.folder / path
        try:
            return checked(read_file(where), str(where))
        except FileNotFoundError:
            return None
        except OSError as error:
            what = f"cannot be read: {error.strerror or error}"
            raise SourceError(str(where), what) from error

    def _commit(self, files: dict[str, bytes | None]) -> str | None:
        """The commit checked out, if it has these very files; else nothing certain is known.

        A folder can be read without git, so here its absence or failure is no error.
        """
        if self.git is None:
            return None
        try:
            commit = self.git.commit("HEAD")
            same = all(self.git.file(commit, path) == data for path, data in files.items())
        except SourceError:
            return None
        return commit if same else None


@dataclass(frozen=True, slots=True)
class GitSource:
    """One commit of a git repository, read without a work tree."""

    git: GitRepository
    repository: str
    ref: str | None
    commit: str

    def versions(self) -> tuple[str, ...]:
        """The dated folders that hold a schema in this commit."""
        split = [path.split("/") for path in self.git.paths(self.commit, "schema/")]
        found = {
            parts[1]
            for parts in split
            if len(parts) == 3 and parts[2] in _FILES and is_released(parts[1])
        }
        return tuple(sorted(found))

    def read(self, version: str) -> SourceFiles:
        """The files of one version as of this commit."""
        typescript_path, json_path = file_paths(version)
        typescript, json = self._file(typescript_path), self._file(json_path)
        require_schema(typescript, json, self._where(typescript_path))
        return SourceFiles(version, typescript, json, self.repository, self.ref, self.commit)

    def _file(self, path: str) -> bytes | None:
        data = self.git.file(self.commit, path)
        return None if data is None else checked(data, self._where(path))

    def _where(self, path: str) -> str:
        return f"{self.git.git_dir} at {self.ref or 'HEAD'}: {path}"


def open_local(location: Path, ref: str | None) -> FolderSource | GitSource:
    """The source at a path: commits where there is a ref or no work tree, else the folder.

    Raises `SourceError` when nothing readable is there.
    """
    if not location.exists():
        raise SourceError(str(location), "does not exist", "give a folder or an http(s) address")
    git = _repository_at(location)
    name = _repository_name(location, git)
    if ref is not None or _is_git_dir(location):
        if git is None:
            remedy = "leave out --ref, or give a git repository"
            raise SourceError(str(location), "is not a git repository, so it has no refs", remedy)
        return GitSource(git, name, ref, git.commit("HEAD" if ref is None else ref))
    if (location / "schema").is_dir():
        return FolderSource(location, name, git)
    what = "has no folder schema, and is no git directory: expected schema/<version>/schema.ts"
    remedy = "read its commits with --ref HEAD" if git else "give the root of a checkout"
    raise SourceError(str(location), what, remedy)


def _has_schema(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _FILES)


def _repository_at(location: Path) -> GitRepository | None:
    if _is_git_dir(location):
        return GitRepository(location.resolve())
    # A file of this name points to the git directory of a linked work tree or submodule.
    inside = location / ".git"
    return GitRepository(inside.resolve()) if inside.exists() else None


def _is_git_dir(location: Path) -> bool:
    if location.is_file():
        return location.name == ".git"
    objects = location / "objects", location / "commondir"
    return (location / "HEAD").is_file() and any(path.exists() for path in objects)


def _repository_name(location: Path, git: GitRepository | None) -> str:
    """What the lock calls the repository: its public address, else the folder's bare name."""
    if git is not None and (origin := _origin(git)):
        return origin
    folder = location.resolve()
    return (folder.parent if folder.name == ".git" else folder).name.removesuffix(".git")


def _origin(git: GitRepository) -> str | None:
    try:
        return git.origin()
    except SourceError:
        return None
