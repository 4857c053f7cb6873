"""Progress: whose it is, which counts, and how long a token lives, that of a task too."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_wire.runtime.errors import RequestTimeout

from .peers import (
    LATEST,
    SIDES,
    TASKS,
    VERSIONS,
    Peer,
    Side,
    answers,
    callers,
    client_of,
    error,
    notification,
    notified,
    own,
    progress,
    ready,
    reports,
    result,
)


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
