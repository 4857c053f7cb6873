"""A client and a server of MCP 2026-07-28 as users write them, for type checkers to judge."""

from __future__ import annotations

from typing import Any, assert_type

from mcp_wire import v2026_07_28 as mcp
from mcp_wire.runtime.loopback import DispatcherSession, SyncDispatcherSession


class Asker(mcp.ServerHandler):
    async def call_tool(
        self, params: mcp.CallToolRequestParams, ctx: mcp.ServerContext
    ) -> mcp.CallToolResult | mcp.InputRequiredResult:
        if params.input_responses is None:
            return mcp.InputRequiredResult(input_requests={"r": mcp.ListRootsRequest()})
        await ctx.peer.notify_progress(progress_token=1, progress=1)
        return mcp.CallToolResult(content=[], structured_content=[1, None])

    async def get_prompt(
        self, params: mcp.GetPromptRequestParams, ctx: mcp.ServerContext
    ) -> mcp.GetPromptResult:
        return mcp.GetPromptResult(messages=[])

    async def discover(
        self, params: mcp.RequestParams, ctx: mcp.ServerContext
    ) -> mcp.DiscoverResult:
        return await super().discover(params, ctx)


class Person(mcp.ClientHandler):
    async def list_roots(
        self, params: mcp.ListRootsRequestParams, ctx: mcp.ClientContext
    ) -> mcp.ListRootsResult:
        return mcp.ListRootsResult(roots=[])

    async def create_message(
        self, params: mcp.CreateMessageRequestParams, ctx: mcp.ClientContext
    ) -> mcp.CreateMessageResult:
        assert_type(params.max_tokens, int)
        return mcp.CreateMessageResult(
            role="assistant", content=mcp.TextContent(text="x"), model="m"
        )


class Structural:
    """Nothing inherited, and a plain function among the methods."""

    def call_tool(
        self, params: mcp.CallToolRequestParams, ctx: mcp.ServerContext
    ) -> mcp.CallToolResult:
        ctx.run(ctx.progress(1))
        return mcp.CallToolResult(content=[])


def dispatchers() -> tuple[mcp.Dispatcher, mcp.Dispatcher]:
    info = mcp.Implementation(name="asker", version="1")
    return mcp.Dispatcher(Asker(info)), mcp.Dispatcher(Person(info))


async def client() -> None:
    server = mcp.ServerStub(DispatcherSession(*dispatchers()), max_rounds=3)
    params = mcp.CallToolRequestParams(name="x")
    assert_type(await server.discover(), mcp.DiscoverResult)
    assert_type(await server.call_tool(name="x", meta={"traceparent": "t"}), mcp.CallToolResult)
    assert_type(await server.call_tool(params), mcp.CallToolResult)
    assert_type(
        await server.request_once("tools/call", params),
        mcp.CallToolResult | mcp.InputRequiredResult,
    )
    assert_type(await server.request_once("tools/list"), Any)
    async for template in server.iter_resource_templates():
        assert_type(template, mcp.ResourceTemplate)
    await server.ping()  # type: ignore[attr-defined]
    await server.notify_progress()  # type: ignore[attr-defined]


def blocking() -> None:
    with SyncDispatcherSession(mcp.Dispatcher(Structural())) as session:
        server = mcp.ServerStubSync(session)
        assert_type(server.call_tool(name="x"), mcp.CallToolResult)
        assert_type(
            server.request_once("resources/read", mcp.ReadResourceRequestParams(uri="a:b")),
            mcp.ReadResourceResult | mcp.InputRequiredResult,
        )


async def telling(peer: mcp.ClientStub) -> None:
    await peer.notify_tool_list_changed()
    await peer.notify_resource_updated(
        uri="a:b", meta=mcp.NotificationMetaObject(subscription_id=1)
    )
    await peer.list_roots()  # type: ignore[attr-defined]


async def over_stdio(argv: list[str]) -> None:
    await mcp.serve_stdio(Structural())
    async with mcp.connect_stdio(argv) as session:
        assert_type(session.server, mcp.ServerStub)
        assert_type(await session.server.discover(), mcp.DiscoverResult)
