"""What handlers report and know: progress, logs, and the context of a message."""

from __future__ import annotations

import asyncio
import gc
import weakref
from types import ModuleType
from typing import Any

import pytest
from mcp_wire import ConnectionClosed, RpcError
from mcp_wire.runtime.session import SendOnlySession

from .dispatching import answer, error, served
from .wire import (
    LOG_LEVEL_KEY,
    MODERN,
    OLDEST,
    STATEFUL,
    TASKS,
    Recorder,
    call_tool,
    is_stateless,
    parsed,
    request,
    run,
    text_result,
    version_id,
)

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


@pytest.mark.parametrize(
    "failure",
    [None, ValueError(), RpcError(1, "x"), ConnectionClosed(), asyncio.CancelledError()],
)
def test_progress_ends_with_the_answer(mcp: ModuleType, failure: BaseException | None) -> None:
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
        capabilities: Any = {"logging": {}, "tools": {}}  # noqa: RUF012

        async def call_tool(self, params: Any, ctx: Any) -> Any:
            for level in levels:
                await ctx.log(level, {"text": level}, "test")
            return text_result(mcp)

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


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_a_handler_may_set_the_level_itself(mcp: ModuleType) -> None:
    class Handler(mcp.ServerHandler):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            await ctx.log("info", "x")
            return text_result(mcp)

        async def set_level(self, params: Any, ctx: Any) -> None:
            levels.append(params.level)

    async def main() -> None:
        send = Recorder()
        dispatcher = mcp.Dispatcher(Handler(mcp.Implementation(name="x", version="1")), send=send)
        await dispatcher.dispatch(request(mcp, "logging/setLevel", {"level": "warning"}))
        await dispatcher.dispatch(call_tool(mcp))
        assert (levels, send.messages) == (["warning"], [])

    levels: list[str] = []
    run(main())


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_there_is_no_level_to_set_without_logs(mcp: ModuleType) -> None:
    class Handler(mcp.ServerHandler):
        pass

    dispatcher = mcp.Dispatcher(Handler(mcp.Implementation(name="x", version="1")))
    message = request(mcp, "logging/setLevel", {"level": "alert"})
    assert error(dispatcher, message)["code"] == -32601


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


def test_a_server_that_does_not_say_that_it_logs_does_not(
    mcp: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    async def call(params: Any, ctx: Any) -> Any:
        await ctx.log("error", "x")
        return text_result(mcp)

    send = Recorder()
    meta = {LOG_LEVEL_KEY: "debug"} if mcp is MODERN else {}
    assert "content" in answer(served(mcp, call, send=send), call_tool(mcp, meta=meta))["result"]
    assert send.messages == []
    assert "the capability logging is not advertised" in caplog.text


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
