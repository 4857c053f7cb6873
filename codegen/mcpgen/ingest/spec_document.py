"""The frame of a spec document, the same wherever its facts and definitions come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .lock import digest_if_any
from .reconcile import ReconcileReport
from .sources_common import SourceFiles


@dataclass(frozen=True, slots=True)
class Derived:
    """A spec document, and how the published schema.json compares with it."""

    document: dict[str, Any]
    report: ReconcileReport


def spec_document(
    files: SourceFiles, facts: Mapping[str, Any], definitions: Mapping[str, Any]
) -> dict[str, Any]:
    """The document of one version: where it was read, its facts, its definitions.

    `facts` is the content of `x-mcp` apart from `protocolVersion` and `source`.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Model Context Protocol {files.version}",
        "x-mcp": {
            "protocolVersion": facts["constants"]["LATEST_PROTOCOL_VERSION"],
            "source": {
                "repository": files.repository,
                "ref": files.ref,
                "commit": files.commit,
                "schema.ts": digest_if_any(files.typescript),
                "schema.json": digest_if_any(files.json),
            },
            **facts,
        },
        "$defs": dict(definitions),
    }
