"""What the parts of a connection share: its state, and what goes out of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from . import jsontext
from .complaints import Complaints
from .errors import ConnectionClosed
from .events import Event
from .facts import Side, VersionFacts
from .session import message_object
from .states import RECEIVE, SEND, TRANSITIONS, Occurrence, Outgoing, State, Verdict

__all__ = ["MESSAGE_OVERHEAD", "Core"]

MESSAGE_OVERHEAD: Final = 1000
"""Bytes that a message takes up in memory on top of its own."""


class Core:
    """The state of a connection, the messages to send, and the events to tell.

    `facts` are those of the version spoken or, before one is agreed on, of the newest; `agreed`
    says which of the two. `last_traffic` is when the last message went either way.
    """

    def __init__(self, role: Side, facts: VersionFacts, state: State) -> None:
        self.role: Side = role
        self.facts = facts
        self.agreed = False
        self._enter(state)
        self.reason = "the connection is closed"
        self.peer_info: dict[str, Any] | None = None
        self.peer_capabilities: dict[str, Any] | None = None
        self.instructions: str | None = None
        self.last_traffic = 0.0
        self.size = 0
        """What the message that is being received takes up, in bytes."""
        self.refused = 0
        """How many answers without an id have been due since the last message that was one."""
        self.noise: str | None = None
        """What came last since then that is no message, for people."""
        self.complaints = Complaints()
        self.events: list[Event] = []
        self.backlog = 0
        """Bytes of the messages to send."""
        self._out: list[bytes] = []
        self._held: dict[object, bytes] = {}

    @property
    def version(self) -> str | None:
        """The version agreed on; None before, and where each request says its own."""
        return self.facts.version if self.agreed else None

    def happened(self, what: Occurrence) -> None:
        """Go on to the state that follows; raises `KeyError` for what cannot happen in this one."""
        self._enter(TRANSITIONS[self.role][self.state][what])

    def _enter(self, state: State) -> None:
        self.state = state
        self.receives = RECEIVE[self.role][state]
        self.sends = SEND[self.role][state]

    def verdict(self, kind: Outgoing) -> Verdict:
        """Return what becomes of a message of ours. Raises `ConnectionClosed` after the end."""
        verdict = self.sends[kind]
        if verdict == "closed":
            raise ConnectionClosed(self.reason)
        return verdict

    def send(self, message: bytes, now: float) -> None:
        """Send a message, unless everything is over."""
        if self.state is not State.CLOSED:
            self.last_traffic = now
            self._out.append(message)
            self.backlog += len(message)

    def notify(self, method: str, params: dict[str, Any] | None, now: float) -> None:
        """Send a notification, whatever the state."""
        self.send(jsontext.dumps(message_object(method, params)), now)

    def hold(self, request_id: int | None, message: bytes) -> None:
        """Keep a message until `release`; the id is that of a request."""
        self._held[object() if request_id is None else request_id] = message

    def hold_notification(self, method: str, params: dict[str, Any] | None) -> None:
        """Keep a notification until `release`."""
        self.hold(None, jsontext.dumps(message_object(method, params)))

    def drop_held(self, request_id: int) -> bool:
        """Drop a request that has been held; tell whether there was one."""
        return self._held.pop(request_id, None) is not None

    def drop_all_held(self) -> None:
        """Drop all that has been held, as it will never be allowed."""
        self._held.clear()

    def release(self, now: float, complete: Callable[[bytes], bytes] | None = None) -> None:
        """Send what has been held, each request as `complete` returns it."""
        held, self._held = self._held, {}
        for key, message in held.items():
            is_request = isinstance(key, int)
            self.send(complete(message) if complete and is_request else message, now)

    def take_messages(self) -> list[bytes]:
        """Return the messages to send, oldest first, once."""
        out = self._out
        if out:
            self._out = []
            self.backlog = 0
        return out

    def take_events(self) -> list[Event]:
        """Return the events to tell, oldest first, once."""
        events = self.events
        if events:
            self.events = []
        return events
