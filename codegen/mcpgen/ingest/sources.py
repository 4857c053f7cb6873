"""Where the specification comes from: HTTP, a folder, or the commits of a git repository."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import ConfigError
from .download import HttpOptions
from .sources_common import Source, SourceFiles, check_ref
from .sources_http import open_http, open_upstream
from .sources_local import open_local

__all__ = ["HttpOptions", "Source", "SourceFiles", "open_source"]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def open_source(
    location: str | None, ref: str | None = None, http: HttpOptions | None = None
) -> Source:
    """The source at a location: None is the upstream repository's raw files over HTTP.

    An `http://` or `https://` address is a base below which the files of each version lie,
    such as `schema/<version>/schema.ts`. A path is a checkout, whose work tree is read, or,
    with a ref or without a work tree, a git repository whose commit is read. Nothing is
    downloaded yet.

    Raises `ConfigError` for a malformed location or ref, `SourceError` when there is nothing
    to read at a path, or no such commit.
    """
    if ref is not None:
        check_ref(ref)
    options = HttpOptions() if http is None else http
    if location is None:
        return open_upstream(ref, options)
    scheme = _SCHEME.match(location)
    if scheme is None and location:
        return open_local(Path(location), ref)
    if scheme is not None and scheme[1].lower() in ("http", "https"):
        return open_http(location, ref, options)
    what = f"cannot read {location!r}" if location else "the location is empty"
    remedy = "give an http(s) address, a checkout, or the path of a git repository"
    raise ConfigError("--source", what, remedy)
