"""What a dispatcher does with handlers: failures, notifications, and plain functions."""

from __future__ import annotations

import logging
import threading
from types import ModuleType
from typing import Any

import pytest
from mcp_wire import RpcError

from .dispatching import answer, error, served
from .wire import (
    STATEFUL,
    TASKS,
    Recorder,
    call_tool,
    notification,
    parsed,
    run,
    text_result,
    version_id,
)

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


@pytest.mark.parametrize(
    ("message", "warning"),
    [
        (
            notification("notifications/cancelled", {"requestId": True}),
            "ignored a notification 'notifications/cancelled': ",
        ),
        (b'{"jsonrpc":"2.0","id":1,"result":5}', "dropped a malformed response: "),
    ],
)
def test_nor_do_malformed_messages(
    message: bytes, warning: str, caplog: pytest.LogCaptureFixture
) -> None:
    dispatcher = TASKS.Dispatcher(Listener())

    async def flood() -> None:
        for _ in range(100):
            assert await dispatcher.dispatch(message) is None

    run(flood())
    (said,) = caplog.messages
    assert said.startswith(warning)


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
