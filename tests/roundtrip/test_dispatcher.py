"""The dispatcher of every version: messages in, answers out, and every way it can go wrong."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import threading
import weakref
from types import ModuleType
from typing import Any

import pytest
from mcp_wire import RpcError
from mcp_wire.runtime.session import SendOnlySession

from .wire import (
    BATCHES,
    CAPABILITIES_KEY,
    LOG_LEVEL_KEY,
    MODERN,
    MODULES,
    OLDEST,
    SERVER_INFO_KEY,
    STATEFUL,
    TASKS,
    VERSION_KEY,
    Recorder,
    call_tool,
    info,
    is_stateless,
    notification,
    parsed,
    request,
    request_meta,
    run,
    text_result,
    version_id,
)


@pytest.fixture(params=MODULES.values(), ids=version_id)
def mcp(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


class Tools:
    """A structural handler: nothing is inherited."""

    def __init__(self, mcp: ModuleType, name: str = "tools") -> None:
        self.mcp = mcp
        self.info = {"name": name, "version": "7"}
        self.called: list[Any] = []

    async def list_tools(self, params: Any, ctx: Any) -> Any:
        self.called.append(params)
        return self.mcp.ListToolsResult(tools=[])

    async def call_tool(self, params: Any, ctx: Any) -> Any:
        self.called.append(params)
        return text_result(self.mcp, params.name)


def served(mcp: ModuleType, call: Any, **options: Any) -> Any:
    """A dispatcher of a handler whose `call_tool` is the given function."""

    class Handler:
        call_tool = staticmethod(call)

    return mcp.Dispatcher(Handler(), **options)


def answer(dispatcher: Any, message: bytes) -> Any:
    return parsed(run(dispatcher.dispatch(message)))


def error(dispatcher: Any, message: bytes) -> Any:
    found = answer(dispatcher, message)
    assert set(found) <= {"jsonrpc", "id", "error"}, found
    return found["error"]


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


def unread(mcp: ModuleType) -> dict[str, Any]:
    """What stands for the id of a request that cannot be read."""
    return {"id": None} if mcp.PROTOCOL_VERSION <= "2025-06-18" else {}


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
    ],
)
def test_responses_are_ignored(mcp: ModuleType, message: Any) -> None:
    dispatcher = mcp.Dispatcher(Tools(mcp))
    assert run(dispatcher.dispatch(json.dumps(message).encode())) is None


# --- handlers that fail -------------------------------------------------------------------------


def test_failure_is_logged_and_not_sent(mcp: ModuleType, caplog: pytest.LogCaptureFixture) -> None:
    async def call(params: Any, ctx: Any) -> Any:
        raise KeyError("the password is swordfish")

    found = answer(served(mcp, call), call_tool(mcp))
    assert found == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32603, "message": "Internal error"},
    }
    assert "swordfish" in caplog.text


@pytest.mark.parametrize("data", [{"why": [1]}, None, 0, "text"])
def test_rpc_error_is_sent(mcp: ModuleType, data: Any) -> None:
    async def call(params: Any, ctx: Any) -> Any:
        raise RpcError(-32000, "no such thing", data)

    expected = {"code": -32000, "message": "no such thing", "data": data}
    assert error(served(mcp, call), call_tool(mcp)) == expected


def test_rpc_error_without_data(mcp: ModuleType) -> None:
    async def call(params: Any, ctx: Any) -> Any:
        raise RpcError(7, "x")

    assert error(served(mcp, call), call_tool(mcp)) == {"code": 7, "message": "x"}


@pytest.mark.parametrize("value", ["text", 5, object(), {"content": []}])
def test_result_of_another_type(mcp: ModuleType, value: Any) -> None:
    async def call(params: Any, ctx: Any) -> Any:
        return value

    assert error(served(mcp, call), call_tool(mcp))["code"] == -32603


def test_result_that_json_cannot_express(mcp: ModuleType) -> None:
    async def call(params: Any, ctx: Any) -> Any:
        result = text_result(mcp)
        result.meta = {"acme/set": {1, 2}}
        return result

    assert error(served(mcp, call), call_tool(mcp))["code"] == -32603


def test_error_data_that_json_cannot_express(mcp: ModuleType) -> None:
    async def call(params: Any, ctx: Any) -> Any:
        raise RpcError(1, "x", {1, 2})

    assert error(served(mcp, call), call_tool(mcp))["code"] == -32603


def test_dispatcher_goes_on_after_a_failure(mcp: ModuleType) -> None:
    calls: list[int] = []

    async def call(params: Any, ctx: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise ValueError
        return text_result(mcp)

    async def main() -> None:
        dispatcher = served(mcp, call)
        assert "error" in parsed(await dispatcher.dispatch(call_tool(mcp)))
        assert "result" in parsed(await dispatcher.dispatch(call_tool(mcp)))

    run(main())


# --- notifications ------------------------------------------------------------------------------


class Listener:
    def __init__(self) -> None:
        self.heard: list[Any] = []

    async def on_cancelled(self, params: Any, ctx: Any) -> None:
        assert ctx.request_id is None
        self.heard.append(params)

    def on_roots_list_changed(self, params: Any, ctx: Any) -> None:
        self.heard.append(params)

    async def on_initialized(self, params: Any, ctx: Any) -> None:
        raise ValueError("secret")


def test_notification_is_served(mcp: ModuleType) -> None:
    listener = Listener()
    message = notification("notifications/cancelled", {"requestId": 9, "reason": "why"})
    assert run(mcp.Dispatcher(listener).dispatch(message)) is None
    assert listener.heard == [mcp.CancelledNotificationParams(request_id=9, reason="why")]


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_notification_by_a_plain_function(mcp: ModuleType) -> None:
    listener = Listener()
    message = notification("notifications/roots/list_changed")
    assert run(mcp.Dispatcher(listener).dispatch(message)) is None
    assert listener.heard == [mcp.NotificationParams()]


@pytest.mark.parametrize(
    "message",
    [
        notification("notifications/unknown"),
        notification("tools/call", {"name": "x"}),  # a request without id
        notification("notifications/message", {"level": "info", "data": 1}),  # the server's own
        notification("notifications/cancelled", {"requestId": 1.5}),
        notification("notifications/cancelled", {"requestId": True}),
    ],
)
def test_notifications_that_are_ignored(mcp: ModuleType, message: bytes) -> None:
    listener = Listener()
    assert run(mcp.Dispatcher(listener).dispatch(message)) is None
    assert listener.heard == []


def test_failing_notification_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    dispatcher = TASKS.Dispatcher(Listener())
    assert run(dispatcher.dispatch(notification("notifications/initialized"))) is None
    assert "notifications/initialized" in caplog.text


def test_unknown_notifications_do_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        run(TASKS.Dispatcher(object()).dispatch(notification("notifications/unknown")))
    assert caplog.text == ""


# --- plain functions ----------------------------------------------------------------------------


def test_plain_function_runs_in_a_thread(mcp: ModuleType) -> None:
    threads: list[Any] = []

    def call(params: Any, ctx: Any) -> Any:
        threads.append(threading.current_thread())
        return text_result(mcp)

    assert "result" in answer(served(mcp, call), call_tool(mcp))
    assert threads[0] is not threading.main_thread()


def test_plain_function_may_return_an_awaitable(mcp: ModuleType) -> None:
    async def later() -> Any:
        return text_result(mcp, "later")

    found = answer(served(mcp, lambda params, ctx: later()), call_tool(mcp))
    assert found["result"]["content"][0]["text"] == "later"


def test_object_with_an_asynchronous_call(mcp: ModuleType) -> None:
    class Call:
        async def __call__(self, params: Any, ctx: Any) -> Any:
            assert threading.current_thread() is threading.main_thread()
            return text_result(mcp)

    assert "result" in answer(served(mcp, Call()), call_tool(mcp))


@pytest.mark.parametrize("failure", [StopIteration(), ValueError("x")])
def test_plain_function_that_fails(mcp: ModuleType, failure: Exception) -> None:
    def call(params: Any, ctx: Any) -> Any:
        raise failure

    assert error(served(mcp, call), call_tool(mcp))["code"] == -32603


def test_plain_function_reports_progress() -> None:
    def call(params: Any, ctx: Any) -> Any:
        ctx.run(ctx.progress(0.5, 1.0))
        return text_result(TASKS)

    send = Recorder()
    answer(served(TASKS, call, send=send), call_tool(TASKS, meta={"progressToken": "t"}))
    assert send.params == [{"progressToken": "t", "progress": 0.5, "total": 1.0}]


def test_run_is_refused_where_awaiting_is_possible() -> None:
    async def call(params: Any, ctx: Any) -> Any:
        with pytest.raises(RuntimeError, match="await"):
            ctx.run(ctx.progress(1))
        return text_result(TASKS)

    assert "result" in answer(served(TASKS, call), call_tool(TASKS))


# --- cancellation -------------------------------------------------------------------------------


def cancelled(id: Any) -> bytes:
    return notification("notifications/cancelled", {"requestId": id})


class Slow:
    """A handler that waits until it is released or interrupted."""

    def __init__(self, mcp: ModuleType, *, stubborn: bool = False) -> None:
        self.mcp = mcp
        self.stubborn = stubborn
        self.started = asyncio.Event()
        self.release = asyncio.Event()
        self.ctx: Any = None
        self.interrupted = False

    async def call_tool(self, params: Any, ctx: Any) -> Any:
        self.ctx = ctx
        self.started.set()
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.interrupted = True
            if not self.stubborn:
                raise
        return text_result(self.mcp)


@pytest.mark.parametrize("stubborn", [False, True])
@pytest.mark.parametrize("id", [0, "", "a", 5])
def test_cancelled_request_gets_no_answer(mcp: ModuleType, id: Any, stubborn: bool) -> None:
    async def main() -> None:
        handler = Slow(mcp, stubborn=stubborn)
        dispatcher = mcp.Dispatcher(handler)
        task = asyncio.create_task(dispatcher.dispatch(call_tool(mcp, id=id)))
        await handler.started.wait()
        assert not handler.ctx.cancelled
        assert await dispatcher.dispatch(cancelled(id)) is None
        assert await dispatcher.dispatch(cancelled(id)) is None
        assert await task is None
        assert handler.interrupted
        assert handler.ctx.cancelled
        assert task.cancelling() == 0
        # The id is free again.
        handler.release.set()
        assert "result" in parsed(await dispatcher.dispatch(call_tool(mcp, id=id)))

    run(main())


@pytest.mark.parametrize("other", ["1", 2, "", None, 1.0])
def test_ids_of_another_type_cancel_nothing(mcp: ModuleType, other: Any) -> None:
    async def main() -> None:
        handler = Slow(mcp)
        dispatcher = mcp.Dispatcher(handler)
        task = asyncio.create_task(dispatcher.dispatch(call_tool(mcp, id=1)))
        await handler.started.wait()
        await dispatcher.dispatch(cancelled(other))
        handler.release.set()
        assert "result" in parsed(await task)

    run(main())


def test_late_and_unknown_cancellations_are_ignored(mcp: ModuleType) -> None:
    async def main() -> None:
        dispatcher = mcp.Dispatcher(Tools(mcp))
        await dispatcher.dispatch(call_tool(mcp))
        assert await dispatcher.dispatch(cancelled(1)) is None
        assert await dispatcher.dispatch(cancelled(99)) is None

    run(main())


def test_initialize_cannot_be_cancelled() -> None:
    async def main() -> None:
        started, release = asyncio.Event(), asyncio.Event()

        class Server(TASKS.ServerHandler):
            async def initialize(self, params: Any, ctx: Any) -> Any:
                started.set()
                await release.wait()
                return await super().initialize(params, ctx)

        dispatcher = TASKS.Dispatcher(Server(info(TASKS)))
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "c", "version": "0"},
        }
        task = asyncio.create_task(dispatcher.dispatch(request(TASKS, "initialize", params)))
        await started.wait()
        await dispatcher.dispatch(cancelled(1))
        release.set()
        assert parsed(await task)["result"]["protocolVersion"] == "2025-11-25"

    run(main())


def test_plain_function_sees_its_cancellation() -> None:
    async def main() -> None:
        started, seen = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        def call(params: Any, ctx: Any) -> Any:
            loop.call_soon_threadsafe(started.set)
            while not ctx.cancelled:
                pass
            seen.set()
            return text_result(TASKS)

        dispatcher = served(TASKS, call)
        task = asyncio.create_task(dispatcher.dispatch(call_tool(TASKS)))
        await started.wait()
        await dispatcher.dispatch(cancelled(1))
        assert await task is None
        assert seen.wait(5)

    run(main())


def test_callers_own_cancellation_goes_through(mcp: ModuleType) -> None:
    async def main() -> None:
        handler = Slow(mcp)
        task = asyncio.create_task(mcp.Dispatcher(handler).dispatch(call_tool(mcp)))
        await handler.started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert handler.ctx.cancelled

    run(main())


def test_callers_time_limit_goes_through_a_cancellation(mcp: ModuleType) -> None:
    async def main() -> None:
        handler = Slow(mcp)
        dispatcher = mcp.Dispatcher(handler)

        limits: list[asyncio.Timeout] = []

        async def limited() -> None:
            async with asyncio.timeout(None) as limit:
                limits.append(limit)
                await dispatcher.dispatch(call_tool(mcp))

        task = asyncio.create_task(limited())
        await handler.started.wait()
        limits[0].reschedule(asyncio.get_running_loop().time())
        with pytest.raises(TimeoutError):
            await task
        assert task.cancelling() == 0

    run(main())


def test_handlers_own_cancellation_is_a_failure(mcp: ModuleType) -> None:
    async def call(params: Any, ctx: Any) -> Any:
        raise asyncio.CancelledError

    assert error(served(mcp, call), call_tool(mcp))["code"] == -32603


# --- progress and logs --------------------------------------------------------------------------


def reporting(mcp: ModuleType, *values: Any, **options: Any) -> Any:
    async def call(params: Any, ctx: Any) -> Any:
        for value in values:
            await ctx.progress(*value)
        return text_result(mcp)

    return served(mcp, call, **options)


@pytest.mark.parametrize("token", [0, "", "t", 12])
def test_progress_goes_to_the_token(mcp: ModuleType, token: Any) -> None:
    send = Recorder()
    dispatcher = reporting(mcp, (1,), (2.5, 10), (10, 10, "done"), send=send)
    answer(dispatcher, call_tool(mcp, meta={"progressToken": token}))
    assert {message["method"] for message in send.messages} == {"notifications/progress"}
    assert [params["progressToken"] for params in send.params] == [token] * 3
    assert [params["progress"] for params in send.params] == [1, 2.5, 10]
    assert [params.get("total") for params in send.params] == [None, 10, 10]
    expected = None if mcp is OLDEST else "done"
    assert send.params[2].get("message") == expected
    for message in send.messages:
        mcp.decode_message(message)


def test_progress_without_a_token_sends_nothing(mcp: ModuleType) -> None:
    send = Recorder()
    assert "result" in answer(reporting(mcp, (1,), (2,), send=send), call_tool(mcp))
    assert send.messages == []


def test_progress_without_anywhere_to_send(mcp: ModuleType) -> None:
    message = call_tool(mcp, meta={"progressToken": 1})
    assert "result" in answer(reporting(mcp, (1,)), message)


@pytest.mark.parametrize("values", [((2,), (1,)), ((1,), (1,))])
@pytest.mark.parametrize("meta", [{}, {"progressToken": 1}])
def test_progress_has_to_rise(mcp: ModuleType, values: Any, meta: Any) -> None:
    async def call(params: Any, ctx: Any) -> Any:
        *first, last = values
        for value in first:
            await ctx.progress(*value)
        with pytest.raises(ValueError, match="rise"):
            await ctx.progress(*last)
        return text_result(mcp)

    assert "result" in answer(served(mcp, call), call_tool(mcp, meta=meta))


@pytest.mark.parametrize("failure", [None, ValueError(), RpcError(1, "x")])
def test_progress_ends_with_the_answer(mcp: ModuleType, failure: Exception | None) -> None:
    kept: list[Any] = []

    async def call(params: Any, ctx: Any) -> Any:
        kept.append(ctx)
        if failure is not None:
            raise failure
        return text_result(mcp)

    async def main() -> None:
        send = Recorder()
        dispatcher = served(mcp, call, send=send)
        await dispatcher.dispatch(call_tool(mcp, meta={"progressToken": 1}))
        await kept[0].progress(1)
        assert send.messages == []

    run(main())


def test_progress_of_a_task_goes_on_after_the_answer() -> None:
    kept: list[Any] = []

    async def call(params: Any, ctx: Any) -> Any:
        kept.append(ctx)
        now = "2025-11-25T00:00:00Z"
        task = TASKS.Task(
            task_id="t", status="working", created_at=now, last_updated_at=now, ttl=None
        )
        return TASKS.CreateTaskResult(task=task)

    async def main() -> None:
        send = Recorder()
        dispatcher = served(TASKS, call, send=send)
        params = {"name": "x", "task": {}}
        message = request(TASKS, "tools/call", params, meta={"progressToken": 1})
        assert parsed(await dispatcher.dispatch(message))["result"]["task"]["taskId"] == "t"
        await kept[0].progress(1)
        assert send.params == [{"progressToken": 1, "progress": 1}]

    run(main())


def logging_server(mcp: ModuleType, *levels: str, **options: Any) -> Any:
    class Handler:
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            for level in levels:
                await ctx.log(level, {"text": level}, "test")
            return text_result(mcp)

        async def set_level(self, params: Any, ctx: Any) -> None:
            return None

    return mcp.Dispatcher(Handler(), **options)


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_log_messages_from_the_level_that_was_set(mcp: ModuleType) -> None:
    async def main() -> None:
        send = Recorder()
        dispatcher = logging_server(mcp, "debug", "warning", "emergency", send=send)
        await dispatcher.dispatch(call_tool(mcp))
        assert [params["level"] for params in send.params] == ["debug", "warning", "emergency"]
        assert send.params[0] == {"level": "debug", "data": {"text": "debug"}, "logger": "test"}
        send.messages.clear()
        await dispatcher.dispatch(request(mcp, "logging/setLevel", {"level": "warning"}))
        await dispatcher.dispatch(call_tool(mcp))
        assert [params["level"] for params in send.params] == ["warning", "emergency"]

    run(main())


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_log_level_of_one_session_is_not_that_of_others(mcp: ModuleType) -> None:
    async def main() -> None:
        sends = [Recorder(), Recorder(), Recorder()]
        dispatcher = logging_server(mcp, "debug", "emergency", send=sends[0])
        one, other = SendOnlySession(sends[1]), SendOnlySession(sends[2])
        quiet = request(mcp, "logging/setLevel", {"level": "alert"})
        await dispatcher.dispatch(quiet, session=one)
        for session in (None, one, other):
            await dispatcher.dispatch(call_tool(mcp), session=session)
        levels = [[params["level"] for params in send.params] for send in sends]
        assert levels == [["debug", "emergency"], ["emergency"], ["debug", "emergency"]]

    run(main())


def test_log_level_ends_with_its_session() -> None:
    async def main() -> None:
        dispatcher = logging_server(TASKS)
        session = SendOnlySession(Recorder())
        last = weakref.ref(session)
        message = request(TASKS, "logging/setLevel", {"level": "alert"})
        assert parsed(await dispatcher.dispatch(message, session=session))["result"] == {}
        del session
        gc.collect()
        assert last() is None

    run(main())


def test_log_level_without_a_session() -> None:
    message = request(TASKS, "logging/setLevel", {"level": "alert"})
    assert answer(logging_server(TASKS), message)["result"] == {}


@pytest.mark.parametrize(
    ("wanted", "expected"), [({}, []), ({LOG_LEVEL_KEY: "warning"}, ["warning", "emergency"])]
)
def test_log_messages_that_the_request_asks_for(wanted: Any, expected: Any) -> None:
    send = Recorder()
    dispatcher = logging_server(MODERN, "debug", "warning", "emergency", send=send)
    answer(dispatcher, call_tool(MODERN, meta=wanted))
    assert [params["level"] for params in send.params] == expected


def test_log_level_that_does_not_exist(mcp: ModuleType) -> None:
    assert error(logging_server(mcp, "loud"), call_tool(mcp))["code"] == -32603


def test_clients_do_not_log() -> None:
    class Client:
        async def list_roots(self, params: Any, ctx: Any) -> Any:
            with pytest.raises(RuntimeError, match="client"):
                await ctx.log("info", 1)
            return TASKS.ListRootsResult(roots=[])

    dispatcher = TASKS.Dispatcher(Client(), role="client")
    assert answer(dispatcher, request(TASKS, "roots/list"))["result"] == {"roots": []}


# --- context ------------------------------------------------------------------------------------


def test_context(mcp: ModuleType) -> None:
    async def call(params: Any, ctx: Any) -> Any:
        assert isinstance(ctx, mcp.ServerContext)
        assert isinstance(ctx, mcp.RequestContext)
        assert ctx.request_id == "id"
        assert ctx.meta["acme/x"] == [1]
        assert ctx.session is None
        with pytest.raises(RuntimeError, match="session"):
            assert ctx.peer
        expected = mcp.ClientCapabilities() if is_stateless(mcp) else None
        assert ctx.client_capabilities == expected
        return text_result(mcp)

    message = call_tool(mcp, id="id", meta={"acme/x": [1]})
    assert "result" in answer(served(mcp, call), message)


def test_peer_notifies_through_send(mcp: ModuleType) -> None:
    async def call(params: Any, ctx: Any) -> Any:
        await ctx.peer.notify_tool_list_changed()
        return text_result(mcp)

    send = Recorder()
    assert "result" in answer(served(mcp, call, send=send), call_tool(mcp))
    assert send.messages == [{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}]


def test_peer_cannot_be_called_through_send() -> None:
    async def call(params: Any, ctx: Any) -> Any:
        await ctx.peer.list_roots()

    found = error(served(TASKS, call, send=Recorder()), call_tool(TASKS))
    assert found["code"] == -32603


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
