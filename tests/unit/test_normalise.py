"""From TypeScript to the Model, on an invented protocol: fields, names, frames."""

from __future__ import annotations

import pytest
from mcpgen.errors import SchemaError
from mcpgen.model.model import (
    AliasType,
    AnyValue,
    Array,
    Candidate,
    Const,
    Constant,
    Literals,
    Map,
    Ref,
    Scalar,
    SourceFacts,
    UnionOf,
    UnionPlan,
)

from .invented import NUMBER, PROTOCOL, STRING, TYPES, VERSION, Folder, obj, wire_names

# --- the protocol as a whole --------------------------------------------------------------------


def test_version_constants_and_source(folder: Folder) -> None:
    protocol = folder.model(PROTOCOL)
    assert (protocol.version, protocol.module) == (VERSION, "v2030_01_01")
    assert protocol.constants == (
        Constant("LATEST_PROTOCOL_VERSION", VERSION),
        Constant("JSONRPC_VERSION", "2.0"),
        Constant("GONE", -410),
    )
    source = protocol.source
    assert (source.repository, source.ref, source.commit) == ("example", "main", "c0ffee")
    assert source.schema_json_sha256 is None
    assert source.document_sha256 == "d1ce"
    assert isinstance(source, SourceFacts)


def test_a_draft_goes_by_its_own_name(folder: Folder) -> None:
    override = (
        "[[override]]\npath = '/$defs/Sheep/required'\nold = ['name']\nreason = 'r'\n"
        "since = 'draft'\n"
    )
    described = {"Sheep": "Any.", "Sheep@draft": "Drafted."}
    protocol = folder.model(PROTOCOL, override, described, version="draft")
    assert (protocol.version, protocol.module) == ("draft", "vdraft")
    assert protocol.type("Sheep").docs.text == "Drafted."
    assert not obj(protocol, "Sheep").fields[0].required
    released = folder.model(PROTOCOL, override, described)
    assert released.type("Sheep").docs.text == "Any."


def test_types_are_in_the_order_of_the_file_inner_ones_before_outer(folder: Folder) -> None:
    protocol = folder.model(f"{TYPES}export interface T {{ a: {{ b: {{}} }} }}\nexport type U = T;")
    assert [item.name for item in protocol.types] == ["TAB", "TA", "T", "U"]
    assert [item.name for item in protocol.objects] == ["TAB", "TA", "T"]
    assert [item.name for item in protocol.aliases] == ["U"]
    assert [item.declared for item in protocol.objects] == [False, False, True]


# --- fields -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "type_", "required", "nullable", "default"),
    [
        ("a: string", STRING, True, False, None),
        ("a?: string", STRING, False, False, None),
        ("a: string | null", STRING, True, True, None),
        ("a?: string | null", STRING, False, True, None),
        ("a: null", Scalar("null"), True, True, None),
        ("a: unknown", AnyValue(), True, True, None),
        ("a?: unknown", AnyValue(), False, True, None),
        ("a: 'x'", Const("x"), True, False, "x"),
        ("a?: 'x'", Const("x"), False, False, None),
        ("a: false", Const(False), True, False, False),
        ("a: 0", Const(0), True, False, 0),
        ("a: 'x' | 'y'", Literals(("x", "y")), True, False, None),
        ("a: 'x' | 'y' | null", Literals(("x", "y")), True, True, None),
        ("a: 'x' | string", Literals(("x",), open=True), True, False, None),
        ("a: 'x' | string | null", Literals(("x",), open=True), True, True, None),
        ("a: A", Ref("A"), True, False, None),
        ("a: A[]", Array(Ref("A")), True, False, None),
        ("a: { [key: string]: A }", Map(Ref("A")), True, False, None),
    ],
)
def test_fields(
    folder: Folder, text: str, type_: object, required: bool, nullable: bool, default: object
) -> None:
    found = folder.field(text)
    assert found.type == type_
    assert (found.required, found.nullable, found.default) == (required, nullable, default)
    assert found.has_default is (default is not None or text == "a: null")


@pytest.mark.parametrize(
    ("levels", "fits"), [("[]" * 10, True), ("[]" * 11, False), ("[] | null)[]" * 3, True)]
)
def test_what_nests_too_deep_without_a_name_stops(folder: Folder, levels: str, fits: bool) -> None:
    text = f"a: {'(' * levels.count(')')}string{levels}"
    if fits:
        assert folder.field(text).type
        return
    with pytest.raises(SchemaError, match="nested more than 10 deep") as caught:
        folder.field(text)
    assert caught.value.where == "2030-01-01: T.a" + "[]" * 11


def test_null_is_no_member_of_a_nullable_union(folder: Folder) -> None:
    found = folder.field("a: A | string | null | B")
    assert found.nullable
    assert found.type == UnionOf(
        (Ref("A"), STRING, Ref("B")),
        UnionPlan(
            scalars=(STRING,),
            groups={None: (Candidate("B", ("b",)), Candidate("A", ()))},
        ),
    )


def test_constraints_do_not_keep_null_from_being_found(folder: Folder) -> None:
    found = folder.field("\n  /** @minimum 0 */\n  a: number | null;\n")
    assert found.nullable
    assert found.type == Scalar("number", 0)


@pytest.mark.parametrize(
    ("keyword", "attribute"), [("x-lenient", "lenient"), ("x-omittable", "omittable")]
)
def test_overrides_steer_fields(folder: Folder, keyword: str, attribute: str) -> None:
    override = f"[[override]]\npath = '/$defs/T/properties/a/{keyword}'\nnew = true\nreason = 'r'"
    assert getattr(folder.field("a: string", override), attribute) is True
    assert getattr(folder.field("a: string"), attribute) is False


def test_overrides_give_defaults(folder: Folder) -> None:
    override = "[[override]]\npath = '/$defs/T/properties/a/default'\nnew = 0\nreason = 'r'"
    found = folder.field("a: number", override)
    assert (found.has_default, found.default, found.type) == (True, 0, NUMBER)


def test_open_objects_keep_their_index(folder: Folder) -> None:
    protocol = folder.model(
        f"{TYPES}export interface Open {{ a: string; [key: string]: {{ x: string }} | string }}\n"
        "export interface Any extends Open {}\nexport interface Closed {}\n"
    )
    index = obj(protocol, "Open").index
    assert isinstance(index, UnionOf)
    assert index.members == (Ref("OpenValue"), STRING)
    assert obj(protocol, "Any").index == index
    assert obj(protocol, "Closed").index is None


@pytest.mark.parametrize(
    ("source", "type_"),
    [
        ("type T = string", STRING),
        ("type T = 'x' | 'y'", Literals(("x", "y"))),
        ("type T = { [key: string]: number }", Map(NUMBER)),
        ("interface T { [key: string]: unknown }", Map(AnyValue())),
        ("type T = T[]", Array(Ref("T"))),
        ("type T = U;\nexport interface U {}", Ref("U")),
    ],
)
def test_what_is_no_object_is_an_alias(folder: Folder, source: str, type_: object) -> None:
    found = folder.model(f"{TYPES}export {source}").type("T")
    assert isinstance(found, AliasType)
    assert found.type == type_


def test_flags_of_types(folder: Folder) -> None:
    protocol = folder.model(
        f"{TYPES}/** @internal @category Odd */\nexport interface T {{}}\n"
        "/** @internal @category `x/y` */\nexport type U = string;\n"
    )
    for name, category in (("T", "Odd"), ("U", "x/y")):
        assert protocol.type(name).internal
        assert protocol.type(name).category == category


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ("_meta: string; meta: string", "'_meta' and 'meta' both become meta"),
        ("$schema: string; schema: string", "'$schema' and 'schema' both become schema"),
        ("'a/x': string; 'b/x': string", "'a/x' and 'b/x' both become x"),
        ("extra: string; extra_: string", "'extra' and 'extra_' both become extra_"),
        ("toJSON: string; to_json: string", "'toJSON' and 'to_json' both become to_json_"),
    ],
)
def test_fields_of_one_python_name_stop(folder: Folder, properties: str, message: str) -> None:
    source = f"{TYPES}export interface T {{ {properties} }}"
    with pytest.raises(SchemaError) as caught:
        folder.model(source)
    assert str(caught.value) == f"2030-01-01: T: {message}"


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("export interface _Hidden {}", "_Hidden"),
        ("export type $T = string", "$T"),
        ("export interface None {}", "None"),
    ],
)
def test_types_python_cannot_name_stop(folder: Folder, source: str, where: str) -> None:
    with pytest.raises(SchemaError, match="expected a public Python identifier") as caught:
        folder.model(TYPES + source)
    assert caught.value.where == f"2030-01-01: {where}"


# --- frames and params --------------------------------------------------------------------------


def test_messages_are_whole_frames(folder: Folder) -> None:
    protocol = folder.model(PROTOCOL)
    request = obj(protocol, "ShearRequest")
    assert (request.frame, request.method) == ("request", "sheep/shear")
    assert wire_names(request) == ["jsonrpc", "id", "method", "params"]
    assert [item.default for item in request.fields] == ["2.0", None, "sheep/shear", None]
    assert [item.required for item in request.fields] == [True, True, True, False]
    assert request.fields[1].type == Ref("RequestId")
    notification = obj(protocol, "BleatNotification")
    assert (notification.frame, notification.method) == ("notification", "notifications/bleat")
    assert wire_names(notification) == ["jsonrpc", "method", "params"]
    assert obj(protocol, "Request").frame is None
    assert wire_names(obj(protocol, "Request")) == ["method", "params"]


def test_frames_in_the_schema_are_left_alone(folder: Folder) -> None:
    source = PROTOCOL.replace(
        "interface Request {", "interface Request { id: RequestId; jsonrpc: typeof JSONRPC_VERSION;"
    )
    request = obj(folder.model(source), "ShearRequest")
    assert wire_names(request) == ["jsonrpc", "id", "method", "params"]
    assert request.fields[0].default == "2.0"


def test_a_frame_without_an_id_type_stops(folder: Folder) -> None:
    source = PROTOCOL.replace("export type RequestId = string | number;", "")
    with pytest.raises(SchemaError) as caught:
        folder.model(source)
    assert str(caught.value) == "2030-01-01: x-mcp.derived.frames: found no RequestId"


def test_a_message_may_require_nothing_itself(folder: Folder) -> None:
    source = PROTOCOL.replace(
        'interface ShearRequest extends Request { method: "sheep/shear" }',
        'interface ShearRequest { method?: "sheep/shear" }',
    )
    request = obj(folder.model(source), "ShearRequest")
    assert [item.required for item in request.fields] == [True, True, False]


def test_params_declared_anew_get_meta(folder: Folder) -> None:
    protocol = folder.model(PROTOCOL)
    params = obj(protocol, "ListSheepRequestParams")
    assert wire_names(params) == ["_meta", "cursor"]
    assert params.fields[0].type == Ref("RequestParamsMeta")
    assert not params.fields[0].required
    assert not params.declared
    assert wire_names(obj(protocol, "AskParams")) == ["question"]


def test_generic_messages_take_any_params(folder: Folder) -> None:
    source = PROTOCOL + "export interface JSONRPCRequest extends Request { id: RequestId }\n"
    found = obj(folder.model(source), "JSONRPCRequest").field("params")
    assert found is not None
    assert found.type == Map(AnyValue())
