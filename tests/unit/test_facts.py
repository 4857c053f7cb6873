"""The facts of an invented protocol: methods, roles, results, deprecations; and every error."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.errors import SchemaError
from mcpgen.ingest.derived import derived_facts
from mcpgen.ingest.facts import read_facts
from mcpgen.ingest.typescript import read_module

PROTOCOL = """
export const LATEST_PROTOCOL_VERSION = "2030-01-01";
export const GONE = -410;

export interface Request { method: string; params?: { _meta?: object } }
export interface Notification { method: string; params?: { _meta?: object } }
export interface Result { [key: string]: unknown }
export type EmptyResult = Result;

export interface CountRequest extends Request { method: "sheep/count"; params: { field: string } }
export interface CountResult extends Result { total: number }
export interface ShearRequest extends Request { method: "sheep/shear" }
export interface AskRequest extends Request { method: "ask"; params?: AskParams }
export interface AskParams { question: string }
export interface AskResult extends Result { answer: string }
export interface BleatNotification extends Notification { method: "notifications/bleat" }

export type ClientRequest = CountRequest | ShearRequest;
export type ServerRequest = AskRequest | ShearRequest;
export type ClientNotification = BleatNotification;
export type ServerNotification = BleatNotification;
export type ServerResult = CountResult | EmptyResult;
export type ClientResult = AskResult | EmptyResult;
"""


def facts(source: str) -> dict[str, Any]:
    return read_facts(read_module(source.encode(), "schema.ts"))


def derived(source: str) -> dict[str, Any]:
    module = read_module(source.encode(), "schema.ts")
    return derived_facts(module, read_facts(module))


def changed(*replacements: tuple[str, str]) -> str:
    source = PROTOCOL
    for old, new in replacements:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


# --- methods ------------------------------------------------------------------------------------


def test_methods_with_kind_senders_params_and_results() -> None:
    assert facts(PROTOCOL)["methods"] == {
        "sheep/count": {
            "kind": "request",
            "sentBy": ["client"],
            "message": "CountRequest",
            "params": "CountRequest.params",
            "paramsRequired": True,
            "results": ["CountResult"],
        },
        "sheep/shear": {
            "kind": "request",
            "sentBy": ["client", "server"],
            "message": "ShearRequest",
            "params": "Request.params",
            "paramsRequired": False,
            "results": ["EmptyResult"],
        },
        "ask": {
            "kind": "request",
            "sentBy": ["server"],
            "message": "AskRequest",
            "params": "AskParams",
            "paramsRequired": False,
            "results": ["AskResult"],
        },
        "notifications/bleat": {
            "kind": "notification",
            "sentBy": ["client", "server"],
            "message": "BleatNotification",
            "params": "Notification.params",
            "paramsRequired": False,
            "results": [],
        },
    }


def test_roles_are_the_unions_in_their_order() -> None:
    assert facts(PROTOCOL)["unions"] == {
        "ClientRequest": ["CountRequest", "ShearRequest"],
        "ServerRequest": ["AskRequest", "ShearRequest"],
        "ClientNotification": ["BleatNotification"],
        "ServerNotification": ["BleatNotification"],
        "ServerResult": ["CountResult", "EmptyResult"],
        "ClientResult": ["AskResult", "EmptyResult"],
    }


def test_constants_and_bases() -> None:
    found = facts(
        PROTOCOL
        + "export interface Named { name: string }\n"
        + "export interface Both extends Named, Omit<CountResult, 'total'> {}\n"
        + "export type Mixed = Named & { age: number };\n"
    )
    assert found["constants"] == {"LATEST_PROTOCOL_VERSION": "2030-01-01", "GONE": -410}
    assert found["extends"]["CountRequest"] == ["Request"]
    assert found["extends"]["Both"] == ["Named", "CountResult"]
    assert found["extends"]["Mixed"] == ["Named"]
    assert "Named" not in found["extends"]
    assert "EmptyResult" not in found["extends"]


COUNT_RESULT = "export interface CountResult extends Result { total: number }"
RESPONSE = "\nexport interface CountResultResponse { result: RESULT }\nexport interface X {}"
SERVER_RESULT = "export type ServerResult = CountResult | EmptyResult"


@pytest.mark.parametrize(
    ("result", "results"),
    [
        ("CountResult", ["CountResult"]),
        ("CountResult | AskResult", ["CountResult", "AskResult"]),
        ("AskResult | CountResult", ["AskResult", "CountResult"]),
    ],
)
def test_a_result_response_names_the_results(result: str, results: list[str]) -> None:
    source = changed(
        (COUNT_RESULT, COUNT_RESULT + RESPONSE.replace("RESULT", result)),
        (SERVER_RESULT, f"{SERVER_RESULT} | AskResult"),
        ("ClientResult = AskResult", "ClientResult = AskResult | CountResult"),
    )
    assert facts(source)["methods"]["sheep/count"]["results"] == results


def test_requests_inside_results_are_embedded() -> None:
    source = changed(
        ("ServerRequest = AskRequest | ShearRequest", "InputRequest = AskRequest"),
        ("ClientResult = AskResult | EmptyResult", "InputResponse = AskResult"),
    )
    found = facts(source)["methods"]
    assert found["ask"]["kind"] == "embedded"
    assert found["ask"]["sentBy"] == ["server"]
    assert found["ask"]["results"] == ["AskResult"]
    assert found["sheep/shear"]["sentBy"] == ["client"]


@pytest.mark.parametrize(
    ("bases", "expected"),
    [
        ("extends Request", ("Request.params", False)),
        ("extends Between", ("Between.params", True)),
        ("extends Request, Between", ("Between.params", True)),
        ("extends Between, Request", ("Request.params", False)),
        ("extends Request, Omit<Between, 'params'>", ("Request.params", False)),
        ("extends Omit<Request, 'params'>", (None, False)),
        ("", (None, False)),
    ],
)
def test_inherited_params(bases: str, expected: tuple[str | None, bool]) -> None:
    source = changed(("ShearRequest extends Request", f"ShearRequest {bases}"))
    source += "export interface Between extends Request { params: { tool: string } }"
    found = facts(source)["methods"]["sheep/shear"]
    assert (found["params"], found["paramsRequired"]) == expected


# --- tags ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "since"),
    [
        ("@deprecated", None),
        ("@deprecated Use another one.", None),
        ("@deprecated Deprecated as of protocol version 2029-05-06 (see there).", "2029-05-06"),
        ("@deprecated Gone in protocol\n * version 2029-05-06.", "2029-05-06"),
        ("@deprecated Since protocol version `2029-05-06`.", "2029-05-06"),
        ("Old. @deprecated since 2029-05-06", None),
    ],
)
def test_deprecated_types(tag: str, since: str | None) -> None:
    source = f"{PROTOCOL}/**\n * {tag}\n */\nexport interface Wool {{}}"
    assert facts(source)["deprecated"] == {"Wool": since}


def test_deprecated_properties_at_any_depth() -> None:
    mark = "/** @deprecated protocol version 2029-05-06 */"
    source = (
        PROTOCOL
        + f"export interface Wool {{\n {mark}\n a: string;\n b: {{\n {mark}\n c?: {{\n"
        + f" {mark}\n d: string }} }}[];\n e: Record<string, {{\n {mark}\n f: string }}>;\n"
        + f" g: null | {{\n {mark}\n h: string }};\n i: Wool & {{\n {mark}\n j: string }};\n"
        + f" [key: string]: {{\n {mark}\n k: string }} | unknown }}\n"
        + f"export type Yarn = {{\n {mark}\n l: string }};\n"
    )
    assert list(facts(source)["deprecated"]) == [
        "Wool.a",
        "Wool.b[].c",
        "Wool.b[].c.d",
        "Wool.e{}.f",
        "Wool.g.h",
        "Wool.i.j",
        "Wool{}.k",
        "Yarn.l",
    ]


def test_internal_types_and_categories() -> None:
    found = facts(
        f"{PROTOCOL}/** @internal */\nexport interface Wool {{}}\n"
        "/** @category `sheep/count` */\nexport type Yarn = string;\n"
        "/** @category Common Types\n * @internal */\nexport interface Cloth {}\n"
        "/** @category */\nexport interface Thread {}\n"
    )
    assert found["internal"] == ["Wool", "Cloth"]
    assert found["categories"] == {"Yarn": "sheep/count", "Cloth": "Common Types"}


# --- what must stop -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("replacements", "line", "message"),
    [
        (
            [("ClientRequest = CountRequest | ShearRequest", "ClientRequest = ShearRequest")],
            10,
            "found the message CountRequest, which no union of roles holds",
        ),
        (
            [("ServerRequest = AskRequest", "ServerRequest = AskRequest | BleatNotification")],
            16,
            "found BleatNotification in unions of notification and request",
        ),
        (
            [('"ask"', '"sheep/shear"')],
            13,
            "found a second message with the method sheep/shear",
        ),
        (
            [
                (
                    "export type ClientRequest = CountRequest | ",
                    "export type ClientRequest = string | ",
                )
            ],
            18,
            "found ClientRequest, expected a union of declared types",
        ),
        (
            [("type ServerResult = CountResult | EmptyResult", "interface ServerResult {}")],
            22,
            "found ServerResult, expected a union of declared types",
        ),
        (
            [("ServerResult = CountResult", "ServerResult = AskResult")],
            10,
            "found CountResult for CountRequest, which ServerResult lacks",
        ),
        (
            [("ServerResult = CountResult | EmptyResult", "ServerResult = CountResult")],
            12,
            "found EmptyResult for ShearRequest, which ServerResult lacks",
        ),
        (
            [("ClientResult = AskResult | EmptyResult", "ClientResult = AskResult")],
            12,
            "found EmptyResult for ShearRequest, which ClientResult lacks",
        ),
        (
            [("ServerResult = CountResult", "ServerResult = CountResult | Result")],
            7,
            "found Result in ServerResult, but no request that it answers",
        ),
        (
            [("interface AskResult", "interface AskedResult"), ("= AskResult", "= AskedResult")],
            15,
            "found AskedResult in ClientResult, but no request that it answers",
        ),
        (
            [("ClientRequest = CountRequest", "ClientRequest = CountRequest | AskParams")],
            14,
            "found AskParams in ClientRequest, expected an interface with a `method` literal",
        ),
        (
            [('{ method: "sheep/shear" }', "{}")],
            12,
            "found ShearRequest in ClientRequest, expected an interface with a `method` literal",
        ),
        (
            [('method: "sheep/shear"', "method: 1")],
            12,
            "found ShearRequest in ClientRequest, expected an interface with a `method` literal",
        ),
        (
            [(COUNT_RESULT, COUNT_RESULT + RESPONSE.replace("RESULT", "string"))],
            12,
            "found CountResultResponse without named results",
        ),
        (
            [(COUNT_RESULT, COUNT_RESULT + RESPONSE.replace("RESULT", "AskResult | { a: 1 }"))],
            12,
            "found CountResultResponse without named results",
        ),
        (
            [(COUNT_RESULT, COUNT_RESULT + "\nexport interface CountResultResponse { a: Result }")],
            12,
            "found CountResultResponse without named results",
        ),
        (
            [(COUNT_RESULT, COUNT_RESULT + RESPONSE.replace("RESULT", "CountResult | AskResult"))],
            10,
            "found AskResult for CountRequest, which ServerResult lacks",
        ),
        (
            [
                ("ShearRequest extends Request", "ShearRequest extends Loose"),
                (COUNT_RESULT, "export type Loose = { params: { a: string } };\n" + COUNT_RESULT),
            ],
            13,
            "found ShearRequest with params that no interface declares",
        ),
    ],
)
def test_a_message_or_result_out_of_place_stops(
    replacements: list[tuple[str, str]], line: int, message: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        facts(changed(*replacements))
    assert str(caught.value) == f"schema.ts:{line}: {message}"


# --- derivations --------------------------------------------------------------------------------

FRAME = "jsonrpc: '2.0'; id: string; "


def test_messages_without_an_envelope_become_frames() -> None:
    assert derived(PROTOCOL)["frames"] == [
        "CountRequest",
        "ShearRequest",
        "AskRequest",
        "BleatNotification",
    ]
    whole = changed(("interface Request { ", f"interface Request {{ {FRAME}"))
    assert derived(whole)["frames"] == ["BleatNotification"]


def test_embedded_requests_are_no_frames() -> None:
    source = changed(
        ("ServerRequest = AskRequest | ShearRequest", "InputRequest = AskRequest"),
        ("ClientResult = AskResult | EmptyResult", "InputResponse = AskResult"),
    )
    assert derived(source)["frames"] == ["CountRequest", "ShearRequest", "BleatNotification"]


def test_params_declared_anew_are_granted_meta() -> None:
    assert derived(PROTOCOL)["meta"] == {"CountRequest.params": "Request.params._meta"}


@pytest.mark.parametrize(
    ("replacements", "meta"),
    [
        ([("params: { field: string }", "params: { field: string; _meta?: object }")], {}),
        ([("params: { field: string }", "params: { [key: string]: unknown }")], {}),
        ([("params: { field: string }", "params: AskParams")], {}),
        (
            [
                (
                    "interface Request { method: string; params?: { _meta?: object } }",
                    "interface Request { method: string }",
                )
            ],
            {},
        ),
        (
            [
                (
                    "interface Request { method: string; params?: { _meta?: object } }",
                    "interface RequestParams { _meta?: object }\n"
                    "export interface Request { method: string; params?: RequestParams }",
                )
            ],
            {"CountRequest.params": "RequestParams._meta"},
        ),
        (
            [
                (
                    "interface BleatNotification extends Notification { ",
                    "interface Loud extends Notification {}\n"
                    "export interface BleatNotification extends Loud { params: { loud: true }; ",
                )
            ],
            {
                "CountRequest.params": "Request.params._meta",
                "BleatNotification.params": "Notification.params._meta",
            },
        ),
    ],
)
def test_where_meta_is_granted(replacements: list[tuple[str, str]], meta: dict[str, str]) -> None:
    assert derived(changed(*replacements))["meta"] == meta


@pytest.mark.parametrize(
    ("declaration", "generic"),
    [
        ("", []),
        ("export interface JSONRPCRequest extends Request {}", ["JSONRPCRequest.params"]),
        ("export interface JSONRPCRequest { params?: { [key: string]: unknown } }", []),
        ("export interface JSONRPCRequest { params?: AskParams }", []),
        (
            "export interface JSONRPCNotification extends Notification {}",
            ["JSONRPCNotification.params"],
        ),
    ],
)
def test_the_messages_for_any_method_take_any_params(declaration: str, generic: list[str]) -> None:
    assert derived(PROTOCOL + declaration)["generic"] == generic
