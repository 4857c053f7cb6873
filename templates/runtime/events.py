"""What a `Connection` tells its driver.

An `owner` is what the driver gave with a request of its own: it comes back with everything
that happens to that request.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from .arrivals import Arrival
from .envelope import Envelope
from .errors import McpError
from .records import dataclass

__all__ = [
    "Answered",
    "Closed",
    "Event",
    "Failed",
    "NotificationReceived",
    "Progressed",
    "Ready",
    "RequestCancelled",
    "RequestReceived",
]


@dataclass(slots=True)
class Ready:
    """Both sides may now send whatever the version allows."""


@dataclass(slots=True)
class RequestReceived:
    """Serve this request now, and give the answer to `Connection.respond`."""

    request: Arrival


@dataclass(slots=True)
class RequestCancelled:
    """Stop serving this request; an answer to it would be dropped."""

    request: Arrival


@dataclass(slots=True)
class NotificationReceived:
    """A notification, of the protocol's `version`, for a handler that wants it.

    `size` is what the message takes up, in bytes.
    """

    envelope: Envelope
    version: str
    size: int


@dataclass(slots=True)
class Answered:
    """The result of one of our requests."""

    owner: Any
    result: dict[str, Any]


@dataclass(slots=True)
class Failed:
    """One of our requests gets no result: `RpcError` is the peer's answer, others are ours."""

    owner: Any
    error: McpError


@dataclass(slots=True)
class Progressed:
    """Progress of one of our requests, or of the task that it started."""

    owner: Any
    progress: float
    total: float | None
    message: str | None


@dataclass(slots=True)
class Closed:
    """The connection is at its end: `error` says why when no version could be agreed on.

    It may be one that the introduction of a client raised. Requests that came before may still
    be answered, unless `at_once`.
    """

    reason: str
    error: Exception | None
    at_once: bool


Event: TypeAlias = (
    Ready
    | RequestReceived
    | RequestCancelled
    | NotificationReceived
    | Answered
    | Failed
    | Progressed
    | Closed
)
