"""The official SDK's way from a line to a typed message and back, by its public functions.

As release 2.3 does it on stdio: a received line is validated as an envelope; then its params
or result against the version's own types, and once more into the types that callers get.
What is sent is dumped to JSON values, a server's result filtered through the version's own
types, and the whole put into an envelope that is dumped to text. Needs `mcp-types`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import mcp_types as types
from mcp_types import methods
from pydantic import BaseModel

from .messages import VERSION, Message


def receiver(message: Message) -> Callable[[bytes], Any]:
    """Return the function from a message's bytes to its typed form."""
    match message.kind:
        case "request":
            return partial(_receive_call, methods.parse_client_request)
        case "notification":
            return partial(_receive_call, methods.parse_server_notification)
        case "result":
            return partial(_receive_result, message.method)
        case "error":
            return lambda data: _envelope(data).error


def sender(message: Message) -> Callable[[Any], bytes]:
    """Return the function from a message's typed form to its bytes."""
    match message.kind:
        case "request":
            return _send_request
        case "notification":
            return _send_notification
        case "result":
            return partial(_send_result, message.method)
        case "error":
            return lambda error: _line(types.JSONRPCError(jsonrpc="2.0", id=7, error=error))


def _envelope(data: bytes) -> Any:
    return types.jsonrpc_message_adapter.validate_json(data.decode(), by_name=False)


def _receive_call(parse: Callable[[str, str, Any], Any], data: bytes) -> Any:
    envelope = _envelope(data)
    return parse(envelope.method, VERSION, envelope.params)


def _receive_result(method: str, data: bytes) -> Any:
    return methods.parse_server_result(method, VERSION, _envelope(data).result)


def _send_request(request: BaseModel) -> bytes:
    body = _dump(request)
    return _line(types.JSONRPCRequest(jsonrpc="2.0", id=7, **body))


def _send_notification(notification: BaseModel) -> bytes:
    body = _dump(notification)
    return _line(types.JSONRPCNotification(jsonrpc="2.0", **body))


def _send_result(method: str, result: BaseModel) -> bytes:
    body = methods.serialize_server_result(method, VERSION, _dump(result))
    return _line(types.JSONRPCResponse(jsonrpc="2.0", id=7, result=body))


def _dump(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


def _line(envelope: BaseModel) -> bytes:
    return envelope.model_dump_json(by_alias=True, exclude_unset=True).encode()
