"""`decode_message`: the envelope comes first, then the method's class or the generic one."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest
from mcp_wire import UNSET, DecodeError, ErrorResponse, InvalidMessage, JsonError, ResultResponse

from .documents import BATCHES, MODULES, RESULT_TYPES, call, every_version, text

PING = {"jsonrpc": "2.0", "id": 1, "method": "acme/ping"}
RESULT = {"jsonrpc": "2.0", "id": 1, "result": {}}
ERROR = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "m"}}
NOTE = {"jsonrpc": "2.0", "method": "acme/note"}
MESSAGES = {"request": PING, "result": RESULT, "error": ERROR, "notification": NOTE}


def without(message: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: item for name, item in message.items() if name != key}


def invalid(module: ModuleType, message: Any) -> InvalidMessage:
    """The error of a message that is none, whether it comes as text or decoded."""
    with pytest.raises(InvalidMessage) as of_text:
        module.decode_message(json.dumps(message))
    with pytest.raises(InvalidMessage) as decoded:
        module.decode_message(message if isinstance(message, dict | list) else json.dumps(message))
    for name in ("path", "expected", "found", "id"):
        assert getattr(of_text.value, name) == getattr(decoded.value, name)
    return decoded.value


# --- what is no message -------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "text", "", [], [[]], [1]], ids=repr)
@every_version
def test_only_objects_are_messages(module: ModuleType, value: Any) -> None:
    error = invalid(module, value)
    assert error.expected == "a JSON-RPC message"
    assert error.id is UNSET


@every_version
def test_arguments_that_are_neither_text_nor_json(module: ModuleType) -> None:
    for value, found in ((None, "null"), (5, "integer 5"), ((1,), "an instance of builtins.tuple")):
        with pytest.raises(module.JsonError) as caught:
            module.decode_message(value)
        assert str(caught.value) == f"$: expected JSON text, found {found}"
        with pytest.raises(module.JsonError):
            module.Tool.from_json(value)
    with pytest.raises(module.JsonError):
        module.Tool.from_json({})


@pytest.mark.parametrize("kind", MESSAGES)
@pytest.mark.parametrize(
    "jsonrpc", ["1.0", "2", "", 2.0, 2, None, True, ["2.0"], {}, ...], ids=repr
)
@every_version
def test_version_of_json_rpc(module: ModuleType, jsonrpc: Any, kind: str) -> None:
    message = {**MESSAGES[kind], "jsonrpc": jsonrpc}
    error = invalid(module, without(message, "jsonrpc") if jsonrpc is ... else message)
    assert (error.path, error.expected) == ("$.jsonrpc", '"2.0"')
    # An error answers requests alone.
    assert error.id == (1 if kind == "request" else UNSET)


@pytest.mark.parametrize("id", [None, True, False, 1.0, 0.5, [], [1], {}], ids=repr)
@every_version
def test_an_id_that_is_none(module: ModuleType, id: Any) -> None:
    for message in (PING, NOTE, RESULT):
        error = invalid(module, {**message, "id": id})
        assert error.path == "$.id"
        assert error.id is UNSET
    for info in module.METHODS.values():
        message = {"jsonrpc": "2.0", "id": id, "method": info.method, "params": {}}
        assert invalid(module, message).path == "$.id"


@pytest.mark.parametrize("method", [None, 1, True, [], {}, ["ping"]], ids=repr)
@every_version
def test_a_method_that_is_no_string(module: ModuleType, method: Any) -> None:
    error = invalid(module, {"jsonrpc": "2.0", "id": "a", "method": method})
    assert (error.path, error.expected, error.id) == ("$.method", "a string", "a")
    assert invalid(module, {"jsonrpc": "2.0", "method": method}).id is UNSET


@pytest.mark.parametrize("params", [[], [1], "text", 5, True, 1.5], ids=repr)
@every_version
def test_params_that_are_no_object(module: ModuleType, params: Any) -> None:
    for method in ("acme/ping", *module.METHODS):
        error = invalid(module, {**PING, "method": method, "params": params})
        assert (error.path, error.expected, error.id) == ("$.params", "an object", 1)
        error = invalid(module, {**NOTE, "method": method, "params": params})
        assert (error.path, error.id) == ("$.params", UNSET)


@every_version
def test_neither_or_both(module: ModuleType) -> None:
    error = invalid(module, {"jsonrpc": "2.0", "id": 1})
    assert (error.path, error.id) == ("$", 1)
    assert invalid(module, {"jsonrpc": "2.0"}).path == "$"
    assert invalid(module, {}).path == "$.jsonrpc"
    error = invalid(module, {**RESULT, "error": ERROR["error"]})
    assert (error.path, error.id) == ("$", UNSET)


@every_version
def test_a_method_makes_a_request_whatever_else_is_there(module: ModuleType) -> None:
    message = module.decode_message({**PING, "result": {}, "error": None})
    assert type(message) is module.JSONRPCRequest
    assert message.extra == {"result": {}, "error": None}


# --- responses ----------------------------------------------------------------------------------


@pytest.mark.parametrize("result", [None, [], "text", 1, True], ids=repr)
@every_version
def test_a_result_is_an_object(module: ModuleType, result: Any) -> None:
    assert invalid(module, {**RESULT, "result": result}).path == "$.result"
    assert invalid(module, without(RESULT, "id")).path == "$.id"


@pytest.mark.parametrize(
    ("error", "path"),
    [
        (None, "$.error"), ([], "$.error"), ("text", "$.error"), ({}, "$.error.code"),
        ({"code": 1}, "$.error.message"), ({"message": ""}, "$.error.code"),
        *(({"code": code, "message": ""}, "$.error.code") for code in ("1", True, 1.5, None)),
        *(({"code": 1, "message": text}, "$.error.message") for text in (None, 1)),
    ],
)  # fmt: skip
@every_version
def test_an_error_has_a_code_and_a_message(module: ModuleType, error: Any, path: str) -> None:
    assert invalid(module, {**ERROR, "error": error}).path == path


@every_version
def test_responses(module: ModuleType) -> None:
    result = module.decode_message({**RESULT, "result": {"a": None}, "x": [1]})
    assert result == ResultResponse(id=1, result={"a": None}, extra={"x": [1]})
    error = module.decode_message(
        {**ERROR, "error": {"code": 3.0, "message": "m", "data": None, "y": 1}, "x": [1]}
    )
    assert error == ErrorResponse(
        id=1, code=3, message="m", data=None, error_extra={"y": 1}, extra={"x": [1]}
    )
    assert type(error.code) is int
    assert module.decode_message(ERROR).data is UNSET


@every_version
def test_an_error_may_name_no_request(module: ModuleType) -> None:
    absent = module.decode_message(without(ERROR, "id"))
    assert absent.id is UNSET
    assert absent.to_dict() == without(ERROR, "id")
    null = module.decode_message({**ERROR, "id": None})
    assert null.id is None
    assert null.to_dict() == {**ERROR, "id": None}
    for id in (1.0, True, [], {}):
        assert invalid(module, {**ERROR, "id": id}).path == "$.id"


# --- methods the version does not know ----------------------------------------------------------


@pytest.mark.parametrize(
    "params", [{}, {"_meta": 5}, {"_meta": {"progressToken": 1.5}}, {"a": [None]}], ids=repr
)
@every_version
def test_unknown_methods(module: ModuleType, params: Any) -> None:
    for message, cls in ((PING, module.JSONRPCRequest), (NOTE, module.JSONRPCNotification)):
        document = {**message, "params": params, "x": 1}
        for data in (document, json.dumps(document), json.dumps(document).encode()):
            decoded = module.decode_message(data)
            assert type(decoded) is cls
            assert type(decoded.params) is dict
            assert decoded.params == params
            assert decoded.extra == {"x": 1}
            assert text(decoded.to_dict()) == text(document)
            assert text(json.loads(decoded.to_json())) == text(document)


@every_version
def test_unknown_methods_without_params(module: ModuleType) -> None:
    for message in (PING, NOTE):
        assert module.decode_message(message).params is None
        assert module.decode_message({**message, "params": None}).params is None
        assert module.decode_message({**message, "params": None}).to_dict() == message


@every_version
def test_a_method_of_the_other_kind_is_unknown(module: ModuleType) -> None:
    for method, info in module.METHODS.items():
        params = {"anything": [1]}
        if info.kind != "request":
            message = module.decode_message({**PING, "method": method, "params": params})
            assert type(message) is module.JSONRPCRequest
        if info.kind != "notification":
            message = module.decode_message({**NOTE, "method": method, "params": params})
            assert type(message) is module.JSONRPCNotification
        assert message.params == params


def test_a_method_of_another_version_is_unknown() -> None:
    known = {method for module in MODULES.values() for method in module.METHODS}
    for module in MODULES.values():
        for method in known - module.METHODS.keys():
            message = module.decode_message({**PING, "method": method, "params": {}})
            assert type(message) is module.JSONRPCRequest


# --- methods it knows ---------------------------------------------------------------------------


@every_version
def test_faults_behind_the_envelope_are_the_methods(module: ModuleType) -> None:
    """Params that do not fit are no fault of the message: -32602, not -32600."""
    message = {**PING, "method": "tools/call"}
    for params, path in (
        ({}, "$.params._meta" if module is MODULES[RESULT_TYPES] else "$.params.name"),
        ({"name": 5, "_meta": {}}, None),
        (None, "$.params"),
        (..., "$.params"),
    ):
        wrong = message if params is ... else {**message, "params": params}
        with pytest.raises(DecodeError) as caught:
            module.decode_message(wrong)
        assert not isinstance(caught.value, InvalidMessage | JsonError)
        assert path is None or caught.value.path == path


@every_version
def test_params_may_be_null_where_they_may_be_absent(module: ModuleType) -> None:
    for method, info in module.METHODS.items():
        if info.kind == "embedded" or info.params_required:
            continue
        message = {"jsonrpc": "2.0", "method": method}
        if info.kind == "request":
            message["id"] = "a"
        decoded = module.decode_message({**message, "params": None})
        assert decoded.params is None
        assert decoded.to_dict() == message


@every_version
def test_the_document_is_left_alone(module: ModuleType) -> None:
    for message in (PING, NOTE, RESULT, ERROR, {**PING, "method": "tools/call", "params": {}}):
        before = copy.deepcopy(message)
        with suppress(DecodeError):
            module.decode_message(message)
        assert text(message) == text(before)


# --- batches ------------------------------------------------------------------------------------

BATCH = MODULES[BATCHES]
CALL = {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {"name": "add"}}


@pytest.mark.parametrize("version", [version for version in MODULES if version != BATCHES])
def test_other_versions_have_no_batches(version: str) -> None:
    for batch in ([PING], [PING, NOTE], [CALL, RESULT]):
        error = invalid(MODULES[version], batch)
        assert (error.path, error.id) == ("$", UNSET)


def test_a_batch_is_a_list_of_messages() -> None:
    batch = [CALL, PING, NOTE, RESULT, ERROR, {"jsonrpc": "2.0", "id": 2, "method": "ping"}]
    for data in (batch, json.dumps(batch), json.dumps(batch).encode()):
        messages = BATCH.decode_message(data)
        assert [type(message).__name__ for message in messages] == [
            "CallToolRequest", "JSONRPCRequest", "JSONRPCNotification", "ResultResponse",
            "ErrorResponse", "PingRequest",
        ]  # fmt: skip
        assert text([message.to_dict() for message in messages]) == text(batch)


@pytest.mark.parametrize(
    ("member", "path", "id"),
    [
        (5, "$[1]", UNSET), (None, "$[1]", UNSET), ([], "$[1]", UNSET), ([PING], "$[1]", UNSET),
        ({}, "$[1].jsonrpc", UNSET), ({**PING, "id": None}, "$[1].id", UNSET),
        ({**PING, "params": []}, "$[1].params", 1), ({"jsonrpc": "2.0", "id": 7}, "$[1]", 7),
    ],
)  # fmt: skip
def test_a_batch_with_something_else_in_it(member: Any, path: str, id: Any) -> None:
    error = invalid(BATCH, [PING, member])
    assert (error.path, error.id) == (path, id)


def test_a_batch_with_params_that_do_not_fit() -> None:
    with pytest.raises(DecodeError) as caught:
        BATCH.decode_message([PING, {**CALL, "params": {"name": 5}}])
    assert (caught.value.path, caught.value.expected) == ("$[1].params.name", "a string")
    assert not isinstance(caught.value, InvalidMessage)


def test_batches_have_types_of_their_own() -> None:
    for name, batch in (
        ("JSONRPCBatchRequest", [PING, NOTE]),
        ("JSONRPCBatchResponse", [RESULT, ERROR]),
        ("JSONRPCMessage", [PING, NOTE]),
        ("JSONRPCMessage", [RESULT, ERROR]),
        ("JSONRPCMessage", PING),
    ):
        assert text(BATCH.encode_as(name, BATCH.decode_as(name, batch))) == text(batch)


@every_version
def test_messages_are_written_in_the_same_order_in_every_version(module: ModuleType) -> None:
    document = {**call(module), "x-vendor": 1}
    request = module.CallToolRequest.from_dict(dict(reversed(document.items())))
    assert list(request.to_dict()) == list(document)
    document = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {}}
    notification = module.decode_message(dict(reversed(document.items())))
    assert list(notification.to_dict()) == list(document)
