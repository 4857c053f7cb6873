"""Reads a git repository through the `git` program, without a work tree and changing nothing."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..errors import SourceError
from .sources_common import check_ref, public_address

_TIME_LIMIT = 120.0
_FILE_MODES = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class GitRepository:
    """A repository by its git directory (or the `.git` file of a linked work tree).

    Every method raises `SourceError` when git is not installed, takes too long or fails.
    """

    git_dir: Path

    def commit(self, ref: str) -> str:
        """The full id of the commit that `ref` names. Raises `ConfigError` for a malformed ref."""
        check_ref(ref)
        done = self._run("rev-parse", "--verify", f"{ref}^{{commit}}")
        if done.returncode:
            what = f"names no commit {ref!r}: {_complaint(done)}"
            remedy = "give a branch, tag or commit of this repository as --ref"
            raise SourceError(str(self.git_dir), what, remedy)
        return done.stdout.decode().strip()

    def paths(self, commit: str, folder: str) -> tuple[str, ...]:
        """The paths of all files below a folder, as of a commit."""
        listed = self._output("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, folder)
        return tuple(path.decode(errors="replace") for path in listed.split(b"\0") if path)

    def file(self, commit: str, path: str) -> bytes | None:
        """The content of a file as of a commit, None where the commit has no such path."""
        listed = self._output("ls-tree", "-z", "--full-tree", commit, path)
        if not listed:
            return None
        mode, _, blob = listed.partition(b"\t")[0].decode().split(" ", 2)
        if mode not in _FILE_MODES:
            where = f"{self.git_dir} at {commit}: {path}"
            raise SourceError(where, "is a folder, a link or a submodule, expected a file")
        return self._output("cat-file", "blob", blob)

    def origin(self) -> str | None:
        """The address of the remote `origin` without credentials, None where it has none."""
        done = self._run("config", "--local", "--get", "remote.origin.url")
        return None if done.returncode else public_address(done.stdout.decode().strip())

    def _output(self, *arguments: str) -> bytes:
        done = self._run(*arguments)
        if done.returncode:
            what = f"git {arguments[0]} failed: {_complaint(done)}"
            raise SourceError(str(self.git_dir), what, "check that this is a whole git repository")
        return done.stdout

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        # A repository may belong to someone else: only commands that run no program named in
        # its configuration are used, so that its owner need not be trusted.
        command = ("git", "-c", "safe.directory=*", f"--git-dir={self.git_dir}", *arguments)
        try:
            return subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=_environment(),
                timeout=_TIME_LIMIT,
                check=False,
            )
        except FileNotFoundError as error:
            remedy = "install git, or read from a folder without --ref, or over HTTP"
            raise SourceError("git", "is not installed or not on PATH", remedy) from error
        except subprocess.TimeoutExpired as error:
            what = f"git {arguments[0]} did not end within {_TIME_LIMIT:g} seconds"
            raise SourceError(str(self.git_dir), what) from error
        except OSError as error:
            raise SourceError("git", f"cannot be run: {error.strerror or error}") from error


def _environment() -> dict[str, str]:
    """The caller's environment without what points git elsewhere, such as GIT_DIR in a hook."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        # A commit id has to stand for its own content, and all of it has to be here already.
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
    }


def _complaint(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"exit status {done.returncode}"
