"""What all kinds of source share: the files of a version, and checks of names and contents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import SplitResult, urlsplit

from ..errors import ConfigError, SourceError

UPSTREAM_REPOSITORY = "https://github.com/modelcontextprotocol/modelcontextprotocol"
DRAFT = "draft"
MAX_SIZE = 10 * 1024 * 1024

_RELEASED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_UNFIT_IN_REF = re.compile(r"[\x00-\x20\x7f\\]|\.\.")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_REMOTE_HELPER = re.compile(r"[A-Za-z0-9+.-]+::")


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """One version of the specification as published, and where it was read.

    `typescript` or `json` is None where there is no such file, never both. `repository` is an
    address or a bare name, never a path of this machine. `ref` is the branch, tag or commit
    that was asked for; `commit` the commit the files are known to belong to. `where` is the
    file to name in messages, None for its place in the specification's repository.
    """

    version: str
    typescript: bytes | None
    json: bytes | None
    repository: str
    ref: str | None
    commit: str | None
    where: str | None = None


class Source(Protocol):
    """A place the specification can be read from."""

    def versions(self) -> tuple[str, ...]:
        """All released versions, oldest first; `draft` is never among them.

        Raises `ConfigError` where a source of this kind cannot list them.
        """
        ...

    def read(self, version: str) -> SourceFiles:
        """The files of one version.

        Raises `SourceError` when they cannot be read whole, `ConfigError` for a version
        that is neither a date nor `draft`.
        """
        ...


def is_released(version: str) -> bool:
    """Whether this is the name of a released version: a date."""
    return _RELEASED.fullmatch(version) is not None


def is_version(version: str) -> bool:
    """Whether this is the name of a version at all: a date or `draft`."""
    return version == DRAFT or is_released(version)


def check_version(version: str) -> None:
    """Raises `ConfigError` unless `version` is a date or `draft`."""
    if not is_version(version):
        what = "is not a version: expected a date such as 2025-11-25, or draft"
        raise ConfigError(repr(version), what)


def check_ref(ref: str) -> None:
    """Raises `ConfigError` for a ref that could be read as an option or leave its place."""
    if not ref or ref[0] in "-/" or _UNFIT_IN_REF.search(ref):
        what = f"{ref!r} is not a ref: expected a branch, a tag or a commit"
        raise ConfigError("--ref", what)


def is_commit(ref: str) -> bool:
    """Whether a ref is a whole commit id, so that what it names can never change."""
    return _COMMIT.fullmatch(ref) is not None


def file_paths(version: str) -> tuple[str, str]:
    """The paths of schema.ts and schema.json below the root of a source.

    Raises `ConfigError` for what is not the name of a version.
    """
    check_version(version)
    return f"schema/{version}/schema.ts", f"schema/{version}/schema.json"


def checked(data: bytes, where: str) -> bytes:
    """`data` as it is; raises `SourceError` for what cannot be a schema file at all."""
    if len(data) > MAX_SIZE:
        raise SourceError(where, f"is larger than {MAX_SIZE} bytes, more than any schema has")
    try:
        start = data.decode("utf-8-sig").lstrip()[:1]
    except UnicodeDecodeError as error:
        remedy = "expected a schema as UTF-8 text; check the address"
        raise SourceError(where, f"byte {error.start} is not UTF-8", remedy) from error
    if not start:
        raise SourceError(where, "is empty, expected a schema", "check the address and the ref")
    if start == "<":
        what = "is a web page or other markup, expected a schema"
        raise SourceError(where, what, "give the address of the raw files")
    return data


def require_schema(typescript: bytes | None, json: bytes | None, where: str) -> None:
    """Raises `SourceError` for a version with neither file; `where` is that of schema.ts."""
    if typescript is None and json is None:
        what = "is not there, nor a schema.json beside it: expected the schema of this version"
        raise SourceError(where, what, "check the version, the source and the ref")


def public_address(url: str) -> str | None:
    """The address of a remote without credentials; None where it is no address for others.

    Understands URLs and the `host:path` form of git. Paths of this machine and `file:` URLs
    give None.
    """
    if _REMOTE_HELPER.match(url):
        return None
    if "://" in url:
        parts = _split(url)
        if parts is None or parts.scheme == "file" or not parts.hostname:
            return None
        host = parts.netloc.rpartition("@")[2]
        return _shortened(f"{parts.scheme}://{host}{parts.path}")
    host, colon, path = url.partition(":")
    # One letter before a colon is a drive, and not a host.
    if not colon or len(host) == 1 or "/" in host or "\\" in host:
        return None
    return _shortened(f"{host.rpartition('@')[2]}:{path}")


def is_address(repository: str) -> bool:
    """Whether a recorded repository is an address, and not just the name of a folder."""
    return ":" in repository


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None


def _shortened(address: str) -> str:
    return address.rstrip("/").removesuffix(".git")
