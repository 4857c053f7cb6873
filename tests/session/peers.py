"""What the tests of sessions share: versions, messages, and connections without any I/O."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from mcp_wire.runtime.connection import Connection
from mcp_wire.runtime.events import (
    Answered,
    Closed,
    Event,
    Failed,
    NotificationReceived,
    Progressed,
    Ready,
    RequestCancelled,
    RequestReceived,
)
from mcp_wire.runtime.facts import VersionFacts
from mcp_wire.runtime.handshake import Introduction
from mcp_wire.runtime.limits import Limits
from mcp_wire.versions import FACTS

Side = Literal["client", "server"]

VERSIONS = tuple(FACTS)
STATEFUL = [version for version in VERSIONS if not FACTS[version].stateless]
STATELESS = [version for version in VERSIONS if FACTS[version].stateless]
MODERN = STATELESS[-1]
LATEST = STATEFUL[-1]
OLDEST = STATEFUL[0]
BATCHES = "2025-03-26"
TASKS = "2025-11-25"
SIDES: tuple[Side, ...] = ("client", "server")

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"

every_version = pytest.mark.parametrize("version", VERSIONS)
stateful = pytest.mark.parametrize("version", STATEFUL)
callers = pytest.mark.parametrize(
    ("role", "version"),
    [(role, version) for role in SIDES for version in STATEFUL] + [("client", MODERN)],
)
"""Who may make requests, in which versions."""

INFO = {"name": "tester", "version": "1"}
OWN = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {"roots": {}}, CLIENT_INFO_KEY: INFO}
ALL = {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}


def facts(*versions: str) -> list[VersionFacts]:
    return [FACTS[version] for version in versions]


def dumps(message: Any) -> bytes:
    return json.dumps(message).encode()


def request(method: str, id: Any = 1, **params: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
    return {**message, "params": params} if params else message


def modern(method: str, id: Any = 1, version: str = MODERN, **params: Any) -> dict[str, Any]:
    """A request that says its version."""
    return request(method, id, _meta={VERSION_KEY: version, CAPABILITIES_KEY: {}}, **params)


def notification(method: str, **params: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    return {**message, "params": params} if params else message


def result(id: Any, **members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": members}


def error(id: Any, code: int = -32603, message: str = "no", **members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, **members}}


def own(version: str) -> dict[str, Any]:
    """What a client says of itself in the `_meta` of every request."""
    return OWN if version == MODERN else {}


def initialize(version: str = LATEST, id: Any = "init") -> dict[str, Any]:
    return request("initialize", id, protocolVersion=version, capabilities=ALL, clientInfo=INFO)


def initialized(version: str) -> dict[str, Any]:
    """The members of a result of `initialize`."""
    return {"protocolVersion": version, "capabilities": ALL, "serverInfo": INFO}


def discovered(*versions: str) -> dict[str, Any]:
    """The members of a result of `server/discover`."""
    return {
        "supportedVersions": list(versions),
        "capabilities": ALL,
        "_meta": {SERVER_INFO_KEY: INFO},
    }


class Peer:
    """A connection, its clock, and what it said: events and messages are lists to look at."""

    def __init__(self, role: Side, *versions: str, **limits: Any) -> None:
        self.role: Side = role
        self.now = 100.0
        self.events: list[Event] = []
        self.connection = Connection(
            role,
            facts(*versions),
            limits=Limits(**limits),
            introduce=lambda version: self.introduce(version),
        )
        self.connection.start(self.now)

    def introduce(self, version: str) -> Introduction:
        return Introduction(INFO, {"roots": {}})

    def receive(self, *messages: Any) -> list[Event]:
        """Take messages, bytes or to be written, and return the events they make."""
        found: list[Event] = []
        for message in messages:
            data = message if isinstance(message, bytes) else dumps(message)
            found += self.connection.receive(data, self.now)
        return found

    def sent(self) -> list[Any]:
        """What has been sent since this was last asked."""
        return [json.loads(message) for message in self.connection.messages_to_send()]

    def wait(self, seconds: float) -> list[Event]:
        """Let time pass, and tick as often as the connection asks for."""
        until = self.now + seconds
        found: list[Event] = []
        for _ in range(1000):
            deadline = self.connection.next_deadline()
            if deadline is None or deadline > until:
                break
            self.now = max(self.now, deadline)
            found += self.connection.tick(self.now)
        else:
            raise AssertionError("the connection asks for the time again and again")
        self.now = until
        return found + self.connection.tick(until)

    def request(self, method: str = "tools/list", owner: object = "caller", **options: Any) -> int:
        params = options.pop("params", None)
        return self.connection.request(method, params, self.now, owner=owner, **options)

    def respond(self, event: Event, **members: Any) -> list[Event]:
        """Answer a request that was to be served."""
        assert isinstance(event, RequestReceived)
        answer = dumps(result(event.request.id, **members))
        return self.connection.respond(event.request, answer, self.now)


def ready(role: Side, version: str, **limits: Any) -> Peer:
    """A connection of one version, past its handshake, with nothing left to look at."""
    peer = Peer(role, version, **limits)
    if role == "client":
        (asked,) = peer.sent()
        known = discovered(version) if version in STATELESS else initialized(version)
        peer.receive(result(asked["id"], **known))
    elif version in STATEFUL:
        peer.respond(peer.receive(initialize(version))[-1], **initialized(version))
        peer.receive(notification("notifications/initialized"))
    peer.sent()
    return peer


def served(events: list[Event]) -> list[Any]:
    """The ids of the requests that are to be served."""
    return [event.request.id for event in events if isinstance(event, RequestReceived)]


def cancelled(events: list[Event]) -> list[Any]:
    """The ids of the requests that are to be stopped."""
    return [event.request.id for event in events if isinstance(event, RequestCancelled)]


def notified(events: list[Event]) -> list[str | None]:
    """The methods of the notifications for the handler."""
    return [event.envelope.method for event in events if isinstance(event, NotificationReceived)]


def answers(events: list[Event]) -> list[tuple[Any, Any]]:
    """The owners of our requests that have ended: with a result, or an error's class."""
    found: list[tuple[Any, Any]] = []
    for event in events:
        if isinstance(event, Answered):
            found.append((event.owner, event.result))
        elif isinstance(event, Failed):
            found.append((event.owner, type(event.error)))
    return found


def is_ready(events: list[Event]) -> bool:
    return any(isinstance(event, Ready) for event in events)


def closing(events: list[Event]) -> Closed | None:
    """The end, if it came."""
    return next((event for event in events if isinstance(event, Closed)), None)


def server_of(version: str, **limits: Any) -> Peer:
    return ready("server", version, **limits)


def client_of(version: str, **limits: Any) -> Peer:
    return ready("client", version, **limits)


def call(version: str, id: Any = 1, method: str = "tools/list", **params: Any) -> dict[str, Any]:
    """A client's request of a version."""
    make = modern if version in STATELESS else request
    return make(method, id, **params)


def progress(token: Any, value: Any, **members: Any) -> dict[str, Any]:
    return notification("notifications/progress", progressToken=token, progress=value, **members)


def reports(events: list[Any]) -> list[tuple[Any, ...]]:
    return [
        (event.owner, event.progress, event.total, event.message)
        for event in events
        if isinstance(event, Progressed)
    ]
