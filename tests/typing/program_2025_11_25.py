"""A client and a server of MCP 2025-11-25 as users write them, for type checkers to judge."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any, assert_type

import mcp_wire
from mcp_wire import v2025_11_25 as mcp
from mcp_wire.runtime.loopback import DispatcherSession, SyncDispatcherSession


class Adder(mcp.ServerHandler):
    """Narrows the results, and takes each of the contexts a method may declare."""

    async def call_tool(
        self, params: mcp.CallToolRequestParams, ctx: mcp.ServerContext
    ) -> mcp.CallToolResult:
        assert_type(params.arguments, dict[str, Any] | None)
        assert_type(ctx.peer, mcp.ClientStub)
        assert_type(ctx.client_capabilities, mcp.ClientCapabilities | None)
        await ctx.progress(0.5, total=1, message="half")
        await ctx.log("info", {"done": 1})
        roots = await ctx.peer.list_roots()
        assert_type(roots, mcp.ListRootsResult)
        return mcp.CallToolResult(content=[mcp.TextContent(text=params.name)])

    async def list_tools(
        self, params: mcp.PaginatedRequestParams, ctx: mcp.RequestContext
    ) -> mcp.ListToolsResult:
        assert_type(params.cursor, str | None)
        return mcp.ListToolsResult(tools=[])

    async def set_level(self, params: mcp.SetLevelRequestParams, ctx: mcp.ServerContext) -> None:
        return None

    async def on_roots_list_changed(
        self, params: mcp.NotificationParams, ctx: mcp.ServerContext
    ) -> None:
        assert_type(ctx.cancelled, bool)


class Person(mcp.ClientHandler):
    async def elicit(
        self, params: mcp.ElicitRequestParams, ctx: mcp.ClientContext
    ) -> mcp.ElicitResult:
        assert_type(params, mcp.ElicitRequestFormParams | mcp.ElicitRequestURLParams)
        assert_type(ctx.peer, mcp.ServerStub)
        return mcp.ElicitResult(action="decline")


class Wrong(mcp.ServerHandler):
    async def get_prompt(  # type: ignore[override]
        self, params: mcp.GetPromptRequestParams, ctx: mcp.ServerContext
    ) -> mcp.CallToolResult:
        raise NotImplementedError


def on_progress(value: float, total: float | None, message: str | None) -> None:
    print(value, total, message)


async def later_on_progress(value: float, total: float | None, message: str | None) -> None:
    print(value, total, message)


def dispatchers() -> tuple[mcp.Dispatcher, mcp.Dispatcher]:
    info = mcp.Implementation(name="adder", version="1")
    server = Adder(info, instructions="Adds.", capabilities=mcp.ServerCapabilities())
    return mcp.Dispatcher(server), mcp.Dispatcher(Person(info))


async def client() -> None:
    server = mcp.ServerStub(DispatcherSession(*dispatchers()), max_pages=10)
    # By keywords, with an object, and as a task.
    assert_type(
        await server.call_tool(
            name="add", arguments={"a": 1}, timeout=1, on_progress=on_progress, meta={"a": 1}
        ),
        mcp.CallToolResult,
    )
    assert_type(
        await server.call_tool(
            mcp.CallToolRequestParams(name="add"), on_progress=later_on_progress
        ),
        mcp.CallToolResult | mcp.CreateTaskResult,
    )
    assert_type(
        await server.call_tool(name="add", task=mcp.TaskMetadata(ttl=5)), mcp.CreateTaskResult
    )
    assert_type(
        await server.request_once("tools/call", mcp.CallToolRequestParams(name="add")),
        mcp.CallToolResult | mcp.CreateTaskResult,
    )
    # Without params, notifications, acknowledgements.
    assert_type(await server.list_tools(), mcp.ListToolsResult)
    assert_type(await server.ping(), mcp.EmptyResult)
    await server.notify_initialized()
    await server.notify_progress(progress_token=0, progress=0.5, message="half")
    await server.notify_progress(mcp.ProgressNotificationParams(progress_token="", progress=1))
    # Pages.
    assert_type(server.iter_tools(), AsyncIterator[mcp.Tool])
    async for tool in server.iter_tools(cursor="x"):
        assert_type(tool, mcp.Tool)
    # Vendor methods.
    assert_type(
        await server.request("acme/op", mcp.Result(), result=mcp.CallToolResult),
        mcp.CallToolResult,
    )
    assert_type(await server.request("acme/op", params={"a": 1}), dict[str, Any])


async def wrong(server: mcp.ServerStub) -> None:
    await server.call_tool(name=5)  # type: ignore[call-overload]
    await server.call_tool()  # type: ignore[call-overload]
    await server.call_tool(name="x", nope=1)  # type: ignore[call-overload]
    await server.call_tool(mcp.ReadResourceRequestParams(uri="x"))  # type: ignore[call-overload]
    await server.ping(timeout="soon")  # type: ignore[call-overload]
    await server.create_message()  # type: ignore[attr-defined]


async def asking(peer: mcp.ClientStub) -> None:
    schema = mcp.ElicitRequestFormParamsRequestedSchema(properties={})
    assert_type(await peer.elicit(message="m", requested_schema=schema), mcp.ElicitResult)
    assert_type(
        await peer.elicit(mode="url", message="m", elicitation_id="e", url="https://a.b"),
        mcp.ElicitResult,
    )
    assert_type(
        await peer.elicit(message="m", requested_schema=schema, task=mcp.TaskMetadata()),
        mcp.CreateTaskResult,
    )
    await peer.elicit(message="m")  # type: ignore[call-overload]


def blocking() -> None:
    with SyncDispatcherSession(*dispatchers()) as session:
        server = mcp.ServerStubSync(session)
        assert_type(server.call_tool(name="add", on_progress=on_progress), mcp.CallToolResult)
        assert_type([tool.name for tool in server.iter_tools()], list[str])
        assert_type(server.request("acme/op", result=mcp.Result), mcp.Result)


async def custom(params: mcp.CallToolRequestParams, ctx: mcp.ServerContext) -> mcp.CallToolResult:
    return mcp.CallToolResult(content=[])


def plain(params: dict[str, Any], ctx: mcp.RequestContext) -> dict[str, Any]:
    ctx.run(ctx.progress(1))
    return params


def extended() -> None:
    server, person = dispatchers()
    server.extend("acme/a", params=mcp.CallToolRequestParams, result=mcp.CallToolResult, fn=custom)
    server.extend("acme/b", fn=plain)
    person.extend("acme/c", params=mcp.Result, fn=custom)  # type: ignore[call-overload]


async def over_stdio(argv: list[str]) -> None:
    info = mcp.Implementation(name="adder", version="1")
    await mcp.serve_stdio(Adder(info), limits=mcp_wire.Limits(requests=8), max_bytes=1000)
    await mcp_wire.serve_stdio(Adder(info))
    async with mcp.connect_stdio(argv, Person(info), stderr=logging.getLogger()) as session:
        assert_type(session, mcp.ClientSession)
        assert_type(session.server, mcp.ServerStub)
        assert_type(session.version, str | None)
        assert_type(session.capabilities, mcp.ServerCapabilities | None)
        assert_type(session.server_info, mcp.Implementation | None)
        assert_type(await session.server.call_tool(name="add"), mcp.CallToolResult)
        await session.ping()
    async with mcp_wire.connect_stdio(argv, versions=["2025-11-25"], grace=1) as either:
        assert_type(either, mcp_wire.Session)
    async with mcp.ClientSession(mcp_wire.memory_pair()[0], Person(info)) as own:
        assert_type(own.server, mcp.ServerStub)
    mcp.ClientSession(mcp_wire.memory_pair()[0], role="client")  # type: ignore[call-arg]
    mcp.connect_stdio(argv, cwd=5)  # type: ignore[arg-type]
    mcp.connect_stdio(argv, nope=5)  # type: ignore[call-arg]


def over_stdio_blocking(argv: list[str]) -> None:
    with mcp.connect_stdio_sync(argv, env={"A": "1"}, stderr=print) as session:
        assert_type(session.server, mcp.ServerStubSync)
        assert_type(session.server.call_tool(name="add"), mcp.CallToolResult)
        assert_type(session.capabilities, mcp.ServerCapabilities | None)
    with mcp_wire.connect_stdio_sync(argv) as either:
        assert_type(either, mcp_wire.SyncSession)


def misspelt() -> object:
    return mcp.CallToolReslt  # type: ignore[attr-defined]
