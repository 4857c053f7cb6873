"""The least that an asynchronous echo server in Python does: streams and `json`, no rules."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    if "id" not in message:
        return None
    if message["method"] == "initialize":
        result: dict[str, Any] = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "echo", "version": "1"},
        }
    else:
        text = message["params"]["arguments"]["message"]
        result = {"content": [{"type": "text", "text": text}]}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


async def main() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await loop.connect_read_pipe(lambda: protocol, sys.stdin)
    output, _ = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    writer = asyncio.StreamWriter(output, protocol, reader, loop)
    while line := await reader.readline():
        found = answer(json.loads(line))
        if found is not None:
            writer.write(json.dumps(found).encode() + b"\n")
            await writer.drain()


asyncio.run(main())
