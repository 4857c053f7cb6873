"""How a client that speaks both eras finds out what a server speaks, whatever that answers."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import Any

import pytest
from mcp_wire.runtime.connection import Connection
from mcp_wire.runtime.errors import (
    ConnectionClosed,
    PingFailed,
    ProtocolError,
    RequestTimeout,
    RpcError,
)
from mcp_wire.runtime.events import Closed
from mcp_wire.runtime.states import State

from .peers import (
    CAPABILITIES_KEY,
    INFO,
    LATEST,
    MODERN,
    OLDEST,
    VERSION_KEY,
    VERSIONS,
    Peer,
    answers,
    closing,
    discovered,
    error,
    facts,
    initialized,
    is_ready,
    notification,
    result,
)

READY = notification("notifications/initialized")


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


@pytest.mark.parametrize("how", ["error", "silence"])
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_nor_does_anything_else_leave_it_half_open(how: str, kind: type[BaseException]) -> None:
    """An exit is raised on; nothing is cancelled where nothing is waited for."""
    client = Peer("client", *VERSIONS)
    (probe,) = client.sent()

    def leave(version: str) -> Any:
        raise kind("no client")

    client.introduce = leave
    with nullcontext() if kind is asyncio.CancelledError else pytest.raises(kind):
        client.wait(6) if how != "error" else client.receive(error(probe["id"], -32601))
    assert client.connection.state is State.CLOSED
    assert client.connection.open_calls == 0


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


@pytest.mark.parametrize("versions", [[LATEST], [MODERN], VERSIONS])
@pytest.mark.parametrize(
    ("noise", "shown"),
    [(b"<html>", "'<html>'"), (b"null", "$: expected a JSON-RPC message, found null")],
)
def test_what_a_program_said_that_is_no_server(
    versions: list[str], noise: bytes, shown: str
) -> None:
    client = Peer("client", *versions, timeout=10)
    client.receive(noise)
    client.wait(5)
    end = closing(client.wait(10))
    assert end is not None
    assert isinstance(end.error, ProtocolError)
    asked = "server/discover" if versions == [MODERN] else "initialize"
    expected = f"{asked}: no answer within 10 s; the server sent what is no message: {shown}"
    assert str(end.error) == expected


def test_what_was_said_before_an_answer_counts_no_more() -> None:
    client = Peer("client", *VERSIONS, timeout=10)
    (probe,) = client.sent()
    client.receive(b"starting...", error(probe["id"], -32601))
    end = closing(client.wait(10))
    assert end is not None
    assert isinstance(end.error, RequestTimeout)


def test_what_has_been_held_ends_with_a_client_that_does_not_get_through() -> None:
    client = Peer("client", LATEST)
    client.request()
    client.connection.notify("acme/x", None, client.now)
    client.connection.receive_end(client.now)
    assert not client.connection._core._held


def test_a_client_that_does_not_get_through_says_so() -> None:
    client = Peer("client", LATEST)
    end = closing(client.connection.receive_end(client.now))
    assert end is not None
    assert end.error is None
    assert "closed" in end.reason


def test_no_progress_gives_a_handshake_more_time() -> None:
    client = Peer("client", LATEST, MODERN, progress_restarts=True, total_timeout=100, timeout=50)
    (probe,) = client.sent()
    assert client.wait(5) == []
    (asked,) = client.sent()
    assert (probe["method"], asked["method"]) == ("server/discover", "initialize")
    for question in (probe, asked):
        assert "progressToken" not in question["params"].get("_meta", {})
        token = question["id"]
        client.receive(notification("notifications/progress", progressToken=token, progress=1))
    client.wait(40)
    end = closing(client.wait(10))
    assert end is not None
    assert isinstance(end.error, RequestTimeout)


@pytest.mark.parametrize("methods", [["tools/list"], ["ping"], ["ping", "tools/list"]])
def test_what_is_over_together_with_the_handshake_has_its_own_error(methods: list[str]) -> None:
    client = Peer("client", LATEST, MODERN, timeout=10, probe_timeout=5)
    for method in methods:
        client.request(method, owner=method, timeout=15)
    client.wait(5)  # The probe is, and what has been asked since is over at the same time.
    client.now += 10
    events = client.connection.tick(client.now)
    errors = {"ping": PingFailed, "tools/list": RequestTimeout}
    assert dict(answers(events)) == {method: errors[method] for method in methods}
    assert isinstance(events[-1], Closed)
    assert client.connection.open_calls == 0
