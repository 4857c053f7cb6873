"""The methods of the Model, on an invented protocol: params, results, pages, capabilities."""

from __future__ import annotations

import pytest
from mcpgen.errors import OverrideError, SchemaError
from mcpgen.model.model import (
    AliasType,
    AnyValue,
    Candidate,
    Map,
    Pagination,
    Ref,
    UnionOf,
    UnionPlan,
)

from .invented import PROTOCOL, STRING, Folder, method, obj


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
