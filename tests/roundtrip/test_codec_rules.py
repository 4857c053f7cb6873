"""The rules of the emitted types: what is kept, what is refused, and what Python makes of them."""

from __future__ import annotations

import copy
import dataclasses
import enum
import json
import math
import pickle
from collections import OrderedDict, defaultdict
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType, ModuleType
from typing import Any

import mcp_wire
import pytest
from mcp_wire import UNSET, DecodeError, EncodeError, JsonError

from .documents import MODULES, RESULT_TYPES, named_types, text

TASKS = MODULES["2025-11-25"]
MODERN = MODULES[RESULT_TYPES]
EMPTY: Any = import_module("mcp_wire.runtime.values").EMPTY
CODECS = {version: import_module(f"{module.__name__}.codec").CODEC for version, module in MODULES.items()}

every_version = pytest.mark.parametrize(
    "module", [pytest.param(module, id=version) for version, module in MODULES.items()]
)


@pytest.fixture(params=["json", "msgspec"])
def json_layer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The package with one JSON layer after the other."""
    jsontext = import_module("mcp_wire.runtime.jsontext")
    if request.param == "json":
        loads = import_module("mcp_wire.runtime._json_standard").loads
    elif find_spec("msgspec") is None:
        pytest.skip("msgspec is not installed")
    else:
        loads = import_module("mcp_wire.runtime._json_msgspec").make_loads()
    monkeypatch.setattr(jsontext, "loads", loads)
    return str(request.param)


def call(module: ModuleType, **params: Any) -> dict[str, Any]:
    """A `tools/call` request as a dict."""
    if module is MODERN:
        params = {"_meta": META, **params}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", **params}}


META = {
    "io.modelcontextprotocol/protocolVersion": RESULT_TYPES,
    "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def classes(module: ModuleType) -> list[Any]:
    """Every class of a version."""
    found = (getattr(module, name) for name in module.__all__)
    return [item for item in found if isinstance(item, type) and hasattr(item, "from_dict")]


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
        name = "PaginatedRequestParams" if module in (TASKS, MODERN) else "PaginatedRequestParams"
        assert text(getattr(module, name).from_dict(document).to_dict()) == text(document)


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
    tool = module.Tool.from_dict({"name": "t", "description": None, "inputSchema": {"type": "object"}})
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


# --- numbers ------------------------------------------------------------------------------------

IDS = [0, 1, -1, "", "1", "a", 2**70, -(10**4000)]
NO_IDS = [1.0, 0.5, True, False, [], {}, 1e300]


@pytest.mark.parametrize("id", IDS, ids=lambda id: str(id)[:9])
@every_version
def test_ids_come_back_exactly(module: ModuleType, id: Any) -> None:
    for message in (
        {"jsonrpc": "2.0", "id": id, "method": "acme/ping"},
        {**call(module), "id": id},
        {"jsonrpc": "2.0", "id": id, "result": {}},
        {"jsonrpc": "2.0", "id": id, "error": {"code": 1, "message": ""}},
    ):
        decoded = module.decode_message(json.dumps(message))
        assert type(decoded.id) is type(id)
        assert decoded.id == id
        assert text(decoded.to_dict()) == text(message)
        assert text(json.loads(decoded.to_json())) == text(message)
    assert module.decode_as("RequestId", id) == id


@pytest.mark.parametrize("id", [*NO_IDS, None], ids=repr)
@every_version
def test_ids_of_other_types_are_refused(module: ModuleType, id: Any) -> None:
    for name in ("RequestId", "ProgressToken"):
        with pytest.raises(DecodeError) as caught:
            module.decode_as(name, id)
        assert (caught.value.path, caught.value.expected) == ("$", "a string or an integer")
    with pytest.raises(DecodeError) as caught:
        module.CallToolRequest.from_dict({**call(module), "id": id})
    assert caught.value.path == "$.id"


@pytest.mark.parametrize("token", NO_IDS, ids=repr)
@every_version
def test_tokens_of_other_types_are_refused(module: ModuleType, token: Any) -> None:
    meta = {**META, "progressToken": token} if module is MODERN else {"progressToken": token}
    with pytest.raises(DecodeError) as caught:
        module.decode_message(call(module, _meta=meta))
    assert caught.value.path == "$.params._meta.progressToken"


@every_version
def test_integers(module: ModuleType, json_layer: str) -> None:
    def code(number: str) -> Any:
        return module.Error.from_json('{"code":' + number + ',"message":""}').code

    for number, wanted in {"3": 3, "3.0": 3, "-0.0": 0, "1e2": 100, str(10**4000): 10**4000}.items():
        assert code(number) == wanted
        assert type(code(number)) is int
    for number in ("3.5", "true", "false", '"3"', "null", "1e-1", "[3]"):
        with pytest.raises(DecodeError) as caught:
            code(number)
        assert (caught.value.path, caught.value.expected) == ("$.code", "an integer")


@every_version
def test_numbers(module: ModuleType, json_layer: str) -> None:
    def priority(number: str) -> Any:
        return module.Annotations.from_json('{"priority":' + number + "}").priority

    for number, wanted in {"0": 0, "1": 1, "1.0": 1.0, "0.25": 0.25, "1e-3": 0.001}.items():
        assert priority(number) == wanted
        assert type(priority(number)) is type(json.loads(number))
    for number in ("true", "false", '"1"', "[]", "1.5", "-1", "2", str(10**4000)):
        with pytest.raises(DecodeError) as caught:
            priority(number)
        assert caught.value.path == "$.priority"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@every_version
def test_no_number_is_infinite_or_none_at_all(module: ModuleType, number: float) -> None:
    for name, document in {
        "Annotations": {"priority": number},
        "Error": {"code": number, "message": ""},
        "RequestId": number,
    }.items():
        with pytest.raises(DecodeError):
            module.decode_as(name, document)
    with pytest.raises(EncodeError) as caught:
        module.Annotations(priority=number).to_json()
    assert caught.value.path == "$.priority"
    with pytest.raises(EncodeError) as caught:
        module.Error(code=1, message="", data={"deep": [number]}).to_json()
    assert caught.value.path == "$.data.deep[0]"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400"])
@every_version
def test_json_text_with_no_finite_number(module: ModuleType, number: str, json_layer: str) -> None:
    with pytest.raises(JsonError):
        module.Error.from_json('{"code":1,"message":"","data":' + number + "}")


# --- strings and text ---------------------------------------------------------------------------


@every_version
def test_lone_surrogates_survive_as_escapes(module: ModuleType, json_layer: str) -> None:
    data = rb'{"type":"text","text":"a\ud800b","\udfff":"\udc00\ud83d\ude00"}'
    content = module.TextContent.from_json(data)
    assert content.text == "a\ud800b"
    assert content.extra == {"\udfff": "\udc00\U0001f600"}
    written = content.to_json()
    assert rb"a\ud800b" in written
    assert module.TextContent.from_json(written) == content


@every_version
def test_strings_are_never_normalised(module: ModuleType, json_layer: str) -> None:
    for uri in ("HTTP://EXAMPLE.com:80/%7e/../a b", "", "not a uri", "file:///\u00e9e\u0301"):
        contents = {"uri": uri, "blob": "AA==\n", "mimeType": " Text/Plain"}
        decoded = module.BlobResourceContents.from_json(json.dumps(contents))
        assert decoded.to_dict() == contents
        assert type(decoded.uri) is str


@pytest.mark.parametrize(
    "data",
    [b'{"type":"text","text":"\xff"}', b'{"type":"text","text":"\xed\xa0\x80"}', b"\xff\xfe{\x00",
     b"", b" ", b"{", b"{}{}", b"[1,]", b"nul", b"'a'", b'{"a":01}', b'\xef\xbb\xbf\xef\xbb\xbf{}'],
)  # fmt: skip
@every_version
def test_text_that_is_no_json(module: ModuleType, data: bytes, json_layer: str) -> None:
    for read in (module.TextContent.from_json, module.decode_message):
        with pytest.raises(JsonError) as caught:
            read(data)
        assert caught.value.path == "$"


@every_version
def test_byte_order_mark_and_last_of_equal_keys(module: ModuleType, json_layer: str) -> None:
    data = b'\xef\xbb\xbf {"type":"text","text":"first","text":"last"}\r\n'
    assert module.TextContent.from_json(data) == module.TextContent(text="last")


@every_version
def test_size_limit(module: ModuleType, json_layer: str) -> None:
    data = json.dumps(call(module)).encode()
    assert module.decode_message(data, max_bytes=len(data)).method == "tools/call"
    assert module.CallToolRequest.from_json(data, max_bytes=len(data)).method == "tools/call"
    for read in (module.decode_message, module.CallToolRequest.from_json):
        with pytest.raises(JsonError):
            read(data, max_bytes=len(data) - 1)


@every_version
def test_integers_over_the_limit_of_digits(module: ModuleType, json_layer: str) -> None:
    with pytest.raises(JsonError):
        module.Error.from_json('{"code":1,"message":"","data":' + "9" * 5000 + "}")
    with pytest.raises(EncodeError):
        module.Error(code=1, message="", data=10**5000).to_json()
    with pytest.raises(DecodeError) as caught:
        module.Error.from_dict({"code": "x", "message": 10**5000})
    assert caught.value.path == "$.code"
    with pytest.raises(DecodeError):
        module.Error.from_dict({"code": 1, "message": 10**5000})


# --- depth --------------------------------------------------------------------------------------


def nested(depth: int, kind: type) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value] if kind is list else {"properties": value}
    return value


@pytest.mark.parametrize("kind", [list, dict])
@every_version
def test_deeply_nested_values(module: ModuleType, kind: type) -> None:
    deep = nested(100_000, kind)
    holders = [{key: deep} for key in ("params", "content", "_meta", "contents", "task", "inputSchema")]
    for version, name in named_types():
        if version != module.PROTOCOL_VERSION:
            continue
        for document in (deep, [deep], *holders):
            try:
                module.decode_as(name, document)
            except DecodeError as error:
                assert len(str(error)) < 1000


@every_version
def test_deeply_nested_text(module: ModuleType, json_layer: str) -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        for inner in (opening * 100_000 + "1" + closing * 100_000, opening * 100_000):
            for data in (inner, '{"type":"text","text":"","x":' + inner + "}"):
                with pytest.raises(JsonError):
                    module.decode_message(data)
                with pytest.raises(JsonError):
                    module.TextContent.from_json(data)


@every_version
def test_deeply_nested_arguments_are_an_error_only_when_written(module: ModuleType) -> None:
    request = module.decode_message(call(module, arguments={"a": nested(100_000, dict)}))
    assert request.to_dict()["params"]["name"] == "add"
    with pytest.raises(EncodeError):
        request.to_json()


# --- types and their subclasses -----------------------------------------------------------------


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Kind(enum.StrEnum):
    TEXT = "text"
    CALL = "tools/call"


class Code(enum.IntEnum):
    ONE = 1


@every_version
def test_subclasses_of_json_types_are_accepted(module: ModuleType) -> None:
    for kind in (Text("text"), Kind.TEXT):
        document = OrderedDict(type=kind, text=Text("hi"))
        assert module.decode_as("TextContent", document).to_dict() == document
        result = module.CallToolResult.from_dict(
            {"content": type("Items", (list,), {})([document]), "resultType": "complete"}
        )
        assert type(result.content[0]) is module.TextContent
    assert module.Error.from_dict({"code": Code.ONE, "message": ""}).code == 1
    assert module.Error.from_dict({"code": Number(5), "message": ""}).code == 5
    for id in (Text("a"), Number(3), Code.ONE):
        assert module.decode_message({**call(module), "id": id}).id == id
    request = module.decode_message({**call(module), "method": Kind.CALL})
    assert type(request) is module.CallToolRequest


@every_version
def test_a_default_dict_invents_nothing(module: ModuleType) -> None:
    document: Any = defaultdict(str, {"code": 1})
    with pytest.raises(DecodeError) as caught:
        module.Error.from_dict(document)
    assert caught.value.path == "$.message"
    assert document.keys() == {"code"}


@pytest.mark.parametrize(
    "value",
    [None, True, 1, 1.5, "text", b"{}", [], (), set(), MappingProxyType({}), object(), dict, [{}]],
    ids=lambda value: type(value).__name__,
)
@every_version
def test_what_is_no_object_is_refused(module: ModuleType, value: Any) -> None:
    for cls in classes(module):
        with pytest.raises(DecodeError) as caught:
            cls.from_dict(value)
        assert caught.value.path == "$"


@pytest.mark.parametrize("tag", [None, [], {}, 1, True, 1.5, "nonsense", "Text", ...], ids=repr)
@every_version
def test_a_tag_of_any_type(module: ModuleType, tag: Any) -> None:
    block = {"type": tag, "text": "", "uri": "a:b", "name": ""}
    if tag is ...:
        del block["type"]
    with pytest.raises(DecodeError) as caught:
        module.CallToolResult.from_dict({"resultType": "complete", "content": [block]})
    assert caught.value.path == "$.content[0].type"
    assert '"text"' in caught.value.expected


def test_keys_that_json_has_not() -> None:
    for key in (1, 1.5, None, (), b"k"):
        with pytest.raises(DecodeError) as caught:
            TASKS.GetPromptRequestParams.from_dict({"name": "p", "arguments": {key: 5}})
        assert caught.value.found == "integer 5"


# --- unions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("definition", "cls"),
    [
        ({"type": "string"}, "StringSchema"),
        ({"type": "string", "enum": ["a"]}, "UntitledSingleSelectEnumSchema"),
        ({"type": "string", "enum": ["a"], "enumNames": ["A"]}, "LegacyTitledEnumSchema"),
        ({"type": "string", "oneOf": []}, "TitledSingleSelectEnumSchema"),
        ({"type": "string", "oneOf": 5}, "StringSchema"),
        ({"type": "integer"}, "NumberSchema"),
        ({"type": "number", "default": 0.5}, "NumberSchema"),
        ({"type": "boolean"}, "BooleanSchema"),
        ({"type": "array", "items": {"type": "string", "enum": []}}, "UntitledMultiSelectEnumSchema"),
        ({"type": "array", "items": {"anyOf": []}}, "TitledMultiSelectEnumSchema"),
    ],
)
@pytest.mark.parametrize("module", [TASKS, MODERN], ids=["2025-11-25", "2026-07-28"])
def test_the_planned_member_is_taken(module: ModuleType, definition: Any, cls: str) -> None:
    value = module.decode_as("PrimitiveSchemaDefinition", definition)
    assert type(value).__name__ == cls
    assert text(module.encode_as("PrimitiveSchemaDefinition", value)) == text(definition)


@every_version
def test_text_and_blob_contents(module: ModuleType) -> None:
    read = module.EmbeddedResource.from_dict
    for contents, cls in (
        ({"uri": "a:b", "text": ""}, module.TextResourceContents),
        ({"uri": "a:b", "blob": ""}, module.BlobResourceContents),
        ({"uri": "a:b", "blob": "", "text": ""}, module.TextResourceContents),
        ({"uri": "a:b", "blob": "", "text": None}, module.BlobResourceContents),
        ({"uri": "a:b", "blob": "", "text": 1}, module.BlobResourceContents),
    ):
        resource = read({"type": "resource", "resource": contents}).resource
        assert type(resource) is cls
        assert text(resource.to_dict()) == text(contents)


@pytest.mark.parametrize("module", [TASKS, MODERN], ids=["2025-11-25", "2026-07-28"])
def test_one_block_or_several(module: ModuleType) -> None:
    block = {"type": "text", "text": "a"}
    for content in (block, [], [block, {"type": "tool_use", "id": "1", "name": "n", "input": {}}]):
        message = {"role": "user", "content": content}
        decoded = module.SamplingMessage.from_dict(message)
        assert isinstance(decoded.content, list) == isinstance(content, list)
        assert text(decoded.to_dict()) == text(message)


@pytest.mark.parametrize("module", [TASKS, MODERN], ids=["2025-11-25", "2026-07-28"])
def test_elicitation_is_a_form_unless_it_says_otherwise(module: ModuleType) -> None:
    form = {"message": "m", "requestedSchema": {"type": "object", "properties": {}}}
    for mode in ({}, {"mode": "form"}, {"mode": None}):
        params = module.decode_as("ElicitRequestParams", {**form, **mode})
        assert type(params) is module.ElicitRequestFormParams
        assert params.mode == mode.get("mode")
    built = module.ElicitRequestFormParams(
        message="m",
        requested_schema=module.ElicitRequestFormParamsRequestedSchema(properties={}),
    )
    assert built.mode is None
    assert built.to_dict() == form
    with pytest.raises(DecodeError) as caught:
        module.decode_as("ElicitRequestParams", {**form, "mode": "url"})
    assert caught.value.path in ("$.url", "$.elicitationId")
    with pytest.raises(DecodeError) as caught:
        module.decode_as("ElicitRequestParams", {**form, "mode": "fax"})
    assert (caught.value.path, caught.value.found) == ("$.mode", "string 'fax'")


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
    discovered = MODERN.DiscoverResult(supported_versions=[], capabilities=MODERN.ServerCapabilities())
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
    for wrong, path in (({"content": 5}, "$.content"), ({"task": {}}, "$.task.taskId"), ({}, "$.content")):
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
            CODECS[module.PROTOCOL_VERSION].encode_result(method, module.TextContent(text=""))
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
    codec = CODECS[RESULT_TYPES]
    assert codec.encode_params("tools/call", params) == {"name": "add"}
    with pytest.raises(DecodeError) as caught:
        MODERN.CallToolRequestParams.from_dict({"name": "add"})
    assert caught.value.path == "$._meta"
    for method, info in MODERN.METHODS.items():
        if info.kind == "request" and info.params is not None:
            fields = {f.name: f for f in dataclasses.fields(getattr(MODERN, info.params))}
            assert fields["meta"].default is None, method


@every_version
def test_decode_params(module: ModuleType) -> None:
    codec = CODECS[module.PROTOCOL_VERSION]
    for method, info in module.METHODS.items():
        if info.params is None or not info.params_required:
            assert codec.decode_params(method, UNSET) is None
            assert codec.encode_params(method, None) is None
        else:
            with pytest.raises(DecodeError) as caught:
                codec.decode_params(method, UNSET)
            assert (caught.value.path, caught.value.found) == ("$.params", "nothing")
        if info.params is not None:
            with pytest.raises(DecodeError) as caught:
                codec.decode_params(method, [])
            assert caught.value.path == "$.params"
    with pytest.raises(DecodeError) as caught:
        codec.decode_params("tools/call", call(module, name=5)["params"])
    assert caught.value.path == "$.params.name"


@every_version
def test_build_params(module: ModuleType) -> None:
    codec = CODECS[module.PROTOCOL_VERSION]
    built = codec.build_params("tools/call", {"name": "add", "arguments": {"a": 1}})
    assert built == module.CallToolRequestParams(name="add", arguments={"a": 1})
    with pytest.raises(TypeError):
        codec.build_params("tools/call", {"arguments": {}})
    with pytest.raises(TypeError):
        codec.build_params("tools/call", {"name": "add", "nonsense": 1})


# --- encoding -----------------------------------------------------------------------------------


@every_version
def test_wrong_classes_are_refused_when_encoding(module: ModuleType) -> None:
    content = {"type": "text", "text": ""}
    other = next(item for item in MODULES.values() if item is not module)
    tool = module.Tool(name="", input_schema=module.ToolInputSchema())
    text_content = module.TextContent(text="")
    for wrong, path, found in (
        (module.CallToolResult(content=[text_content, content]), "$.content[1]", "object with 2 keys"),
        (module.CallToolResult(content=["text"]), "$.content[0]", "string 'text'"),
        (module.CallToolResult(content=[None]), "$.content[0]", "null"),
        (module.CallToolResult(content=None), "$.content", "null"),
        (module.CallToolResult(content=5), "$.content", "integer 5"),
        (module.CallToolResult(content=text_content), "$.content", "TextContent"),
        (module.CallToolResult(content=[tool]), "$.content[0]", ".Tool"),
        (module.CallToolResult(content=[other.TextContent(text="")]), "$.content[0]", "TextContent"),
        (module.CallToolRequest(id=1, params={"name": "add"}), "$.params", "object with 1 key"),
        (module.CallToolRequest(id=1, params=None), "$.params", "null"),
        (module.TextContent(text="", annotations={}), "$.annotations", "object with 0 keys"),
        (module.TextContent(text="", extra=None), "$.extra", "null"),
        (module.EmbeddedResource(resource={"uri": "a:b"}), "$.resource", "object with 1 key"),
        (module.EmbeddedResource(resource=text_content), "$.resource", "TextContent"),
        (module.EmbeddedResource(resource=None), "$.resource", "null"),
    ):
        for write in (wrong.to_dict, wrong.to_json):
            with pytest.raises(EncodeError) as caught:
                write()
            assert caught.value.path == path
            assert found in caught.value.found
            assert caught.value.__context__ is None


@every_version
def test_wrong_classes_say_what_was_expected(module: ModuleType) -> None:
    with pytest.raises(EncodeError) as caught:
        module.EmbeddedResource(resource="text").to_dict()
    assert caught.value.expected == "a TextResourceContents or a BlobResourceContents"
    with pytest.raises(EncodeError) as caught:
        module.CallToolRequest(id=1, params="text").to_dict()
    assert caught.value.expected == "a CallToolRequestParams"
    with pytest.raises(EncodeError) as caught:
        module.ListToolsResult(tools="text").to_dict()
    assert (caught.value.path, caught.value.expected) == ("$.tools", "an array")


def test_wrong_classes_deep_inside() -> None:
    params = TASKS.ElicitRequestFormParams(
        message="",
        requested_schema=TASKS.ElicitRequestFormParamsRequestedSchema(
            properties={"a": TASKS.StringSchema(), "b": {"type": "string"}}
        ),
    )
    with pytest.raises(EncodeError) as caught:
        TASKS.ElicitRequest(id=1, params=params).to_dict()
    assert caught.value.path == "$.params.requestedSchema.properties.b"
    assert "a StringSchema or " in caught.value.expected
    message = TASKS.SamplingMessage(role="user", content=[TASKS.TextContent(text=""), 5])
    with pytest.raises(EncodeError) as caught:
        message.to_dict()
    assert (caught.value.path, caught.value.found) == ("$.content[1]", "integer 5")
    with pytest.raises(EncodeError) as caught:
        TASKS.SamplingMessage(role="user", content="text").to_dict()
    assert caught.value.expected.endswith("or an array")


@every_version
def test_what_json_lacks_is_refused_when_writing(module: ModuleType) -> None:
    for value in (b"", {1, 2}, object(), 1j, module.TextContent, module.TextContent(text="")):
        with pytest.raises(EncodeError) as caught:
            module.CallToolRequestParams(name="add", arguments={"a": [value]}).to_json()
        assert caught.value.path == "$.arguments.a[0]"


@every_version
def test_encode_as_takes_the_named_type_alone(module: ModuleType) -> None:
    content, prompt = module.TextContent(text=""), module.Prompt(name="p")
    assert module.encode_as("TextContent", content) == content.to_dict()
    for name, wrong in (
        ("TextContent", prompt), ("TextContent", {}), ("TextContent", None), ("Result", prompt),
        ("EmptyResult", content), ("EmptyResult", {}), ("ClientRequest", content),
        ("JSONRPCMessage", content), ("JSONRPCMessage", {}), ("ServerResult", content),
        ("PromptMessage", content), ("ServerNotification", None), ("JSONRPCMessage", 5),
    ):  # fmt: skip
        if name == "EmptyResult" and module is MODERN:
            continue
        with pytest.raises(EncodeError) as caught:
            module.encode_as(name, wrong)
        assert caught.value.path == "$"


@every_version
def test_encode_result_takes_results_of_the_method_alone(module: ModuleType) -> None:
    codec = CODECS[module.PROTOCOL_VERSION]
    result = module.CallToolResult(content=[])
    assert codec.encode_result("tools/call", result) == result.to_dict()
    for wrong in (module.GetPromptResult(messages=[]), module.TextContent(text=""), {}, None, 5):
        with pytest.raises(EncodeError):
            codec.encode_result("tools/call", wrong)
        with pytest.raises(EncodeError):
            codec.encode_params("tools/call", wrong if wrong is not None else ())


# --- dataclasses --------------------------------------------------------------------------------


@every_version
def test_dataclass_functions(module: ModuleType) -> None:
    schema = module.ToolInputSchema(extra={"title": "x"})
    tool = module.Tool(name="t", input_schema=schema)
    names = [field.name for field in dataclasses.fields(tool)]
    assert names[-1] == "extra"
    assert {"name", "input_schema", "description"} <= set(names)
    renamed = dataclasses.replace(tool, name="u")
    assert (renamed.name, tool.name) == ("u", "t")
    assert renamed != tool
    assert dataclasses.replace(renamed, name="t") == tool
    assert dataclasses.asdict(tool)["input_schema"]["extra"] == {"title": "x"}
    assert repr(tool).startswith("Tool(name='t'")
    assert tool != {"name": "t"}
    with pytest.raises(TypeError):
        module.Tool("t", module.ToolInputSchema())
    with pytest.raises(AttributeError):
        tool.nonsense = 1
    with pytest.raises(TypeError):
        hash(tool)


@every_version
def test_copies_and_pickles(module: ModuleType) -> None:
    document = call(module, arguments={"a": [1]}, **{"x-vendor": {}})
    request = module.decode_message(document)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        loaded = pickle.loads(pickle.dumps(request, protocol))
        assert loaded == request
        assert type(loaded) is type(request)
        assert loaded.extra is EMPTY
        assert text(loaded.to_dict()) == text(document)
    deep = copy.deepcopy(request)
    deep.params.arguments["a"].append(2)
    assert request.params.arguments == {"a": [1]}
    shallow = copy.copy(request)
    assert shallow == request
    assert shallow.params is request.params


def test_unset_and_null_survive_copies_and_pickles() -> None:
    for value in (UNSET, None):
        result = MODERN.CallToolResult(content=[], structured_content=value)
        for other in (
            copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result)),
            dataclasses.replace(result),
        ):  # fmt: skip
            assert other.structured_content is value


@every_version
def test_pattern_matching(module: ModuleType) -> None:
    match module.decode_as("PromptMessage", {"role": "user", "content": {"type": "text", "text": "x"}}):
        case module.PromptMessage(role="user", content=module.TextContent(text=found)):
            assert found == "x"
        case other:
            pytest.fail(f"no match for {other!r}")


@every_version
def test_every_class_can_be_inspected(module: ModuleType) -> None:
    for cls in classes(module):
        assert dataclasses.is_dataclass(cls)
        assert "__dict__" not in dir(cls)
        assert "extra" in cls.__slots__
        assert cls.__doc__
        assert cls.__module__.startswith("mcp_wire.")
        assert getattr(import_module(cls.__module__), cls.__qualname__) is cls


def test_errors_can_be_pickled() -> None:
    with pytest.raises(mcp_wire.InvalidMessage) as caught:
        TASKS.decode_message({"id": 5, "method": 3})
    loaded = pickle.loads(pickle.dumps(caught.value))
    assert (loaded.path, loaded.expected, loaded.found, loaded.id) == (
        caught.value.path, caught.value.expected, caught.value.found, 5,
    )  # fmt: skip


# --- subclasses of emitted classes --------------------------------------------------------------


class Shouting(TASKS.TextContent):
    """A subclass without fields of its own."""

    def shout(self) -> str:
        return str(self.text.upper())


@dataclasses.dataclass(kw_only=True, slots=True)
class Coloured(TASKS.TextContent):
    """A subclass with a field of its own, which has a default."""

    colour: str = "red"
    seen: list[int] = dataclasses.field(default_factory=list)


@pytest.mark.parametrize("cls", [Shouting, Coloured])
def test_subclasses_are_read_and_written(cls: Any) -> None:
    document = {"type": "text", "text": "hi", "x": 1}
    for _ in range(2):
        value = cls.from_dict(document)
        assert type(value) is cls
        assert value.extra == {"x": 1}
        assert text(value.to_dict()) == text(document)
        assert text(json.loads(cls.from_json(json.dumps(document)).to_json())) == text(document)
    with pytest.raises(DecodeError) as caught:
        cls.from_dict({"type": "text"})
    assert caught.value.path == "$.text"
    assert repr(value)


def test_fields_of_a_subclass_have_their_defaults() -> None:
    first, second = (Coloured.from_dict({"type": "text", "text": ""}) for _ in range(2))
    assert first.colour == "red"
    assert first.seen == []
    assert first.seen is not second.seen


def test_subclasses_inside_other_objects() -> None:
    result = TASKS.CallToolResult(content=[Shouting(text="a"), Coloured(text="b", colour="blue")])
    assert result.to_dict() == {
        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    }
    prompt = TASKS.PromptMessage(role="user", content=Coloured(text="c"))
    assert prompt.to_dict()["content"] == {"type": "text", "text": "c"}
    assert TASKS.encode_as("ContentBlock", Shouting(text="d")) == {"type": "text", "text": "d"}
    assert TASKS.encode_as("TextContent", Shouting(text="d")) == {"type": "text", "text": "d"}


def test_a_result_may_be_a_subclass() -> None:
    class Counted(TASKS.CallToolResult):
        pass

    encoded = CODECS["2025-11-25"].encode_result("tools/call", Counted(content=[]))
    assert encoded == {"content": []}
