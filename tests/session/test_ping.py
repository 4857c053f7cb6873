"""Ping, from both sides, and the pings that keep a connection alive."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
from mcp_wire.runtime.errors import ConnectionClosed, PingFailed, RequestTimeout
from mcp_wire.runtime.events import Failed
from mcp_wire.runtime.limits import Limits
from mcp_wire.runtime.states import State

from .peers import (
    BATCHES,
    LATEST,
    MODERN,
    SIDES,
    STATEFUL,
    Peer,
    Side,
    answers,
    call,
    closing,
    discovered,
    error,
    is_ready,
    notification,
    ready,
    request,
    result,
    served,
)

both_sides = pytest.mark.parametrize("role", SIDES)
versions_with_ping = pytest.mark.parametrize("version", STATEFUL)

PING = {"jsonrpc": "2.0", "method": "ping"}


@both_sides
@versions_with_ping
@pytest.mark.parametrize("params", [None, {}, {"_meta": {}}, {"_meta": {"a": 1}}, {"b": 2}])
@pytest.mark.parametrize("id", [0, "", "p", 12])
def test_a_ping_is_answered_by_an_empty_result(
    role: Side, version: str, params: Any, id: Any
) -> None:
    peer = ready(role, version)
    ping = {**PING, "id": id} if params is None else {**PING, "id": id, "params": params}
    assert peer.receive(ping) == []
    assert peer.sent() == [{"jsonrpc": "2.0", "id": id, "result": {}}]


@both_sides
@versions_with_ping
def test_a_ping_is_answered_before_the_handshake(role: Side, version: str) -> None:
    peer = Peer(role, version)
    peer.sent()
    peer.receive({**PING, "id": 1})
    assert peer.sent() == [result(1)]


@versions_with_ping
def test_a_ping_is_answered_while_initialize_is_not(version: str) -> None:
    from .peers import initialize

    server = Peer("server", version)
    server.receive(initialize(version), {**PING, "id": 1})
    assert server.sent() == [result(1)]


@versions_with_ping
def test_a_ping_needs_no_slot(version: str) -> None:
    server = ready("server", version, requests=64)
    assert len(served(server.receive(*(call(version, id) for id in range(64))))) == 64
    server.receive(call(version, 64), {**PING, "id": "ping"})
    assert server.sent() == [result("ping")]


def test_servers_of_versions_without_ping_serve_it_as_a_request() -> None:
    server = Peer("server", MODERN)
    assert served(server.receive({**PING, "id": 1})) == [1]


@both_sides
@versions_with_ping
@pytest.mark.parametrize("answer", [{}, {"_meta": {"a": 1}}])
def test_a_ping_of_ours_succeeds(role: Side, version: str, answer: dict[str, Any]) -> None:
    peer = ready(role, version)
    id = peer.request("ping")
    assert peer.sent() == [{**PING, "id": id}]
    assert answers(peer.receive(result(id, **answer))) == [("caller", answer)]
    assert peer.wait(60) == []
    assert not peer.connection.is_suspect


@both_sides
@versions_with_ping
@pytest.mark.parametrize(
    "answer",
    [{"result": {"ok": True}}, {"result": 3}, {"error": {"code": -32601, "message": "no"}}],
)
def test_a_wrong_answer_fails_the_ping_and_closes(
    role: Side, version: str, answer: dict[str, Any]
) -> None:
    peer = ready(role, version)
    other = peer.request("tools/list", "other")
    id = peer.request("ping")
    peer.sent()
    events = peer.receive({"jsonrpc": "2.0", "id": id, **answer})
    assert answers(events) == [("caller", PingFailed), ("other", ConnectionClosed)]
    end = closing(events)
    assert end is not None
    assert end.at_once
    assert isinstance(end.error, PingFailed)
    assert peer.connection.is_suspect
    assert peer.receive(result(other)) == []
    with pytest.raises(ConnectionClosed, match="ping failed"):
        peer.request("ping")


def test_what_follows_a_failed_ping_in_its_batch_is_dropped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    peer = ready("client", BATCHES)
    id = peer.request("ping")
    peer.sent()
    events = peer.receive([result(id, wrong=1), notification("acme/news"), request("ping", 5)])
    assert [type(event).__name__ for event in events] == ["Failed", "Closed"]
    assert peer.sent() == []
    assert caplog.text == ""


@both_sides
@versions_with_ping
def test_a_ping_without_an_answer_fails_after_five_seconds_once(role: Side, version: str) -> None:
    peer = ready(role, version)
    peer.request("ping")
    peer.sent()
    assert peer.wait(4.9) == []
    events = peer.wait(0.2)
    assert answers(events) == [("caller", PingFailed)]
    (failed, _) = events
    assert isinstance(failed, Failed)
    assert "within 5 s" in str(failed.error)
    assert closing(events) is not None
    assert peer.connection.is_suspect
    assert peer.sent() == []
    assert peer.wait(60) == []


@pytest.mark.parametrize("is_ping_first", [False, True])
def test_calls_that_are_over_at_the_same_time_have_their_own_error(is_ping_first: bool) -> None:
    client = ready("client", LATEST)
    for method in ["ping", "tools/list"] if is_ping_first else ["tools/list", "ping"]:
        client.request(method, owner=method, timeout=5)
    assert answers(client.wait(5)) == [("tools/list", RequestTimeout), ("ping", PingFailed)]


@both_sides
def test_a_ping_may_have_another_time(role: Side) -> None:
    peer = ready(role, LATEST, ping_timeout=2)
    peer.request("ping", "one")
    peer.request("ping", "two", timeout=1)
    events = peer.wait(1.5)
    assert answers(events) == [("two", PingFailed), ("one", ConnectionClosed)]


@both_sides
def test_our_ping_may_come_before_the_handshake(role: Side) -> None:
    peer = Peer(role, LATEST)
    peer.sent()
    id = peer.request("ping")
    assert [message["method"] for message in peer.sent()] == ["ping"]
    assert answers(peer.receive(result(id))) == [("caller", {})]


@both_sides
def test_there_is_no_ping_in_later_versions(role: Side) -> None:
    with pytest.raises(ValueError, match="ping"):
        ready(role, MODERN).request("ping")


# --- keepalive ----------------------------------------------------------------------------------


@both_sides
@versions_with_ping
def test_silence_is_followed_by_one_ping(role: Side, version: str) -> None:
    peer = ready(role, version, keepalive=20)
    peer.wait(19)
    assert peer.sent() == []
    peer.wait(1)
    (ping,) = peer.sent()
    assert ping == {**PING, "id": ping["id"]}
    assert peer.receive(result(ping["id"])) == []
    peer.wait(19)
    assert peer.sent() == []
    peer.wait(1)
    assert len(peer.sent()) == 1


@both_sides
@versions_with_ping
@pytest.mark.parametrize("direction", ["in", "out"])
def test_any_traffic_starts_the_silence_anew(role: Side, version: str, direction: str) -> None:
    peer = ready(role, version, keepalive=20)
    for _ in range(5):
        peer.wait(15)
        if direction == "in":
            peer.receive(notification("acme/news"))
        else:
            peer.connection.notify("acme/news", None, peer.now)
    assert [message["method"] for message in peer.sent()] == ["acme/news"] * (
        5 if direction == "out" else 0
    )


@both_sides
@versions_with_ping
def test_a_peer_that_stays_silent_is_given_up(role: Side, version: str) -> None:
    peer = ready(role, version, keepalive=20)
    other = peer.request("tools/list", timeout=1000)
    events = peer.wait(26)
    assert answers(events) == [("caller", ConnectionClosed)]
    assert closing(events) is not None
    assert len(peer.sent()) == 2
    assert peer.receive(result(other)) == []


def test_there_is_no_keepalive_before_the_handshake_and_without_ping() -> None:
    for peer in (Peer("server", LATEST, keepalive=1), ready("client", MODERN, keepalive=1)):
        assert peer.wait(100) == []
        assert peer.sent() == []


@both_sides
def test_a_total_time_limit_is_not_for_pings(role: Side) -> None:
    peer = ready(role, LATEST, keepalive=20, total_timeout=1)
    peer.request("ping", "own")
    assert peer.wait(4.9) == []
    (own,) = peer.sent()
    peer.receive(result(own["id"]))
    assert peer.wait(24) == []
    (ping,) = peer.sent()
    assert peer.receive(result(ping["id"])) == []


@both_sides
def test_a_ping_that_nobody_waits_for_any_more_is_followed_by_others(role: Side) -> None:
    peer = ready(role, LATEST, keepalive=20)
    id = peer.request("ping")
    peer.connection.cancel(id, peer.now)
    peer.sent()
    peer.wait(20)
    assert [message["method"] for message in peer.sent()] == ["ping"]


@both_sides
def test_pings_leave_nothing_behind(role: Side) -> None:
    peer = ready(role, LATEST)
    owner = set[int]()
    left = weakref.ref(owner)
    peer.receive(result(peer.request("ping", owner)))
    del owner
    gc.collect()
    assert left() is None


def test_there_is_none_unless_asked_for() -> None:
    peer = ready("server", LATEST)
    assert peer.connection.next_deadline() is None
    peer.wait(10_000)
    assert peer.sent() == []


@pytest.mark.parametrize("seconds", [0, 0.99, -1, float("nan")])
def test_keepalive_is_never_under_a_second(seconds: float) -> None:
    with pytest.raises(ValueError, match="keepalive"):
        Limits(keepalive=seconds)


def test_the_request_is_not_mistaken_for_an_answer() -> None:
    peer = ready("client", LATEST)
    id = peer.request("ping")
    peer.sent()
    peer.receive(request("ping", id))
    assert peer.sent() == [result(id)]
    assert answers(peer.receive(error(id))) == [("caller", PingFailed)]


@both_sides
@versions_with_ping
@pytest.mark.parametrize("params", [None, {"_meta": {"progressToken": "mine"}}])
def test_no_progress_gives_a_ping_more_time(role: Side, version: str, params: Any) -> None:
    peer = ready(role, version, progress_restarts=True, total_timeout=100, ping_timeout=5)
    peer.request("ping", params=params)
    (ping,) = peer.sent()
    assert ping.get("params") == params
    peer.wait(4)
    for token in (ping["id"], "mine"):
        peer.receive(notification("notifications/progress", progressToken=token, progress=1))
    assert peer.wait(0.9) == []
    assert answers(peer.wait(0.2)) == [("caller", PingFailed)]


@pytest.mark.parametrize("is_first", [False, True])
def test_a_ping_may_come_too_early_for_a_version_without(is_first: bool) -> None:
    """It was sent while the client did not know; the connection is none the worse."""
    client = Peer("client", LATEST, MODERN)
    (probe,) = client.sent()
    refusal = error(client.request("ping"), -32601)
    agreement = result(probe["id"], **discovered(MODERN))
    events = client.receive(*([refusal, agreement] if is_first else [agreement, refusal]))
    assert answers(events) == [("caller", PingFailed)]
    assert is_ready(events)
    assert not client.connection.is_suspect
    client.request()
    assert len(client.sent()) == 2


def test_nor_does_one_that_such_a_version_leaves_unanswered() -> None:
    client = Peer("client", LATEST, MODERN)
    (probe,) = client.sent()
    client.request("ping", timeout=5)
    client.receive(result(probe["id"], **discovered(MODERN)))
    assert answers(client.wait(6)) == [("caller", PingFailed)]
    assert not client.connection.is_suspect
    assert client.connection.state is State.STATELESS
