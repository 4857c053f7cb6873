"""The dispatcher of every version: messages in, answers out, and what is refused."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest

from .dispatching import Tools, answer, error, served, unread
from .wire import (
    MODERN,
    OLDEST,
    STATEFUL,
    TASKS,
    call_tool,
    info,
    is_stateless,
    request,
    request_meta,
    run,
    text_result,
    version_id,
)

# --- results ------------------------------------------------------------------------------------


def test_request_is_answered(mcp: ModuleType) -> None:
    handler = Tools(mcp)
    found = answer(mcp.Dispatcher(handler), call_tool(mcp))
    assert found["jsonrpc"] == "2.0"
    assert found["id"] == 1
    assert found["result"]["content"] == [{"type": "text", "text": "echo"}]
    (params,) = handler.called
    assert isinstance(params, mcp.CallToolRequestParams)
    assert params.arguments == {"a": 1}
    assert mcp.decode_result("tools/call", found["result"]).content[0].text == "echo"


@pytest.mark.parametrize("id", [0, 1, -5, 2**70, "", "1", "ünïcode", "x" * 500])
def test_id_is_echoed(mcp: ModuleType, id: Any) -> None:
    found = answer(mcp.Dispatcher(Tools(mcp)), call_tool(mcp, id=id))
    assert found["id"] == id
    assert type(found["id"]) is type(id)


def test_absent_params_become_an_empty_object() -> None:
    handler = Tools(TASKS)
    answer(TASKS.Dispatcher(handler), b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}')
    assert handler.called == [TASKS.PaginatedRequestParams()]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, bytes.decode])
def test_text_of_any_kind(kind: Any) -> None:
    assert "result" in answer(TASKS.Dispatcher(Tools(TASKS)), kind(call_tool(TASKS)))


def test_empty_result_may_be_none() -> None:
    class Handler:
        async def set_level(self, params: Any, ctx: Any) -> None:
            assert params.level == "info"

    dispatcher = TASKS.Dispatcher(Handler())
    message = request(TASKS, "logging/setLevel", {"level": "info"})
    assert answer(dispatcher, message)["result"] == {}


def test_result_none_of_another_method_is_a_failure(mcp: ModuleType) -> None:
    async def call(params: Any, ctx: Any) -> None:
        return None

    assert error(served(mcp, call), call_tool(mcp))["code"] == -32603


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_initialize(mcp: ModuleType) -> None:
    class Server(mcp.ServerHandler):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            return text_result(mcp)

    dispatcher = mcp.Dispatcher(Server(info(mcp, "s"), instructions="Be kind."))
    params = {
        "protocolVersion": "1999-01-01",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "0"},
    }
    result = answer(dispatcher, request(mcp, "initialize", params))["result"]
    assert result == {
        "protocolVersion": mcp.PROTOCOL_VERSION,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "s", "version": "1.0"},
        "instructions": "Be kind.",
    }
    assert isinstance(mcp.decode_result("initialize", result), mcp.InitializeResult)


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
@pytest.mark.parametrize("params", [None, {}])
@pytest.mark.parametrize("role", ["client", "server"])
def test_ping(mcp: ModuleType, params: Any, role: Any) -> None:
    dispatcher = mcp.Dispatcher(object(), role=role)
    assert answer(dispatcher, request(mcp, "ping", params))["result"] == {}


def test_discover() -> None:
    dispatcher = MODERN.Dispatcher(Tools(MODERN), versions=["2026-07-28", "2025-11-25"])
    result = answer(dispatcher, request(MODERN, "server/discover"))["result"]
    typed = MODERN.decode_result("server/discover", result)
    assert isinstance(typed, MODERN.DiscoverResult)
    assert typed.supported_versions == ["2026-07-28", "2025-11-25"]
    assert typed.capabilities.tools is not None
    assert typed.meta.server_info.name == "tools"
    assert result["resultType"] == "complete"


def test_ping_is_unknown_where_the_version_has_none() -> None:
    assert error(MODERN.Dispatcher(object()), request(MODERN, "ping"))["code"] == -32601


# --- methods that are not served ----------------------------------------------------------------


@pytest.mark.parametrize(
    "method",
    [
        "nope",
        "",
        "tools/Call",
        "notifications/progress",  # a notification is no request
        "sampling/createMessage",  # the client's, or embedded
        "prompts/get",  # not overridden
    ],
)
def test_unknown_method(mcp: ModuleType, method: str) -> None:
    found = error(mcp.Dispatcher(Tools(mcp)), request(mcp, method))
    assert found["code"] == -32601
    assert method in found["message"]


def test_capability_not_advertised(mcp: ModuleType) -> None:
    class Server(mcp.ServerHandler):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            return text_result(mcp)

    server = Server(info(mcp), capabilities=mcp.ServerCapabilities())
    assert error(mcp.Dispatcher(server), call_tool(mcp))["code"] == -32601


def test_embedded_requests_are_no_messages() -> None:
    class Client(MODERN.ClientHandler):
        async def list_roots(self, params: Any, ctx: Any) -> Any:
            return MODERN.ListRootsResult(roots=[])

    dispatcher = MODERN.Dispatcher(Client(info(MODERN)))
    assert error(dispatcher, request(MODERN, "roots/list"))["code"] == -32601


def test_long_method_names_are_cut() -> None:
    found = error(TASKS.Dispatcher(object()), request(TASKS, "x" * 100_000))
    assert len(found["message"]) < 200


# --- bad params ---------------------------------------------------------------------------------


def test_bad_params_say_where(mcp: ModuleType) -> None:
    found = error(mcp.Dispatcher(Tools(mcp)), request(mcp, "tools/call", {"name": 5}))
    assert found["code"] == -32602
    assert found["data"] == {
        "path": "$.params.name",
        "expected": "a string",
        "found": "integer 5",
    }
    assert "$.params.name" in found["message"]


def test_missing_params(mcp: ModuleType) -> None:
    message = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}'
    found = error(mcp.Dispatcher(Tools(mcp)), message)
    assert found["code"] == -32602
    assert found["data"]["path"] == "$.params"


def test_bad_params_do_not_reach_the_handler(mcp: ModuleType) -> None:
    handler = Tools(mcp)
    error(mcp.Dispatcher(handler), request(mcp, "tools/call", {"arguments": {}}))
    assert handler.called == []


# --- no messages --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"{", b"nonsense", b'{"a": NaN}', b'"\xff"', b"[1,", b'{"id": 1} {"id": 2}', "\x00"),
        *(None, {}, [], 5),
    ],
)
def test_bad_json(mcp: ModuleType, data: Any) -> None:
    found = answer(mcp.Dispatcher(Tools(mcp)), data)
    assert found.pop("error")["code"] == -32700
    assert found == {"jsonrpc": "2.0", **unread(mcp)}


@pytest.mark.parametrize(
    "message",
    [
        1,
        "text",
        None,
        {},
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "id": None, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": True, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": [], "method": "tools/list"},
        {"jsonrpc": "2.0", "method": 5},
        {"jsonrpc": "1.0", "method": "tools/list"},
        {"jsonrpc": "2.0", "method": "tools/list", "params": []},
    ],
)
def test_no_message(mcp: ModuleType, message: Any) -> None:
    found = answer(mcp.Dispatcher(Tools(mcp)), json.dumps(message).encode())
    assert found.pop("error")["code"] == -32600
    assert found == {"jsonrpc": "2.0", **unread(mcp)}


def test_no_message_with_an_id_that_can_be_read(mcp: ModuleType) -> None:
    message = b'{"jsonrpc": "1.0", "id": "x", "method": "tools/list"}'
    found = answer(mcp.Dispatcher(Tools(mcp)), message)
    assert found["id"] == "x"
    assert found["error"]["code"] == -32600
    assert found["error"]["data"]["path"] == "$.jsonrpc"


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "id": 1, "result": 5},
        {"jsonrpc": "2.0", "id": None, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": "x"},
        {"jsonrpc": "2.0", "error": {"code": "1", "message": "x"}},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "1.0", "id": 1, "result": {}},
    ],
)
def test_responses_are_ignored(mcp: ModuleType, message: Any) -> None:
    dispatcher = mcp.Dispatcher(Tools(mcp))
    assert run(dispatcher.dispatch(json.dumps(message).encode())) is None


# --- roles --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_client_side(mcp: ModuleType) -> None:
    class Client(mcp.ClientHandler):
        async def list_roots(self, params: Any, ctx: Any) -> Any:
            assert isinstance(ctx, mcp.ClientContext)
            return mcp.ListRootsResult(roots=[])

    dispatcher = mcp.Dispatcher(Client(info(mcp)))
    assert dispatcher.role == "client"
    assert dispatcher.capabilities == {"roots": {}}
    assert answer(dispatcher, request(mcp, "roots/list"))["result"] == {"roots": []}
    assert error(dispatcher, call_tool(mcp))["code"] == -32601


def test_role_of_a_handler_class_is_its_own(mcp: ModuleType) -> None:
    client = mcp.ClientHandler(info(mcp))
    assert mcp.Dispatcher(client, role="client").role == "client"
    with pytest.raises(ValueError, match="role"):
        mcp.Dispatcher(client, role="server")


def test_handler_of_another_version() -> None:
    with pytest.raises(ValueError, match="2024-11-05"):
        TASKS.Dispatcher(OLDEST.ServerHandler(info(OLDEST)))


def test_module_as_handler() -> None:
    module = ModuleType("a_server")
    module.call_tool = lambda params, ctx: text_result(TASKS)  # type: ignore[attr-defined]
    assert "result" in answer(TASKS.Dispatcher(module), call_tool(TASKS))


def test_request_meta_helper_matches_the_version(mcp: ModuleType) -> None:
    assert bool(request_meta(mcp)) == is_stateless(mcp)
