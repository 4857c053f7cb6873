"""Makes a spec document, `spec/<version>.json`, from the two files of a version."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from ..errors import SchemaError
from .derived import derived_facts
from .facts import read_facts
from .reconcile import ReconcileReport, reconcile
from .schema_from_typescript import build_definitions
from .sources_common import SourceFiles
from .typescript import read_module


@dataclass(frozen=True, slots=True)
class Derived:
    """A spec document, and how the published schema.json compares with it."""

    document: dict[str, Any]
    report: ReconcileReport


def derive(files: SourceFiles, *, descriptions: bool = False) -> Derived:
    """The spec document of one version: faithful `$defs`, and the facts under `x-mcp`.

    `descriptions` keeps the specification's own prose. Raises `SchemaError` for TypeScript
    the reader does not understand and for a file whose protocol version is another one, and
    `ReconcileError` when the published schema.json tells something else.
    """
    path = f"schema/{files.version}/schema.ts"
    module = read_module(files.typescript, path)
    report = reconcile(module, files.json, files.version)
    facts = read_facts(module)
    _require_version(facts["constants"], files.version, path)
    document: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Model Context Protocol {files.version}",
        "x-mcp": {
            "protocolVersion": facts["constants"]["LATEST_PROTOCOL_VERSION"],
            "source": {
                "repository": files.repository,
                "ref": files.ref,
                "commit": files.commit,
                "schema.ts": _sha256(files.typescript),
                "schema.json": None if files.json is None else _sha256(files.json),
            },
            **facts,
            "derived": derived_facts(module, facts),
        },
        "$defs": build_definitions(module, descriptions=descriptions),
    }
    return Derived(document, report)


def to_bytes(document: dict[str, Any]) -> bytes:
    """A spec document as it is written: UTF-8, two spaces, one newline at the end."""
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _require_version(constants: dict[str, Any], version: str, path: str) -> None:
    found = constants.get("LATEST_PROTOCOL_VERSION")
    if not isinstance(found, str):
        raise SchemaError(path, "found no string LATEST_PROTOCOL_VERSION")
    # The draft is published under its own folder before its version is decided.
    if version != "draft" and found != version:
        raise SchemaError(path, f"found protocol version {found}, expected {version}")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
