"""Gives what comes to the part that it is for: requests, responses, notifications, batches."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from .answering import Answering
from .arrivals import Batch
from .calls import Calls
from .coerce import as_request_id
from .core import MESSAGE_OVERHEAD, Core
from .envelope import Envelope, InvalidMessage, is_meant_as_response, read_envelope
from .errors import DecodeError, JsonError, Mismatch
from .events import NotificationReceived
from .glimpse import glimpse
from .guards import is_object
from .handshake import ServerHandshake
from .lines import LongLine, UnendedLine
from .outcomes import Outcomes
from .refusals import invalid_request, not_a_message
from .states import OVER, State
from .stray import complain_of_text, shown
from .values import UNSET, Unset

__all__ = ["Receiving"]

_CANCELLED = "notifications/cancelled"
_INITIALIZED = "notifications/initialized"
_PROGRESS = "notifications/progress"
_TASK_STATUS = "notifications/tasks/status"


class Receiving:
    """The messages of the peer, as JSON values; `handshake` is a server's."""

    def __init__(
        self,
        core: Core,
        answering: Answering,
        calls: Calls,
        outcomes: Outcomes,
        handshake: ServerHandshake | None,
    ) -> None:
        self._core = core
        self._answering = answering
        self._calls = calls
        self._outcomes = outcomes
        self._handshake = handshake

    def take_batch(self, members: list[Any], now: float) -> None:
        """Take the messages of an array; those after one that ends the connection are dropped."""
        core = self._core
        if not members:
            error = DecodeError.at([], "a batch of at least one message", members)
            self._answering.refuse(invalid_request(core.facts, error), None, now)
            return
        batch = Batch()
        core.size = core.size // len(members) + MESSAGE_OVERHEAD
        # Until all members are read the array is not complete, however they end.
        batch.expect()
        for member in members:
            if core.state in OVER:
                return
            self.take(member, batch, now)
        answers = batch.settle(None)
        if answers is not None:
            self._answering.answer(answers, None, now)

    def take(self, value: Any, batch: Batch | None, now: float) -> None:
        """Take one message, which came alone or in a batch."""
        try:
            envelope = read_envelope(value)
        except InvalidMessage as error:
            self._core.noise = str(error)
            self._malformed(value, error, batch, now)
            return
        self._core.refused, self._core.noise = 0, None
        if envelope.kind == "notification":
            self._notification(envelope, now)
        elif envelope.kind != "request" or envelope.id is None:
            self._outcomes.receive(envelope, now)
        elif not self._outcomes.receive_echo(envelope, now):
            self._answering.receive(envelope, envelope.id, batch, now)

    def take_unreadable(self, text: bytes, error: JsonError, now: float) -> None:
        """Take what is no JSON text, or a message too long; an answer ends its call even so."""
        known = glimpse(text)
        if isinstance(text, UnendedLine) and is_meant_as_response(known):
            # The peer went while it wrote this: what the call ends with is how it went.
            return
        if self._core.role == "client":
            complain_of_text(self._core.complaints, text, error, now)
            self._core.noise = shown(text)
        if isinstance(text, LongLine):
            if known:
                expected = f"a message of at most {text.limit} bytes (max_bytes)"
                self._malformed(known, _unreadable(known, expected, "a longer one"), None, now)
                return
            error = JsonError(error.path, error.expected, text.decode())
        elif is_meant_as_response(known):
            unreadable = _unreadable(known, error.expected, error.found)
            self._outcomes.receive_malformed(known, unreadable, now)
            return
        self._answering.refuse(not_a_message(self._core.facts, error), None, now)

    def _malformed(
        self, value: Any, error: InvalidMessage, batch: Batch | None, now: float
    ) -> None:
        if not self._outcomes.receive_malformed(value, error, now):
            self._answering.receive_malformed(error, batch, now)

    def _notification(self, envelope: Envelope, now: float) -> None:
        method, params = envelope.method, envelope.params
        if method == _PROGRESS and not self._calls.progress(params, now):
            return
        if method == _CANCELLED and is_object(params):
            self._cancellation(params, now)
        elif method == _TASK_STATUS:
            self._calls.tokens.observe_task(params)
        elif method == _INITIALIZED and self._handshake is not None:
            self._handshake.initialized(now)
        core = self._core
        version = core.version or self._answering.stateless_version(params)
        if version is not None:
            core.events.append(NotificationReceived(envelope, version, core.size))

    def _cancellation(self, params: dict[str, Any], now: float) -> None:
        try:
            request_id = as_request_id(params.get("requestId"))
        except Mismatch:
            return
        if self._core.role == "client" and self._core.state is State.STATELESS:
            self._calls.end_subscription(request_id, params.get("reason"), now)
        else:
            self._answering.cancel(request_id, now)


def _unreadable(known: dict[str, Any], expected: str, found: str) -> InvalidMessage:
    """The error of a message of which no more is known."""
    request_id: str | int | Unset = UNSET
    with suppress(Mismatch):
        request_id = as_request_id(known.get("id"))
    return InvalidMessage("$", expected, found, request_id)
