"""The emitted package's way from a line to a typed message and back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from mcp_wire import ErrorResponse, ResultResponse
from mcp_wire import v2025_11_25 as mcp

from .messages import Message


def receiver(message: Message) -> Callable[[bytes], Any]:
    """Return the function from a message's bytes to its typed form."""
    if message.kind == "result":
        return partial(_receive_result, message.method)
    return mcp.decode_message


def sender(message: Message) -> Callable[[Any], bytes]:
    """Return the function from a message's typed form to its bytes."""
    match message.kind:
        case "result":
            return _send_result
        case "error":
            return _send_error
        case _:
            return _send_frame


def _receive_result(method: str, data: bytes) -> Any:
    return mcp.decode_result(method, mcp.decode_message(data).result)


def _send_frame(frame: Any) -> bytes:
    return frame.to_json()


def _send_result(result: Any) -> bytes:
    return ResultResponse(id=7, result=result.to_dict()).to_json()


def _send_error(error: ErrorResponse) -> bytes:
    return ErrorResponse(id=7, code=error.code, message=error.message, data=error.data).to_json()
