"""The echo server as the official SDK's low-level server has it; run in the SDK's environment."""

import asyncio

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def list_tools(ctx, params):
    schema = {"type": "object", "properties": {"message": {"type": "string"}}}
    return types.ListToolsResult(tools=[types.Tool(name="echo", input_schema=schema)])


async def call_tool(ctx, params):
    text = types.TextContent(type="text", text=params.arguments["message"])
    return types.CallToolResult(content=[text])


async def main():
    server = Server("echo", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


asyncio.run(main())
