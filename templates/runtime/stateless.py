"""What versions without a handshake put into every message: keys of `_meta`, and error codes."""

from __future__ import annotations

from typing import Final

__all__ = [
    "CLIENT_CAPABILITIES",
    "CLIENT_INFO",
    "HEADER_MISMATCH",
    "LOG_LEVEL",
    "MISSING_CLIENT_CAPABILITY",
    "PROTOCOL_VERSION",
    "SERVER_INFO",
    "UNSUPPORTED_VERSION",
]

CLIENT_CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO: Final = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL: Final = "io.modelcontextprotocol/logLevel"
PROTOCOL_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
SERVER_INFO: Final = "io.modelcontextprotocol/serverInfo"

HEADER_MISMATCH: Final = -32020
MISSING_CLIENT_CAPABILITY: Final = -32021
UNSUPPORTED_VERSION: Final = -32022
