"""A proxy over stdio: `python proxy.py COMMAND…` is that server, and shows what is said."""

import asyncio
import sys

sys.path.insert(0, f"{sys.path[0]}/../../generated")
from mcp_wire import ConnectionClosed, child_transport, stdio_transport


async def forward(source, target, arrow):
    try:
        while (message := await source.receive()) is not None:
            print(arrow, message.decode(errors="replace"), file=sys.stderr)
            await target.send(message)
    except ConnectionClosed:
        pass  # Nobody is there to be told; the other direction ends by itself.
    finally:
        target.write_eof()


async def main(command):
    async with stdio_transport() as client, child_transport(command) as server:
        requests = asyncio.create_task(forward(client, server, "-->"))
        await forward(server, client, "<--")
        requests.cancel()


asyncio.run(main(sys.argv[1:]))
