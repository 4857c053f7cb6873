"""The nine messages of the codec benchmark, as JSON documents of MCP 2025-11-25."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any, Literal

VERSION = "2025-11-25"

IMAGE_BYTES = 37_500
"""The size of the image: 50 kB once it is base64."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `method` is what it calls or announces; for a response, what it answers."""

    name: str
    kind: Literal["request", "notification", "result", "error"]
    method: str
    document: dict[str, Any]


def messages() -> list[Message]:
    """Return the messages, small ones first within requests and within responses."""
    return [
        Message("ping", "request", "ping", _request("ping")),
        Message("tools/call", "request", "tools/call", _request("tools/call", _call_params())),
        Message("notifications/progress", "notification", "notifications/progress", _progress()),
        Message("initialize", "request", "initialize", _request("initialize", _client())),
        Message("initialize result", "result", "initialize", _result(_server())),
        Message("100 tools", "result", "tools/list", _result({"tools": _tools(100)})),
        Message("50 kB image", "result", "tools/call", _result(_image())),
        Message("1,000 resources", "result", "resources/list", _result(_resources(1000))),
        Message("error", "error", "tools/call", _error()),
    ]


def _request(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "method": method}
    return message if params is None else {**message, "params": params}


def _result(result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "result": result}


def _call_params() -> dict[str, Any]:
    return {
        "name": "search_orders",
        "arguments": {
            "customer": "c-2041",
            "status": ["open", "late"],
            "limit": 25,
            "minimum": 12.5,
            "archived": False,
            "range": {"from": "2025-01-01", "to": "2025-03-31"},
        },
        "_meta": {"progressToken": "search-7"},
    }


def _progress() -> dict[str, Any]:
    params = {"progressToken": "search-7", "progress": 3, "total": 8, "message": "Page 3 of 8"}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def _client() -> dict[str, Any]:
    return {
        "protocolVersion": VERSION,
        "capabilities": {
            "roots": {"listChanged": True},
            "sampling": {"tools": {}},
            "elicitation": {"form": {}, "url": {}},
        },
        "clientInfo": {"name": "orders-desk", "title": "Orders desk", "version": "4.2.0"},
    }


def _server() -> dict[str, Any]:
    return {
        "protocolVersion": VERSION,
        "capabilities": {
            "logging": {},
            "completions": {},
            "prompts": {"listChanged": True},
            "resources": {"subscribe": True, "listChanged": True},
            "tools": {"listChanged": True},
        },
        "serverInfo": {"name": "orders", "title": "Orders", "version": "1.9.3"},
        "instructions": "Look a customer up before listing orders.",
    }


def _tools(count: int) -> list[dict[str, Any]]:
    return [
        {
            "name": f"query_{number}",
            "title": f"Query {number}",
            "description": f"Run the stored query number {number} and return its rows.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "filter": {"type": "string", "description": "Rows to keep"},
                    "limit": {"type": "integer", "minimum": 1, "default": 50},
                    "columns": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["filter"],
            },
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }
        for number in range(count)
    ]


def _image() -> dict[str, Any]:
    # The low bytes of squares: no long runs, so that the text is as varied as a real image's.
    data = base64.b64encode(bytes(number * number % 251 for number in range(IMAGE_BYTES)))
    return {
        "content": [{"type": "image", "data": data.decode(), "mimeType": "image/png"}],
        "isError": False,
    }


def _resources(count: int) -> dict[str, Any]:
    resources = [
        {
            "uri": f"orders://archive/2025/{number}",
            "name": f"order-{number}",
            "mimeType": "application/json",
            "size": 512 + number,
        }
        for number in range(count)
    ]
    return {"resources": resources, "nextCursor": "page-2"}


def _error() -> dict[str, Any]:
    error = {"code": -32602, "message": "Unknown tool", "data": {"name": "serch_orders"}}
    return {"jsonrpc": "2.0", "id": 7, "error": error}
