"""The manifest: what mcpgen wrote into a folder, and from what.

By it a later run sees that nothing has changed since, and tells its own files from others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import McpgenError
from ..files import read_if_there
from ..jsonvalues import is_object
from ..texts import parse_json
from ..version import VERSION

MANIFEST = "manifest.json"
_GENERATOR = "mcpgen"


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest as it was found: `files` maps relative paths to digests of their content.

    `intact` says that it is as it was written, to the byte.
    """

    inputs: str
    files: Mapping[str, str]
    intact: bool


def manifest_text(files: Mapping[str, str], inputs: str) -> str:
    """The text of a manifest: a digest of what went in, one of each file, one of it all."""
    digests = {name: _digest(text) for name, text in sorted(files.items())}
    return _text({"generator": f"{_GENERATOR} {VERSION}", "inputs": inputs, "files": digests})


def read_manifest(out: Path) -> Manifest | None:
    """The manifest of a folder; None where there is none, or only the ruins of one.

    Raises `McpgenError` for a file of that name that mcpgen did not write.
    """
    path = out / MANIFEST
    content = read_if_there(path)
    if content is None:
        return None
    document = _document(content)
    if document is None and f'"generator": "{_GENERATOR} '.encode() not in content:
        what = "there is another file where mcpgen writes its manifest"
        raise McpgenError(str(path), what, "move it away, or choose another folder")
    return _manifest(document, content) if document else None


def is_same_package(found: bytes, expected: str) -> bool:
    """Whether a manifest is intact and describes the files that the expected one describes.

    What they were made from may differ: another version of a library, with the same outcome.
    """
    document, wanted = _document(found), json.loads(expected)
    if document is None or not _manifest(document, found).intact:
        return False
    return all(document.get(key) == wanted[key] for key in ("generator", "files"))


def _document(content: bytes) -> dict[str, Any] | None:
    """The JSON object of a manifest; None for anything else."""
    try:
        document = parse_json(content)
    except ValueError:
        return None
    if not is_object(document):
        return None
    generator, files = document.get("generator"), document.get("files")
    known = isinstance(generator, str) and generator.split(" ")[0] == _GENERATOR
    return document if known and is_object(files) else None


def _manifest(document: dict[str, Any], content: bytes) -> Manifest:
    files = {name: digest for name, digest in document["files"].items() if "\0" not in name}
    rest = {key: value for key, value in document.items() if key != "digest"}
    return Manifest(str(document.get("inputs")), files, _text(rest).encode() == content)


def _text(document: dict[str, Any]) -> str:
    digest = _digest(json.dumps(document, sort_keys=True))
    return json.dumps({**document, "digest": digest}, indent=2) + "\n"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
