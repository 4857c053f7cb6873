"""Our own requests: cancellation, time limits and what versions want in them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from mcp_wire.runtime.errors import RequestTimeout
from mcp_wire.runtime.events import Failed

from .peers import (
    CLIENT_INFO_KEY,
    LATEST,
    MODERN,
    OWN,
    SIDES,
    STATEFUL,
    TASKS,
    VERSION_KEY,
    VERSIONS,
    Peer,
    Side,
    answers,
    callers,
    client_of,
    discovered,
    error,
    every_version,
    initialized,
    is_ready,
    notification,
    own,
    progress,
    ready,
    request,
    result,
)

SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"


# --- cancellation -------------------------------------------------------------------------------


@callers
@pytest.mark.parametrize("reason", [None, "enough"])
def test_cancelling_tells_the_peer_once(role: Side, version: str, reason: str | None) -> None:
    peer = ready(role, version)
    id = peer.request()
    peer.sent()
    peer.connection.cancel(id, peer.now, reason)
    peer.connection.cancel(id, peer.now, reason)
    params = {"requestId": id} if reason is None else {"requestId": id, "reason": reason}
    assert peer.sent() == [notification("notifications/cancelled", **params)]
    assert peer.receive(result(id), error(id)) == []
    assert peer.connection.open_calls == 0


@callers
def test_cancelling_what_has_ended_does_nothing(role: Side, version: str) -> None:
    peer = ready(role, version)
    id = peer.request()
    peer.receive(result(id))
    peer.sent()
    peer.connection.cancel(id, peer.now)
    peer.connection.cancel(12345, peer.now)
    assert peer.sent() == []


def test_what_has_not_been_sent_is_not_cancelled_but_dropped() -> None:
    client = Peer("client", LATEST)
    (asked,) = client.sent()
    first, second = client.request("tools/list", "a"), client.request("prompts/list", "b")
    client.connection.cancel(first, client.now)
    client.receive(result(asked["id"], protocolVersion=LATEST, capabilities={}, serverInfo={}))
    methods = [message["method"] for message in client.sent()]
    assert methods == ["notifications/initialized", "prompts/list"]
    assert answers(client.receive(result(second))) == [("b", {})]


def started(peer: Peer) -> int:
    id = peer.request("tools/call", params={"name": "x", "task": {"ttl": 1}})
    peer.sent()
    peer.connection.cancel(id, peer.now)
    assert peer.sent() == []
    return id


@pytest.mark.parametrize("role", SIDES)
def test_a_task_is_cancelled_by_its_id(role: Side) -> None:
    peer = ready(role, TASKS)
    id = started(peer)
    assert peer.receive(result(id, task={"taskId": "t", "status": "working"})) == []
    (sent,) = peer.sent()
    assert (sent["method"], sent["params"]) == ("tasks/cancel", {"taskId": "t"})
    assert peer.receive(result(sent["id"], taskId="t", status="cancelled")) == []
    assert peer.connection.open_calls == 0


def test_a_task_that_cannot_be_cancelled_goes_on() -> None:
    client = Peer("client", TASKS)
    (asked,) = client.sent()
    tasks = {"requests": {"tools": {"call": {}}}}
    client.receive(result(asked["id"], **{**initialized(TASKS), "capabilities": {"tasks": tasks}}))
    client.sent()
    id = started(client)
    assert client.receive(result(id, task={"taskId": "t", "status": "working"})) == []
    assert client.sent() == []
    assert client.connection.open_calls == 0


def test_a_task_that_is_abandoned_is_waited_for_from_then_on() -> None:
    client = client_of(TASKS, timeout=10)
    id = client.request("tools/call", params={"name": "x", "task": {}}, timeout=1000)
    client.wait(500)
    client.connection.cancel(id, client.now)
    client.wait(9)
    assert client.connection.open_calls == 1
    client.wait(2)
    assert client.connection.open_calls == 0


def test_the_tokens_of_tasks_end_with_the_connection() -> None:
    client = client_of(TASKS)
    id = client.request("tools/call", params={"name": "x", "task": {}}, progress=True)
    client.receive(result(id, task={"taskId": "t", "status": "working"}))
    assert len(client.connection._calls.tokens) == 1
    client.connection.receive_end(client.now)
    assert len(client.connection._calls.tokens) == 0


@pytest.mark.parametrize("how", ["error", "result", "silence"])
def test_a_task_that_never_was_is_forgotten(how: str) -> None:
    peer = client_of(TASKS)
    id = started(peer)
    if how == "silence":
        assert peer.wait(1000) == []
    else:
        assert peer.receive(error(id) if how == "error" else result(id, content=[])) == []
    assert peer.sent() == []
    assert peer.connection.open_calls == 0


@pytest.mark.parametrize("order", ["forth", "back"])
def test_a_server_ends_a_subscription(order: str) -> None:
    client = client_of(MODERN)
    id = client.request("subscriptions/listen")
    other = client.request("tools/list", "other")
    stop = [
        notification("notifications/cancelled", requestId=wrong)
        for wrong in (other, str(id), 99, True)
    ]
    assert answers(client.receive(*stop)) == []
    over = {"resultType": "complete", "_meta": {SUBSCRIPTION_KEY: id}}
    said = [notification("notifications/cancelled", requestId=id, reason="bye"), result(id, **over)]
    assert answers(client.receive(*(said if order == "forth" else said[::-1]))) == [
        ("caller", over)
    ]
    assert client.connection.open_calls == 1


# --- time limits --------------------------------------------------------------------------------


@callers
def test_a_request_has_the_time_it_is_given(role: Side, version: str) -> None:
    peer = ready(role, version)
    id = peer.request(timeout=10)
    peer.request("tools/list", "other", timeout=20)
    peer.sent()
    assert peer.wait(9.9) == []
    (event,) = peer.wait(0.1)
    assert isinstance(event, Failed)
    assert event.owner == "caller"
    assert isinstance(event.error, RequestTimeout)
    assert (event.error.method, event.error.seconds) == ("tools/list", 10)
    assert peer.sent() == [
        notification("notifications/cancelled", requestId=id, reason="timed out")
    ]
    assert peer.receive(result(id)) == []
    assert answers(peer.wait(10)) == [("other", RequestTimeout)]
    assert peer.connection.next_deadline() is None


@callers
def test_or_the_limit_of_the_connection(role: Side, version: str) -> None:
    peer = ready(role, version, timeout=3)
    peer.request()
    assert peer.wait(2.9) == []
    assert answers(peer.wait(0.2)) == [("caller", RequestTimeout)]


@pytest.mark.parametrize("method", ["subscriptions/listen", "tasks/result"])
def test_requests_that_stay_open_have_only_what_they_are_given(method: str) -> None:
    peer = client_of(MODERN if method.startswith("sub") else TASKS, timeout=3)
    peer.request(method)
    assert peer.wait(10_000) == []
    peer.request(method, "limited", timeout=5)
    assert answers(peer.wait(6)) == [("limited", RequestTimeout)]


@callers
@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
@pytest.mark.parametrize("name", ["timeout", "total_timeout"])
def test_a_time_limit_that_makes_no_sense_is_refused(
    role: Side, version: str, name: str, seconds: float
) -> None:
    peer = ready(role, version)
    with pytest.raises(ValueError, match=f"{name}: expected more than 0 s, found"):
        peer.request(**{name: seconds})
    assert peer.sent() == []
    assert peer.connection.open_calls == 0


def test_the_total_of_the_connection_is_not_for_what_stays_open() -> None:
    for version, method in ((MODERN, "subscriptions/listen"), (TASKS, "tasks/result")):
        peer = client_of(version, timeout=5, total_timeout=8)
        peer.request(method)
        peer.request("tools/list", "listing", timeout=20)
        assert answers(peer.wait(7.9)) == []
        (event,) = peer.wait(10_000)
        assert isinstance(event, Failed)
        assert isinstance(event.error, RequestTimeout)
        assert (event.owner, event.error.seconds) == ("listing", 8)
        peer.request(method, total_timeout=3)
        assert answers(peer.wait(4)) == [("caller", RequestTimeout)]


@pytest.mark.parametrize("version", VERSIONS)
def test_nor_for_the_handshake(version: str) -> None:
    client = Peer("client", version, total_timeout=1)
    (asked,) = client.sent()
    assert client.wait(100) == []
    known = discovered(version) if version == MODERN else initialized(version)
    assert is_ready(client.receive(result(asked["id"], **known)))


def test_no_limit() -> None:
    peer = client_of(LATEST, timeout=None)
    peer.request()
    assert peer.wait(10**6) == []


@callers
@pytest.mark.parametrize("restarts", [True, False])
def test_progress_may_start_the_time_anew(role: Side, version: str, restarts: bool) -> None:
    peer = ready(role, version, progress_restarts=restarts, total_timeout=1000)
    id = peer.request(timeout=10)
    meta = peer.sent()[0].get("params", {"_meta": {}})["_meta"]
    assert meta == {**own(version), **({"progressToken": id} if restarts else {})}
    peer.wait(9)
    peer.receive(progress(id, 1))
    assert answers(peer.wait(9)) == ([] if restarts else [("caller", RequestTimeout)])


@callers
def test_progress_does_not_extend_the_total(role: Side, version: str) -> None:
    peer = ready(role, version, progress_restarts=True, total_timeout=1000)
    id = peer.request(timeout=10, total_timeout=25)
    for value in range(3):
        assert answers(peer.wait(8)) == []
        peer.receive(progress(id, value))
    (event,) = peer.wait(1.5)
    assert isinstance(event, Failed)
    assert isinstance(event.error, RequestTimeout)
    assert event.error.seconds == 25


def test_progress_that_does_not_count_extends_nothing() -> None:
    peer = client_of(LATEST, progress_restarts=True, total_timeout=1000)
    id = peer.request(timeout=10)
    for _ in range(3):
        peer.receive(progress(id, 1))
        peer.wait(4)
    assert peer.connection.open_calls == 0


def test_a_request_that_waits_has_a_time_limit_too() -> None:
    server = Peer("server", LATEST)
    server.request("roots/list", timeout=5)
    assert answers(server.wait(6)) == [("caller", RequestTimeout)]
    assert server.sent() == []
    server.receive(request("ping", 1))
    assert server.sent() == [result(1)]


@every_version
def test_nothing_is_left_behind(version: str) -> None:
    client = client_of(version)
    for n in range(50):
        id = client.request(progress=True, timeout=n + 1)
        if n % 3 == 0:
            client.receive(result(id))
        elif n % 3 == 1:
            client.connection.cancel(id, client.now)
    client.wait(100)
    assert client.connection.open_calls == 0
    assert client.connection.next_deadline() is None


# --- what stateless versions want in every request ----------------------------------------------


@pytest.mark.parametrize(
    ("params", "sent"),
    [
        (None, {"_meta": OWN}),
        ({"name": "n"}, {"name": "n", "_meta": OWN}),
        ({"_meta": None}, {"_meta": OWN}),
        ({"_meta": {"acme/x": 1}}, {"_meta": {**OWN, "acme/x": 1}}),
        ({"_meta": {CLIENT_INFO_KEY: 1}}, {"_meta": {**OWN, CLIENT_INFO_KEY: 1}}),
        ({"_meta": {**OWN, VERSION_KEY: "x"}}, {"_meta": {**OWN, VERSION_KEY: "x"}}),
        ({"_meta": 5}, {"_meta": 5}),
    ],
)
def test_version_and_client_are_filled_in(params: Any, sent: Any) -> None:
    peer = ready("client", MODERN)
    before = copy.deepcopy(params)
    peer.request(params=params)
    (message,) = peer.sent()
    assert message["params"] == sent
    assert params == before


def test_version_and_client_come_with_a_progress_token() -> None:
    peer = ready("client", MODERN)
    peer.request(progress=True)
    (message,) = peer.sent()
    assert message["params"] == {"_meta": {**OWN, "progressToken": message["id"]}}


def test_they_are_filled_in_once_the_version_is_known() -> None:
    """In requests that were made before, as they were then; notifications have no need of it."""
    client = Peer("client", LATEST, MODERN)
    (asked,) = client.sent()
    params = {"name": "n", "_meta": {"a": 1}}
    client.request("tools/call", params=params, progress=True)
    client.request("tools/list", "second")
    client.connection.notify("acme/news", {"b": 2}, client.now)
    params["name"] = "changed"
    client.receive(result(asked["id"], **discovered(MODERN)))
    call, listing, news = client.sent()
    assert call["params"] == {"name": "n", "_meta": {**OWN, "a": 1, "progressToken": call["id"]}}
    assert listing["params"] == {"_meta": OWN}
    assert news == notification("acme/news", b=2)


@pytest.mark.parametrize("version", STATEFUL)
def test_other_versions_say_nothing_of_themselves(version: str) -> None:
    peer = ready("client", version)
    peer.request(params={"_meta": {}})
    peer.request()
    first, second = peer.sent()
    assert first["params"] == {"_meta": {}}
    assert "params" not in second
