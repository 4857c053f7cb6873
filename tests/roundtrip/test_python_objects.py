"""The emitted classes as Python has them: writing, copying, comparing, subclassing."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from importlib import import_module
from types import ModuleType
from typing import Any

import mcp_wire
import pytest
from mcp_wire import UNSET, DecodeError, EncodeError

from .documents import MODULES, RESULT_TYPES, call, classes, codec, every_version, text

TASKS = MODULES["2025-11-25"]
MODERN = MODULES[RESULT_TYPES]
read_envelope: Any = import_module("mcp_wire.runtime.envelope").read_envelope
EMPTY: Any = import_module("mcp_wire.runtime.values").EMPTY


# --- encoding -----------------------------------------------------------------------------------


@every_version
def test_wrong_classes_are_refused_when_encoding(module: ModuleType) -> None:
    content = {"type": "text", "text": ""}
    foreign = next(item for item in MODULES.values() if item is not module).TextContent(text="")
    tool = module.Tool(name="", input_schema=module.ToolInputSchema())
    text_content = module.TextContent(text="")
    for wrong, path, found in (
        (
            module.CallToolResult(content=[text_content, content]),
            "$.content[1]",
            "object with 2 keys",
        ),
        (module.CallToolResult(content=["text"]), "$.content[0]", "string 'text'"),
        (module.CallToolResult(content=[None]), "$.content[0]", "null"),
        (module.CallToolResult(content=None), "$.content", "null"),
        (module.CallToolResult(content=5), "$.content", "integer 5"),
        (module.CallToolResult(content=text_content), "$.content", "TextContent"),
        (module.CallToolResult(content=[tool]), "$.content[0]", ".Tool"),
        (
            module.CallToolResult(content=[foreign]),
            "$.content[0]",
            "TextContent",
        ),
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
    of_version = codec(module)
    result = module.CallToolResult(content=[])
    assert of_version.encode_result("tools/call", result) == result.to_dict()
    for wrong in (module.GetPromptResult(messages=[]), module.TextContent(text=""), {}, None, 5):
        with pytest.raises(EncodeError):
            of_version.encode_result("tools/call", wrong)
        with pytest.raises(EncodeError):
            of_version.encode_params("tools/call", wrong if wrong is not None else ())


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


@every_version
def test_responses_and_envelopes_can_be_pickled(module: ModuleType) -> None:
    error = {"code": 1, "message": "m", "x-in": []}
    values = [
        module.decode_message({"jsonrpc": "2.0", "id": "a", "result": {"b": [1]}}),
        module.decode_message({"jsonrpc": "2.0", "id": 1, "result": {}, "x-vendor": None}),
        module.decode_message({"jsonrpc": "2.0", "id": 1, "error": error}),
        module.decode_message({"jsonrpc": "2.0", "error": {"code": 1, "message": "m"}}),
        read_envelope({"jsonrpc": "2.0", "id": 1, "method": "acme/op"}),
        module.METHODS["tools/call"],
        module.Dispatcher.facts,
    ]
    for value in values:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            loaded = pickle.loads(pickle.dumps(value, protocol))
            assert loaded == value
            assert type(loaded) is type(value)
        assert copy.copy(value) == copy.deepcopy(value) == value


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
    match module.decode_as(
        "PromptMessage", {"role": "user", "content": {"type": "text", "text": "x"}}
    ):
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

    encoded = codec(TASKS).encode_result("tools/call", Counted(content=[]))
    assert encoded == {"content": []}
