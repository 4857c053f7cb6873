"""From the first message to the agreed version, on both sides and in both eras."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from mcp_wire.runtime.connection import Connection
from mcp_wire.runtime.errors import ConnectionClosed, ProtocolError, RequestTimeout, RpcError
from mcp_wire.runtime.events import Closed, NotificationReceived, RequestReceived
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
    closing,
    discovered,
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
)

stateful = pytest.mark.parametrize("version", STATEFUL)
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


# --- the client ---------------------------------------------------------------------------------


@stateful
def test_client_initializes(version: str) -> None:
    client = Peer("client", version)
    client.request("tools/list", "early")
    client.connection.notify("acme/news", None, client.now)
    (asked,) = client.sent()
    assert asked["method"] == "initialize"
    assert asked["params"] == {
        "protocolVersion": version,
        "capabilities": {"roots": {}},
        "clientInfo": INFO,
    }
    events = client.receive(result(asked["id"], **initialized(version), instructions="read"))
    assert is_ready(events)
    assert [message["method"] for message in client.sent()] == [
        "notifications/initialized",
        "tools/list",
        "acme/news",
    ]
    connection = client.connection
    assert (connection.version, connection.instructions) == (version, "read")
    assert (connection.peer_info, connection.peer_capabilities) == (INFO, ALL)


@stateful
def test_client_refuses_requests_before_that(version: str) -> None:
    client = Peer("client", version)
    client.sent()
    assert client.receive(request("roots/list", 1)) == []
    (answer,) = client.sent()
    assert answer["error"]["code"] == -32600


@stateful
def test_client_takes_an_older_version_it_speaks(version: str) -> None:
    client = Peer("client", *STATEFUL)
    (asked,) = client.sent()
    assert asked["params"]["protocolVersion"] == LATEST
    client.receive(result(asked["id"], **initialized(version)))
    assert client.connection.version == version


@pytest.mark.parametrize(
    "answer",
    [
        initialized("2023-01-01"),
        initialized(MODERN),
        {**initialized(LATEST), "protocolVersion": None},
        {**initialized(LATEST), "capabilities": 3},
        {"protocolVersion": LATEST, "capabilities": {}},
    ],
)
def test_client_disconnects_from_what_it_does_not_speak(answer: dict[str, Any]) -> None:
    client = Peer("client", *STATEFUL)
    client.request("tools/list", "early")
    (asked,) = client.sent()
    events = client.receive(result(asked["id"], **answer))
    end = closing(events)
    assert end is not None
    assert isinstance(end.error, ProtocolError)
    assert answers(events) == [("early", ConnectionClosed)]
    assert client.sent() == []
    assert client.connection.state is State.CLOSED


def test_client_gives_up_when_initialize_is_refused() -> None:
    client = Peer("client", LATEST)
    (asked,) = client.sent()
    end = closing(client.receive(error(asked["id"], -32000, "busy")))
    assert end is not None
    assert isinstance(end.error, RpcError)
    assert end.error.code == -32000


def test_client_gives_up_when_initialize_is_not_answered_and_never_cancels_it() -> None:
    client = Peer("client", LATEST, timeout=30)
    client.sent()
    end = closing(client.wait(31))
    assert end is not None
    assert isinstance(end.error, RequestTimeout)
    assert client.sent() == []


def test_a_version_from_the_list_of_a_refusal_is_tried_once() -> None:
    client = Peer("client", *STATEFUL)
    (asked,) = client.sent()
    refusal = {"supported": [OLDEST], "requested": LATEST}
    client.receive(error(asked["id"], -32602, "no", data=refusal))
    (again,) = client.sent()
    assert again["params"]["protocolVersion"] == OLDEST
    end = closing(client.receive(error(again["id"], -32602, "no", data=refusal)))
    assert end is not None
    assert isinstance(end.error, RpcError)


# --- a client that speaks both eras -------------------------------------------------------------


def dual() -> tuple[Peer, Any]:
    client = Peer("client", *VERSIONS)
    (asked,) = client.sent()
    assert asked["method"] == "server/discover"
    meta = asked["params"]["_meta"]
    assert (meta[VERSION_KEY], meta[CAPABILITIES_KEY]) == (MODERN, {"roots": {}})
    return client, asked["id"]


def test_a_server_that_discovers_is_modern() -> None:
    client, id = dual()
    client.request("tools/list", "early")
    assert is_ready(client.receive(result(id, **discovered(LATEST, MODERN))))
    assert client.connection.version == MODERN
    assert client.connection.peer_info == INFO
    assert [message["method"] for message in client.sent()] == ["tools/list"]


@pytest.mark.parametrize(
    "answer",
    [
        error(1, -32601),
        error(1, -32602),
        error(1, -32600),
        error(1, -32000, data={"supported": [MODERN]}),
        error(1, 0),
        {**error(1), "error": "Method not found"},
        {**error(1), "error": {"code": "-32601", "message": "no"}},
        {**error(1), "error": {"code": -32601}},
        {**result(1), "result": None},
        {**result(1), "result": "unknown"},
        {"jsonrpc": "2.0", "id": 1},
        result(1),
        result(1, **discovered(LATEST, "2031-01-01")),
        error(1, -32022, data={"supported": [LATEST], "requested": MODERN}),
    ],
)
def test_any_other_server_is_initialized(answer: dict[str, Any]) -> None:
    client, id = dual()
    client.receive({**answer, "id": id})
    (asked,) = client.sent()
    assert asked["method"] == "initialize"
    assert asked["params"]["protocolVersion"] == LATEST
    client.receive(result(asked["id"], **initialized(OLDEST)))
    assert client.connection.version == OLDEST


def silent() -> tuple[Peer, Any, Any]:
    """A client whose first question got no answer in time, and the ids of both questions."""
    client, id = dual()
    assert client.wait(5.1) == []
    (asked,) = client.sent()
    assert asked["method"] == "initialize"
    return client, id, asked["id"]


def test_a_server_that_is_silent_is_initialized() -> None:
    client, probe, asked = silent()
    client.receive(result(asked, **initialized(LATEST)))
    assert client.connection.version == LATEST
    assert client.receive(result(probe, **discovered(MODERN))) == []
    assert client.connection.version == LATEST
    assert client.connection.open_calls == 0


def test_a_server_that_discovers_late_is_modern() -> None:
    client, probe, asked = silent()
    client.request("tools/list", "early")
    assert is_ready(client.receive(result(probe, **discovered(LATEST, MODERN))))
    assert client.connection.version == MODERN
    assert [message["method"] for message in client.sent()] == ["tools/list"]
    refusal = error(asked, -32022, data={"supported": [MODERN], "requested": LATEST})
    assert client.receive(refusal, result(asked, **initialized(LATEST))) == []
    assert client.connection.version == MODERN
    assert client.connection.open_calls == 1


@pytest.mark.parametrize(
    "answer",
    [
        error(1, -32601),
        error(1, -32022, data={"supported": ["2031-01-01"]}),
        result(1),
        result(1, **discovered(LATEST)),
        result(1, **discovered("2031-01-01")),
        result(1, supportedVersions=[MODERN]),
    ],
)
def test_a_late_answer_that_settles_nothing_is_passed_over(answer: dict[str, Any]) -> None:
    client, probe, asked = silent()
    assert client.receive({**answer, "id": probe}) == []
    assert client.sent() == []
    client.receive(result(asked, **initialized(OLDEST)))
    assert client.connection.version == OLDEST


def test_a_refusal_of_initialize_leads_back_to_what_was_not_answered() -> None:
    client, _, asked = silent()
    refusal = {"supported": [MODERN], "requested": LATEST}
    assert client.receive(error(asked, -32022, data=refusal)) == []
    (again,) = client.sent()
    assert again["method"] == "server/discover"
    assert is_ready(client.receive(result(again["id"], **discovered(MODERN))))
    assert client.connection.version == MODERN
    assert client.connection.open_calls == 0


@pytest.mark.parametrize("silence", [True, False])
def test_but_not_round_in_a_circle(silence: bool) -> None:
    client, _, asked = silent()
    client.receive(error(asked, -32022, data={"supported": [MODERN], "requested": LATEST}))
    (again,) = client.sent()
    assert client.wait(299) == []
    end = closing(client.wait(2) if silence else client.receive(error(again["id"], -32601)))
    assert end is not None
    assert isinstance(end.error, RequestTimeout if silence else RpcError)
    assert client.sent() == []
    assert client.connection.open_calls == 0


@pytest.mark.parametrize(
    ("code", "data"),
    [
        (-32022, {"supported": ["2031-01-01"], "requested": MODERN}),
        (-32022, {"supported": [MODERN], "requested": MODERN}),
        (-32022, None),
        (-32021, {"requiredCapabilities": {}}),
        (-32020, None),
    ],
)
def test_modern_errors_do_not_lead_to_initialize(code: int, data: Any) -> None:
    client, id = dual()
    end = closing(client.receive(error(id, code, data=data)))
    assert end is not None
    assert isinstance(end.error, ProtocolError | RpcError)
    assert client.sent() == []


@pytest.mark.parametrize("answer", [error(1, -32601), result(1, **discovered(LATEST))])
def test_a_client_of_later_versions_only_does_not_initialize(answer: dict[str, Any]) -> None:
    client = Peer("client", MODERN)
    (asked,) = client.sent()
    end = closing(client.receive({**answer, "id": asked["id"]}))
    assert end is not None
    assert isinstance(end.error, ProtocolError)
    assert client.sent() == []


class Impossible(Exception):
    """What a client cannot be in a version."""


def no_client(version: str) -> Any:
    raise Impossible(version)


def test_a_client_that_cannot_be_introduced_ends_at_the_start() -> None:
    connection = Connection("client", facts(*VERSIONS), introduce=no_client)
    connection.request("tools/list", None, 0, owner="early")
    (failed, end) = connection.start(0)
    assert answers([failed]) == [("early", ConnectionClosed)]
    assert isinstance(end, Closed)
    assert isinstance(end.error, Impossible)
    assert end.reason == f"Impossible: {MODERN}"
    assert connection.state is State.CLOSED
    assert connection.messages_to_send() == []


@pytest.mark.parametrize("refused", [LATEST, OLDEST])
@pytest.mark.parametrize("how", ["error", "silence"])
def test_or_in_the_version_that_is_come_to(refused: str, how: str) -> None:
    """In answering, and in the time: the version asked for after `server/discover`, or agreed."""
    client = Peer("client", *VERSIONS)
    (probe,) = client.sent()
    known = client.introduce
    client.introduce = lambda version: (no_client if version == refused else known)(version)
    events = client.wait(6) if how != "error" else client.receive(error(probe["id"], -32601))
    if refused == OLDEST:
        (asked,) = client.sent()
        events = client.receive(result(asked["id"], **initialized(OLDEST)))
    end = closing(events)
    assert end is not None
    assert isinstance(end.error, Impossible)
    assert client.connection.state is State.CLOSED
    assert client.connection.open_calls == 0
    assert client.wait(1000) == []


def test_an_introduction_that_raises_stop_iteration_can_be_told() -> None:
    client = Connection("client", facts(LATEST), introduce=lambda _: next(iter([])))
    (end,) = client.start(0)
    assert isinstance(end, Closed)
    assert isinstance(end.error, RuntimeError)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_server_that_is_slow_to_start_is_waited_for_where_nothing_else_can_be_tried(
    version: str,
) -> None:
    client = Peer("client", version, timeout=60, probe_timeout=5)
    client.sent()
    assert client.wait(59) == []
    end = closing(client.wait(2))
    assert end is not None
    assert isinstance(end.error, RequestTimeout)
    assert end.error.seconds == 60
    assert client.sent() == []


def test_so_is_one_that_names_an_older_version() -> None:
    client, id = dual()
    client.receive(result(id, **discovered(OLDEST)))
    client.sent()
    assert client.wait(299) == []


@pytest.mark.parametrize(
    ("method", "answer", "reason"),
    [
        ("initialize", {"a": 1}, "$.result.protocolVersion: expected a string, found nothing"),
        (
            "initialize",
            {**initialized(LATEST), "protocolVersion": 5},
            "$.result.protocolVersion: expected a string, found integer 5",
        ),
        (
            "initialize",
            {"protocolVersion": LATEST, "capabilities": {}},
            "$.result.serverInfo: expected an object, found nothing",
        ),
        (
            "initialize",
            {"protocolVersion": LATEST, "capabilities": 3, "serverInfo": INFO},
            "$.result.capabilities: expected an object, found integer 3",
        ),
        (
            "server/discover",
            {"supportedVersions": MODERN},
            f"$.result.supportedVersions: expected an array, found string '{MODERN}'",
        ),
        (
            "server/discover",
            {"supportedVersions": [MODERN]},
            "$.result.capabilities: expected an object, found nothing",
        ),
    ],
)
def test_what_is_wrong_with_the_answer_is_said(
    method: str, answer: dict[str, Any], reason: str
) -> None:
    client = Peer("client", MODERN if method == "server/discover" else LATEST)
    (asked,) = client.sent()
    end = closing(client.receive(result(asked["id"], **answer)))
    assert end is not None
    assert isinstance(end.error, ProtocolError)
    assert f"{method}: {reason}" in end.reason


@pytest.mark.parametrize(
    ("supported", "said"), [([], "names none"), ([1], "names none"), (["x", "y"], "speaks x, y")]
)
def test_what_the_server_speaks_is_said(supported: list[Any], said: str) -> None:
    client = Peer("client", MODERN)
    (asked,) = client.sent()
    end = closing(client.receive(result(asked["id"], **discovered(*supported))))
    assert end is not None
    assert end.reason == f"no version in common: the server {said}, we speak {MODERN}"


def test_a_client_that_does_not_get_through_says_so() -> None:
    client = Peer("client", LATEST)
    end = closing(client.connection.receive_end(client.now))
    assert end is not None
    assert end.error is None
    assert "closed" in end.reason


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


def test_progress_of_a_question_given_up_gives_it_no_time_again() -> None:
    client = Peer("client", LATEST, MODERN, progress_restarts=True, total_timeout=100, timeout=50)
    (probe,) = client.sent()
    assert client.wait(5) == []
    (asked,) = client.sent()
    assert (probe["method"], asked["method"]) == ("server/discover", "initialize")
    token = probe["params"]["_meta"]["progressToken"]
    client.receive(notification("notifications/progress", progressToken=token, progress=1))
    assert client.wait(49) == []
    assert is_ready(client.receive(result(asked["id"], **initialized(LATEST))))


@pytest.mark.parametrize("methods", [["tools/list"], ["ping"], ["ping", "tools/list"]])
def test_a_handshake_that_fails_leaves_to_others_their_own_error(methods: list[str]) -> None:
    client = Peer("client", LATEST, timeout=5)
    for method in methods:
        client.request(method, owner=method, timeout=5)
    events = client.wait(5)
    assert {owner for owner, _ in answers(events)} == {*methods}
    assert ("tools/list" not in methods) or ("tools/list", RequestTimeout) in answers(events)
    assert closing(events) is not None
    assert client.connection.open_calls == 0
