"""A client and a server of MCP 2025-06-18 as users write them, for type checkers to judge."""

from __future__ import annotations

from typing import Any, assert_type

from mcp_wire import v2025_06_18 as mcp
from mcp_wire.runtime.loopback import DispatcherSession, SyncDispatcherSession


class Adder(mcp.ServerHandler):
    async def call_tool(
        self, params: mcp.CallToolRequestParams, ctx: mcp.ServerContext
    ) -> mcp.CallToolResult:
        answer = await ctx.peer.create_message(
            messages=[mcp.SamplingMessage(role="user", content=mcp.TextContent(text="?"))],
            max_tokens=5,
        )
        assert_type(answer, mcp.CreateMessageResult)
        return mcp.CallToolResult(content=[mcp.TextContent(text=params.name)])

    async def initialize(
        self, params: mcp.InitializeRequestParams, ctx: mcp.ServerContext
    ) -> mcp.InitializeResult:
        return await super().initialize(params, ctx)

    async def subscribe(
        self, params: mcp.SubscribeRequestParams, ctx: mcp.RequestContext
    ) -> mcp.EmptyResult:
        return mcp.Result()


class Person(mcp.ClientHandler):
    async def list_roots(
        self, params: mcp.RequestParams, ctx: mcp.ClientContext
    ) -> mcp.ListRootsResult:
        assert_type(await ctx.peer.ping(), mcp.EmptyResult)
        return mcp.ListRootsResult(roots=[])

    async def on_progress(
        self, params: mcp.ProgressNotificationParams, ctx: mcp.ClientContext
    ) -> None:
        assert_type(params.progress, float)


def dispatchers() -> tuple[mcp.Dispatcher, mcp.Dispatcher]:
    info = mcp.Implementation(name="adder", version="1")
    return mcp.Dispatcher(Adder(info)), mcp.Dispatcher(Person(info))


async def client() -> None:
    server = mcp.ServerStub(DispatcherSession(*dispatchers()))
    assert_type(await server.call_tool(name="add", arguments={"a": 1}), mcp.CallToolResult)
    params = mcp.CallToolRequestParams(name="add")
    assert_type(await server.call_tool(params, timeout=2), mcp.CallToolResult)
    assert_type(await server.list_prompts(), mcp.ListPromptsResult)
    assert_type(await server.request_once("prompts/list"), Any)
    async for resource in server.iter_resources():
        assert_type(resource, mcp.Resource)
    await server.call_tool(name=5)  # type: ignore[call-overload]
    await server.discover()  # type: ignore[attr-defined]


def blocking() -> None:
    with SyncDispatcherSession(*dispatchers()) as session:
        server = mcp.ServerStubSync(session)
        assert_type(server.call_tool(name="add"), mcp.CallToolResult)
        for prompt in server.iter_prompts():
            assert_type(prompt, mcp.Prompt)
