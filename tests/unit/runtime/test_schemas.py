"""What schemas allow: unions, aliases and references, taken apart once however they nest."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_wire.runtime.errors import DecodeError
from mcp_wire.runtime.explain import accepts, explain
from mcp_wire.runtime.explain_encoding import explain_encoding
from mcp_wire.runtime.schemas import alternatives, class_of, name_of, reference_to, resolved

CLASS: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
DEFINITIONS: dict[str, Any] = {
    "C": CLASS,
    "D": {**CLASS, "required": ["a"]},
    "Alias": {"$ref": "#/$defs/C"},
    "Text": {"type": "string"},
    "Either": {"anyOf": [{"$ref": "#/$defs/Alias"}, {"type": "integer"}]},
    "Any": {"anyOf": [{"$ref": "#/$defs/Either"}, {"$ref": "#/$defs/C"}, {"$ref": "#/$defs/Text"}]},
}
ANY = [("Alias", ""), ("", "integer"), ("C", ""), ("", "string")]


def ladder(base: dict[str, Any], size: int = 60) -> dict[str, Any]:
    """Aliases, each a union of the two before it: there are 10**12 ways through them."""
    definitions: dict[str, Any] = {"T0": base, "T1": {"$ref": "#/$defs/T0"}}
    for number in range(2, size):
        before = [reference_to(f"T{number - step}") for step in (1, 2)]
        definitions[f"T{number}"] = {"anyOf": before}
    return definitions


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("C", [reference_to("C")]),
        ("Alias", [reference_to("Alias")]),
        ("Text", [{"type": "string"}]),
        ("Either", [reference_to("Alias"), {"type": "integer"}]),
        ("Any", [reference_to(name) if name else {"type": kind} for name, kind in ANY]),
    ],
)
def test_alternatives(name: str, expected: list[Any]) -> None:
    assert list(alternatives(reference_to(name), DEFINITIONS)) == expected


def test_an_inline_schema_is_its_only_alternative() -> None:
    assert list(alternatives({"const": 1}, DEFINITIONS)) == [{"const": 1}]
    assert name_of({"const": 1}) == ""


def test_what_references_lead_to() -> None:
    assert resolved(reference_to("Alias"), DEFINITIONS) is CLASS
    assert resolved(CLASS, DEFINITIONS) is CLASS
    names = ("Alias", "C", "Text", "Either")
    assert [class_of(reference_to(name), DEFINITIONS) for name in names] == ["C", "C", "", ""]
    assert class_of(CLASS, DEFINITIONS) == ""


def test_what_any_of_many_ways_would_accept() -> None:
    definitions = ladder({"type": "string"})
    assert accepts("T59", "x", definitions)
    assert not accepts("T59", 1, definitions)
    assert str(explain("T59", 1, definitions)) == "$: expected a string, found integer 1"


def test_null_among_many_ways() -> None:
    for kind, fits in (("null", True), ("string", False)):
        holder: dict[str, Any] = {"type": "object", "properties": {"a": reference_to("T59")}}
        definitions = {**ladder({"type": kind}), "Holder": holder}
        # An optional null is read as absent, whatever the type; another value has to fit.
        assert accepts("Holder", {"a": None}, definitions)
        assert accepts("Holder", {"a": "x"}, definitions) is not fits


def test_a_missing_member_of_many_ways() -> None:
    holder = {"type": "object", "properties": {"a": reference_to("T59")}, "required": ["a"]}
    error = explain("Holder", {}, {**ladder({"type": "string"}), "Holder": holder})
    assert isinstance(error, DecodeError)
    assert str(error) == "$.a: expected a string, found nothing"


def test_what_cannot_be_written_in_many_ways() -> None:
    definitions = {**ladder({"type": "array", "items": {"$ref": "#/$defs/T0"}}), "C": CLASS}
    assert (
        str(explain_encoding("T59", 1, definitions, {})) == "$: expected an array, found integer 1"
    )
