"""How a client comes to the version of a server that has a handshake."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_wire.runtime.errors import (
    ConnectionClosed,
    ProtocolError,
    RequestTimeout,
    RpcError,
)
from mcp_wire.runtime.states import State

from .peers import (
    ALL,
    INFO,
    LATEST,
    MODERN,
    OLDEST,
    STATEFUL,
    Peer,
    answers,
    closing,
    error,
    initialized,
    is_ready,
    notification,
    request,
    result,
    stateful,
)

READY = notification("notifications/initialized")


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
