"""Makes a spec document, `spec/<version>.json`, from the two files of a version."""

from __future__ import annotations

import json
from typing import Any

from ..errors import SchemaError, limited_depth
from .derived import derived_facts
from .facts import read_facts
from .published import derive_reduced
from .reconcile import reconcile
from .schema_from_typescript import build_definitions
from .sources_common import SourceFiles
from .spec_document import Derived, spec_document
from .typescript import read_module

__all__ = ["Derived", "derive", "to_bytes"]


def derive(files: SourceFiles, *, descriptions: bool = False) -> Derived:
    """The spec document of one version: faithful `$defs`, and the facts under `x-mcp`.

    Without a schema.ts it is a reduced one, made from the schema.json alone. `descriptions`
    keeps the specification's own prose. Raises `SchemaError` for sources the reader does not
    understand and for a file whose protocol version is another one, and `ReconcileError`
    when the published schema.json tells something else.
    """
    if files.typescript is None:
        return derive_reduced(files, descriptions=descriptions)
    path = files.where or f"schema/{files.version}/schema.ts"
    with limited_depth(path):
        module = read_module(files.typescript, path)
        report = reconcile(module, files.json, files.version)
        facts = read_facts(module)
        _require_version(facts["constants"], files.version, path)
        facts["derived"] = derived_facts(module, facts)
        definitions = build_definitions(module, descriptions=descriptions)
        document = spec_document(files, facts, definitions)
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
