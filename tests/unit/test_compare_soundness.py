"""Severity against what values do: a value that one side writes and the other refuses breaks."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from mcpgen.compare import Severity
from mcpgen.model.model import (
    AnyValue,
    Array,
    Const,
    Field,
    Literals,
    Map,
    ObjectType,
    Ref,
    Scalar,
    TypeExpr,
    UnionOf,
)

from .compare_models import ANY, NULL, alias, array, differences, field, obj, ref, union, values

OBJECTS = {
    "A": obj("A", field("kind", Const("a")), field("n?", Scalar("integer"), nullable=True)),
    "B": obj("B", field("kind", Const("b")), field("next", Literals(("a", "b")))),
    "C": obj("C", field("kind", Scalar("string")), field("n", Scalar("number"))),
}
"""The same in both versions, so that only T changes."""

limits = st.sampled_from([None, 0, 1, 2])
leaves = st.one_of(
    st.just(ANY),
    st.sampled_from([Scalar("string"), Scalar("boolean"), NULL, Scalar("string", format="uri")]),
    st.builds(Scalar, st.sampled_from(["integer", "number"]), minimum=limits, maximum=limits),
    st.sampled_from(["a", "b", 1, 1.5, True, None]).map(Const),
    st.builds(
        Literals,
        st.sampled_from([("a",), ("b",), ("a", "b"), ("a", "b", "c")]),
        st.booleans(),
    ),
    st.sampled_from(sorted(OBJECTS)).map(ref),
)
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(array, inner, st.sampled_from([None, 1])),
        st.builds(values, inner),
        st.lists(inner, min_size=2, max_size=3).map(lambda members: union(*members)),
    ),
    max_leaves=4,
)

ATOMS: list[Any] = [None, True, False, 0, 1, 2, 1.5, "a", "b", "c"]
OBJECT_VALUES: list[Any] = [
    {},
    {"kind": "a"},
    {"kind": "a", "n": None},
    {"kind": "a", "n": 1.5},
    {"kind": "b", "next": "a"},
    {"kind": "c", "n": 2},
    {"x": 1},
    {"x": "a"},
    {"x": None},
]
VALUES: list[Any] = [
    *ATOMS,
    *OBJECT_VALUES,
    [],
    *([atom] for atom in (*ATOMS, *OBJECT_VALUES, [], ["a"])),
    ["a", "b"],
    [1, 1],
    *({"x": [atom]} for atom in ATOMS),
    {"x": {"x": 1}},
]


def accepts(expr: TypeExpr, value: Any) -> bool:
    """Whether a value is one of the expression's; formats are taken for sets of all strings."""
    match expr:
        case AnyValue():
            return True
        case Scalar():
            return accepts_scalar(expr, value)
        case Const(value=wanted):
            return isinstance(wanted, bool) == isinstance(value, bool) and wanted == value
        case Literals(values=known, open=is_open):
            return isinstance(value, str) and (is_open or value in known)
        case Array(item=item, max_items=most):
            fits = isinstance(value, list) and (most is None or len(value) <= most)
            return fits and all(accepts(item, one) for one in value)
        case Map(value=item):
            return isinstance(value, dict) and all(accepts(item, one) for one in value.values())
        case UnionOf(members=members):
            return any(accepts(member, value) for member in members)
        case Ref(name=name):
            return accepts_object(OBJECTS[name], value)


def accepts_scalar(scalar: Scalar, value: Any) -> bool:
    match scalar.kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case kind:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return (
                number
                and (kind == "number" or value == int(value))
                and (scalar.minimum is None or value >= scalar.minimum)
                and (scalar.maximum is None or value <= scalar.maximum)
            )


def accepts_object(found: ObjectType, value: Any) -> bool:
    return isinstance(value, dict) and all(accepts_field(one, value) for one in found.fields)


def accepts_field(found: Field, value: dict[str, Any]) -> bool:
    if found.wire_name not in value:
        return not found.required
    held = value[found.wire_name]
    return accepts(found.type, held) or (found.nullable and held is None)


def severity(old: TypeExpr, new: TypeExpr) -> Severity:
    others = list(OBJECTS.values())
    found = Severity.COMPATIBLE
    for change in differences([alias("T", old), *others], [alias("T", new), *others]):
        found |= change.severity
    return found


@settings(max_examples=200, deadline=None)
@given(expressions, expressions)
def test_what_one_side_refuses_breaks_it(old: TypeExpr, new: TypeExpr) -> None:
    found = severity(old, new)
    for value in VALUES:
        before, after = accepts(old, value), accepts(new, value)
        assert before or not after or Severity.READERS in found, (old, new, value)
        assert after or not before or Severity.WRITERS in found, (old, new, value)


@settings(max_examples=100, deadline=None)
@given(expressions, expressions)
def test_the_other_way_round_readers_and_writers_change_places(
    old: TypeExpr, new: TypeExpr
) -> None:
    there, back = severity(old, new), severity(new, old)
    assert (Severity.READERS in there) == (Severity.WRITERS in back)
    assert (Severity.WRITERS in there) == (Severity.READERS in back)


@settings(max_examples=50, deadline=None)
@given(expressions)
def test_an_expression_is_the_same_as_itself_and_fits_what_adds_to_it(expr: TypeExpr) -> None:
    assert severity(expr, expr) is Severity.COMPATIBLE
    assert Severity.WRITERS not in severity(expr, union(expr, Const("more")))
