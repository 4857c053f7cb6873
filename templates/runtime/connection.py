"""The rules of a session, without any I/O: messages and the time in, events and messages out.

    connection = Connection("client", versions, introduce=introduce)
    connection.start(now)
    ...
        for event in connection.receive(message, now): ...  # for each message that comes
        for event in connection.tick(now): ...              # at connection.next_deadline()
        for message in connection.messages_to_send(): ...   # after everything

Times are in seconds from any origin that does not jump, as `time.monotonic()` gives them. What
may be sent in which state stands in `states`; the parts apply it: `receiving` to what comes,
`answering` to the requests among it, `calls` and `outcomes` to our own, `handshake` to the way
to a version. One bad message never ends a connection: it gets one error answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import jsontext
from .answering import Answering
from .arrivals import Arrival
from .calls import Calls
from .core import MESSAGE_OVERHEAD, Core
from .errors import ConnectionClosed, JsonError, McpError
from .events import Closed, Event
from .facts import Side, VersionFacts
from .guards import is_array
from .handshake import ClientHandshake, Introduce, ServerHandshake
from .limits import Limits, require_seconds
from .outcomes import Outcomes
from .receiving import Receiving
from .states import OVER, State

__all__ = ["Connection"]


class Connection:
    """One connection to a peer, seen from the side `role`, which speaks `versions`, newest last.

    `introduce` says, for a client, who it is in a version and what it offers.
    """

    def __init__(
        self,
        role: Side,
        versions: Sequence[VersionFacts],
        *,
        limits: Limits | None = None,
        introduce: Introduce | None = None,
    ) -> None:
        """Raises `ValueError` without a version, and for a client that is not introduced."""
        if not versions:
            raise ValueError("versions: expected at least one")
        self.limits = limits or Limits()
        stateless = role == "server" and all(facts.stateless for facts in versions)
        self._core = Core(role, versions[-1], State.STATELESS if stateless else State.NEW)
        self._is_started = False
        self._calls = Calls(self._core, self.limits)
        self._has_ping = any(facts.has_ping for facts in versions)
        self._server: ServerHandshake | None = None
        self._client: ClientHandshake | None = None
        if role == "server":
            self._server = ServerHandshake(self._core, versions)
        elif introduce is None:
            raise ValueError("introduce: expected a function for a client, found None")
        else:
            self._client = ClientHandshake(
                self._core, self._calls, versions, introduce, self.limits, self._give_up
            )
        self._answering = Answering(self._core, versions, self._server, self.limits.requests)
        self._outcomes = Outcomes(self._core, self._calls, self._client, self.limits, self._give_up)
        self._receiving = Receiving(
            self._core, self._answering, self._calls, self._outcomes, self._server
        )

    # --- what is known --------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """How far the connection has come."""
        return self._core.state

    @property
    def version(self) -> str | None:
        """The version agreed on; None before, and where each request says its own."""
        return self._core.version

    @property
    def peer_info(self) -> dict[str, Any] | None:
        """Who the peer said it is."""
        return self._core.peer_info

    @property
    def peer_capabilities(self) -> dict[str, Any] | None:
        """What the peer said it offers; None while that is not known."""
        return self._core.peer_capabilities

    @property
    def is_suspect(self) -> bool:
        """Whether the peer failed a ping."""
        return self._outcomes.is_suspect

    @property
    def instructions(self) -> str | None:
        """How the server wants to be used, if it said so."""
        return self._core.instructions

    @property
    def unanswered(self) -> int:
        """How many requests of the peer have still to be answered."""
        return len(self._answering)

    @property
    def open_calls(self) -> int:
        """How many requests of ours have no answer yet."""
        return len(self._calls)

    @property
    def waiting_bytes(self) -> int:
        """What those requests of the peer take up that have not started, for want of a slot."""
        return self._answering.waiting_bytes

    @property
    def backlog(self) -> int:
        """How many bytes `messages_to_send` has."""
        return self._core.backlog

    # --- what we send ---------------------------------------------------------------------------

    def start(self, now: float) -> list[Event]:
        """Begin: a client asks for a version.

        What `introduce` raises, now or later, ends the connection: it is the error of `Closed`.
        Raises `ConnectionClosed` after the end, and `RuntimeError` when it has begun before.
        """
        core = self._core
        if core.state in OVER:
            raise ConnectionClosed(core.reason)
        if self._is_started:
            raise RuntimeError("a connection is started once")
        self._is_started = True
        core.last_traffic = now
        if self._client is not None:
            self._client.start(now)
        return core.take_events()

    def messages_to_send(self) -> list[bytes]:
        """Return the messages to send, oldest first, once."""
        return self._core.take_messages()

    def request(
        self,
        method: str,
        params: dict[str, Any] | None,
        now: float,
        *,
        owner: object,
        timeout: float | None = None,
        total_timeout: float | None = None,
        progress: bool = False,
    ) -> int:
        """Make a request and return its id; `owner` comes back with its events.

        `timeout`, and `total_timeout` that progress cannot extend, are in seconds, more than 0;
        None stands for the limits of the connection. With `progress` it gets a progress token,
        unless the params have one. Where each request says its version and who asks, that is
        filled in once the version is known, under what the params have. A ping is checked as
        such.
        Raises `ConnectionClosed`; `ValueError` when the version has no such requests, for a
        handshake, for a time limit that makes no sense, and for a progress token that is in
        use; and `EncodeError`.
        """
        require_seconds("timeout", timeout)
        require_seconds("total_timeout", total_timeout)
        if method == "initialize":
            raise ValueError("initialize: a connection makes its handshake itself")
        if method == "ping" and not self._has_ping:
            version = self._core.facts.version
            raise ValueError(f"ping: a {self._core.role} has no such request in {version}")
        if self._client is not None:
            params = self._client.with_meta(params)
        timeout, total_timeout = self._calls.time_limits(method, timeout, total_timeout)
        call = self._calls.make(
            method,
            params,
            now,
            owner=owner,
            purpose="ping" if method == "ping" else "call",
            timeout=timeout,
            total_timeout=total_timeout,
            progress=progress,
        )
        return call.id

    def time_limits(
        self, method: str, timeout: float | None, total_timeout: float | None
    ) -> tuple[float | None, float | None]:
        """Return the seconds that a request has for which these were given, as `request` does."""
        return self._calls.time_limits(method, timeout, total_timeout)

    def notify(self, method: str, params: dict[str, Any] | None, now: float) -> None:
        """Send a notification. Raises `ConnectionClosed`, and `EncodeError`."""
        if self._core.verdict("notification") == "wait":
            self._core.hold_notification(method, params)
        else:
            self._core.notify(method, params, now)

    def cancel(self, request_id: int, now: float, reason: str | None = None) -> None:
        """Stop waiting for a request of ours, and tell the peer; no event follows.

        Nothing happens when it has ended.
        """
        self._calls.cancel(request_id, now, reason)

    def respond(self, request: Arrival, answer: bytes | None, now: float) -> list[Event]:
        """Send the answer to a request, now that its handler has stopped.

        It is dropped when the request was cancelled; None is for a handler that was stopped.
        To be called once for each `RequestReceived`: others may be waiting to be next.
        """
        self._answering.respond(request, answer, now)
        return self._core.take_events()

    # --- what comes -----------------------------------------------------------------------------

    def receive(self, message: bytes, now: float) -> list[Event]:
        """Take one message of the peer."""
        core = self._core
        if core.state in OVER:
            return []
        core.last_traffic = now
        core.size = len(message) + MESSAGE_OVERHEAD
        try:
            value = jsontext.loads(message)
        except JsonError as error:
            self._receiving.take_unreadable(message, error, now)
            return core.take_events()
        if core.facts.batches and is_array(value):
            self._receiving.take_batch(value, now)
        else:
            self._receiving.take(value, None, now)
        return core.take_events()

    # --- the time -------------------------------------------------------------------------------

    def next_deadline(self) -> float | None:
        """Return when `tick` is to be called, None for never; it may be too early."""
        return self._outcomes.next_deadline()

    def tick(self, now: float) -> list[Event]:
        """Do what is due at a time: end calls, and ping a peer that has been silent."""
        self._outcomes.tick(now)
        return self._core.take_events()

    # --- the end --------------------------------------------------------------------------------

    def receive_end(
        self, now: float, reason: str = "the peer closed the connection"
    ) -> list[Event]:
        """Note that the peer sends nothing more: what it asked before is still answered."""
        self._end(reason, now)
        return self._core.take_events()

    def close(self, now: float, reason: str = "the connection is closed") -> list[Event]:
        """End the connection from this side: what the peer asked before is still answered.

        What we asked is cancelled.
        """
        if self._core.state not in OVER:
            self._calls.withdraw_all(now, reason)
        self._end(reason, now)
        return self._core.take_events()

    def abort(self, now: float, reason: str = "the connection is closed") -> list[Event]:
        """End everything at once: handlers are to be stopped.

        After `close` or `receive_end`, the members of a batch that are answered are still sent.
        """
        self._end(reason, now, at_once=True)
        self._answering.stop(now)
        if self._core.state is State.ENDING:
            self._core.happened("aborted")
        return self._core.take_events()

    def _give_up(self, error: Exception, now: float) -> None:
        reason = str(error) if isinstance(error, McpError) else f"{type(error).__name__}: {error}"
        self._end(reason, now, error=error, at_once=True)

    def _end(
        self, reason: str, now: float, *, error: Exception | None = None, at_once: bool = False
    ) -> None:
        core = self._core
        if core.state in OVER:
            return
        core.reason = reason
        core.happened("aborted" if at_once else "ended")
        core.drop_all_held()
        self._calls.fail_all(ConnectionClosed(reason))
        if at_once:
            self._answering.stop(now)
        else:
            self._answering.end_subscriptions(now)
        core.events.append(Closed(reason, error, at_once))
