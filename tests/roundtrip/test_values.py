"""Numbers, strings, depth and unions: what is accepted, and what it becomes."""

from __future__ import annotations

import enum
import json
import math
from collections import OrderedDict, defaultdict
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType, ModuleType
from typing import Any

import pytest
from mcp_wire import DecodeError, EncodeError, JsonError

from .documents import META, MODULES, RESULT_TYPES, call, classes, every_version, named_types, text

TASKS = MODULES["2025-11-25"]
MODERN = MODULES[RESULT_TYPES]


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

    for number, wanted in {
        "3": 3,
        "3.0": 3,
        "-0.0": 0,
        "1e2": 100,
        str(10**4000): 10**4000,
    }.items():
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
    holders = [
        {key: deep} for key in ("params", "content", "_meta", "contents", "task", "inputSchema")
    ]
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
    request = module.decode_message(call(module, arguments={"a": nested(20_000, dict)}))
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
        (
            {"type": "array", "items": {"type": "string", "enum": []}},
            "UntitledMultiSelectEnumSchema",
        ),
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
