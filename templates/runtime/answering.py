"""The peer's requests: which are served, which are answered at once, and which are refused."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final

from . import jsontext
from .arrivals import Arrival, Arrivals, Batch
from .core import Core
from .envelope import Envelope, InvalidMessage
from .errors import DecodeError
from .events import RequestCancelled, RequestReceived
from .facts import VersionFacts
from .guards import is_object
from .handshake import ServerHandshake
from .refusals import invalid_request, not_a_message, too_many
from .stateless import (
    CLIENT_CAPABILITIES,
    CLIENT_INFO,
    LOG_LEVEL,
    PROTOCOL_VERSION,
    end_of_subscription,
)
from .states import Incoming, State
from .values import Unset

__all__ = ["Answering"]

_log = logging.getLogger(__name__)

_MOST_REFUSED = 10
"""Answers of a client to what is no message, until something comes that is one."""

_LISTEN: Final = "subscriptions/listen"
_STATELESS_KEYS: Final = (PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL)


class Answering:
    """The requests of the peer, from their arrival to their answer.

    `handshake` is a server's. Where it speaks versions without a handshake, a request is of
    one of these when its `_meta` says so, or when there are no others.
    """

    def __init__(
        self,
        core: Core,
        versions: Sequence[VersionFacts],
        handshake: ServerHandshake | None,
        slots: int,
    ) -> None:
        self._core = core
        self._handshake = handshake
        self._arrivals = Arrivals(slots)
        is_server = handshake is not None
        self._stateless = [facts.version for facts in versions if is_server and facts.stateless]

    def __len__(self) -> int:
        return len(self._arrivals)

    @property
    def waiting_bytes(self) -> int:
        """What those take up that have not started, for want of a slot."""
        return self._arrivals.waiting_bytes

    def receive(
        self, envelope: Envelope, request_id: str | int, batch: Batch | None, now: float
    ) -> None:
        """Take a request."""
        if self._arrivals.get(request_id) is not None:
            self._drop_second(request_id, now)
            return
        kind = self._kind(envelope)
        reaction = self._core.receives[kind]
        if kind == "initialize" and batch is not None:
            expected = "a method other than initialize in a batch"
            self._refuse(request_id, envelope, expected, batch, now)
        elif reaction == "serve":
            self._serve(request_id, envelope, kind, batch, now)
        elif reaction == "pong":
            answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "result": {}}
            self.answer(jsontext.dumps(answer), batch, now)
        elif reaction == "refuse":
            self._refuse(request_id, envelope, self._expected(kind), batch, now)
        else:
            self._core.complaints.warn(
                now, "dropped a request, which only clients send: %.80r", envelope.method
            )

    def receive_malformed(self, error: InvalidMessage, batch: Batch | None, now: float) -> None:
        """Refuse what is neither a message nor meant as a response."""
        answer = not_a_message(self._core.facts, error)
        if isinstance(error.id, Unset):
            self.refuse(answer, batch, now)
        elif self._arrivals.get(error.id) is not None:
            self._drop_second(error.id, now)
        else:
            self.answer(answer, batch, now)

    def refuse(self, answer: bytes, batch: Batch | None, now: float) -> None:
        """Send an error answer to what is no message, and has no id.

        A client sends few of them in a row: a program that is no server may write a line for
        each, and the two would go on for ever.
        """
        core = self._core
        core.refused += 1
        if core.role == "server" or core.refused <= _MOST_REFUSED:
            self.answer(answer, batch, now)

    def stateless_version(self, params: Any) -> str | None:
        """Return which version without a handshake a message with these params is of.

        It is the newest where they say none, or one that is not spoken; None where no such
        version is.
        """
        said = _stateless_meta(params).get(PROTOCOL_VERSION)
        if said in self._stateless:
            return str(said)
        return self._stateless[-1] if self._stateless else None

    def respond(self, arrival: Arrival, answer: bytes | None, now: float) -> None:
        """Send the answer of a request that has been served, unless it was cancelled."""
        following = self._arrivals.release(arrival)
        if self._arrivals.remove(arrival):
            self._settle(arrival, answer, now)
            if self._handshake is not None and arrival.envelope.method == "initialize":
                # After the answer: what has waited for the client to be ready may follow it.
                self._handshake.answered(answer, now)
        if following is not None:
            self._core.events.append(RequestReceived(following))

    def cancel(self, request_id: str | int, now: float) -> None:
        """Cancel a request: it gets no answer, and does not start any more."""
        arrival = self._arrivals.get(request_id)
        if arrival is not None and arrival.envelope.method != "initialize":
            self._stop(arrival, now)

    def end_subscriptions(self, now: float) -> None:
        """Stop what would never end by itself, and say so: with the answer, which makes it a
        graceful end, and with the notification that every end of a subscription needs.
        """
        for arrival in self._arrivals:
            if arrival.envelope.method != _LISTEN:
                continue
            if arrival.version not in self._stateless:
                self._stop(arrival, now)
                continue
            result = end_of_subscription(arrival.id)
            answer = jsontext.dumps({"jsonrpc": "2.0", "id": arrival.id, "result": result})
            self._stop(arrival, now, answer)
            self._core.notify("notifications/cancelled", {"requestId": arrival.id}, now)

    def stop(self, now: float) -> None:
        """Stop serving everything."""
        for arrival in self._arrivals:
            self._stop(arrival, now)

    def answer(self, answer: bytes, batch: Batch | None, now: float) -> None:
        """Send an answer: in its batch, and never where only servers may."""
        if self._core.role == "client" and self._core.state is State.STATELESS:
            _log.debug("dropped an answer, which only servers send: %.200r", answer)
        elif batch is not None:
            batch.add(answer)
        else:
            self._core.send(answer, now)

    def _kind(self, envelope: Envelope) -> Incoming:
        method = envelope.method
        if self._stateless and (method == "server/discover" or _stateless_meta(envelope.params)):
            return "stateless"
        if method == "ping":
            return "ping"
        return "initialize" if method == "initialize" else "request"

    def _serve(
        self,
        request_id: str | int,
        envelope: Envelope,
        kind: Incoming,
        batch: Batch | None,
        now: float,
    ) -> None:
        core = self._core
        version = core.facts.version
        if kind == "stateless" or core.state is State.STATELESS:
            version = self.stateless_version(envelope.params) or version
        elif kind == "initialize" and self._handshake is not None:
            version = self._handshake.begin(envelope)
        arrival = Arrival(request_id, envelope, version, batch, core.size)
        place = self._arrivals.add(arrival)
        if place == "refused":
            complaint = "refused a request, as those that wait take up too much"
            self._core.complaints.warn(now, complaint)
            self.answer(too_many(request_id, "waiting"), batch, now)
            return
        if batch is not None:
            batch.expect()
        if place == "starts":
            core.events.append(RequestReceived(arrival))

    def _expected(self, kind: Incoming) -> str:
        """Which methods are served now, when one of this kind is not."""
        if self._core.role == "client":
            return "ping, until a version is agreed on"
        if kind == "initialize":
            return "a method other than a second initialize"
        if self._core.state is State.NEW:
            return "initialize first, or ping"
        return "ping, until initialize is answered"

    def _refuse(
        self,
        request_id: str | int,
        envelope: Envelope,
        expected: str,
        batch: Batch | None,
        now: float,
    ) -> None:
        error = DecodeError.at(["method"], expected, envelope.method)
        self.answer(invalid_request(self._core.facts, error, request_id), batch, now)

    def _drop_second(self, request_id: str | int, now: float) -> None:
        # An answer with this id, an error too, would end the first request at the peer.
        self._core.complaints.warn(
            now, "dropped a request with an id that is in use: %.80r", request_id
        )

    def _stop(self, arrival: Arrival, now: float, answer: bytes | None = None) -> None:
        is_running = not arrival.is_waiting
        self._arrivals.remove(arrival)
        self._settle(arrival, answer, now)
        if is_running:
            self._core.events.append(RequestCancelled(arrival))

    def _settle(self, arrival: Arrival, answer: bytes | None, now: float) -> None:
        """Send an answer that was expected, or count with its absence."""
        if arrival.batch is not None:
            answer = arrival.batch.settle(answer)
        if answer is not None:
            self._core.send(answer, now)


def _stateless_meta(params: Any) -> dict[str, Any]:
    """The members of `_meta` that only requests without a handshake have."""
    meta = params.get("_meta") if is_object(params) else None
    if meta is None or not is_object(meta):
        return {}
    return {key: meta[key] for key in _STATELESS_KEYS if key in meta}
