"""Every rule of the comparison on the smallest change it applies to, and what is no change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mcpgen.compare import RULES, Severity, compare
from mcpgen.model.model import Const, Field, ObjectType, Scalar, TypeExpr

from .compare_models import (
    ANY,
    BOOLEAN,
    INTEGER,
    NULL,
    NUMBER,
    STRING,
    Part,
    alias,
    array,
    comparison,
    differences,
    field,
    lines,
    method,
    obj,
    protocol,
    ref,
    union,
    values,
    words,
)

A, B, C = (obj(name, field("kind", Const(name))) for name in "ABC")
PARAMS = obj("Params", field("a?"))
OTHERS = obj("Others", field("b?"))


def holds(expr: TypeExpr) -> list[Part]:
    """A version in which the type T stands for an expression."""
    return [alias("T", expr), A, B, C]


def has(*fields: Field, **facts: object) -> list[Part]:
    """A version in which the object type T has these fields."""
    return [obj("T", *fields, **facts)]


def takes(name: str | None, required: bool = False) -> list[Part]:
    """A version in which the method m has these params."""
    return [method("m", params=name, params_required=required), PARAMS, OTHERS]


def answers(*names: str) -> list[Part]:
    """A version in which the method m has these results."""
    return [method("m", results=names), A, B]


def needs(capability: str | None) -> list[Part]:
    """A version in which the method m needs a capability."""
    return [method("m", capability=capability)]


def limited(low: float | None = None, high: float | None = None) -> list[Part]:
    """A version in which T is a whole number within limits."""
    return holds(Scalar("integer", minimum=low, maximum=high))


INLINE = obj("I", field("a?"), declared=False)
SHADE = words("dark", "light")

CASES: list[tuple[list[Part], list[Part], list[str]]] = [
    ([], [method("m")], ["method-added m:  -> request from client"]),
    ([method("m")], [], ["method-removed m"]),
    (
        [method("m")],
        [method("m", kind="embedded")],
        ["method-kind-changed m: request -> embedded request"],
    ),
    (
        [method("m")],
        [method("m", sent_by=("client", "server"))],
        ["method-sender-added m:  -> server"],
    ),
    (
        [method("m", sent_by=("client", "server"))],
        [method("m", sent_by=("server",))],
        ["method-sender-removed m: client -> "],
    ),
    (takes("Params"), takes("Params", True), ["params-now-required m params"]),
    (takes("Params", True), takes("Params"), ["params-now-optional m params"]),
    (takes(None), takes("Params"), ["params-added m params:  -> Params"]),
    (takes(None), takes("Params", True), ["params-now-required m params:  -> Params"]),
    (takes("Params"), takes(None), ["params-removed m params: Params -> "]),
    (takes("Params", True), takes(None), ["required-params-removed m params: Params -> "]),
    (takes("Params"), takes("Others"), ["keys-redescribed m params: Params -> Others"]),
    (answers("A"), answers("A", "B"), ["result-added m results:  -> B"]),
    (answers("A", "B"), answers("A"), ["result-removed m results: B -> "]),
    (needs(None), needs("tools"), ["capability-needed m:  -> tools"]),
    (needs("tools"), needs("tools.call"), ["capability-changed m: tools -> tools.call"]),
    (needs("tools"), needs(None), ["capability-dropped m: tools -> "]),
    (
        [obj("Old", field("a"), field("b?", INTEGER))],
        [obj("New", field("a"), field("b?", INTEGER))],
        ["type-renamed New: Old -> New"],
    ),
    ([A], [A, B], ['type-added B:  -> {kind: "B"}']),
    ([A, B], [A], ["type-removed B"]),
    (has(field("a"), declared=False), has(field("a")), ["type-declared T"]),
    (has(field("a")), has(field("a"), declared=False), ["type-inlined T"]),
    (has(field("a")), has(field("a"), index=ANY), ["other-keys-named T"]),
    (has(field("a"), index=ANY), has(field("a")), ["other-keys-unnamed T"]),
    (has(index=STRING), has(index=BOOLEAN), ["type-changed T{}: string -> boolean"]),
    (has(), has(field("a")), ["required-field-added T.a:  -> string"]),
    (has(), has(field("a", lenient=True)), ["assumed-field-added T.a:  -> string"]),
    (has(), has(field("a?", nullable=True)), ["optional-field-added T.a:  -> string | null"]),
    (has(field("a")), has(), ["required-field-removed T.a: string -> "]),
    (has(field("a?")), has(), ["optional-field-removed T.a: string -> "]),
    (
        has(field("a?")),
        has(index=ANY),
        ["field-opened T.a: string -> ", "other-keys-named T"],
    ),
    (
        has(field("shade", SHADE)),
        has(field("x", SHADE)),
        ["required-field-renamed T.x: shade -> x"],
    ),
    (has(field("tone?")), has(field("tones?")), ["optional-field-renamed T.tones: tone -> tones"]),
    (has(field("a?")), has(field("a")), ["field-now-required T.a"]),
    (has(field("a?")), has(field("a", lenient=True)), ["field-now-assumed T.a"]),
    (has(field("a")), has(field("a?")), ["field-now-optional T.a"]),
    (has(field("a")), has(field("a", nullable=True)), ["null-allowed T.a"]),
    (has(field("a", nullable=True)), has(field("a")), ["null-refused T.a"]),
    (holds(INTEGER), holds(NUMBER), ["type-widened T: integer -> number"]),
    (holds(ANY), holds(values(ANY)), ["type-narrowed T: any -> {string: any}"]),
    (holds(STRING), holds(INTEGER), ["type-changed T: string -> integer"]),
    (holds(Const("a")), holds(Const("b")), ['type-changed T: "a" -> "b"']),
    (
        holds(words("a", "b")),
        holds(union(Const("a"), Const("b"))),
        ['type-respelled T: "a" | "b" -> "a" | "b"'],
    ),
    (
        has(field("f", values(ANY))),
        [*has(field("f", ref("I"))), INLINE],
        ["keys-described T.f: {string: any} -> {a?: string}"],
    ),
    (
        [*has(field("f", ref("I"))), INLINE],
        has(field("f", values(ANY))),
        ["keys-undescribed T.f: {a?: string} -> {string: any}"],
    ),
    (
        holds(union(ref("A"), ref("B"))),
        holds(union(ref("A"), ref("B"), ref("C"))),
        ["member-added T:  -> C"],
    ),
    (holds(array(union(ref("A"), NULL))), holds(array(NULL)), ["member-removed T[]: A -> "]),
    (holds(values(words("a"))), holds(values(words("a", "b"))), ['value-added T{}:  -> "b"']),
    (holds(words("a", "b")), holds(words("a")), ['value-removed T: "b" -> ']),
    (
        holds(words("a", open=True)),
        holds(words("a", "b", open=True)),
        ['known-value-added T:  -> "b"'],
    ),
    (
        holds(words("a", "b", open=True)),
        holds(words("a", open=True)),
        ['known-value-removed T: "b" -> '],
    ),
    (holds(words("a")), holds(words("a", open=True)), ['type-widened T: "a" -> "a" | string']),
    (limited(1), limited(0), ["limit-loosened T: integer (at least 1) -> integer (at least 0)"]),
    (
        holds(array(STRING)),
        holds(array(STRING, at_most=9)),
        ["limit-tightened T: string[] -> string[] (at most 9 items)"],
    ),
    (
        holds(Scalar("string", format="uri")),
        holds(Scalar("string", format="date")),
        ["limit-changed T: string (uri) -> string (date)"],
    ),
    (limited(0, 5), limited(3, 9), ["limit-changed T: integer (0 to 5) -> integer (3 to 9)"]),
    ([A], [replace(A, deprecated="Use B.")], ["deprecated A:  -> Use B."]),
    (
        [method("m", deprecated="Old.")],
        [method("m", deprecated="Very old.")],
        ["deprecation-reworded m: Old. -> Very old."],
    ),
    (
        has(field("a", deprecated="Old.")),
        has(field("a")),
        ["no-longer-deprecated T.a"],
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), CASES, ids=[case[2][0] for case in CASES])
def test_one_change_is_reported_by_one_rule(
    old: list[Part], new: list[Part], expected: list[str]
) -> None:
    assert lines(differences(old, new)) == expected
    assert differences(old, old) == ()
    assert differences(new, new) == ()


def test_every_rule_has_a_case() -> None:
    used = {line.split()[0] for _, _, expected in CASES for line in expected}
    constants = {"constant-added", "constant-removed", "constant-changed", "version-changed"}
    assert used | constants == set(RULES)


def test_constants_come_go_and_change() -> None:
    old = protocol(constants={"LATEST": "1", "GONE": -1, "CODE": 1, "SAME": 1})
    new = protocol(version="2", constants={"LATEST": "2", "CODE": True, "SAME": 1.0, "COME": 5})
    changes = compare(old, new).changes
    assert lines(changes) == [
        "constant-changed CODE: 1 -> true",
        "constant-removed GONE: -1 -> ",
        "constant-added COME:  -> 5",
        'version-changed LATEST: "1" -> "2"',
    ]
    assert [change.severity for change in changes] == [
        Severity.BOTH,
        Severity.WRITERS,
        Severity.COMPATIBLE,
        Severity.COMPATIBLE,
    ]


@pytest.mark.parametrize(
    ("severity", "title", "broken"),
    [
        (Severity.BOTH, "breaking for readers and writers", ("readers", "writers")),
        (Severity.READERS, "breaking for readers", ("readers",)),
        (Severity.WRITERS, "breaking for writers", ("writers",)),
        (Severity.COMPATIBLE, "compatible", ()),
    ],
)
def test_severities_name_whom_they_break(
    severity: Severity, title: str, broken: tuple[str, ...]
) -> None:
    assert (severity.title, severity.broken) == (title, broken)


def test_changes_are_grouped_and_the_most_severe_come_first() -> None:
    old = [method("m"), *has(field("a"), field("b"), field("c?")), A]
    new = [*has(field("a", INTEGER), field("c?", deprecated="Old.")), A, B]
    result = comparison(old, new)
    assert [(change.group, change.kind) for change in result.changes] == [
        ("methods", "method-removed"),
        ("types", "type-changed"),
        ("types", "required-field-removed"),
        ("types", "type-added"),
        ("deprecations", "deprecated"),
    ]
    assert result.breaking
    assert [c.path for c in result.select("types", Severity.READERS)] == ["T.b"]
    assert not comparison([A], [A, B]).breaking


def test_what_a_base_declares_is_reported_at_the_base() -> None:
    def version(*fields: Field) -> list[Part]:
        inherited = [replace(one, owner="Base") for one in fields]
        extenders = [obj(name, *inherited, field("own"), extends=("Base",)) for name in "XY"]
        return [obj("Base", *fields), *extenders]

    old, new = version(field("a")), version(field("a?"), field("b", INTEGER))
    assert lines(differences(old, new)) == [
        "field-now-optional Base.a (X, Y)",
        "required-field-added Base.b:  -> integer (X, Y)",
    ]


def test_fields_of_a_new_base_are_reported_at_the_base() -> None:
    icon = field("icon?", owner="Icons")
    old: list[Part] = [obj("X", field("a")), obj("Y", field("a"))]
    new: list[Part] = [
        obj("Icons", field("icon?")),
        *(obj(name, field("a"), icon, extends=("Icons",)) for name in "XY"),
    ]
    assert lines(differences(old, new)) == [
        "type-added Icons:  -> {icon?: string}",
        "optional-field-added Icons.icon:  -> string (X, Y)",
    ]
    assert lines(differences(new, old)) == [
        "type-removed Icons",
        "optional-field-removed Icons.icon: string ->  (X, Y)",
    ]


def test_a_type_that_overrides_its_base_is_reported_by_itself() -> None:
    own = field("a", INTEGER, owner="Base")
    old: list[Part] = [obj("Base", field("a")), obj("X", own, extends=("Base",))]
    new: list[Part] = [obj("Base", field("a")), obj("X", replace(own, type=NUMBER))]
    assert lines(differences(old, new)) == ["type-widened X.a: integer -> number"]


def test_a_base_that_nothing_uses_matters_through_its_extenders_only() -> None:
    message = obj("mRequest", field("id"), field("params"), extends=("Base",))
    old: list[Part] = [obj("Base", field("params?")), message, method("m")]
    new: list[Part] = [obj("Base", field("params")), message, method("m")]
    assert differences(old, new) == ()


def test_whole_messages_are_compared_as_methods() -> None:
    old: list[Part] = [obj("mRequest", field("id")), method("m")]
    new: list[Part] = [obj("mRequest", field("other")), method("m")]
    assert differences(old, new) == ()
    assert lines(differences([], old)) == ["method-added m:  -> request from client"]


def test_unions_of_roles_say_nothing_that_methods_do_not() -> None:
    assert differences([alias("ClientRequest", ref("A")), A], [A]) == ()


def test_a_changed_named_type_is_not_repeated_where_it_is_used() -> None:
    uses: list[Part] = [
        obj("X", field("t", ref("T"))),
        alias("List", array(union(ref("T"), ref("A")))),
        alias("Table", values(ref("T"))),
        A,
    ]
    old, new = [*has(field("a")), *uses], [alias("T", union(ref("A"), STRING)), *uses]
    assert lines(differences(old, new)) == ["type-changed T: {a: string} -> A | string"]


def test_the_order_of_members_and_values_is_no_change() -> None:
    assert differences(holds(union(ref("A"), ref("B"))), holds(union(ref("B"), ref("A")))) == ()
    assert differences(holds(words("a", "b")), holds(words("b", "a"))) == ()


def test_a_name_for_what_was_spelled_out_is_one_change_at_all_places() -> None:
    value = union(STRING, NUMBER, BOOLEAN, NULL, ref("JSONObject"), array(ref("JSONValue")))
    names = [alias("JSONValue", value), alias("JSONObject", values(ref("JSONValue")))]
    places: list[ObjectType] = [obj(name, field("meta?", values(ANY))) for name in "XY"]
    named = [obj(place.name, field("meta?", ref("JSONObject"))) for place in places]
    assert lines(differences([*places, *names], [*named, *names])) == [
        "type-respelled X.meta: {string: any} -> JSONObject (Y.meta)"
    ]


def test_members_added_to_a_union_that_got_a_name_are_found() -> None:
    old = [*has(field("content", union(ref("A"), ref("B")))), A, B, C]
    block = alias("Block", union(ref("A"), ref("B"), ref("C")))
    new = [*has(field("content", union(ref("Block"), array(ref("Block"))))), A, B, C, block]
    assert lines(differences(old, new)) == [
        "member-added T.content:  -> Block[]",
        "member-added T.content:  -> C",
        "type-added Block:  -> A | B | C",
    ]


def test_a_member_that_changed_is_no_member_that_came() -> None:
    assert lines(differences(holds(union(STRING, INTEGER)), holds(union(STRING, NUMBER)))) == [
        "type-widened T: string | integer -> string | number"
    ]


def test_params_of_another_type_are_reported_with_the_method() -> None:
    required = obj("Strict", field("a"), field("b"))
    old = [method("m", params="Params", params_required=True), PARAMS, required]
    new = [method("m", params="Strict", params_required=True), PARAMS, required]
    (change,) = differences(old, new)
    assert (change.group, change.severity) == ("methods", Severity.WRITERS)
    assert lines((change,)) == ["type-narrowed m params: Params -> Strict"]


def test_a_deprecation_is_reported_where_it_is_declared() -> None:
    inherited = field("a", owner="Base")
    old: list[Part] = [obj("Base", field("a")), obj("X", inherited, extends=("Base",))]
    new = [
        obj("Base", field("a", deprecated="Old.")),
        obj("X", replace(inherited, deprecated="Old."), extends=("Base",)),
    ]
    assert lines(differences(old, list(new))) == ["deprecated Base.a:  -> Old."]
