"""The rules of the emitted types: what is kept, what is absent, what is there by itself."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from importlib import import_module
from types import ModuleType
from typing import Any

import mcp_wire
import pytest
from mcp_wire import UNSET, DecodeError

from .documents import META, MODULES, RESULT_TYPES, call, classes, codec, every_version, text

TASKS = MODULES["2025-11-25"]
MODERN = MODULES[RESULT_TYPES]
EMPTY: Any = import_module("mcp_wire.runtime.values").EMPTY


# --- nothing is lost, nothing is added ----------------------------------------------------------


@every_version
def test_unknown_keys_are_kept_at_every_level(module: ModuleType) -> None:
    document = {
        "content": [
            {"type": "text", "text": "hi", "annotations": {"x-deep": [1]}, "x-inner": None},
            {"type": "resource", "resource": {"uri": "a:b", "text": "", "x": {}}, "y": True},
        ],
        "x-outer": {"a": [None]},
    }
    if module is MODERN:
        document["resultType"] = "complete"
    result = module.CallToolResult.from_dict(document)
    assert result.extra == {"x-outer": {"a": [None]}}
    assert result.content[0].extra == {"x-inner": None}
    assert result.content[0].annotations.extra == {"x-deep": [1]}
    assert result.content[1].resource.extra == {"x": {}}
    assert text(result.to_dict()) == text(document)


@every_version
def test_extra_is_the_read_only_singleton_when_there_is_none(module: ModuleType) -> None:
    decoded = module.TextContent.from_dict({"type": "text", "text": "", "annotations": {}})
    built = module.TextContent(text="")
    for extra in (decoded.extra, decoded.annotations.extra, built.extra):
        assert extra is EMPTY
    with pytest.raises(TypeError):
        decoded.extra["x"] = 1
    with pytest.raises(AttributeError):
        decoded.extra.update({"x": 1})
    assert copy.deepcopy(decoded).extra is EMPTY
    assert pickle.loads(pickle.dumps(decoded)).extra is EMPTY


@every_version
def test_extra_never_overwrites_a_field(module: ModuleType) -> None:
    stolen = {"type": "image", "text": "other", "annotations": 5, "x": 1}
    content = module.TextContent(text="mine", annotations=module.Annotations(), extra=stolen)
    assert content.to_dict() == {"type": "text", "text": "mine", "annotations": {}, "x": 1}
    assert stolen == {"type": "image", "text": "other", "annotations": 5, "x": 1}


def test_extra_of_responses_never_overwrites_a_member() -> None:
    stolen = {"jsonrpc": "1.0", "id": 9, "result": {"no": 1}, "error": {"no": 1}, "x": 1}
    result = mcp_wire.ResultResponse(id=1, result={}, extra=stolen)
    assert {**result.to_dict(), "error": None} == {
        "jsonrpc": "2.0", "id": 1, "result": {}, "error": None, "x": 1,
    }  # fmt: skip
    error = mcp_wire.ErrorResponse(
        id=1, code=-1, message="m", data=None, error_extra={"code": 5, "data": 5, "y": 2}
    )
    assert error.to_dict()["error"] == {"code": -1, "message": "m", "data": None, "y": 2}


@every_version
def test_open_values_are_not_copied(module: ModuleType) -> None:
    document = call(module, arguments={"a": [1]})
    request = module.CallToolRequest.from_dict(document)
    assert request.params.arguments is document["params"]["arguments"]
    assert request.to_dict()["params"]["arguments"] is document["params"]["arguments"]


@every_version
def test_empty_and_absent_stay_apart(module: ModuleType) -> None:
    for document in ({}, {"cursor": ""}, {"_meta": {}}, {"cursor": "", "_meta": {}}):
        if module is MODERN:
            document = {**document, "_meta": META}
        params = module.PaginatedRequestParams.from_dict(document)
        assert text(params.to_dict()) == text(document)


@pytest.mark.parametrize("token", [0, "", "0", -1, 2**70])
@every_version
def test_falsy_tokens_survive(module: ModuleType, token: Any) -> None:
    meta = {**META, "progressToken": token} if module is MODERN else {"progressToken": token}
    request = module.decode_message(call(module, _meta=meta))
    assert request.params.meta.progress_token == token
    assert text(request.to_dict()["params"]["_meta"]["progressToken"]) == text(token)


# --- absent and null ----------------------------------------------------------------------------


@every_version
def test_null_in_an_optional_field_is_read_as_absent(module: ModuleType) -> None:
    tool = module.Tool.from_dict(
        {"name": "t", "description": None, "inputSchema": {"type": "object"}}
    )
    assert tool.description is None
    assert tool.extra is EMPTY
    assert tool.to_dict() == {"name": "t", "inputSchema": {"type": "object"}}


@every_version
def test_null_in_a_required_field_is_refused(module: ModuleType) -> None:
    with pytest.raises(DecodeError) as caught:
        module.Tool.from_dict({"name": None, "inputSchema": {"type": "object"}})
    assert (caught.value.path, caught.value.found) == ("$.name", "null")


@every_version
def test_null_is_a_value_where_anything_is(module: ModuleType) -> None:
    message = {
        "jsonrpc": "2.0",
        "method": "notifications/message",
        "params": {"level": "info", "data": None},
    }
    decoded = module.decode_message(message)
    assert decoded.params.data is None
    assert text(decoded.to_dict()) == text(message)
    del message["params"]["data"]
    with pytest.raises(DecodeError) as caught:
        module.decode_message(message)
    assert (caught.value.path, caught.value.found) == ("$.params.data", "nothing")


def test_unset_where_null_means_something() -> None:
    absent = MODERN.CallToolResult.from_dict({"resultType": "complete", "content": []})
    assert absent.structured_content is UNSET
    assert "structuredContent" not in absent.to_dict()
    null = MODERN.CallToolResult.from_dict(
        {"resultType": "complete", "content": [], "structuredContent": None}
    )
    assert null.structured_content is None
    assert null.to_dict()["structuredContent"] is None
    assert MODERN.CallToolResult(content=[]).structured_content is UNSET


def test_required_and_nullable() -> None:
    task = {"taskId": "1", "status": "working", "createdAt": "", "lastUpdatedAt": "", "ttl": None}
    assert TASKS.Task.from_dict(task).ttl is None
    assert text(TASKS.Task.from_dict(task).to_dict()) == text(task)
    with pytest.raises(DecodeError) as caught:
        TASKS.Task.from_dict({key: item for key, item in task.items() if key != "ttl"})
    assert caught.value.path == "$.ttl"
    with pytest.raises(TypeError):
        TASKS.Task(task_id="1", status="working", created_at="", last_updated_at="")


@every_version
def test_error_data(module: ModuleType) -> None:
    plain = {"code": 1, "message": ""}
    assert module.Error.from_dict(plain).data is UNSET
    assert module.Error.from_dict(plain).to_dict() == plain
    assert module.Error.from_dict({**plain, "data": None}).data is None
    assert module.Error.from_dict({**plain, "data": None}).to_dict() == {**plain, "data": None}


# --- constants ----------------------------------------------------------------------------------


@every_version
def test_constants_are_defaults_written_and_verified(module: ModuleType) -> None:
    content = module.TextContent(text="")
    assert content.type == "text"
    assert content.to_dict() == {"type": "text", "text": ""}
    for wrong in ("image", "", None, 1, ["text"]):
        with pytest.raises(DecodeError) as caught:
            module.TextContent.from_dict({"type": wrong, "text": ""})
        assert (caught.value.path, caught.value.expected) == ("$.type", '"text"')
    with pytest.raises(DecodeError) as caught:
        module.TextContent.from_dict({"text": ""})
    assert caught.value.path == "$.type"


@every_version
def test_frames_write_their_constants(module: ModuleType) -> None:
    for method, info in module.METHODS.items():
        if info.kind == "embedded":
            continue
        cls = getattr(module, info.message)
        defaults = {field.name: field.default for field in dataclasses.fields(cls)}
        assert (defaults["jsonrpc"], defaults["method"]) == ("2.0", method)
        assert ("id" in defaults) == (info.kind == "request")
        if not info.params_required:
            frame = cls(id=7) if info.kind == "request" else cls()
            identifier = {"id": 7} if info.kind == "request" else {}
            assert frame.to_dict() == {"jsonrpc": "2.0", "method": method, **identifier}


def test_constants_that_are_numbers() -> None:
    error = {"code": -32042, "message": "", "data": {"elicitations": []}}
    cls = TASKS.URLElicitationRequiredErrorError
    for code in (-32042, -32042.0):
        decoded = cls.from_dict({**error, "code": code})
        assert type(decoded.code) is int
        assert text(decoded.to_dict()) == text(error)
    for code in (-32041, True, "-32042", None):
        with pytest.raises(DecodeError) as caught:
            cls.from_dict({**error, "code": code})
        assert (caught.value.path, caught.value.expected) == ("$.code", "-32042")


@every_version
def test_exported_constants(module: ModuleType) -> None:
    assert module.PARSE_ERROR == -32700
    assert module.JSONRPC_VERSION == "2.0"
    assert MODULES[module.PROTOCOL_VERSION] is module


# --- results ------------------------------------------------------------------------------------


def test_construction_defaults() -> None:
    info = MODERN.Implementation(name="s", version="1")
    assert MODERN.ListToolsResult(tools=[]).to_dict() == {
        "resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private",
    }  # fmt: skip
    assert MODERN.CallToolResult(content=[]).result_type == "complete"
    assert MODERN.InputRequiredResult().to_dict() == {"resultType": "input_required"}
    discovered = MODERN.DiscoverResult(
        supported_versions=[], capabilities=MODERN.ServerCapabilities()
    )
    assert discovered.ttl_ms == 0
    assert discovered.cache_scope == "private"
    assert info.to_dict() == {"name": "s", "version": "1"}


RESULT_CLASSES = [cls for cls in classes(MODERN) if "result_type" in cls.__slots__]
CACHE = {"ttlMs": 1, "cacheScope": "public"}
MINIMAL: dict[str, Any] = {
    "CacheableResult": CACHE,
    "CallToolResult": {"content": []},
    "CompleteResult": {"completion": {"values": []}},
    "DiscoverResult": {"supportedVersions": [], "capabilities": {}, **CACHE},
    "GetPromptResult": {"messages": []},
    "ListPromptsResult": {"prompts": [], **CACHE},
    "ListResourceTemplatesResult": {"resourceTemplates": [], **CACHE},
    "ListResourcesResult": {"resources": [], **CACHE},
    "ListToolsResult": {"tools": [], **CACHE},
    "ReadResourceResult": {"contents": [], **CACHE},
    "SubscriptionsListenResult": {"_meta": {"io.modelcontextprotocol/subscriptionId": "1"}},
}


@pytest.mark.parametrize("cls", RESULT_CLASSES, ids=lambda cls: cls.__name__)
def test_absent_result_type(cls: Any) -> None:
    minimal = MINIMAL.get(cls.__name__, {})
    if cls is MODERN.InputRequiredResult:
        with pytest.raises(DecodeError) as caught:
            cls.from_dict({})
        assert (caught.value.path, caught.value.found) == ("$.resultType", "nothing")
        return
    decoded = cls.from_dict(minimal)
    assert decoded.result_type == "complete"
    assert decoded.extra is EMPTY
    assert decoded.to_dict() == {"resultType": "complete", **minimal}
    with pytest.raises(DecodeError) as caught:
        cls.from_dict({"resultType": None, **minimal})
    assert caught.value.path == "$.resultType"
    assert cls.from_dict({"resultType": "acme/partial", **minimal}).result_type == "acme/partial"


@pytest.mark.parametrize(
    "method", [m for m, info in MODERN.METHODS.items() if info.kind == "request"]
)
def test_unknown_result_types_are_refused(method: str) -> None:
    for kind in ("acme/partial", "", "Complete", None, 1, [], {}):
        with pytest.raises(DecodeError) as caught:
            MODERN.decode_result(method, {"resultType": kind})
        assert caught.value.path == "$.resultType"
        assert '"complete"' in caught.value.expected


def test_result_type_decides_between_results() -> None:
    asked = MODERN.decode_result("tools/call", {"resultType": "input_required", "content": []})
    assert type(asked) is MODERN.InputRequiredResult
    for kind in ({}, {"resultType": "complete"}):
        done = MODERN.decode_result("tools/call", {"content": [], "requestState": "s", **kind})
        assert type(done) is MODERN.CallToolResult
        assert done.extra == {"requestState": "s"}
    with pytest.raises(DecodeError) as caught:
        MODERN.decode_result("tools/list", {"resultType": "input_required"})
    assert (caught.value.path, caught.value.expected) == ("$.resultType", '"complete"')


def test_results_told_apart_by_their_keys() -> None:
    task = {"taskId": "1", "status": "working", "createdAt": "", "lastUpdatedAt": "", "ttl": 1}
    assert type(TASKS.decode_result("tools/call", {"task": task})) is TASKS.CreateTaskResult
    assert type(TASKS.decode_result("tools/call", {"content": []})) is TASKS.CallToolResult
    for wrong, path in (
        ({"content": 5}, "$.content"),
        ({"task": {}}, "$.task.taskId"),
        ({}, "$.content"),
    ):
        with pytest.raises(DecodeError) as caught:
            TASKS.decode_result("tools/call", wrong)
        assert caught.value.path == path


@every_version
def test_results_of_what_is_no_request(module: ModuleType) -> None:
    for method in ("notifications/progress", "acme/custom", "", "toolscall"):
        with pytest.raises(LookupError):
            module.decode_result(method, {})
        with pytest.raises(LookupError):
            module.decode_result(method, None)
        with pytest.raises(LookupError):
            codec(module).encode_result(method, module.TextContent(text=""))
    with pytest.raises(LookupError):
        module.decode_as("NoSuchType", {})
    with pytest.raises(LookupError):
        module.encode_as("NoSuchType", {})
    with pytest.raises(LookupError):
        module.schema("NoSuchType")


# --- params -------------------------------------------------------------------------------------


def test_meta_may_be_left_out_when_building() -> None:
    params = MODERN.CallToolRequestParams(name="add")
    assert params.meta is None
    assert params.to_dict() == {"name": "add"}
    of_version = codec(MODERN)
    assert of_version.encode_params("tools/call", params) == {"name": "add"}
    with pytest.raises(DecodeError) as caught:
        MODERN.CallToolRequestParams.from_dict({"name": "add"})
    assert caught.value.path == "$._meta"
    for method, info in MODERN.METHODS.items():
        if info.kind == "request" and info.params is not None:
            fields = {f.name: f for f in dataclasses.fields(getattr(MODERN, info.params))}
            assert fields["meta"].default is None, method


@every_version
def test_decode_params(module: ModuleType) -> None:
    of_version = codec(module)
    for method, info in module.METHODS.items():
        if info.params is None or not info.params_required:
            assert of_version.decode_params(method, UNSET) is None
            assert of_version.encode_params(method, None) is None
        else:
            with pytest.raises(DecodeError) as caught:
                of_version.decode_params(method, UNSET)
            assert (caught.value.path, caught.value.found) == ("$.params", "nothing")
        if info.params is not None:
            with pytest.raises(DecodeError) as caught:
                of_version.decode_params(method, [])
            assert caught.value.path == "$.params"
    with pytest.raises(DecodeError) as caught:
        of_version.decode_params("tools/call", call(module, name=5)["params"])
    assert caught.value.path == "$.params.name"


@every_version
def test_build_params(module: ModuleType) -> None:
    of_version = codec(module)
    built = of_version.build_params("tools/call", {"name": "add", "arguments": {"a": 1}})
    assert built == module.CallToolRequestParams(name="add", arguments={"a": 1})
    with pytest.raises(TypeError):
        of_version.build_params("tools/call", {"arguments": {}})
    with pytest.raises(TypeError):
        of_version.build_params("tools/call", {"name": "add", "nonsense": 1})
