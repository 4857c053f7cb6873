"""Vendor methods, as a dispatcher serves them."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest

from .dispatching import answer, error
from .wire import (
    MODERN,
    SERVER_INFO_KEY,
    TASKS,
    Recorder,
    info,
    notification,
    request,
    run,
    text_result,
)

# --- vendor methods -----------------------------------------------------------------------------


@pytest.mark.parametrize("on_handler", [True, False])
def test_extension_with_classes(mcp: ModuleType, on_handler: bool) -> None:
    async def op(params: Any, ctx: Any) -> Any:
        assert isinstance(params, mcp.CallToolRequestParams)
        assert ctx.request_id == 1
        return text_result(mcp, params.name)

    handler = mcp.ServerHandler(info(mcp))
    dispatcher = mcp.Dispatcher(handler)
    place = handler if on_handler else dispatcher
    place.extend("acme/op", params=mcp.CallToolRequestParams, result=mcp.CallToolResult, fn=op)
    found = answer(dispatcher, request(mcp, "acme/op", {"name": "n"}))
    assert found["result"]["content"][0]["text"] == "n"


@pytest.mark.parametrize("result", [None, {}, {"a": 1}])
def test_extension_with_dicts(mcp: ModuleType, result: Any) -> None:
    def op(params: Any, ctx: Any) -> Any:
        assert params["x"] == 1
        return result

    dispatcher = mcp.Dispatcher(object())
    dispatcher.extend("acme/op", fn=op)
    found = answer(dispatcher, request(mcp, "acme/op", {"x": 1}))["result"]
    found.pop("_meta", None)
    assert found == (result or {})


class Kept:
    """A result that hands out the very dict it holds."""

    def __init__(self, value: dict[str, Any]) -> None:
        self.value = value

    def to_dict(self) -> dict[str, Any]:
        return self.value


@pytest.mark.parametrize("wrap", [dict, Kept])
def test_extension_does_not_change_what_it_returned(wrap: Any) -> None:
    kept: dict[str, Any] = {"a": 1}
    dispatcher = MODERN.Dispatcher(object())
    dispatcher.extend("acme/op", fn=lambda params, ctx: wrap(kept))
    assert SERVER_INFO_KEY in answer(dispatcher, request(MODERN, "acme/op"))["result"]["_meta"]
    assert kept == {"a": 1}


def test_extension_with_bad_params(mcp: ModuleType) -> None:
    dispatcher = mcp.Dispatcher(object())
    dispatcher.extend("acme/op", params=mcp.CallToolRequestParams, fn=lambda params, ctx: None)
    found = error(dispatcher, request(mcp, "acme/op", {"name": []}))
    assert found["code"] == -32602
    assert found["data"]["path"] == "$.params.name"


@pytest.mark.parametrize("failure", [ValueError("secret"), KeyError("secret"), TypeError("secret")])
def test_extension_whose_class_refuses_otherwise(failure: Exception) -> None:
    class Params:
        @classmethod
        def from_dict(cls, value: Any) -> Any:
            raise failure

    dispatcher = TASKS.Dispatcher(object())
    dispatcher.extend("acme/op", params=Params, fn=lambda params, ctx: None)
    found = error(dispatcher, request(TASKS, "acme/op", {}))
    assert found["code"] == -32602
    assert found["data"]["path"] == "$.params"
    assert "secret" not in json.dumps(found)


@pytest.mark.parametrize("value", ["text", 5])
def test_extension_with_a_bad_result(mcp: ModuleType, value: Any) -> None:
    dispatcher = mcp.Dispatcher(object())
    dispatcher.extend("acme/one", fn=lambda params, ctx: value)
    dispatcher.extend("acme/two", result=mcp.CallToolResult, fn=lambda params, ctx: {"a": 1})
    assert error(dispatcher, request(mcp, "acme/one"))["code"] == -32603
    assert error(dispatcher, request(mcp, "acme/two"))["code"] == -32603


def test_extension_as_notification(mcp: ModuleType) -> None:
    heard: list[Any] = []

    async def op(params: Any, ctx: Any) -> None:
        assert ctx.request_id is None
        heard.append(params)

    dispatcher = mcp.Dispatcher(object())
    dispatcher.extend("acme/event", fn=op)
    assert run(dispatcher.dispatch(notification("acme/event", {"a": 1}))) is None
    assert heard == [{"a": 1}]


def test_extension_may_report_progress() -> None:
    async def op(params: Any, ctx: Any) -> None:
        await ctx.progress(1)

    send = Recorder()
    dispatcher = TASKS.Dispatcher(object(), send)
    dispatcher.extend("acme/op", fn=op)
    answer(dispatcher, request(TASKS, "acme/op", meta={"progressToken": 0}))
    assert send.params == [{"progressToken": 0, "progress": 1}]
