"""Loads the Model of one file: a spec document, a schema.ts or a published schema.json."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .errors import SchemaError, SourceError, limited_depth
from .files import read_file
from .ingest.sources_common import DRAFT, SourceFiles, checked, is_version
from .jsonvalues import is_object
from .model.descriptions import Descriptions
from .model.model import Protocol
from .model.normalise import normalise
from .model.overrides import Overrides
from .specs import beside, load_protocols
from .texts import parse_json


def load_protocol(
    what: str | Path, spec_dir: Path, warn: Callable[[str], None] | None = None
) -> Protocol:
    """The Model of a version in the spec folder, or of the file at a path.

    A file is a spec document, a schema.ts, or a published schema.json, which is read in the
    reduced mode; `warn` is then told what it lacks. It goes by the version it or its folder is
    named after, else by the one it states, else as the draft. Overrides and descriptions are
    those beside it, else those of the spec folder, else those that come with mcpgen; overrides
    that match nothing in a file are passed over, since it may be newer than they are.

    Raises what `load_protocols` raises for a version; `SourceError` for a file that cannot be
    read, and `SchemaError` for one that is none of the three.
    """
    if isinstance(what, str) and is_version(what):
        return load_protocols(spec_dir, (what,))[0]
    path = Path(what)
    content = _content(path)
    document = _document(path, content)
    if warn is not None and document["x-mcp"].get("reduced"):
        warn(f"{path}: {_lacking()}")
    folders = (path.parent, spec_dir)
    overrides = Overrides.load(beside("overrides.toml", *folders)).leniently()
    descriptions = Descriptions.load(beside("descriptions.toml", *folders))
    version = _named_version(path) or _stated_version(document["x-mcp"].get("protocolVersion"))
    digest = hashlib.sha256(content).hexdigest()
    with limited_depth(str(path)):
        return normalise(
            document, overrides, descriptions, version=version, digest=digest, where=str(path)
        )


def _content(path: Path) -> bytes:
    try:
        return checked(read_file(path), str(path))
    except FileNotFoundError:
        what = "is no file and no version, expected a version such as 2025-11-25 or the path"
        raise SourceError(str(path), f"{what} of a spec file") from None
    except OSError as error:
        raise SourceError(str(path), f"cannot be read: {error.strerror}") from None


def _document(path: Path, content: bytes) -> dict[str, Any]:
    """The spec document that a file is or that is derived from it."""
    if path.suffix == ".ts":
        return _derived(path, _typescript_version(path, content), typescript=content)
    try:
        found: object = parse_json(content)
    except ValueError as error:
        what = f"found text that is not JSON ({error})"
        raise SchemaError(str(path), what, "name TypeScript by the ending .ts") from None
    if is_object(found) and is_object(found.get("x-mcp")):
        return found
    version = _named_version(path)
    if version is None:
        what = "found a schema.json that does not say its version"
        remedy = "put it into a folder named after its version, such as 2025-11-25/schema.json"
        raise SchemaError(str(path), what, remedy)
    return _derived(path, version, json=content)


def _derived(
    path: Path, version: str, *, typescript: bytes | None = None, json: bytes | None = None
) -> dict[str, Any]:
    from .ingest.document import derive

    where = str(path)
    return derive(SourceFiles(version, typescript, json, path.name, None, None, where)).document


def _lacking() -> str:
    """What a published schema.json does not say, in a line."""
    from .ingest.published import MISSING_FACTS

    facts = ", ".join(fact.partition(":")[0] for fact in MISSING_FACTS)
    return f"is read without its schema.ts, so these facts are missing or inexact: {facts}"


def _named_version(path: Path) -> str | None:
    """The version a file or its folder is named after."""
    return next(
        (name for name in (path.stem, path.absolute().parent.name) if is_version(name)), None
    )


def _typescript_version(path: Path, content: bytes) -> str:
    from .ingest.typescript import read_module

    if named := _named_version(path):
        return named
    constant = read_module(content, str(path)).constants.get("LATEST_PROTOCOL_VERSION")
    return _stated_version(constant.value if constant else None)


def _stated_version(stated: object) -> str:
    return stated if isinstance(stated, str) and is_version(stated) else DRAFT
