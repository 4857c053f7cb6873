"""Error answers to what is no message, what may not be sent now, and what handlers failed at."""

from __future__ import annotations

import logging
from typing import Any

from .envelope import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorResponse,
    InvalidMessage,
)
from .errors import DecodeError, EncodeError, JsonError, RpcError
from .facts import VersionFacts
from .values import UNSET, Unset

__all__ = [
    "details",
    "internal_error",
    "invalid_request",
    "not_a_message",
    "sendable_error",
    "too_many",
]

_log = logging.getLogger(__name__)


def details(error: DecodeError) -> dict[str, Any]:
    """Return what is wrong with a message, as the data of an error."""
    return {"path": error.path, "expected": error.expected, "found": error.found}


def not_a_message(facts: VersionFacts, error: JsonError | InvalidMessage) -> bytes:
    """Return the answer to text that is no JSON (-32700), or to JSON that is no message."""
    if isinstance(error, InvalidMessage):
        return invalid_request(facts, error, error.id)
    return _refusal(facts, PARSE_ERROR, "Parse error", error, UNSET)


def invalid_request(
    facts: VersionFacts, error: DecodeError, request_id: str | int | Unset = UNSET
) -> bytes:
    """Return the answer (-32600) to a request that is not allowed, here or now."""
    return _refusal(facts, INVALID_REQUEST, "Invalid request", error, request_id)


def _refusal(
    facts: VersionFacts, code: int, message: str, error: DecodeError, request_id: str | int | Unset
) -> bytes:
    unread = None if facts.null_id else UNSET
    answer = ErrorResponse(
        id=unread if request_id is UNSET else request_id,
        code=code,
        message=f"{message}: {error}",
        data=details(error),
    )
    return answer.to_json()


def too_many(request_id: str | int, which: str) -> bytes:
    """Return the answer (-32603) to a request that there is no room for."""
    answer = ErrorResponse(
        id=request_id, code=INTERNAL_ERROR, message=f"Too many requests are {which}"
    )
    return answer.to_json()


def internal_error(request_id: str | int | None) -> ErrorResponse:
    """Return the answer for what went wrong here, whose reasons are not told."""
    return ErrorResponse(id=request_id, code=INTERNAL_ERROR, message="Internal error")


def sendable_error(request_id: str | int, error: RpcError) -> bytes:
    """Return the answer for an error that was raised; one that cannot be sent is logged."""
    answer = ErrorResponse(id=request_id, code=error.code, message=error.message, data=error.data)
    try:
        _require_code_and_message(answer.code, answer.message)
        return answer.to_json()
    except Exception:
        _log.exception("an error that a handler raised cannot be sent")
        return internal_error(request_id).to_json()


def _require_code_and_message(code: object, message: object) -> None:
    if isinstance(code, bool) or not isinstance(code, int):
        raise EncodeError.at(["error", "code"], "an integer", code)
    if not isinstance(message, str):
        raise EncodeError.at(["error", "message"], "a string", message)
