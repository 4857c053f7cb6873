"""What a `DecodeError` says: where, what was expected and what was found there instead."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest
from mcp_wire import DecodeError, InvalidMessage, JsonError, McpError

from .documents import META, MODULES, every_version

OLDEST, BATCHES, MIDDLE, TASKS, MODERN = MODULES.values()
LATE = [TASKS, MODERN]

late_versions = pytest.mark.parametrize("module", LATE, ids=lambda module: module.PROTOCOL_VERSION)


def error_of(module: ModuleType, name: str, document: Any) -> DecodeError:
    """The error of decoding, which is the same for the JSON text where a class reads it."""
    with pytest.raises(DecodeError) as caught:
        module.decode_as(name, document)
    cls = getattr(module, name)
    if hasattr(cls, "from_json"):
        with pytest.raises(DecodeError) as of_text:
            cls.from_json(json.dumps(document))
        assert str(of_text.value) == str(caught.value)
    error = caught.value
    assert str(error) == f"{error.path}: expected {error.expected}, found {error.found}"
    assert isinstance(error, ValueError)
    assert isinstance(error, McpError)
    assert error.__cause__ is None
    return error


def parts(error: DecodeError) -> tuple[str, str, str]:
    return error.path, error.expected, error.found


TEXT = {"type": "text", "text": ""}
SAID = {"role": "user", "content": TEXT}

# --- one fault of each kind, in types that every version has ------------------------------------

FAULTS: list[tuple[str, Any, tuple[str, str, str]]] = [
    # kinds of values
    ("TextContent", {**TEXT, "text": 5}, ("$.text", "a string", "integer 5")),
    ("TextContent", {**TEXT, "text": None}, ("$.text", "a string", "null")),
    ("TextContent", {**TEXT, "text": ["a"]}, ("$.text", "a string", "array of 1 item")),
    ("Error", {"code": "1", "message": ""}, ("$.code", "an integer", "string '1'")),
    ("Error", {"code": 1.5, "message": ""}, ("$.code", "an integer", "number 1.5")),
    ("Error", {"code": True, "message": ""}, ("$.code", "an integer", "true")),
    ("Annotations", {"priority": "1"}, ("$.priority", "a number", "string '1'")),
    ("Annotations", {"priority": False}, ("$.priority", "a number", "false")),
    ("CallToolResult", {"content": [], "isError": 0}, ("$.isError", "a boolean", "integer 0")),
    ("ListToolsResult", {"tools": {}}, ("$.tools", "an array", "object with 0 keys")),
    ("Tool", {"name": "", "inputSchema": []}, ("$.inputSchema", "an object", "array of 0 items")),
    ("Prompt", "text", ("$", "an object", "string 'text'")),
    ("Cursor", 5, ("$", "a string", "integer 5")),
    ("RequestId", 1.0, ("$", "a string or an integer", "number 1.0")),
    # members that are missing
    ("TextContent", {"type": "text"}, ("$.text", "a string", "nothing")),
    ("TextContent", {"text": ""}, ("$.type", '"text"', "nothing")),
    ("Tool", {"name": ""}, ("$.inputSchema", "a ToolInputSchema", "nothing")),
    ("Prompt", {"title": "x"}, ("$.name", "a string", "nothing")),
    # limits
    ("Annotations", {"priority": 1.5}, ("$.priority", "at most 1", "number 1.5")),
    ("Annotations", {"priority": -1}, ("$.priority", "at least 0", "integer -1")),
    # constants and literals
    ("TextContent", {**TEXT, "type": "image"}, ("$.type", '"text"', "string 'image'")),
    ("TextContent", {**TEXT, "type": None}, ("$.type", '"text"', "null")),
    ("Role", "system", ("$", 'one of "user", "assistant"', "string 'system'")),
    ("Role", ["user"], ("$", 'one of "user", "assistant"', "array of 1 item")),
    (
        "Annotations",
        {"audience": ["user", "nobody"]},
        ("$.audience[1]", 'one of "user", "assistant"', "string 'nobody'"),
    ),
    # depth
    (
        "GetPromptResult",
        {"messages": [SAID, {**SAID, "content": {**TEXT, "text": 1}}]},
        ("$.messages[1].content.text", "a string", "integer 1"),
    ),
    (
        "CompleteResult",
        {"completion": {"values": ["a", "b", None]}},
        ("$.completion.values[2]", "a string", "null"),
    ),
    # keys that are no names
    (
        "GetPromptRequestParams",
        {"name": "", "arguments": {"a b": 1}},
        ('$.arguments["a b"]', "a string", "integer 1"),
    ),
    (
        "GetPromptRequestParams",
        {"name": "", "arguments": {"": None}},
        ('$.arguments[""]', "a string", "null"),
    ),
    (
        "GetPromptRequestParams",
        {"name": "", "arguments": {'"]\n': 1}},
        ('$.arguments["\\"]\\n"]', "a string", "integer 1"),
    ),
]  # fmt: skip


def completed(module: ModuleType, name: str, document: Any) -> Any:
    """The document with what later versions require beside it."""
    if module is not MODERN or not isinstance(document, dict):
        return document
    if name.endswith("Result"):
        return {"resultType": "complete", "ttlMs": 0, "cacheScope": "public", **document}
    if name.endswith("RequestParams"):
        return {"_meta": META, **document}
    return document


@pytest.mark.parametrize(("name", "document", "wanted"), FAULTS, ids=lambda value: str(value)[:40])
@every_version
def test_fault(module: ModuleType, name: str, document: Any, wanted: tuple[str, str, str]) -> None:
    assert parts(error_of(module, name, completed(module, name, document))) == wanted


@every_version
def test_the_first_fault_in_the_order_of_the_type_is_told(module: ModuleType) -> None:
    assert error_of(module, "ImageContent", {}).path == "$.type"
    wrong = {"type": "image", "mimeType": 1, "data": 2}
    assert error_of(module, "ImageContent", wrong).path == "$.data"


@every_version
def test_long_values_are_shortened(module: ModuleType) -> None:
    error = error_of(module, "Role", "x" * 10**6)
    assert len(str(error)) < 200
    error = error_of(module, "Error", {"code": "y" * 10**6, "message": ""})
    assert "1000000 characters" in error.found
    key = "k" * 10**6
    document = completed(module, "GetPromptRequestParams", {"name": "", "arguments": {key: 1}})
    assert len(error_of(module, "GetPromptRequestParams", document).path) < 120


def test_limits_of_items() -> None:
    document = completed(MODERN, "CompleteResult", {"completion": {"values": [""] * 101}})
    assert parts(error_of(MODERN, "CompleteResult", document)) == (
        "$.completion.values", "at most 100 items", "array of 101 items",
    )  # fmt: skip
    document["completion"]["values"].pop()
    assert len(MODERN.decode_as("CompleteResult", document).completion.values) == 100
    document = completed(MODERN, "ListToolsResult", {"tools": [], "ttlMs": -1})
    assert parts(error_of(MODERN, "ListToolsResult", document)) == (
        "$.ttlMs", "at least 0", "integer -1",
    )  # fmt: skip


# --- unions -------------------------------------------------------------------------------------

CONTENT = {
    OLDEST: ("PromptMessage", ["text", "image", "resource"]),
    BATCHES: ("PromptMessage", ["text", "image", "audio", "resource"]),
    MIDDLE: ("PromptMessage", ["text", "image", "audio", "resource_link", "resource"]),
    TASKS: ("PromptMessage", ["text", "image", "audio", "resource_link", "resource"]),
    MODERN: ("PromptMessage", ["text", "image", "audio", "resource_link", "resource"]),
}


@pytest.mark.parametrize(
    ("tag", "found"),
    [("video", "string 'video'"), (None, "null"), (5, "integer 5"), ([], "array of 0 items"),
     ({}, "object with 0 keys"), (True, "true"), ("", "string ''"), (..., "nothing")],
)  # fmt: skip
@every_version
def test_unknown_tags(module: ModuleType, tag: Any, found: str) -> None:
    name, known = CONTENT[module]
    content = {"text": ""} if tag is ... else {**TEXT, "type": tag}
    expected = "one of " + ", ".join(f'"{item}"' for item in known)
    error = error_of(module, name, {"role": "user", "content": content})
    assert parts(error) == ("$.content.type", expected, found)


@pytest.mark.parametrize("content", [None, "text", 5, [], [TEXT]], ids=repr)
@every_version
def test_what_no_member_of_a_union_is(module: ModuleType, content: Any) -> None:
    error = error_of(module, "PromptMessage", {"role": "user", "content": content})
    assert error.path == "$.content"
    assert "a TextContent or a" in error.expected


@every_version
def test_the_planned_members_fault_is_told(module: ModuleType) -> None:
    """The tag says an image, so the missing text is not what is wrong."""
    image = {"type": "image", "data": "", "mimeType": 5, "text": "t"}
    error = error_of(module, "PromptMessage", {"role": "user", "content": image})
    assert parts(error) == ("$.content.mimeType", "a string", "integer 5")
    resource = {"type": "resource", "resource": {"uri": 5, "blob": ""}}
    error = error_of(module, "PromptMessage", {"role": "user", "content": resource})
    assert parts(error) == ("$.content.resource.uri", "a string", "integer 5")
    resource = {"type": "resource", "resource": {"uri": "a:b", "blob": 5}}
    error = error_of(module, "PromptMessage", {"role": "user", "content": resource})
    assert parts(error) == ("$.content.resource.blob", "a string", "integer 5")
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": 5, "_meta": META},
    }
    assert error_of(module, "ClientRequest", request).path == "$.params.name"
    assert error_of(module, "ClientRequest", {**request, "method": "acme/x"}).path == "$.method"


@late_versions
@pytest.mark.parametrize(
    ("definition", "wanted"),
    [
        ({"type": "number", "minimum": "0"}, ("$.minimum", "a number", "string '0'")),
        ({"type": "boolean", "default": 0}, ("$.default", "a boolean", "integer 0")),
        ({"type": "array", "items": {"type": "string"}}, ("$.items.enum", "an array", "nothing")),
        ({"type": "string", "minLength": 1.5}, ("$.minLength", "an integer", "number 1.5")),
    ],
)
def test_primitive_schemas(module: ModuleType, definition: Any, wanted: Any) -> None:
    form = {"message": "", "requestedSchema": {"type": "object", "properties": {"p": definition}}}
    path = "$.requestedSchema.properties.p"
    wanted = (wanted[0].replace("$", path, 1), *wanted[1:])
    assert parts(error_of(module, "ElicitRequestParams", form)) == wanted


@late_versions
def test_a_union_of_simple_values(module: ModuleType) -> None:
    for value in (None, {}, [1]):
        document = completed(module, "ElicitResult", {"action": "accept", "content": {"k": value}})
        error = error_of(module, "ElicitResult", document)
        assert error.path in ("$.content.k", "$.content.k[0]")
    document = completed(module, "ElicitResult", {"action": "maybe"})
    error = error_of(module, "ElicitResult", document)
    assert error.expected == 'one of "accept", "decline", "cancel"'


@late_versions
def test_one_block_or_several(module: ModuleType) -> None:
    message = {"role": "user", "content": [TEXT, {**TEXT, "text": 1}]}
    assert parts(error_of(module, "SamplingMessage", message)) == (
        "$.content[1].text", "a string", "integer 1",
    )  # fmt: skip
    message = {"role": "user", "content": {**TEXT, "text": 1}}
    assert parts(error_of(module, "SamplingMessage", message)) == (
        "$.content.text", "a string", "integer 1",
    )  # fmt: skip
    message = {"role": "user", "content": "text"}
    assert error_of(module, "SamplingMessage", message).path == "$.content"


# --- messages and results -----------------------------------------------------------------------


@every_version
def test_paths_in_messages_start_at_the_message(module: ModuleType) -> None:
    params = {"name": "", "arguments": [], "_meta": META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    for data in (message, json.dumps(message), json.dumps(message).encode()):
        with pytest.raises(DecodeError) as caught:
            module.decode_message(data)
        assert parts(caught.value) == ("$.params.arguments", "an object", "array of 0 items")
        assert not isinstance(caught.value, InvalidMessage)


@every_version
def test_paths_in_results_start_at_the_result(module: ModuleType) -> None:
    for result, wanted in (
        ({"content": [{**TEXT, "text": 1}]}, ("$.content[0].text", "a string", "integer 1")),
        ([], ("$", "an object", "array of 0 items")),
        (None, ("$", "an object", "null")),
    ):
        with pytest.raises(DecodeError) as caught:
            module.decode_result("tools/call", result)
        assert parts(caught.value) == wanted


@every_version
def test_text_that_is_no_json_says_where(module: ModuleType) -> None:
    with pytest.raises(JsonError) as caught:
        module.decode_message(b'{"jsonrpc":\n oops}')
    assert caught.value.path == "$"
    assert "line 2, column 2" in caught.value.found
    with pytest.raises(JsonError) as caught:
        module.decode_message(b'{"a":"\xff"}')
    assert "0xff" in caught.value.found
    assert issubclass(JsonError, DecodeError)
