"""What only some versions have: batches, and requests that say their version."""

from __future__ import annotations

import asyncio
import json
from types import ModuleType
from typing import Any

import pytest

from .dispatching import Slow, Tools, answer, cancelled, error, served, unread
from .wire import (
    BATCHES,
    CAPABILITIES_KEY,
    MODERN,
    MODULES,
    SERVER_INFO_KEY,
    STATEFUL,
    VERSION_KEY,
    call_tool,
    notification,
    parsed,
    request,
    run,
    text_result,
    version_id,
)

# --- batches ------------------------------------------------------------------------------------


def batch(*messages: bytes) -> bytes:
    return b"[" + b",".join(messages) + b"]"


@pytest.mark.parametrize("mcp", [m for m in MODULES.values() if m is not BATCHES], ids=version_id)
@pytest.mark.parametrize("members", [0, 1, 2])
def test_batches_are_refused(mcp: ModuleType, members: int) -> None:
    handler = Tools(mcp)
    found = answer(mcp.Dispatcher(handler), batch(*[call_tool(mcp)] * members))
    assert found.pop("error")["code"] == -32600
    assert found == {"jsonrpc": "2.0", **unread(mcp)}
    assert handler.called == []


def test_batch_is_answered_by_a_batch() -> None:
    message = batch(
        call_tool(BATCHES, "a", id=1),
        notification("notifications/cancelled", {"requestId": 77}),
        request(BATCHES, "nope", id=2),
        b"5",
        call_tool(BATCHES, "b", id="3"),
        b'{"jsonrpc": "2.0", "id": 9, "result": {}}',
    )
    found = answer(BATCHES.Dispatcher(Tools(BATCHES)), message)
    assert [member["id"] for member in found] == [1, 2, None, "3"]
    assert found[0]["result"]["content"][0]["text"] == "a"
    assert found[1]["error"]["code"] == -32601
    assert found[2]["error"]["code"] == -32600
    assert found[3]["result"]["content"][0]["text"] == "b"


def test_batch_of_notifications_gets_no_answer() -> None:
    message = batch(notification("notifications/initialized"), notification("x"))
    assert run(BATCHES.Dispatcher(object()).dispatch(message)) is None


def test_empty_batch() -> None:
    found = answer(BATCHES.Dispatcher(Tools(BATCHES)), b"[]")
    assert found["error"]["code"] == -32600
    assert found["id"] is None


def test_initialize_in_a_batch() -> None:
    params = {
        "protocolVersion": "2025-03-26",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "0"},
    }
    message = batch(request(BATCHES, "initialize", params, id=1), request(BATCHES, "ping", id=2))
    found = answer(BATCHES.Dispatcher(Tools(BATCHES)), message)
    assert [member["id"] for member in found] == [1, 2]
    assert found[0]["error"]["code"] == -32600
    assert found[1]["result"] == {}


def test_requests_of_a_batch_run_at_the_same_time() -> None:
    async def main() -> None:
        both = asyncio.Barrier(2)

        async def call(params: Any, ctx: Any) -> Any:
            await both.wait()
            return text_result(BATCHES)

        message = batch(call_tool(BATCHES, id=1), call_tool(BATCHES, id=2))
        assert len(parsed(await served(BATCHES, call).dispatch(message))) == 2

    run(main())


def test_one_request_of_a_batch_is_cancelled() -> None:
    async def main() -> None:
        handler = Slow(BATCHES)
        dispatcher = BATCHES.Dispatcher(handler)
        message = batch(call_tool(BATCHES, id=1), request(BATCHES, "ping", id=2))
        task = asyncio.create_task(dispatcher.dispatch(message))
        await handler.started.wait()
        await dispatcher.dispatch(cancelled(1))
        assert [member["id"] for member in parsed(await task)] == [2]

    run(main())


# --- from 2026-07-28 on -------------------------------------------------------------------------


def test_results_say_who_the_server_is() -> None:
    meta = answer(MODERN.Dispatcher(Tools(MODERN)), call_tool(MODERN))["result"]["_meta"]
    assert meta == {SERVER_INFO_KEY: {"name": "tools", "version": "7"}}


def test_server_info_is_not_overwritten() -> None:
    async def call(params: Any, ctx: Any) -> Any:
        result = text_result(MODERN)
        other = MODERN.Implementation(name="other", version="0")
        result.meta = MODERN.ResultMetaObject(server_info=other, extra={"acme/x": 1})
        return result

    meta = answer(served(MODERN, call), call_tool(MODERN))["result"]["_meta"]
    assert meta == {SERVER_INFO_KEY: {"name": "other", "version": "0"}, "acme/x": 1}


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_earlier_results_do_not(mcp: ModuleType) -> None:
    assert "_meta" not in answer(mcp.Dispatcher(Tools(mcp)), call_tool(mcp))["result"]


@pytest.mark.parametrize(
    ("meta", "path"),
    [
        ({}, f'$.params._meta["{VERSION_KEY}"]'),
        ({VERSION_KEY: "2026-07-28"}, f'$.params._meta["{CAPABILITIES_KEY}"]'),
        ({VERSION_KEY: 5, CAPABILITIES_KEY: {}}, f'$.params._meta["{VERSION_KEY}"]'),
    ],
)
@pytest.mark.parametrize("method", ["tools/list", "acme/op"])
def test_required_meta(meta: Any, path: str, method: str) -> None:
    dispatcher = MODERN.Dispatcher(Tools(MODERN))
    dispatcher.extend("acme/op", fn=lambda params, ctx: None)
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta}}
    found = error(dispatcher, json.dumps(message).encode())
    assert found["code"] == -32602
    assert found["data"]["path"] == path


@pytest.mark.parametrize("params", [{}, {"params": {}}])
def test_required_meta_that_is_absent(params: Any) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", **params}
    assert error(MODERN.Dispatcher(object()), json.dumps(message).encode())["code"] == -32602


@pytest.mark.parametrize("method", ["tools/call", "server/discover", "nope"])
def test_version_of_another_kind(method: str) -> None:
    dispatcher = MODERN.Dispatcher(Tools(MODERN), versions=["2026-07-28", "2025-11-25"])
    message = request(MODERN, method, meta={VERSION_KEY: "2031-01-01"})
    found = error(dispatcher, message)
    assert found["code"] == -32022
    assert found["data"] == {
        "supported": ["2026-07-28", "2025-11-25"],
        "requested": "2031-01-01",
    }


def test_initialize_is_told_which_versions_there_are() -> None:
    message = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}'
    found = error(MODERN.Dispatcher(Tools(MODERN)), message)
    assert found["code"] == -32601
    assert found["data"] == {"supported": ["2026-07-28"]}


def asking(*methods: str) -> Any:
    requests = {
        "roots/list": MODERN.ListRootsRequest(),
        "elicitation/create": MODERN.ElicitRequest(
            params=MODERN.ElicitRequestURLParams(message="m", url="https://example.org/x")
        ),
    }

    async def call(params: Any, ctx: Any) -> Any:
        return MODERN.InputRequiredResult(
            input_requests={method: requests[method] for method in methods}
        )

    return served(MODERN, call)


def test_input_that_the_client_can_give() -> None:
    meta = {CAPABILITIES_KEY: {"roots": {}}}
    result = answer(asking("roots/list"), call_tool(MODERN, meta=meta))["result"]
    assert result["resultType"] == "input_required"
    assert result["inputRequests"] == {"roots/list": {"method": "roots/list"}}


def test_input_that_the_client_cannot_give() -> None:
    meta = {CAPABILITIES_KEY: {"roots": {}}}
    dispatcher = asking("roots/list", "elicitation/create")
    found = error(dispatcher, call_tool(MODERN, meta=meta))
    assert found["code"] == -32021
    assert found["data"] == {"requiredCapabilities": {"elicitation": {}}}


def test_client_capabilities_of_the_request() -> None:
    async def call(params: Any, ctx: Any) -> Any:
        assert ctx.client_capabilities.roots is not None
        assert ctx.client_capabilities.sampling is None
        assert ctx.peer_capabilities == {"roots": {}}
        return text_result(MODERN)

    meta = {CAPABILITIES_KEY: {"roots": {}}}
    assert "result" in answer(served(MODERN, call), call_tool(MODERN, meta=meta))
