"""From TypeScript to the Model, on invented protocols: fields, frames, methods, documentation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcpgen.errors import OverrideError, SchemaError
from mcpgen.ingest.document import derive
from mcpgen.ingest.sources_common import SourceFiles
from mcpgen.model.descriptions import Descriptions
from mcpgen.model.model import (
    AliasType,
    AnyValue,
    Array,
    Candidate,
    Const,
    Constant,
    Field,
    Literals,
    Map,
    Method,
    ObjectType,
    Pagination,
    Protocol,
    Ref,
    Scalar,
    SourceFacts,
    UnionOf,
    UnionPlan,
)
from mcpgen.model.normalise import normalise
from mcpgen.model.overrides import Overrides

VERSION = "2030-01-01"
STRING, NUMBER = Scalar("string"), Scalar("number")

PROTOCOL = """
export const LATEST_PROTOCOL_VERSION = "2030-01-01";
export const JSONRPC_VERSION = "2.0";
export const GONE = -410;

export type RequestId = string | number;
export interface Request { method: string; params?: { _meta?: { token?: string } } }
export interface Notification { method: string; params?: { _meta?: { [key: string]: unknown } } }
export interface Result { _meta?: { [key: string]: unknown }; [key: string]: unknown }
export type EmptyResult = Result;

export interface ListSheepRequest extends Request {
  method: "sheep/list";
  params?: { cursor?: string };
}
export interface ListSheepResult extends Result { nextCursor?: string; sheep: Sheep[] }
export interface Sheep { name: string }
export interface ShearRequest extends Request { method: "sheep/shear" }
export interface AskRequest extends Request { method: "ask"; params: AskParams }
export interface AskParams { question: string }
export interface AskResult extends Result { answer: string }
export interface BleatNotification extends Notification { method: "notifications/bleat" }

export type ClientRequest = ListSheepRequest | ShearRequest;
export type ServerRequest = AskRequest;
export type ClientNotification = BleatNotification;
export type ServerNotification = BleatNotification;
export type ServerResult = ListSheepResult | EmptyResult;
export type ClientResult = AskResult | EmptyResult;
"""
TYPES = 'export const LATEST_PROTOCOL_VERSION = "2030-01-01";\n'


@dataclass
class Folder:
    """Builds Models with the overrides and descriptions of a folder."""

    path: Path

    def model(
        self,
        source: str,
        overrides: str = "",
        descriptions: dict[str, str] | None = None,
        *,
        keep: bool = False,
        version: str | None = None,
    ) -> Protocol:
        files = SourceFiles(VERSION, source.encode(), None, "example", "main", "c0ffee")
        document = derive(files, descriptions=keep).document
        (self.path / "overrides.toml").write_text(overrides, encoding="utf-8")
        texts = "".join(
            f"{json.dumps(k)} = {json.dumps(v)}\n" for k, v in (descriptions or {}).items()
        )
        (self.path / "descriptions.toml").write_text(texts, encoding="utf-8")
        return normalise(
            json.loads(json.dumps(document)),
            Overrides.load(self.path / "overrides.toml"),
            Descriptions.load(self.path / "descriptions.toml"),
            version=version,
            digest="d1ce",
        )

    def field(self, text: str, overrides: str = "", name: str = "a") -> Field:
        """The only field of an interface; the types A and B are declared."""
        names = "export interface A {}\nexport interface B { b: string }\n"
        protocol = self.model(f"{TYPES}{names}export interface T {{ {text} }}", overrides)
        found = obj(protocol, "T").field(name)
        assert found is not None
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def obj(protocol: Protocol, name: str) -> ObjectType:
    found = protocol.type(name)
    assert isinstance(found, ObjectType)
    return found


def method(protocol: Protocol, name: str) -> Method:
    (found,) = (item for item in protocol.methods if item.method == name)
    return found


def wire_names(found: ObjectType) -> list[str]:
    return [item.wire_name for item in found.fields]


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


# --- methods ------------------------------------------------------------------------------------


def test_methods(folder: Folder) -> None:
    protocol = folder.model(PROTOCOL)
    assert [item.method for item in protocol.methods] == [
        "sheep/list",
        "sheep/shear",
        "ask",
        "notifications/bleat",
    ]
    assert [item.python_name for item in protocol.methods] == [
        "list_sheep",
        "shear",
        "ask",
        "bleat",
    ]
    listing = method(protocol, "sheep/list")
    assert (listing.kind, listing.sent_by) == ("request", ("client",))
    assert (listing.params, listing.params_required) == ("ListSheepRequestParams", False)
    assert listing.results == ("ListSheepResult",)
    assert listing.result_plan.groups == {None: (Candidate("ListSheepResult", ()),)}
    assert listing.pagination == Pagination("sheep", "sheep", Ref("Sheep"))
    bleat = method(protocol, "notifications/bleat")
    assert (bleat.kind, bleat.sent_by) == ("notification", ("client", "server"))
    assert (bleat.params, bleat.results) == ("NotificationParams", ())
    assert bleat.result_plan == UnionPlan()
    asked = method(protocol, "ask")
    assert (asked.params, asked.params_required, asked.pagination) == ("AskParams", True, None)
    # An alias answers as what it stands for.
    assert method(protocol, "sheep/shear").results == ("EmptyResult",)
    assert method(protocol, "sheep/shear").result_plan.groups == {None: (Candidate("Result", ()),)}


PLAN = UnionPlan(
    groups={None: (Candidate("AskParams", ("question",)), Candidate("Params", ("all",)))}
)


@pytest.mark.parametrize(
    ("params", "type_"),
    [
        ("{ [key: string]: unknown }", Map(AnyValue())),
        ("Record<string, string>", Map(STRING)),
        ("object", Map(AnyValue())),
        ("AskParams | Params", UnionOf((Ref("AskParams"), Ref("Params")), PLAN)),
    ],
)
def test_params_without_members_have_a_name_too(folder: Folder, params: str, type_: object) -> None:
    source = PROTOCOL.replace("params: AskParams", f"params: {params}")
    protocol = folder.model(f"{source}export interface Params {{ all: true }}")
    assert method(protocol, "ask").params == "AskRequestParams"
    found = protocol.type("AskRequestParams")
    assert isinstance(found, AliasType)
    assert found.type == type_
    field = obj(protocol, "AskRequest").field("params")
    assert field is not None
    assert field.type == Ref("AskRequestParams")


def test_params_that_a_base_declares_are_named_by_the_message(folder: Folder) -> None:
    old = "params?: { _meta?: { token?: string } }"
    protocol = folder.model(PROTOCOL.replace(old, "params?: { [key: string]: unknown }"))
    shearing = method(protocol, "sheep/shear")
    assert (shearing.params, shearing.params_required) == ("ShearRequestParams", False)
    assert method(protocol, "sheep/list").params == "ListSheepRequestParams"


@pytest.mark.parametrize(
    ("result", "paginated"),
    [
        ("{ nextCursor?: string; sheep: Sheep[] }", True),
        ("{ nextCursor?: string; sheep: Sheep[]; more?: Sheep[] }", True),
        ("{ sheep: Sheep[] }", False),
        ("{ nextCursor?: string; sheep?: Sheep[] }", False),
        ("{ nextCursor?: string; sheep: Sheep[]; goats: Sheep[] }", False),
        ("{ nextCursor?: string }", False),
    ],
)
def test_what_has_pages(folder: Folder, result: str, paginated: bool) -> None:
    source = PROTOCOL.replace("{ nextCursor?: string; sheep: Sheep[] }", result)
    found = method(folder.model(source), "sheep/list").pagination
    assert (found is not None) is paginated


def test_results_are_told_apart_by_their_type(folder: Folder) -> None:
    source = PROTOCOL.replace(
        "interface ListSheepResult extends Result {",
        "interface ListSheepResult extends Result { resultType: string;",
    ).replace(
        "ServerResult = ",
        "ServerResult = Pending | ",
    )
    source += (
        "export interface Pending extends Result { resultType: string }\n"
        "export interface ListSheepResultResponse { result: ListSheepResult | Pending }\n"
    )
    default = (
        "[[override]]\npath = '/$defs/{}/properties/resultType/default'\nnew = '{}'\nreason = 'r'\n"
    )
    overrides = default.format("ListSheepResult", "complete") + default.format("Pending", "pending")
    plan = method(folder.model(source, overrides), "sheep/list").result_plan
    assert (plan.tag, plan.default_tag) == ("resultType", "complete")
    assert plan.groups == {
        "complete": (Candidate("ListSheepResult", ()),),
        "pending": (Candidate("Pending", ()),),
    }
    plain = method(folder.model(source), "sheep/list").result_plan
    assert plain.tag is None
    assert [item.type for item in plain.groups[None]] == ["ListSheepResult", "Pending"]


def test_capabilities_come_from_overrides(folder: Folder) -> None:
    override = (
        "[[override]]\npath = '/x-mcp/methods/sheep~1list/capability'\nnew = 'sheep.list'\n"
        "reason = 'r'\n"
    )
    protocol = folder.model(PROTOCOL, override)
    assert method(protocol, "sheep/list").capability == "sheep.list"
    assert method(protocol, "sheep/shear").capability is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "params: AskParams",
            "params: string",
            "2030-01-01: ask: found the params AskRequestParams, which are no object",
        ),
        (
            "params: AskParams",
            "params: AskParams | null",
            "2030-01-01: ask: found the params AskRequestParams, which are no object",
        ),
        (
            "params: AskParams }",
            "params: { [key: string]: string } }\nexport interface AskRequestParams {}",
            "2030-01-01: AskRequest.params: would be named AskRequestParams, which is another type",
        ),
        (
            "interface AskResult extends Result { answer: string }",
            "type AskResult = string",
            "2030-01-01: ask: found the result AskResult, which is no object",
        ),
        (
            "interface BleatNotification extends Notification { method: ",
            "interface Bleat extends Notification { method: 'notifications/other' }\n"
            "export interface BleatNotification extends Notification { method: ",
            "2030-01-01: BleatNotification: notifications/other and notifications/bleat both "
            "become bleat",
        ),
    ],
)
def test_methods_that_cannot_be_stop(folder: Folder, old: str, new: str, message: str) -> None:
    source = PROTOCOL.replace(old, new).replace(
        "ClientNotification = BleatNotification",
        "ClientNotification = Bleat | BleatNotification"
        if "Bleat " in new
        else "ClientNotification = BleatNotification",
    )
    with pytest.raises(SchemaError) as caught:
        folder.model(source)
    assert str(caught.value) == message


def test_a_result_that_does_not_exist_stops(folder: Folder) -> None:
    override = (
        "[[override]]\npath = '/x-mcp/methods/ask/results'\nold = ['AskResult']\n"
        "new = ['AskedResult']\nreason = 'r'\n"
    )
    with pytest.raises(SchemaError) as caught:
        folder.model(PROTOCOL, override)
    assert str(caught.value) == "2030-01-01: ask: found no type AskedResult"


def test_a_name_for_an_inline_object_that_is_not_there_stops(folder: Folder) -> None:
    with pytest.raises(OverrideError, match=r"the name for T\.a matches nothing in 2030-01-01"):
        folder.model(PROTOCOL, "[[name]]\nsite = 'T.a'\nname = 'U'\nreason = 'r'\n")


# --- documentation ------------------------------------------------------------------------------


def test_fields_are_described_by_the_nearest_type_that_says_anything(folder: Folder) -> None:
    source = (
        f"{TYPES}export interface A {{ x: string; y: string; z: string }}\n"
        "export interface B extends A { z: string }\nexport interface C extends B {}\n"
    )
    protocol = folder.model(
        source, "", {"A.x": "A x.", "A.y": "A y.", "B.y": "B y.", "C.z": "C z.", "C": "A C.\n\nSo."}
    )
    c = obj(protocol, "C")
    assert [item.docs.text for item in c.fields] == ["A x.", "B y.", "C z."]
    assert [item.owner for item in c.fields] == ["A", "A", "A"]
    assert c.extends == ("B",)
    assert (c.docs.text, c.docs.summary) == ("A C.\n\nSo.", "A C.")


def test_our_words_come_before_the_specifications(folder: Folder) -> None:
    source = (
        f"{TYPES}/** Theirs. */\nexport interface T {{\n  /** Their a. */\n  a: string;\n"
        "  /** Their b. */\n  b: string;\n}\n"
    )
    protocol = folder.model(source, "", {"T.a": "Our a."}, keep=True)
    assert protocol.type("T").docs.text == "Theirs."
    assert [item.docs.text for item in obj(protocol, "T").fields] == ["Our a.", "Their b."]
    bare = folder.model(source)
    assert [item.docs.text for item in obj(bare, "T").fields] == ["", ""]


def test_frames_and_params_are_described_by_what_they_are(folder: Folder) -> None:
    protocol = folder.model(
        PROTOCOL,
        "",
        {
            "JSONRPCRequest.id": "The id.",
            "Request.method": "The method.",
            "RequestParams._meta": "The metadata.",
            "sheep/list": "Lists sheep.",
        },
    )
    request = obj(protocol, "ListSheepRequest")
    assert [item.docs.text for item in request.fields] == ["", "The id.", "The method.", ""]
    assert obj(protocol, "ListSheepRequestParams").fields[0].docs.text == "The metadata."
    assert method(protocol, "sheep/list").docs.text == "Lists sheep."


def test_an_inline_intersection_is_described_by_its_parts(folder: Folder) -> None:
    source = (
        f"{TYPES}export interface A {{ x: string }}\nexport interface T {{ t: A & {{ y: 'y' }} }}"
    )
    found = obj(folder.model(source, "", {"A.x": "An x."}), "TT")
    assert [item.docs.text for item in found.fields] == ["An x.", ""]
    assert found.extends == ("A",)


@pytest.mark.parametrize(
    ("version", "name", "url"),
    [
        ("2025-11-25", "Sheep", "/2025-11-25/schema#sheep"),
        ("2025-11-25", "ListSheepRequestParams", "/2025-11-25/schema#listsheeprequest"),
        ("2025-03-26", "Sheep", "/2025-03-26"),
        ("draft", "Sheep", "/draft/schema#sheep"),
    ],
)
def test_addresses_in_the_specification(folder: Folder, version: str, name: str, url: str) -> None:
    found = folder.model(PROTOCOL, version=version).type(name).docs.spec_url
    assert found == f"https://modelcontextprotocol.io/specification{url}"


def test_deprecations_at_any_depth_and_by_inheritance(folder: Folder) -> None:
    mark = "/** @deprecated protocol version 2029-05-06 */"
    protocol = folder.model(
        f"{TYPES}/** @deprecated */\nexport interface T {{\n {mark}\n a: string;\n"
        f" b: {{ c: {{\n {mark}\n d: string; e: string }}[] }} }}\n"
        "export interface U extends T {}\n/** @deprecated */\nexport type V = string;\n"
    )
    since = "Deprecated since 2029-05-06."
    assert protocol.type("T").deprecated == "Deprecated."
    assert protocol.type("U").deprecated is None
    assert protocol.type("V").deprecated == "Deprecated."
    assert [item.deprecated for item in obj(protocol, "T").fields] == [since, None]
    assert [item.deprecated for item in obj(protocol, "U").fields] == [since, None]
    assert [item.deprecated for item in obj(protocol, "TBCItem").fields] == [since, None]


def test_a_deprecated_message_is_a_deprecated_method(folder: Folder) -> None:
    source = PROTOCOL.replace(
        "export interface ShearRequest", "/** @deprecated */\nexport interface ShearRequest"
    )
    protocol = folder.model(source)
    assert method(protocol, "sheep/shear").deprecated == "Deprecated."
    assert method(protocol, "sheep/list").deprecated is None
