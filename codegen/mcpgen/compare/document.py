"""A comparison as a JSON document of a stable shape, and the JSON Schema of that shape."""

from __future__ import annotations

import json
from typing import Any

from .changes import GROUPS, SEVERITIES, Change, Comparison
from .rules import RULES

FORMAT = "mcpgen-diff/1"
"""The number rises when a program that reads the document has to change."""


def document(comparison: Comparison) -> dict[str, Any]:
    """The comparison as a JSON object that `document_schema` describes."""
    return {
        "format": FORMAT,
        "old": comparison.old,
        "new": comparison.new,
        "breaking": comparison.breaking,
        "summary": {
            severity.title: len(comparison.select(severity=severity)) for severity in SEVERITIES
        },
        "rules": {
            kind: {"what": rule.what, "why": rule.why}
            for kind, rule in RULES.items()
            if kind in {change.kind for change in comparison.changes}
        },
        "changes": [_change(change) for change in comparison.changes],
    }


def render_json(comparison: Comparison) -> str:
    """The document as indented ASCII JSON that ends in a line break."""
    return json.dumps(document(comparison), indent=2) + "\n"


def document_schema() -> dict[str, Any]:
    """The JSON Schema 2020-12 of the document."""
    text, spelled = {"type": "string"}, {"type": ["string", "null"]}
    change: dict[str, Any] = {
        "group": {"enum": list(GROUPS)},
        "kind": {"enum": list(RULES)},
        "path": text,
        "breaks": {
            "type": "array",
            "items": {"enum": ["readers", "writers"]},
            "uniqueItems": True,
        },
        "old": spelled,
        "new": spelled,
        "covers": {"type": "array", "items": text},
    }
    counts = {severity.title: {"type": "integer", "minimum": 0} for severity in SEVERITIES}
    properties: dict[str, Any] = {
        "format": {"const": FORMAT},
        "old": text,
        "new": text,
        "breaking": {"type": "boolean"},
        "summary": _object(counts),
        "rules": {
            "type": "object",
            "propertyNames": {"enum": list(RULES)},
            "additionalProperties": _object({"what": text, "why": text}),
        },
        "changes": {"type": "array", "items": _object(change)},
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_object(properties)}


def _change(change: Change) -> dict[str, Any]:
    return {
        "group": change.group,
        "kind": change.kind,
        "path": change.path,
        "breaks": list(change.severity.broken),
        "old": change.old,
        "new": change.new,
        "covers": list(change.covers),
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    """An object that has exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
