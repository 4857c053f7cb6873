"""How a server comes to a version, both eras side by side, and misuse of either side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from mcp_wire.runtime.connection import Connection
from mcp_wire.runtime.errors import (
    ConnectionClosed,
)
from mcp_wire.runtime.events import NotificationReceived, RequestReceived
from mcp_wire.runtime.facts import VersionFacts
from mcp_wire.runtime.states import State
from mcp_wire.versions import FACTS

from .peers import (
    ALL,
    BATCHES,
    CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    INFO,
    LATEST,
    LOG_LEVEL_KEY,
    MODERN,
    OLDEST,
    SIDES,
    STATEFUL,
    VERSION_KEY,
    VERSIONS,
    Peer,
    Side,
    answers,
    call,
    client_of,
    dumps,
    error,
    facts,
    initialize,
    initialized,
    is_ready,
    modern,
    notification,
    ready,
    request,
    result,
    served,
    server_of,
    stateful,
)

READY = notification("notifications/initialized")


# --- the server ---------------------------------------------------------------------------------


@stateful
def test_server_serves_once_initialize_is_answered(version: str) -> None:
    server = Peer("server", version)
    for early in (request("tools/list", 1), request("acme/op", 2)):
        assert server.receive(early) == []
    refused = server.sent()
    assert [answer["error"]["code"] for answer in refused] == [-32600, -32600]
    assert [answer["id"] for answer in refused] == [1, 2]
    (event,) = server.receive(initialize(version))
    server.receive(request("tools/list", 3))
    (answer,) = server.sent()
    assert answer["error"]["code"] == -32600
    server.respond(event, **initialized(version))
    assert server.sent() == [result("init", **initialized(version))]
    assert served(server.receive(request("tools/list", 4))) == [4]
    assert server.connection.version == version
    assert server.connection.peer_capabilities == ALL
    assert server.connection.peer_info == INFO


@stateful
def test_servers_own_requests_wait_for_initialized(version: str) -> None:
    server = Peer("server", version)
    server.request("roots/list", "early")
    (event,) = server.receive(initialize(version))
    server.respond(event, **initialized(version))
    id = server.request("sampling/createMessage", "late")
    server.sent()
    events = server.receive(READY)
    assert is_ready(events)
    assert [event for event in events if isinstance(event, NotificationReceived)]
    assert [message["method"] for message in server.sent()] == [
        "roots/list",
        "sampling/createMessage",
    ]
    assert answers(server.receive(result(id))) == [("late", {})]


@stateful
def test_initialized_before_the_answer_counts_afterwards(version: str) -> None:
    server = Peer("server", version)
    (event,) = server.receive(initialize(version))
    assert not is_ready(server.receive(READY))
    server.request("roots/list")
    assert server.sent() == []
    assert is_ready(server.respond(event, **initialized(version)))
    answer, held = server.sent()
    assert answer == result("init", **initialized(version))
    assert held["method"] == "roots/list"


@stateful
def test_but_not_after_another_initialize(version: str) -> None:
    server = Peer("server", version)
    (event,) = server.receive(initialize(version, 1))
    assert isinstance(event, RequestReceived)
    server.receive(READY)
    server.connection.respond(event.request, dumps(error(1, -32602)), server.now)
    (event,) = server.receive(initialize(version, 2))
    assert not is_ready(server.respond(event, **initialized(version)))
    assert server.connection.state is State.INITIALIZED
    assert is_ready(server.receive(READY))


@stateful
def test_initialized_without_initialize_means_nothing(version: str) -> None:
    server = Peer("server", version)
    assert server.receive(READY) == []
    (event,) = server.receive(initialize(version))
    server.respond(event, **initialized(version))
    assert server.connection.state is State.INITIALIZED


@stateful
def test_a_second_initialize_is_refused(version: str) -> None:
    server = server_of(version)
    assert server.receive(initialize(version, 9)) == []
    (answer,) = server.sent()
    assert answer["error"]["code"] == -32600
    assert served(server.receive(request("tools/list", 10))) == [10]


@stateful
def test_another_initialize_may_follow_one_that_failed(version: str) -> None:
    server = Peer("server", version)
    (event,) = server.receive(initialize(version, 1))
    assert isinstance(event, RequestReceived)
    assert server.connection.peer_info == INFO
    server.connection.respond(event.request, dumps(error(1, -32602)), server.now)
    assert server.connection.version is None
    assert (server.connection.peer_info, server.connection.peer_capabilities) == (None, None)
    server.receive(request("tools/list", 2))
    assert [answer["error"]["code"] for answer in server.sent()] == [-32602, -32600]
    assert served(server.receive(initialize(version, 3))) == [3]


@pytest.mark.parametrize("asked", [*STATEFUL, "2023-01-01", "2030-01-01", "", None, 3, MODERN])
def test_the_version_asked_for_or_the_newest_is_answered(asked: Any) -> None:
    server = Peer("server", *VERSIONS)
    (event,) = server.receive(
        request("initialize", 1, protocolVersion=asked, capabilities={}, clientInfo=INFO)
    )
    expected = asked if asked in STATEFUL else LATEST
    assert isinstance(event, RequestReceived)
    assert event.request.version == expected


def test_the_newest_of_those_the_server_speaks() -> None:
    server = Peer("server", *STATEFUL[:2])
    server.receive(initialize(LATEST))
    assert server.connection.version == STATEFUL[1]


# --- both eras on one server --------------------------------------------------------------------


def test_requests_that_say_their_version_are_served_in_any_state() -> None:
    server = Peer("server", *VERSIONS)
    events = server.receive(modern("tools/list", 1), modern("ping", 2), modern("x", 3, "1900"))
    (event,) = server.receive(initialize(OLDEST))
    events += server.receive(modern("tools/list", 4))
    server.respond(event, **initialized(OLDEST))
    events += server.receive(modern("tools/list", 5), request("server/discover", 6))
    (older,) = server.receive(request("tools/list", 7))
    requests = [event.request for event in events if isinstance(event, RequestReceived)]
    assert [arrival.id for arrival in requests] == [1, 2, 3, 4, 5, 6]
    assert {arrival.version for arrival in requests} == {MODERN}
    assert isinstance(older, RequestReceived)
    assert older.request.version == OLDEST


LATER = replace(FACTS[MODERN], version="2999-01-01")


@pytest.mark.parametrize("others", [[], facts(LATEST)])
def test_each_request_is_served_in_the_version_it_says(others: list[VersionFacts]) -> None:
    """More than one version without a handshake, as there will be."""
    server = Connection("server", [*others, FACTS[MODERN], LATER])
    server.start(0)
    for said, expected in [
        (MODERN, MODERN),
        (LATER.version, LATER.version),
        ("1900-01-01", LATER.version),
        ([MODERN], LATER.version),
    ]:
        (event,) = server.receive(dumps(modern("tools/list", str(said), said)), 0)
        assert isinstance(event, RequestReceived)
        assert event.request.version == expected
        news = notification("acme/news", _meta={VERSION_KEY: said})
        (event,) = server.receive(dumps(news), 0)
        assert isinstance(event, NotificationReceived)
        assert event.version == expected
    assert server.messages_to_send() == []


@pytest.mark.parametrize("key", [CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY])
def test_a_request_that_forgets_its_version_is_told_so(key: str) -> None:
    """By what serves the version, and not that `initialize` has to come first."""
    server = Peer("server", *VERSIONS)
    (event,) = server.receive(request("tools/list", 1, _meta={key: {}}))
    assert isinstance(event, RequestReceived)
    assert event.request.version == MODERN


def test_other_meta_does_not_say_a_version() -> None:
    server = Peer("server", *VERSIONS)
    meta = {"io.modelcontextprotocol/related-task": {"taskId": "t"}, "progressToken": 1}
    assert server.receive(request("tools/list", 1, _meta=meta)) == []
    (answer,) = server.sent()
    assert answer["error"]["code"] == -32600


def test_refusals_say_what_may_be_sent() -> None:
    server = Peer("server", BATCHES)
    server.receive(request("tools/list", 1), [initialize(BATCHES, 2)])
    (event,) = server.receive(initialize(BATCHES, 3))
    server.receive(request("tools/list", 4), initialize(BATCHES, 5))
    server.respond(event, **initialized(BATCHES))
    server.receive(initialize(BATCHES, 6))
    client = Peer("client", LATEST)
    client.sent()
    client.receive(request("roots/list", 7), initialize(LATEST, 8))
    first, (batch,), busy, second, _, third, *mine = [*server.sent(), *client.sent()]
    messages = [
        answer["error"]["message"].removeprefix("Invalid request: $.method: ")
        for answer in (first, batch, busy, second, third, *mine)
    ]
    assert messages == [
        "expected initialize first, or ping, found string 'tools/list'",
        "expected a method other than initialize in a batch, found string 'initialize'",
        "expected ping, until initialize is answered, found string 'tools/list'",
        "expected a method other than a second initialize, found string 'initialize'",
        "expected a method other than a second initialize, found string 'initialize'",
        "expected ping, until a version is agreed on, found string 'roots/list'",
        "expected ping, until a version is agreed on, found string 'initialize'",
    ]


def test_a_server_of_earlier_versions_takes_them_for_its_own() -> None:
    server = Peer("server", *STATEFUL)
    assert server.receive(modern("server/discover", 1)) == []
    (answer,) = server.sent()
    assert answer["error"]["code"] == -32600


def test_a_server_without_handshake_serves_everything_at_once() -> None:
    server = Peer("server", MODERN)
    events = server.receive(modern("tools/list", 1), request("tools/list", 2), initialize())
    assert served(events) == [1, 2, "init"]
    assert server.connection.version is None


@pytest.mark.parametrize("method", ["roots/list", "acme/ask"])
def test_a_server_without_handshake_sends_no_requests(method: str) -> None:
    server = Peer("server", MODERN)
    with pytest.raises(ValueError, match=method):
        server.request(method)
    server.connection.notify("notifications/message", {"level": "info", "data": 1}, server.now)
    assert [message["method"] for message in server.sent()] == ["notifications/message"]


# --- misuse -------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_the_handshake_is_the_connections_own(version: str) -> None:
    with pytest.raises(ValueError, match="initialize"):
        client_of(version).request("initialize")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("role", SIDES)
def test_a_connection_is_started_once(role: Side, version: str) -> None:
    with pytest.raises(RuntimeError, match="once"):
        Peer(role, version).connection.start(0)
    with pytest.raises(RuntimeError, match="once"):
        ready(role, version).connection.start(0)


@pytest.mark.parametrize("role", SIDES)
def test_a_connection_that_is_over_is_not_started(role: Side) -> None:
    peer = ready(role, LATEST)
    peer.connection.close(peer.now, "enough")
    for _ in range(2):
        with pytest.raises(ConnectionClosed, match="enough"):
            peer.connection.start(peer.now)
        peer.connection.abort(peer.now)
    assert peer.connection.state is State.CLOSED
    assert peer.sent() == []


def test_a_connection_needs_a_version_and_a_client_an_introduction() -> None:
    with pytest.raises(ValueError, match="versions"):
        Connection("server", [])
    with pytest.raises(ValueError, match="introduce"):
        Connection("client", facts(LATEST))


@pytest.mark.parametrize("version", VERSIONS)
def test_discovery_may_be_asked_for_again(version: str) -> None:
    client = client_of(version)
    client.request("server/discover")
    assert [message["method"] for message in client.sent()] == ["server/discover"]
    assert served(server_of(version).receive(call(version, 1))) == [1]
