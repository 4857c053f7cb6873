"""The documentation of types and fields as text, for docstrings and README tables alike."""

from __future__ import annotations

from mcpgen.model.model import Field, TypeDef


def type_text(type_: TypeDef) -> str:
    """What a type is, whether it is deprecated, and where the specification describes it."""
    notes = [type_.docs.text.strip() or f"`{type_.name}` of the specification."]
    notes += _deprecation(type_.deprecated)
    if type_.docs.spec_url:
        notes.append(f"Specification: {type_.docs.spec_url}")
    return "\n\n".join(notes)


def field_text(field: Field) -> str:
    """What a field is, its wire name where that differs, and whether it is deprecated.

    Empty when there is nothing to say.
    """
    text = field.docs.text.strip()
    notes = [text] if text else []
    if field.wire_name != field.name:
        notes.append(f"Wire name: `{field.wire_name}`.")
    notes += _deprecation(field.deprecated)
    return ("\n\n" if "\n" in text else " ").join(notes)


def _deprecation(message: str | None) -> list[str]:
    if message is None:
        return []
    text = message.strip() or "Deprecated."
    return [text if text.startswith("Deprecated") else f"Deprecated: {text}"]
