"""The rules of a connection as three tables: which state follows, what is taken, what is sent.

    server   NEW ── initialize comes ──▶ INITIALIZING ── answered ──▶ INITIALIZED
                 ◀──── it failed ───────             └ notifications/initialized comes ▶ READY
    client   NEW ── initialize or server/discover sent ──▶ INITIALIZING ── agreed ──▶ READY

A side that speaks versions without a handshake only, or has agreed on one, is STATELESS. From
every state a connection may get to ENDING, where requests that came before are still
answered, and to CLOSED. `core` and `answering` only apply what stands here.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, TypeAlias

from .facts import Side

__all__ = [
    "OVER",
    "RECEIVE",
    "SEND",
    "TRANSITIONS",
    "Incoming",
    "Occurrence",
    "Outgoing",
    "Reaction",
    "State",
    "Verdict",
]


class State(Enum):
    """How far a connection has come."""

    NEW = "new"
    INITIALIZING = "initializing"
    INITIALIZED = "initialized"
    READY = "ready"
    STATELESS = "stateless"
    ENDING = "ending"
    CLOSED = "closed"


OVER: Final = (State.ENDING, State.CLOSED)
"""The states in which nothing new is taken or sent."""

Occurrence: TypeAlias = Literal[
    "asked", "answered", "refused", "initialized", "agreed", "discovered", "ended", "aborted"
]
"""What takes a connection on: the first question of a handshake is `asked`; the server has
`answered` or `refused` it, and the client has said that it is `initialized`; the client has
`agreed` on a version with a handshake, or `discovered` one without; requests that came before
may still be answered (`ended`), or nothing may (`aborted`)."""

Incoming: TypeAlias = Literal["ping", "initialize", "request", "stateless"]
"""Requests as a receiver tells them apart; `stateless` are those that say their version."""

Reaction: TypeAlias = Literal["pong", "serve", "refuse", "drop"]
"""Answer at once; give to a handler; answer with an error; do nothing, since an answer is not
allowed either."""

Outgoing: TypeAlias = Literal["ping", "request", "notification"]

Verdict: TypeAlias = Literal["send", "wait", "never", "closed"]
"""Send; keep until it is allowed; not in these versions; not any more."""


_ANY_TIME: Final[dict[Occurrence, State]] = {"ended": State.ENDING, "aborted": State.CLOSED}
_AT_THE_END: Final[dict[State, dict[Occurrence, State]]] = {
    State.ENDING: {"aborted": State.CLOSED},
    State.CLOSED: {},
}

TRANSITIONS: Final[dict[Side, dict[State, dict[Occurrence, State]]]] = {
    "server": {
        State.NEW: {"asked": State.INITIALIZING, **_ANY_TIME},
        State.INITIALIZING: {"answered": State.INITIALIZED, "refused": State.NEW, **_ANY_TIME},
        State.INITIALIZED: {"initialized": State.READY, **_ANY_TIME},
        State.READY: _ANY_TIME,
        State.STATELESS: _ANY_TIME,
        **_AT_THE_END,
    },
    "client": {
        State.NEW: {"asked": State.INITIALIZING, **_ANY_TIME},
        State.INITIALIZING: {
            "agreed": State.READY,
            "discovered": State.STATELESS,
            **_ANY_TIME,
        },
        State.READY: _ANY_TIME,
        State.STATELESS: _ANY_TIME,
        **_AT_THE_END,
    },
}


def _receive(
    ping: Reaction, initialize: Reaction, request: Reaction, stateless: Reaction
) -> dict[Incoming, Reaction]:
    return {"ping": ping, "initialize": initialize, "request": request, "stateless": stateless}


def _send(ping: Verdict, request: Verdict, notification: Verdict) -> dict[Outgoing, Verdict]:
    return {"ping": ping, "request": request, "notification": notification}


RECEIVE: Final[dict[Side, dict[State, dict[Incoming, Reaction]]]] = {
    "server": {
        #                            ping     initialize  request   stateless
        State.NEW: _receive("pong", "serve", "refuse", "serve"),
        State.INITIALIZING: _receive("pong", "refuse", "refuse", "serve"),
        State.INITIALIZED: _receive("pong", "refuse", "serve", "serve"),
        State.READY: _receive("pong", "refuse", "serve", "serve"),
        State.STATELESS: _receive("serve", "serve", "serve", "serve"),
        State.ENDING: _receive("drop", "drop", "drop", "drop"),
        State.CLOSED: _receive("drop", "drop", "drop", "drop"),
    },
    "client": {
        State.NEW: _receive("pong", "refuse", "refuse", "refuse"),
        State.INITIALIZING: _receive("pong", "refuse", "refuse", "refuse"),
        State.READY: _receive("pong", "serve", "serve", "serve"),
        State.STATELESS: _receive("drop", "drop", "drop", "drop"),
        State.ENDING: _receive("drop", "drop", "drop", "drop"),
        State.CLOSED: _receive("drop", "drop", "drop", "drop"),
    },
}

SEND: Final[dict[Side, dict[State, dict[Outgoing, Verdict]]]] = {
    "server": {
        #                       ping    request  notification
        State.NEW: _send("send", "wait", "send"),
        State.INITIALIZING: _send("send", "wait", "send"),
        State.INITIALIZED: _send("send", "wait", "send"),
        State.READY: _send("send", "send", "send"),
        State.STATELESS: _send("never", "never", "send"),
        State.ENDING: _send("closed", "closed", "closed"),
        State.CLOSED: _send("closed", "closed", "closed"),
    },
    "client": {
        State.NEW: _send("send", "wait", "wait"),
        State.INITIALIZING: _send("send", "wait", "wait"),
        State.READY: _send("send", "send", "send"),
        State.STATELESS: _send("never", "send", "send"),
        State.ENDING: _send("closed", "closed", "closed"),
        State.CLOSED: _send("closed", "closed", "closed"),
    },
}
