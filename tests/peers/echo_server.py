"""A server over stdio that speaks every version, with one tool that says what it is told."""

import asyncio
import sys

sys.path.insert(0, f"{sys.path[0]}/../../generated")
from mcp_wire import RpcError, serve_stdio


class Echo:
    def __init__(self, mcp):
        self.mcp = mcp
        self.info = mcp.Implementation(name="echo", version="1")

    async def list_tools(self, params, ctx):
        schema = {"type": "object", "properties": {"message": {"type": "string"}}}
        tool = self.mcp.Tool.from_dict({"name": "echo", "inputSchema": schema})
        return self.mcp.ListToolsResult(tools=[tool])

    async def call_tool(self, params, ctx):
        message = (params.arguments or {}).get("message")
        if params.name != "echo" or not isinstance(message, str):
            raise RpcError(self.mcp.INVALID_PARAMS, "expected the tool echo with a message")
        return self.mcp.CallToolResult(content=[self.mcp.TextContent(text=message)])


asyncio.run(serve_stdio(Echo))
