"""What a stub needs of a session: the small protocols between typed calls and the wire.

Only JSON values cross them. A stub decides what is sent: it checks capabilities, encodes
params, follows pages and answers requests for input. A session decides how: it chooses ids,
matches answers, keeps time limits, and sets the progress token. When a call has
`on_progress`, the session puts `_meta.progressToken` into the params before they are written,
unless the caller chose a token, and registers the callback under it first, in every version
of the protocol.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, NoReturn, Protocol, TypeAlias

from . import jsontext
from .errors import ConnectionClosed, describe

__all__ = [
    "BlockingSession",
    "CallSession",
    "Notify",
    "NotifyingSession",
    "ProgressCallback",
    "Send",
    "SendOnlySession",
    "SessionFacts",
    "SyncCallSession",
    "SyncProgressCallback",
    "message_object",
    "no_session",
    "wrong_session",
]

ProgressCallback: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None] | None]
"""Called with progress, total and message; what it returns is awaited where it can be."""

SyncProgressCallback: TypeAlias = Callable[[float, float | None, str | None], None]
"""Called with progress, total and message."""

Notify: TypeAlias = Callable[[str, "dict[str, Any] | None"], Awaitable[None]]
"""Sends a notification, of a method and its params, to the other side."""

Send: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Sends one message to the other side."""


class SessionFacts(Protocol):
    """What both kinds of session know of the two sides."""

    @property
    def peer_capabilities(self) -> Mapping[str, Any] | None:
        """What the other side advertised, as a JSON object.

        None while it is unknown, which gates nothing.
        """
        ...

    @property
    def handler(self) -> object | None:
        """The handler of this side, None when there is none.

        A client's says who the client is and what it offers, which 2026-07-28 repeats in
        every request, and it answers the requests that an `InputRequiredResult` carries.
        """
        ...


class CallSession(SessionFacts, Protocol):
    """An asynchronous session, as stubs use it."""

    async def request(
        self,
        method: str,
        params: dict[str, Any] | None,
        *,
        timeout: float | None = None,
        on_progress: ProgressCallback | None = None,
    ) -> dict[str, Any]:
        """Send a request and return the result object of its answer.

        `timeout` is in seconds; None means the session's own limit. Raises `RpcError` when
        the answer is an error, `RequestTimeout` when there is none in time, and
        `ConnectionClosed`.
        """
        ...

    async def notify(self, method: str, params: dict[str, Any] | None) -> None:
        """Send a notification. Raises `ConnectionClosed`."""
        ...


class SyncCallSession(SessionFacts, Protocol):
    """A blocking session, as the synchronous stubs use it."""

    def request(
        self,
        method: str,
        params: dict[str, Any] | None,
        *,
        timeout: float | None = None,
        on_progress: SyncProgressCallback | None = None,
    ) -> dict[str, Any]:
        """Send a request and return the result object of its answer, as `CallSession` does."""
        ...

    def notify(self, method: str, params: dict[str, Any] | None) -> None:
        """Send a notification. Raises `ConnectionClosed`."""
        ...


class BlockingSession:
    """Base of the blocking sessions of this package, by which asynchronous stubs know them.

    At the end of a `with` statement it is closed.
    """

    def close(self) -> None:
        """End the session. May be called more than once."""
        raise NotImplementedError

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class NotifyingSession:
    """A session that can notify and nothing else: a request is refused with `refusal(method)`."""

    peer_capabilities: Mapping[str, Any] | None = None
    handler: object | None = None

    def __init__(self, notify: Notify, refusal: Callable[[str], Exception]) -> None:
        self._notify = notify
        self._refusal = refusal

    async def request(
        self,
        method: str,
        params: dict[str, Any] | None,
        *,
        timeout: float | None = None,
        on_progress: ProgressCallback | None = None,
    ) -> NoReturn:
        """Raise the refusal."""
        raise self._refusal(method)

    async def notify(self, method: str, params: dict[str, Any] | None) -> None:
        """Send a notification."""
        await self._notify(method, params)


class SendOnlySession(NotifyingSession):
    """The session of a bare `send`: no answer could ever arrive."""

    def __init__(self, send: Send) -> None:
        super().__init__(self._send_notification, _no_session)
        self._send = send

    async def _send_notification(self, method: str, params: dict[str, Any] | None) -> None:
        await self._send(jsontext.dumps(message_object(method, params)))


def _no_session(method: str) -> ConnectionClosed:
    return ConnectionClosed(f"{method} needs an answer, and there is no session to receive it")


def message_object(
    method: str, params: dict[str, Any] | None, request_id: str | int | None = None
) -> dict[str, Any]:
    """Return the JSON-RPC object of a request, or of a notification when there is no id."""
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if request_id is not None:
        message["id"] = request_id
    message["method"] = method
    if params is not None:
        message["params"] = params
    return message


def no_session(stub: object, found: object) -> TypeError:
    """Return the error of a stub that was given something else than a session."""
    name = type(stub).__name__
    kind = "SyncDispatcherSession" if name.endswith("Sync") else "DispatcherSession"
    return TypeError(
        f"{name}: expected a session, found {describe(found)}; of a dispatcher, {kind} makes one"
    )


def wrong_session(stub: object, session: object) -> TypeError:
    """Return the error of a stub that was given a session of the other kind."""
    name = type(stub).__name__
    found = type(session).__name__
    if name.endswith("Sync"):
        other = f"asynchronous, and goes with {name.removesuffix('Sync')}"
    else:
        other = f"blocking, and goes with {name}Sync"
    return TypeError(f"{name}: found a session of the wrong kind: {found} is {other}")
