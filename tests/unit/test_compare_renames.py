"""What counts as a renaming, and what only looks like one."""

from __future__ import annotations

import pytest
from mcpgen.model.model import Const, Field

from .compare_models import (
    ANY,
    INTEGER,
    STRING,
    Part,
    alias,
    array,
    differences,
    field,
    lines,
    method,
    obj,
    ref,
    union,
    values,
    words,
)

SHADE = words("dark", "light")


def test_a_renamed_type_is_the_same_type_wherever_it_is_used() -> None:
    def version(name: str) -> list[Part]:
        content = obj(name, field("kind", Const("x")), field("text"))
        return [content, obj("Holder", field("items", array(ref(name)))), alias("U", ref(name))]

    assert lines(differences(version("Old"), version("New"))) == ["type-renamed New: Old -> New"]


def test_a_renamed_type_keeps_its_name_when_a_field_becomes_optional() -> None:
    old = [obj("Old", field("id"), field("error"))]
    new = [obj("New", field("id?"), field("error"))]
    assert lines(differences(old, new)) == [
        "field-now-optional New.id",
        "type-renamed New: Old -> New",
    ]


def test_the_old_name_may_stand_for_something_else() -> None:
    old: list[Part] = [
        obj("Response", field("id"), field("result")),
        obj("Failure", field("id"), field("error")),
        alias("Message", union(ref("Response"), ref("Failure"))),
    ]
    new: list[Part] = [
        obj("Success", field("id"), field("result")),
        obj("Failure", field("id"), field("error")),
        alias("Response", union(ref("Success"), ref("Failure"))),
        alias("Message", ref("Response")),
    ]
    assert lines(differences(old, new)) == [
        "type-respelled Message: Response | Failure -> Response",
        "type-added Response:  -> Success | Failure",
        "type-renamed Success: Response -> Success",
    ]


def test_types_that_have_a_twin_are_not_guessed_at() -> None:
    old = [obj("Old", field("a"), field("b"))]
    new = [obj(name, field("a"), field("b")) for name in ("X", "Y")]
    assert [change.kind for change in differences(old, new)] == [
        "type-removed",
        "type-added",
        "type-added",
    ]


@pytest.mark.parametrize("fields", [(), (field("a"),), (field("a", array(INTEGER)),)])
def test_types_that_say_too_little_are_not_guessed_at(fields: tuple[Field, ...]) -> None:
    changes = differences([obj("Old", *fields)], [obj("New", *fields)])
    assert sorted(change.kind for change in changes) == ["type-added", "type-removed"]


def test_named_sets_of_values_are_renamed_and_named_strings_are_not() -> None:
    assert lines(differences([alias("Old", SHADE)], [alias("New", SHADE)])) == [
        "type-renamed New: Old -> New"
    ]
    changes = differences([alias("Old", STRING)], [alias("New", STRING)])
    assert sorted(change.kind for change in changes) == ["type-added", "type-removed"]


def test_messages_are_never_renamed() -> None:
    old: list[Part] = [obj("oldRequest", field("id"), field("params")), method("old")]
    new: list[Part] = [obj("newRequest", field("id"), field("params")), method("new")]
    assert [change.kind for change in differences(old, new)] == ["method-removed", "method-added"]


def test_an_inline_type_that_got_a_name_is_compared_with_what_took_its_place() -> None:
    old = [
        obj("Params", field("meta?", ref("ParamsMeta"))),
        obj("ParamsMeta", field("token?"), declared=False),
    ]
    new = [
        obj("Params", field("meta?", ref("Meta"))),
        obj("Meta", field("token?"), field("version")),
    ]
    assert lines(differences(old, new)) == [
        "required-field-added Meta.version:  -> string",
        "type-declared Meta",
    ]


def test_two_inline_types_that_became_one_are_compared_as_they_are() -> None:
    def inline(name: str) -> Part:
        return obj(name, field("token?"), declared=False)

    old = [obj("T", field("a", ref("TA")), field("b", ref("TB"))), inline("TA"), inline("TB")]
    new = [obj("T", field("a", ref("X")), field("b", ref("X"))), obj("X", field("token?"))]
    assert lines(differences(old, new)) == [
        "keys-redescribed T.a: {token?: string} -> X",
        "keys-redescribed T.b: {token?: string} -> X",
        "type-added X:  -> {token?: string}",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param([field("a", SHADE)], [field("b?", SHADE)], id="required"),
        pytest.param([field("a", SHADE)], [field("b", SHADE, nullable=True)], id="null"),
        pytest.param([field("a", SHADE)], [field("b", words("dark"))], id="type"),
        pytest.param([field("token")], [field("state")], id="telling neither by type nor name"),
        pytest.param([field("a", SHADE)], [field("b", SHADE), field("c", SHADE)], id="twins"),
        pytest.param([field("a?", values(ANY))], [field("b?", values(ANY))], id="any object"),
    ],
)
def test_fields_that_differ_or_say_too_little_come_and_go(
    old: list[Field], new: list[Field]
) -> None:
    changes = differences([obj("T", *old)], [obj("T", *new)])
    assert not [change for change in changes if "renamed" in change.kind]
    assert {change.path for change in changes} == {f"T.{one.wire_name}" for one in (*old, *new)}
