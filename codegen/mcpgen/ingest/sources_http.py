"""The specification over HTTP: raw files below an address."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

import httpx

from ..errors import ConfigError
from .download import Address, HttpOptions, download
from .sources_common import (
    UPSTREAM_REPOSITORY,
    SourceFiles,
    checked,
    file_paths,
    is_commit,
    public_address,
    require_schema,
)

_UPSTREAM_FILES = "https://raw.githubusercontent.com/modelcontextprotocol/modelcontextprotocol"
_UPSTREAM_REF = "main"


@dataclass(frozen=True, slots=True)
class HttpSource:
    """An address below which `schema/<version>/schema.ts` and `schema.json` lie.

    `shown` is the address without credentials: what messages and the lock may say.
    """

    base: str
    shown: str
    repository: str
    ref: str | None
    options: HttpOptions

    def versions(self) -> tuple[str, ...]:
        """Raises `ConfigError`: folders cannot be listed over HTTP."""
        remedy = "name the versions, or give a checkout or a git repository as the source"
        raise ConfigError(self.shown, "versions cannot be listed over HTTP", remedy)

    def read(self, version: str) -> SourceFiles:
        """Downloads the files of one version; the commit is known where the ref is one."""
        typescript_path, json_path = file_paths(version)
        addresses = [self._address(path) for path in (typescript_path, json_path)]
        found = download(addresses, self.options)
        typescript, json = (
            None if data is None else checked(data, address.shown)
            for data, address in zip(found, addresses, strict=True)
        )
        require_schema(typescript, json, addresses[0].shown)
        commit = self.ref if self.ref is not None and is_commit(self.ref) else None
        return SourceFiles(version, typescript, json, self.repository, self.ref, commit)

    def _address(self, path: str) -> Address:
        return Address(f"{self.base}/{path}", f"{self.shown}/{path}")


def open_upstream(ref: str | None, options: HttpOptions) -> HttpSource:
    """The upstream repository's raw files at a branch, tag or commit."""
    ref = _UPSTREAM_REF if ref is None else ref
    base = f"{_UPSTREAM_FILES}/{quote(ref, safe='/')}"
    return HttpSource(base, base, UPSTREAM_REPOSITORY, ref, options)


def open_http(location: str, ref: str | None, options: HttpOptions) -> HttpSource:
    """The files below an address; the ref does not change the address, it is only recorded.

    Raises `ConfigError` for a malformed address.
    """
    shown = public_address(location)
    try:
        url = httpx.URL(location)
    except (httpx.InvalidURL, ValueError) as error:
        raise ConfigError(shown or "--source", f"is not an address: {error}") from error
    if shown is None or not url.host or url.query or url.fragment:
        what = "expected an http(s) address with a host, and without query and fragment"
        raise ConfigError(shown or "--source", what)
    base = location.rstrip("/")
    return HttpSource(base, _without_credentials(base), shown, ref, options)


def _without_credentials(base: str) -> str:
    return str(httpx.URL(base).copy_with(userinfo=b"")).rstrip("/")
