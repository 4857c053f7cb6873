"""Stubs against a dispatcher."""

from __future__ import annotations

import asyncio
from types import ModuleType
from typing import Any

import mcp_wire
import pytest
from mcp_wire import (
    CapabilityError,
    ConnectionClosed,
    ProtocolError,
    RequestTimeout,
    RpcError,
)
from mcp_wire.runtime.loopback import DispatcherSession, SyncDispatcherSession

from .stubbing import Client
from .wire import (
    MODERN,
    OLDEST,
    STATEFUL,
    TASKS,
    info,
    run,
    text_result,
    version_id,
)

# --- against a dispatcher -----------------------------------------------------------------------


class Server:
    """A structural server of any version."""

    def __init__(self, mcp: ModuleType) -> None:
        self.mcp = mcp

    async def call_tool(self, params: Any, ctx: Any) -> Any:
        await ctx.progress(0.5, 1)
        await ctx.progress(1, 1, "done")
        return text_result(self.mcp, params.name)

    async def list_tools(self, params: Any, ctx: Any) -> Any:
        number = int(params.cursor or 0)
        tool = self.mcp.Tool(name=f"tool{number}", input_schema=self.mcp.ToolInputSchema())
        cursor = str(number + 1) if number < 2 else None
        return self.mcp.ListToolsResult(tools=[tool], next_cursor=cursor)

    async def get_prompt(self, params: Any, ctx: Any) -> Any:
        raise RpcError(-32602, "no such prompt", {"name": params.name})

    async def read_resource(self, params: Any, ctx: Any) -> Any:
        await asyncio.sleep(60)


def test_round_trip(mcp: ModuleType) -> None:
    async def main() -> None:
        heard: list[Any] = []
        stub = mcp.ServerStub(DispatcherSession(mcp.Dispatcher(Server(mcp))))
        result = await stub.call_tool(name="n", on_progress=lambda *args: heard.append(args))
        assert result.content[0].text == "n"
        assert heard == [(0.5, 1, None), (1, 1, None if mcp is OLDEST else "done")]
        assert [tool.name async for tool in stub.iter_tools()] == ["tool0", "tool1", "tool2"]
        with pytest.raises(RpcError) as caught:
            await stub.get_prompt(name="p")
        assert caught.value.args == (-32602, "no such prompt", {"name": "p"})
        with pytest.raises(CapabilityError):
            await stub.complete(
                ref=mcp.PromptReference(name="p"),
                argument=mcp.CompleteRequestParamsArgument(name="a", value="v"),
            ) if mcp is not OLDEST else await stub.set_level(level="info")

    run(main())


def test_round_trip_by_blocking(mcp: ModuleType) -> None:
    heard: list[Any] = []
    with SyncDispatcherSession(mcp.Dispatcher(Server(mcp))) as session:
        stub = mcp.ServerStubSync(session)
        result = stub.call_tool(name="n", on_progress=lambda *args: heard.append(args))
        assert result.content[0].text == "n"
        assert len(heard) == 2
        assert [tool.name for tool in stub.iter_tools()] == ["tool0", "tool1", "tool2"]
        with pytest.raises(RequestTimeout):
            stub.read_resource(uri="a:b", timeout=0.01)
        stub.notify_cancelled(request_id=1)


def test_asynchronous_progress_callback(mcp: ModuleType) -> None:
    async def main() -> None:
        heard: list[Any] = []

        async def progress(value: float, total: float | None, message: str | None) -> None:
            await asyncio.sleep(0)
            heard.append(value)

        stub = mcp.ServerStub(DispatcherSession(mcp.Dispatcher(Server(mcp))))
        await stub.call_tool(name="n", on_progress=progress)
        assert heard == [0.5, 1]

    run(main())


def test_progress_under_the_callers_own_token() -> None:
    async def main() -> None:
        heard: list[Any] = []
        stub = TASKS.ServerStub(DispatcherSession(TASKS.Dispatcher(Server(TASKS))))
        for token in (0, ""):
            await stub.call_tool(
                name="n",
                meta=TASKS.RequestParamsMeta(progress_token=token),
                on_progress=lambda *args: heard.append(args),
            )
        assert len(heard) == 4

    run(main())


def test_progress_that_does_not_rise_is_dropped() -> None:
    class Falling:
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            for value in (2, 1, 2, 3):
                await ctx.peer.notify_progress(
                    progress_token=ctx.meta["progressToken"], progress=value
                )
            await ctx.peer.notify_progress(progress_token="unknown", progress=9)
            return text_result(TASKS)

    async def main() -> None:
        heard: list[Any] = []
        stub = TASKS.ServerStub(DispatcherSession(TASKS.Dispatcher(Falling())))
        await stub.call_tool(name="n", on_progress=lambda *args: heard.append(args[0]))
        assert heard == [2, 3]

    run(main())


def test_failing_progress_callback_is_logged(
    mcp: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*report: Any) -> None:
        raise ValueError(f"of the callback: {report[0]}")

    async def main() -> None:
        stub = mcp.ServerStub(DispatcherSession(mcp.Dispatcher(Server(mcp))))
        assert (await stub.call_tool(name="n", on_progress=fail)).content[0].text == "n"

    run(main())
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == [
        "of the callback: 0.5",
        "of the callback: 1",
    ]


@pytest.mark.parametrize(
    ("seconds", "error"), [(0, ValueError), (-1, ValueError), ("1", TypeError)]
)
def test_time_limit_that_makes_no_sense(seconds: Any, error: type[Exception]) -> None:
    async def main() -> None:
        stub = TASKS.ServerStub(DispatcherSession(TASKS.Dispatcher(Server(TASKS))))
        with pytest.raises(error, match="timeout: expected"):
            await stub.read_resource(uri="a:b", timeout=seconds)

    run(main())


def test_time_limit_interrupts_the_handler(mcp: ModuleType) -> None:
    async def main() -> None:
        stub = mcp.ServerStub(DispatcherSession(mcp.Dispatcher(Server(mcp))))
        with pytest.raises(RequestTimeout) as caught:
            await stub.read_resource(uri="a:b", timeout=0.01)
        assert caught.value.args == ("resources/read", 0.01)

    run(main())


def test_cancellation_by_a_notification() -> None:
    async def main() -> None:
        stub = TASKS.ServerStub(DispatcherSession(TASKS.Dispatcher(Server(TASKS))))
        task = asyncio.create_task(stub.read_resource(uri="a:b"))
        await asyncio.sleep(0)
        await stub.notify_cancelled(request_id=1)
        with pytest.raises(ConnectionClosed):
            await task

    run(main())


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_handler_calls_its_client(mcp: ModuleType) -> None:
    class Asking(mcp.ServerHandler):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            assert ctx.client_capabilities.roots is not None
            heard: list[Any] = []
            found = await ctx.peer.list_roots(on_progress=lambda *args: heard.append(args))
            with pytest.raises(CapabilityError):
                await ctx.peer.create_message(messages=[], max_tokens=1)
            await ctx.peer.notify_tool_list_changed()
            assert heard == [(1, None, None)]
            return text_result(mcp, found.roots[0].uri)

    class Asked(mcp.ClientHandler):
        changed = 0

        async def list_roots(self, params: Any, ctx: Any) -> Any:
            await ctx.progress(1)
            assert await ctx.peer.ping() == mcp.Result()
            return mcp.ListRootsResult(roots=[mcp.Root(uri="file:///x")])

        async def on_tool_list_changed(self, params: Any, ctx: Any) -> None:
            self.changed += 1

    async def main() -> None:
        client = Asked(info(mcp))
        session = DispatcherSession(mcp.Dispatcher(Asking(info(mcp))), mcp.Dispatcher(client))
        result = await mcp.ServerStub(session).call_tool(name="n")
        assert result.content[0].text == "file:///x"
        assert client.changed == 1

    run(main())


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_client_without_a_handler_offers_nothing(mcp: ModuleType) -> None:
    class Asking:
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            with pytest.raises(CapabilityError):
                await ctx.peer.list_roots()
            with pytest.raises(RpcError, match="ping"):
                await ctx.peer.ping()
            await ctx.peer.notify_tool_list_changed()
            return text_result(mcp)

    async def main() -> None:
        stub = mcp.ServerStub(DispatcherSession(mcp.Dispatcher(Asking())))
        await stub.call_tool(name="n")

    run(main())


@pytest.mark.parametrize("sync", [False, True])
def test_input_through_a_dispatcher(sync: bool) -> None:
    class Asking:
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            if params.input_responses is None:
                return MODERN.InputRequiredResult(
                    input_requests={"r": MODERN.ListRootsRequest()}, request_state="s"
                )
            assert params.request_state == "s"
            return text_result(MODERN, params.input_responses["r"].roots[0].uri)

    dispatchers = (MODERN.Dispatcher(Asking()), MODERN.Dispatcher(Client()))

    async def main() -> Any:
        return await MODERN.ServerStub(DispatcherSession(*dispatchers)).call_tool(name="n")

    if sync:
        with SyncDispatcherSession(*dispatchers) as session:
            result = MODERN.ServerStubSync(session).call_tool(name="n")
    else:
        result = run(main())
    assert result.content[0].text == "file:///r"


def test_two_sides_of_one_version() -> None:
    server = TASKS.Dispatcher(Server(TASKS))
    with pytest.raises(ValueError, match="own"):
        DispatcherSession(server, server)
    with pytest.raises(ValueError, match="own"):
        DispatcherSession(server, OLDEST.Dispatcher(object(), role="client"))


def test_vendor_method_through_a_dispatcher(mcp: ModuleType) -> None:
    async def main() -> None:
        dispatcher = mcp.Dispatcher(object())
        dispatcher.extend(
            "acme/op",
            params=mcp.CallToolRequestParams,
            result=mcp.CallToolResult,
            fn=lambda params, ctx: text_result(mcp, params.name),
        )
        stub = mcp.ServerStub(DispatcherSession(dispatcher))
        params = mcp.CallToolRequestParams(name="n")
        result = await stub.request("acme/op", params=params, result=mcp.CallToolResult)
        assert result.content[0].text == "n"
        with pytest.raises(RpcError) as caught:
            await stub.request("acme/other")
        assert caught.value.code == -32601

    run(main())


@pytest.mark.parametrize("name", ["", None, 3, "rpc.x", "tools/call"])
def test_names_that_no_vendor_method_can_have(mcp: ModuleType, name: Any) -> None:
    dispatcher = mcp.Dispatcher(object())
    stub = mcp.ServerStub(DispatcherSession(dispatcher))
    for call in (stub.request, stub.notify):
        with pytest.raises(ValueError, match="method"):
            run(call(name))
    with SyncDispatcherSession(dispatcher) as session:
        blocking = mcp.ServerStubSync(session)
        for call in (blocking.request, blocking.notify):
            with pytest.raises(ValueError, match="method"):
                call(name)


def test_errors_are_of_the_package() -> None:
    assert issubclass(ProtocolError, mcp_wire.McpError)


@pytest.mark.parametrize(
    ("fields", "cls", "lacking"),
    [
        ({"mode": "url", "message": "m", "url": "https://a.example"}, "URL", "elicitation_id"),
        ({"message": "m"}, "Form", "requested_schema"),
    ],
)
def test_the_error_is_that_of_the_params_that_were_meant(
    fields: dict[str, str], cls: str, lacking: str
) -> None:
    codec = mcp_wire.load("2025-11-25").ClientStub.codec
    with pytest.raises(TypeError, match=rf"^ElicitRequest{cls}Params.*'{lacking}'"):
        codec.build_params("elicitation/create", fields)
