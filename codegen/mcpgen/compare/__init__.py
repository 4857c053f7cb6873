"""Comparing two versions: what changed, and whom it breaks; imports `model` and `errors` only."""

from .changes import GROUPS, SEVERITIES, Change, Comparison, Group, Severity
from .diff import compare
from .document import document, document_schema
from .formats import FORMATS, render
from .rules import RULES, Rule

__all__ = [
    "FORMATS",
    "GROUPS",
    "RULES",
    "SEVERITIES",
    "Change",
    "Comparison",
    "Group",
    "Rule",
    "Severity",
    "compare",
    "document",
    "document_schema",
    "render",
]
