"""Error answers to what is no message, or one that may not be sent now."""

from __future__ import annotations

from typing import Any

from .envelope import INVALID_REQUEST, PARSE_ERROR, ErrorResponse, InvalidMessage
from .errors import DecodeError, JsonError
from .facts import VersionFacts
from .values import UNSET, Unset

__all__ = ["details", "invalid_request", "not_a_message"]


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
