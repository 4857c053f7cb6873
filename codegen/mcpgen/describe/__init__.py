"""One thing of a version, or the whole of it, for people and for template authors.

Imports `model`, `compare`, `errors`, and of `emit` what it calls things in Python.
"""

from .document import document, document_schema
from .inspection import (
    ConstantInspection,
    FieldInspection,
    Inspection,
    MethodInspection,
    Overview,
    TypeInspection,
    inspect_name,
)
from .text import render_text

__all__ = [
    "ConstantInspection",
    "FieldInspection",
    "Inspection",
    "MethodInspection",
    "Overview",
    "TypeInspection",
    "document",
    "document_schema",
    "inspect_name",
    "render_text",
]
