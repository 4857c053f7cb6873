"""The peer's requests: how many run, how they are cancelled, and what the end does to them."""

from __future__ import annotations

import time
from typing import Any

import mcp_wire
import pytest
from mcp_wire.runtime.errors import ConnectionClosed
from mcp_wire.runtime.events import Closed, Event, RequestReceived
from mcp_wire.runtime.limits import Limits
from mcp_wire.runtime.states import State

from .peers import (
    BATCHES,
    LATEST,
    MODERN,
    SIDES,
    STATEFUL,
    TASKS,
    VERSIONS,
    Peer,
    Side,
    answers,
    call,
    cancelled,
    client_of,
    closing,
    dumps,
    every_version,
    initialize,
    notification,
    notified,
    ready,
    request,
    result,
    served,
    server_of,
)

callees = pytest.mark.parametrize(
    ("role", "version"),
    [(role, version) for role in SIDES for version in STATEFUL] + [("server", MODERN)],
)


def cancel(id: Any) -> dict[str, Any]:
    return notification("notifications/cancelled", requestId=id, reason="enough")


# --- slots --------------------------------------------------------------------------------------


@callees
def test_more_requests_wait_in_their_order(role: Side, version: str) -> None:
    peer = ready(role, version, requests=2)
    events = peer.receive(*(call(version, id) for id in range(5)))
    assert served(events) == [0, 1]
    assert peer.connection.unanswered == 5
    assert served(peer.respond(events[1])) == [2]
    third = peer.respond(events[0])
    assert served(third) == [3]
    assert served(peer.respond(third[0])) == [4]
    assert [answer["id"] for answer in peer.sent()] == [1, 0, 3]


@every_version
@pytest.mark.parametrize("method", ["subscriptions/listen", "tasks/result"])
def test_requests_that_stay_open_hold_no_slot(version: str, method: str) -> None:
    server = server_of(version, requests=1)
    events = server.receive(*(call(version, id, method) for id in "abc"), call(version, 1))
    assert served(events) == ["a", "b", "c", 1]
    assert served(server.receive(call(version, 2))) == []
    assert server.respond(events[0]) == []
    assert served(server.respond(events[3])) == [2]


@every_version
def test_what_is_answered_at_once_holds_no_slot(version: str) -> None:
    server = server_of(version, requests=1)
    server.receive(call(version, 1))
    asked = server.receive(*(call(version, str(n), "server/discover") for n in range(3)))
    assert served(asked) == ["0", "1", "2"]
    assert [server.respond(event) for event in asked] == [[], [], []]


@callees
def test_what_waits_has_a_bound_and_the_rest_is_refused(
    role: Side, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    peer = ready(role, version, requests=1)
    (first,) = peer.receive(call(version, "first"))
    big = "x" * (1 << 24)
    peer.receive(*(call(version, id, text=big) for id in range(4)))
    assert peer.connection.unanswered == 3
    assert peer.connection.waiting_bytes < 1 << 26
    (refused, other) = peer.sent()
    assert (refused["id"], other["id"]) == (2, 3)
    assert refused["error"] == {"code": -32603, "message": "Too many requests are waiting"}
    assert caplog.text.count("refused") == 1
    id = None if (role, version) == ("server", MODERN) else peer.request()
    assert answers(peer.receive(result(id))) == ([] if id is None else [("caller", {})])
    assert served(peer.receive(call(version, "listen", "tasks/result"))) == ["listen"]
    following = peer.respond(first)
    assert served(following) == [0]
    peer.receive(call(version, 4))
    assert served(peer.respond(following[0])) == [1]


def test_what_is_refused_in_a_batch_is_answered_with_it() -> None:
    server = server_of(BATCHES, requests=1)
    big = request("tools/call", 0, text="x" * (1 << 25))
    (first,) = server.receive(request("tools/list", "first"), big)
    server.receive([request("ping", 1), request("tools/list", 2)])
    ((pong, refused),) = server.sent()
    assert (pong, refused["id"]) == (result(1), 2)
    assert served(server.respond(first)) == [0]


def test_cancelling_what_waits_takes_no_longer_the_more_there_is() -> None:
    server = server_of(LATEST, requests=1)
    server.receive(call(LATEST, "first"))
    messages = [dumps(call(LATEST, id)) for id in range(20_000)]
    stops = [dumps(cancel(id)) for id in reversed(range(20_000))]
    for message in messages:
        server.connection.receive(message, server.now)
    assert server.connection.unanswered == 20_001
    started = time.process_time()
    for stop in stops:
        server.connection.receive(stop, server.now)
    assert time.process_time() - started < 2
    assert server.connection.unanswered == 1
    assert server.connection.waiting_bytes == 0


@every_version
def test_answers_are_taken_for_the_request_they_are_for(version: str) -> None:
    server = server_of(version, requests=1)
    first = server.receive(call(version, 1), call(version, 2))
    second = server.respond(first[0], n=1)
    assert server.respond(first[0], n=2) == []
    server.respond(second[0], n=3)
    assert [answer["result"] for answer in server.sent()] == [{"n": 1}, {"n": 3}]


def test_progress_needs_a_total_to_restart_the_time() -> None:
    with pytest.raises(ValueError, match="total_timeout: expected one"):
        Limits(progress_restarts=True)


@pytest.mark.parametrize("slots", [0, -1, float("nan")])
def test_there_is_at_least_one_slot(slots: Any) -> None:
    with pytest.raises(ValueError, match="requests"):
        Limits(requests=slots)


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
@pytest.mark.parametrize(
    "name", ["timeout", "total_timeout", "ping_timeout", "probe_timeout", "stall"]
)
def test_a_time_limit_is_more_than_nothing(name: str, seconds: Any) -> None:
    with pytest.raises(ValueError, match=f"{name}: expected more than 0 s, found"):
        Limits(**{name: seconds})


@pytest.mark.parametrize("value", ["3", True, [1]])
@pytest.mark.parametrize("name", ["requests", "timeout", "keepalive", "stall", "grace"])
def test_a_limit_is_a_number(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"{name}: expected a number, found"):
        Limits(**{name: value})


# --- cancellation -------------------------------------------------------------------------------


@callees
def test_a_cancelled_request_gets_no_answer(role: Side, version: str) -> None:
    peer = ready(role, version)
    (event,) = peer.receive(call(version, 1))
    events = peer.receive(cancel(1), cancel(1))
    assert cancelled(events) == [1]
    assert notified(events) == ["notifications/cancelled"] * 2
    assert peer.respond(event, content=[]) == []
    assert peer.sent() == []
    assert peer.connection.unanswered == 0


@callees
@pytest.mark.parametrize("id", ["1", 1.0, True, None, 2, [1]])
def test_other_cancellations_are_ignored(role: Side, version: str, id: Any) -> None:
    peer = ready(role, version)
    (event,) = peer.receive(call(version, 1))
    assert cancelled(peer.receive(cancel(id), notification("notifications/cancelled"))) == []
    peer.respond(event)
    assert peer.sent() == [result(1)]
    assert cancelled(peer.receive(cancel(1))) == []


@callees
def test_a_waiting_request_that_is_cancelled_never_starts(role: Side, version: str) -> None:
    peer = ready(role, version, requests=1)
    events = peer.receive(*(call(version, id) for id in (1, 2, 3)))
    assert cancelled(peer.receive(cancel(2))) == []
    assert served(peer.respond(events[0])) == [3]
    assert served(peer.receive(call(version, 2))) == []


@callees
def test_a_cancelled_handler_keeps_its_slot_until_it_stops(role: Side, version: str) -> None:
    peer = ready(role, version, requests=1)
    (event, *_) = peer.receive(call(version, 1), call(version, 2))
    assert served(peer.receive(cancel(1))) == []
    assert isinstance(event, RequestReceived)
    assert served(peer.connection.respond(event.request, None, peer.now)) == [2]


@callees
def test_an_id_is_free_again_after_its_cancellation(role: Side, version: str) -> None:
    peer = ready(role, version)
    (old,) = peer.receive(call(version, 1))
    peer.receive(cancel(1))
    (new,) = peer.receive(call(version, 1))
    peer.respond(old, n="old")
    assert peer.sent() == []
    peer.respond(new, n="new")
    assert peer.sent() == [result(1, n="new")]


@pytest.mark.parametrize("version", STATEFUL)
def test_initialize_is_never_cancelled(version: str) -> None:
    from .peers import Peer

    server = Peer("server", version)
    (event,) = server.receive(initialize(version, 1))
    assert cancelled(server.receive(cancel(1))) == []
    server.respond(event)
    assert server.sent() == [result(1)]


# --- the end ------------------------------------------------------------------------------------


def end(peer: Any, how: str) -> list[Event]:
    if how == "close":
        return peer.connection.close(peer.now, "enough")
    return peer.connection.receive_end(peer.now)


every_end = pytest.mark.parametrize("how", ["close", "end"])
every_peer = pytest.mark.parametrize(
    ("role", "version"), [(role, version) for role in SIDES for version in VERSIONS]
)


@every_peer
@every_end
def test_the_end_fails_every_call(role: Side, version: str, how: str) -> None:
    if (role, version) == ("server", MODERN):
        pytest.skip("has no calls")
    peer = ready(role, version)
    ids = [peer.request(owner=owner, progress=True) for owner in "ab"]
    events = end(peer, how)
    assert answers(events) == [("a", ConnectionClosed), ("b", ConnectionClosed)]
    assert isinstance(events[-1], Closed)
    assert end(peer, how) == []
    peer.sent()
    assert peer.receive(result(ids[0]), request("ping", 1)) == []
    assert peer.sent() == []
    assert peer.connection.next_deadline() is None


@every_peer
@every_end
def test_nothing_is_sent_after_the_end(role: Side, version: str, how: str) -> None:
    peer = ready(role, version)
    end(peer, how)
    reason = "enough" if how == "close" else "the peer closed"
    with pytest.raises(ConnectionClosed, match=reason):
        peer.request()
    with pytest.raises(ConnectionClosed, match=reason):
        peer.connection.notify("acme/news", None, peer.now)
    peer.connection.cancel(1, peer.now)
    assert peer.wait(1000) == []
    assert peer.sent() == []


@callees
@every_end
def test_what_came_before_the_end_is_answered(role: Side, version: str, how: str) -> None:
    peer = ready(role, version, requests=1)
    events = peer.receive(call(version, 1), call(version, 2))
    assert closing(end(peer, how)) is not None
    following = peer.respond(events[0])
    assert served(following) == [2]
    peer.respond(following[0])
    assert peer.sent() == [result(1), result(2)]
    assert peer.connection.unanswered == 0


@callees
def test_aborting_stops_everything(role: Side, version: str) -> None:
    peer = ready(role, version, requests=1)
    events = peer.receive(call(version, 1), call(version, 2))
    peer.connection.close(peer.now)
    assert cancelled(peer.connection.abort(peer.now)) == [1]
    assert peer.respond(events[0]) == []
    assert peer.sent() == []
    assert peer.connection.state is State.CLOSED
    assert peer.connection.unanswered == 0


def test_aborting_alone_closes_too() -> None:
    peer = client_of(LATEST)
    peer.request()
    events = peer.connection.abort(peer.now)
    assert answers(events) == [("caller", ConnectionClosed)]
    assert closing(events) is not None
    assert peer.connection.state is State.CLOSED


SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"


@every_end
def test_the_end_of_a_server_ends_its_subscriptions_gracefully(how: str) -> None:
    server = server_of(MODERN)
    (listen, _) = server.receive(call(MODERN, "l", "subscriptions/listen"), call(MODERN, 1))
    events = end(server, how)
    over = {"resultType": "complete", "_meta": {SUBSCRIPTION_KEY: "l"}}
    assert server.sent() == [
        result("l", **over),
        notification("notifications/cancelled", requestId="l"),
    ]
    assert mcp_wire.load(MODERN).decode_result("subscriptions/listen", over).to_dict() == over
    assert cancelled(events) == ["l"]
    assert server.connection.unanswered == 1
    assert server.respond(listen) == []
    assert server.sent() == []


@pytest.mark.parametrize("version", STATEFUL)
def test_a_request_of_that_name_in_other_versions_is_none(version: str) -> None:
    server = server_of(version)
    server.receive(call(version, "l", "subscriptions/listen"))
    assert cancelled(server.connection.close(server.now)) == ["l"]
    assert server.sent() == []


def test_no_subscription_ends_gracefully_when_everything_does() -> None:
    server = server_of(MODERN)
    server.receive(call(MODERN, "l", "subscriptions/listen"))
    assert cancelled(server.connection.abort(server.now)) == ["l"]
    assert server.sent() == []


def test_a_task_that_is_waited_for_may_still_end() -> None:
    server = server_of(TASKS)
    (event,) = server.receive(request("tasks/result", 1, taskId="t"))
    server.connection.receive_end(server.now)
    server.respond(event, content=[])
    assert server.sent() == [result(1, content=[])]


@every_peer
def test_closing_cancels_what_we_asked(role: Side, version: str) -> None:
    if (role, version) == ("server", MODERN):
        pytest.skip("has no calls")
    peer = ready(role, version)
    number = peer.request()
    peer.request("tools/call", params={"name": "x", "task": {}})
    peer.sent()
    peer.connection.close(peer.now, "enough")
    (told,) = peer.sent()
    assert told["method"] == "notifications/cancelled"
    assert told["params"] == {"requestId": number, "reason": "enough"}
    peer.connection.close(peer.now, "enough")
    assert peer.sent() == []


@pytest.mark.parametrize("role", SIDES)
def test_closing_cancels_nothing_that_was_never_sent(role: Side) -> None:
    peer = Peer(role, LATEST)
    peer.sent()
    peer.request()
    peer.connection.close(peer.now)
    assert peer.sent() == []
