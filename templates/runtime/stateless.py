"""What versions without a handshake put into every message: keys of `_meta`, and error codes."""

from __future__ import annotations

from typing import Any, Final

__all__ = [
    "CLIENT_CAPABILITIES",
    "CLIENT_INFO",
    "HEADER_MISMATCH",
    "LOG_LEVEL",
    "MISSING_CLIENT_CAPABILITY",
    "PROTOCOL_VERSION",
    "SERVER_INFO",
    "SUBSCRIPTION_ID",
    "UNSUPPORTED_VERSION",
    "end_of_subscription",
]

CLIENT_CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO: Final = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL: Final = "io.modelcontextprotocol/logLevel"
PROTOCOL_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
SERVER_INFO: Final = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_ID: Final = "io.modelcontextprotocol/subscriptionId"

HEADER_MISMATCH: Final = -32020
MISSING_CLIENT_CAPABILITY: Final = -32021
UNSUPPORTED_VERSION: Final = -32022


def end_of_subscription(request_id: str | int) -> dict[str, Any]:
    """Return the result of a `subscriptions/listen` that the server has ended."""
    return {"resultType": "complete", "_meta": {SUBSCRIPTION_ID: request_id}}
