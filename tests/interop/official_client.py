"""A client of the official SDK, in whichever release runs it: prints what it found, as JSON.

`python official_client.py MODE COMMAND…`; MODE is `auto` or `legacy`, and releases before 2.0
know the second only.
"""

import asyncio
import json
import os
import sys
from typing import Any

TEXT = "à bientôt \u2028 \U0001f600"


async def old(parameters: Any) -> dict[str, Any]:
    from mcp import ClientSession
    from mcp.client.stdio import stdio_client

    async with (
        stdio_client(parameters) as (reading, writing),
        ClientSession(reading, writing) as session,
    ):
        opened = await session.initialize()
        await session.send_ping()
        tools = await session.list_tools()
        result = await session.call_tool("echo", {"message": TEXT})
        try:
            await session.call_tool("nope", {})
            refused: Any = None
        except Exception as error:
            refused = error.error.code
        return {
            "version": opened.protocolVersion,
            "server": opened.serverInfo.name,
            "tools": [tool.name for tool in tools.tools],
            "text": result.content[0].text,
            "refused": refused,
        }


async def new(parameters: Any, mode: str) -> dict[str, Any]:
    from mcp import Client

    async with Client(parameters, mode=mode) as client:
        if mode == "legacy":
            await client.send_ping()
        tools = await client.list_tools()
        result = await client.call_tool("echo", {"message": TEXT})
        try:
            await client.call_tool("nope", {})
            refused: Any = None
        except Exception as error:
            refused = error.code
        return {
            "version": client.protocol_version,
            "server": client.server_info.name,
            "tools": [tool.name for tool in tools.tools],
            "text": result.content[0].text,
            "refused": refused,
        }


def main(mode: str, command: str, *arguments: str) -> None:
    import mcp

    environment = dict(os.environ)
    parameters = mcp.StdioServerParameters(command=command, args=arguments, env=environment)
    has_client = hasattr(mcp, "Client")
    found = asyncio.run(new(parameters, mode) if has_client else old(parameters))
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
