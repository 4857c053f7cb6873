"""Our own requests: progress, cancellation and time limits."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from mcp_wire.runtime.errors import RequestTimeout
from mcp_wire.runtime.events import Failed, Progressed

from .peers import (
    CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    INFO,
    LATEST,
    MODERN,
    SIDES,
    STATEFUL,
    TASKS,
    VERSION_KEY,
    VERSIONS,
    Peer,
    Side,
    answers,
    client_of,
    discovered,
    error,
    initialized,
    is_ready,
    notification,
    notified,
    ready,
    request,
    result,
)

every_version = pytest.mark.parametrize("version", VERSIONS)
callers = pytest.mark.parametrize(
    ("role", "version"),
    [(role, version) for role in SIDES for version in STATEFUL] + [("client", MODERN)],
)


SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
OWN = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {"roots": {}}, CLIENT_INFO_KEY: INFO}


def own(version: str) -> dict[str, Any]:
    """What a client says of itself in the `_meta` of every request."""
    return OWN if version == MODERN else {}


def progress(token: Any, value: Any, **members: Any) -> dict[str, Any]:
    return notification("notifications/progress", progressToken=token, progress=value, **members)


def reports(events: list[Any]) -> list[tuple[Any, ...]]:
    return [
        (event.owner, event.progress, event.total, event.message)
        for event in events
        if isinstance(event, Progressed)
    ]


# --- progress -----------------------------------------------------------------------------------


@callers
def test_the_token_is_known_before_the_request_is_sent(role: Side, version: str) -> None:
    peer = ready(role, version)
    id = peer.request(progress=True)
    assert reports(peer.receive(progress(id, 1, total=2, message="half"))) == [
        ("caller", 1, 2, "half")
    ]
    (sent,) = peer.sent()
    assert sent["params"]["_meta"] == {**own(version), "progressToken": id}


@callers
@pytest.mark.parametrize("token", [0, "", "mine", -3, 10**30])
def test_callers_may_choose_the_token(role: Side, version: str, token: Any) -> None:
    peer = ready(role, version)
    params = {"a": 1, "_meta": {"b": 2, "progressToken": token}}
    peer.request(params=params, progress=True)
    meta = {**own(version), "b": 2, "progressToken": token}
    assert peer.sent()[0]["params"] == {"a": 1, "_meta": meta}
    other = str(token) if isinstance(token, int) else 1
    events = peer.receive(progress(other, 1), progress(token, 1.5))
    assert reports(events) == [("caller", 1.5, None, None)]


@callers
def test_a_token_in_use_is_refused(role: Side, version: str) -> None:
    peer = ready(role, version)
    params = {"_meta": {"progressToken": "t"}}
    id = peer.request(params=params)
    with pytest.raises(ValueError, match="in use"):
        peer.request(params=params)
    peer.receive(result(id))
    peer.request(params=params)
    assert peer.connection.open_calls == 1


@pytest.mark.parametrize("token", [True, 1.5, [], {}])
def test_what_can_be_no_token_is_refused(token: Any) -> None:
    with pytest.raises(ValueError, match="token"):
        client_of(LATEST).request(params={"_meta": {"progressToken": token}})


def test_our_tokens_keep_clear_of_those_that_callers_chose() -> None:
    peer = client_of(LATEST)
    first = peer.request(owner="chosen", params={"_meta": {"progressToken": 3}})
    second = peer.request(owner="made", progress=True)
    assert second == 3
    tokens = [message["params"]["_meta"]["progressToken"] for message in peer.sent()]
    assert len({*tokens}) == 2
    assert reports(peer.receive(progress(3, 1))) == [("chosen", 1, None, None)]
    assert reports(peer.receive(progress(tokens[1], 1))) == [("made", 1, None, None)]
    assert first != second


@callers
@pytest.mark.parametrize("values", [[1, 1], [2, 1], [0, -1], [0.5, 0.5]])
def test_progress_has_to_rise(role: Side, version: str, values: list[float]) -> None:
    peer = ready(role, version)
    id = peer.request(progress=True)
    events = peer.receive(*(progress(id, value) for value in [*values, 10]))
    assert [value for _, value, _, _ in reports(events)] == [values[0], 10]
    assert len(notified(events)) == 2


@callers
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"progressToken": 999, "progress": 1},
        {"progressToken": None, "progress": 1},
        {"progressToken": True, "progress": 1},
        {"progressToken": "{id}", "progress": 1},
        {"progress": 1},
        {"progressToken": 2, "progress": "1"},
        {"progressToken": 2, "progress": True},
        {"progressToken": 2},
        {"progressToken": 2, "progress": 1, "total": "all"},
    ],
)
def test_other_progress_is_dropped(role: Side, version: str, params: dict[str, Any]) -> None:
    peer = ready(role, version)
    peer.request(progress=True)
    peer.request(progress=True)
    peer.sent()
    message = {**notification("notifications/progress"), "params": params}
    assert peer.receive(message, notification("notifications/progress")) == []
    assert peer.sent() == []


@callers
@pytest.mark.parametrize("end", ["result", "error", "cancel", "timeout"])
def test_a_token_dies_with_its_request(role: Side, version: str, end: str) -> None:
    peer = ready(role, version)
    id = peer.request(progress=True, timeout=10)
    if end == "cancel":
        peer.connection.cancel(id, peer.now)
    elif end == "timeout":
        peer.wait(11)
    else:
        peer.receive(result(id) if end == "result" else error(id))
    assert peer.receive(progress(id, 1)) == []


@pytest.mark.parametrize("role", SIDES)
@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
@pytest.mark.parametrize("how", ["notification", "tasks/get", "tasks/cancel", "tasks/result"])
def test_a_token_lives_as_long_as_the_task(role: Side, status: str, how: str) -> None:
    peer = ready(role, TASKS)
    id = peer.request("tools/call", params={"name": "x", "task": {}}, progress=True)
    peer.receive(result(id, task={"taskId": "t", "status": "working"}))
    assert reports(peer.receive(progress(id, 1))) == [("caller", 1, None, None)]
    peer.receive(notification("notifications/tasks/status", taskId="t", status="working"))
    peer.receive(notification("notifications/tasks/status", taskId="u", status=status))
    assert reports(peer.receive(progress(id, 2))) == [("caller", 2, None, None)]
    if how == "notification":
        peer.receive(notification("notifications/tasks/status", taskId="t", status=status))
    elif how == "tasks/result":
        other = peer.request(how, params={"taskId": "t"})
        peer.receive(result(other, content=[]))
    else:
        other = peer.request(how, params={"taskId": "t"})
        peer.receive(result(other, taskId="t", status=status))
    assert peer.receive(progress(id, 3)) == []


def task_of(peer: Peer, **members: Any) -> int:
    """Start a task with the id `t`, and return the token of its progress."""
    id = peer.request("tools/call", params={"name": "x", "task": {}}, progress=True)
    peer.receive(result(id, task={"taskId": "t", "status": "working", **members}))
    peer.sent()
    return id


def test_a_task_outlives_the_time_limit_of_its_result() -> None:
    peer = client_of(TASKS)
    token = task_of(peer)
    peer.request("tasks/result", "impatient", params={"taskId": "t"}, timeout=5)
    assert answers(peer.wait(6)) == [("impatient", RequestTimeout)]
    assert reports(peer.receive(progress(token, 1))) == [("caller", 1, None, None)]
    other = peer.request("tasks/result", params={"taskId": "t"})
    peer.receive(error(other))
    assert peer.receive(progress(token, 2)) == []


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_a_task_may_be_over_from_the_start(status: str) -> None:
    peer = client_of(TASKS)
    assert peer.receive(progress(task_of(peer, status=status), 1)) == []


@pytest.mark.parametrize(
    ("ttl", "seconds"),
    [(60_000, 60), (1.5, 0.0015), (None, 1e9), ("60", 1e9), (True, 1e9), (10**400, 1e9)],
)
def test_a_token_lives_no_longer_than_its_task_is_kept(ttl: Any, seconds: float) -> None:
    peer = client_of(TASKS)
    token = task_of(peer, ttl=ttl)
    peer.now += seconds * 0.9
    assert len(reports(peer.receive(progress(token, 1)))) == 1
    if seconds < 1e9:
        peer.now += seconds * 0.2
        assert peer.receive(progress(token, 2)) == []


def test_tasks_that_nobody_hears_of_are_forgotten() -> None:
    peer = client_of(TASKS)
    params = {"name": "x", "task": {}, "_meta": {"progressToken": "mine"}}
    for _ in range(2):
        id = peer.request("tools/call", params=params)
        peer.receive(result(id, task={"taskId": f"t{id}", "status": "working", "ttl": 1000}))
        peer.now += 2
        task_of(peer, ttl=1000)


def test_a_task_id_that_is_given_twice_has_one_token() -> None:
    peer = client_of(TASKS)
    tokens = [task_of(peer) for _ in range(3)]
    events = peer.receive(*(progress(token, 1) for token in tokens))
    assert [value for _, value, _, _ in reports(events)] == [1]
    peer.receive(notification("notifications/tasks/status", taskId="t", status="completed"))
    assert peer.receive(*(progress(token, 2) for token in tokens)) == []
    params = {"_meta": {"progressToken": tokens[0]}}
    peer.request(params=params)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("method", ["acme/task", "tools/list"])
def test_a_param_of_that_name_makes_no_task(version: str, method: str) -> None:
    peer = client_of(version)
    id = peer.request(method, params={"task": {"name": "x"}}, timeout=5, progress=True)
    peer.sent()
    peer.wait(6)
    (sent,) = peer.sent()
    assert (sent["method"], sent["params"]["requestId"]) == ("notifications/cancelled", id)
    assert peer.connection.open_calls == 0
    other = peer.request(method, params={"task": {}}, progress=True)
    peer.receive(result(other, task={"taskId": "t", "status": "working"}))
    assert peer.receive(progress(other, 1)) == []


def test_a_task_in_a_result_of_another_request_means_nothing() -> None:
    peer = client_of(TASKS)
    id = peer.request("tools/call", progress=True)
    peer.receive(result(id, task={"taskId": "t"}))
    assert peer.receive(progress(id, 1)) == []


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
