"""A client over stdio: `python echo_client.py COMMAND…` calls the tool `echo` of that server."""

import asyncio
import sys

sys.path.insert(0, f"{sys.path[0]}/../../generated")
from mcp_wire import connect_stdio


async def main(command):
    async with connect_stdio(command) as session:
        print(session.version, session.server_info.name)
        async for tool in session.server.iter_tools():
            print("tool:", tool.name)
        result = await session.server.call_tool(name="echo", arguments={"message": "hello"})
        print("echo:", result.content[0].text)


asyncio.run(main(sys.argv[1:]))
