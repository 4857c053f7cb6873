"""What becomes of our requests: answers, errors and silence, and what follows from them."""

from __future__ import annotations

from math import inf
from typing import Any

from .calls import Call, Calls
from .coerce import as_request_id
from .core import Core
from .envelope import (
    METHOD_NOT_FOUND,
    Envelope,
    InvalidMessage,
    is_meant_as_response,
    read_error,
)
from .errors import McpError, Mismatch, PingFailed, ProtocolError, RequestTimeout, RpcError
from .guards import is_object
from .handshake import ClientHandshake, GiveUp
from .limits import Limits
from .states import OVER, State

__all__ = ["Outcomes"]


class Outcomes:
    """Ends the calls of a connection, each as its purpose asks.

    A handshake goes on, a ping has to be answered by nothing, and everything else is the
    owner's. `give_up` ends the connection at once.
    """

    def __init__(
        self,
        core: Core,
        calls: Calls,
        handshake: ClientHandshake | None,
        limits: Limits,
        give_up: GiveUp,
    ) -> None:
        self._core = core
        self._calls = calls
        self._handshake = handshake
        self._limits = limits
        self._give_up = give_up
        self.is_suspect = False
        """Whether the peer failed a ping."""

    # --- answers --------------------------------------------------------------------------------

    def receive(self, envelope: Envelope, now: float) -> None:
        """Take a response."""
        if envelope.id is None:
            complaint = read_error(envelope).message
            self._core.complaints.warn(
                now, "the peer did not understand a message of ours: %.200s", complaint
            )
            return
        call = self._calls.take(envelope.id)
        if call is None:
            return
        if envelope.kind == "error":
            error = read_error(envelope)
            self._failed(call, RpcError(error.code, error.message, error.data), now)
        else:
            self._succeeded(call, envelope.message["result"], now)

    def receive_echo(self, envelope: Envelope, now: float) -> bool:
        """End the connection to a peer that sends our own handshake back; tell whether it does.

        Nothing would ever answer it.
        """
        if self._handshake is None or self._core.state is not State.INITIALIZING:
            return False
        asked = [call for call in self._calls if call.purpose == "handshake"]
        if all((call.id, call.method) != (envelope.id, envelope.method) for call in asked):
            return False
        reason = f"the server sent our own {envelope.method!r} back: it is no MCP server"
        self._give_up(ProtocolError(reason), now)
        return True

    def receive_malformed(self, value: Any, error: InvalidMessage, now: float) -> bool:
        """End the call that a malformed response is for: no other will come.

        Tells whether the message was one.
        """
        if not is_object(value) or "method" in value:
            return False
        try:
            call = self._calls.take(as_request_id(value.get("id")))
        except Mismatch:
            call = None
        if call is not None:
            self._failed(call, error, now)
        elif is_meant_as_response(value):
            self._core.complaints.warn(now, "dropped a malformed response: %s", error)
        else:
            return False
        return True

    def _succeeded(self, call: Call, result: dict[str, Any], now: float) -> None:
        if call.purpose == "handshake" and self._handshake is not None:
            self._handshake.answered(call, result, now)
        elif call.purpose == "ping" and result.keys() - {"_meta"}:
            found = ", ".join(sorted(result.keys() - {"_meta"}))
            self._ping_failed(call, f"expected an empty result, found {found:.80}", now)
        else:
            self._calls.succeed(call, result, now)

    def _failed(self, call: Call, error: McpError, now: float) -> None:
        if call.purpose == "handshake" and self._handshake is not None:
            self._handshake.failed(call, error, now)
        elif call.purpose == "ping" and self._is_unknown_to_peer(error):
            self._calls.fail(call, PingFailed(str(error)))
        elif call.purpose == "ping":
            self._ping_failed(call, str(error), now)
        else:
            self._calls.fail(call, error)

    def _is_unknown_to_peer(self, error: McpError) -> bool:
        """Whether a ping that came before the version may have come to one without ping."""
        is_unknown = isinstance(error, RpcError) and error.code == METHOD_NOT_FOUND
        return is_unknown and not self._core.facts.has_ping

    def _ping_failed(self, call: Call, reason: str, now: float) -> None:
        """A ping is never sent again on a connection where one has failed."""
        failure = PingFailed(reason)
        self._calls.fail(call, failure)
        if self._core.sends["ping"] == "never":
            return  # It was sent before this version, which has none, was agreed on.
        self.is_suspect = True
        self._give_up(failure, now)

    # --- silence --------------------------------------------------------------------------------

    def next_deadline(self) -> float | None:
        """Return when `tick` is to be called, None for never; it may be too early."""
        deadline = self._calls.earliest
        if self._limits.keepalive is not None and self._may_ping():
            deadline = min(deadline, self._core.last_traffic + self._limits.keepalive)
        return None if deadline == inf else deadline

    def tick(self, now: float) -> None:
        """End the calls whose time is over, and ping a peer that has been silent."""
        if now >= self._calls.earliest:
            for call in sorted(self._calls.expire(now), key=_when_to_time_out):
                self._time_out(call, now)
        keepalive = self._limits.keepalive
        if keepalive is None or not self._may_ping():
            return
        if now >= self._core.last_traffic + keepalive:
            timeout = self._limits.ping_timeout
            self._calls.make("ping", None, now, owner=None, purpose="ping", timeout=timeout)

    def _time_out(self, call: Call, now: float) -> None:
        if call.purpose == "handshake":
            if self._handshake is not None and self._core.state not in OVER:
                self._handshake.timed_out(call, now)
        elif call.purpose == "ping":
            self._ping_failed(call, str(RequestTimeout(call.method, call.seconds or 0)), now)
        else:
            self._calls.time_out(call, now)

    def _may_ping(self) -> bool:
        """Whether silence is to be followed by a ping: not while another is unanswered."""
        core = self._core
        if not core.agreed or not core.facts.has_ping or core.state in OVER:
            return False
        return not self._calls.has_open_ping()


def _when_to_time_out(call: Call) -> int:
    """The place of a call among those that are over: what ends everything else comes last."""
    return {"ping": 1, "handshake": 2}.get(call.purpose, 0)
