"""Which messages are requests, which answers belong to which calls, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_wire.versions import FACTS

from .peers import (
    BATCHES,
    STATEFUL,
    STATELESS,
    VERSIONS,
    answers,
    call,
    cancelled,
    client_of,
    error,
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


@every_version
@pytest.mark.parametrize("id", [0, 1, -7, 2**70, "", "1", "x" * 500, "\u2028"])
def test_id_is_echoed(version: str, id: Any) -> None:
    server = server_of(version)
    (event,) = server.receive(call(version, id))
    server.respond(event, tools=[])
    (answer,) = server.sent()
    assert answer["id"] == id
    assert type(answer["id"]) is type(id)


@every_version
@pytest.mark.parametrize("id", [None, True, False, 1.0, 1.5, [], {}])
def test_what_is_no_id_is_refused(version: str, id: Any) -> None:
    server = server_of(version)
    assert server.receive({**call(version), "id": id}) == []
    (answer,) = server.sent()
    assert answer["error"]["code"] == -32600
    assert answer["error"]["data"]["path"] == "$.id"
    assert ("id" in answer) is FACTS[version].null_id
    assert answer.get("id") is None


@every_version
@pytest.mark.parametrize(
    ("message", "code", "id"),
    [
        (b"", -32700, None),
        (b"{", -32700, None),
        (b"\xff", -32700, None),
        (b'{"a":NaN}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"1", -32600, None),
        (b'"text"', -32600, None),
        (b"null", -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":0,"method":3}', -32600, 0),
        (b'{"jsonrpc":"2.0","id":"","method":"tools/list","params":[]}', -32600, ""),
    ],
)
def test_one_bad_message_gets_one_error_and_the_next_is_served(
    version: str, message: bytes, code: int, id: Any
) -> None:
    server = server_of(version)
    assert server.receive(message) == []
    (answer,) = server.sent()
    assert answer.pop("error")["code"] == code
    no_id = {"id": None} if FACTS[version].null_id else {}
    assert answer == {"jsonrpc": "2.0", **(no_id if id is None else {"id": id})}
    assert served(server.receive(call(version, 5))) == [5]


@every_version
def test_a_second_request_with_an_id_in_flight_is_dropped(
    version: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = server_of(version)
    (first,) = server.receive(call(version, 1))
    assert server.receive(call(version, 1)) == []
    assert server.receive(call(version, 1, "ping")) == []
    assert server.sent() == []
    assert "in use" in caplog.text
    server.respond(first, tools=[])
    assert len(server.sent()) == 1
    assert served(server.receive(call(version, 1))) == [1]


@every_version
@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "1.0", "id": 7, "method": "ping"},
        {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": []},
        {"jsonrpc": "2.0", "id": 7, "method": None},
        {"jsonrpc": "2.0", "id": 7},
        {"jsonrpc": "1.0", "id": 7, "result": {}},
    ],
)
def test_nor_does_a_malformed_message_end_the_first(
    version: str, message: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    server = server_of(version, requests=1)
    first, *_ = server.receive(call(version, 7), call(version, 8))
    assert server.receive(message, {**message, "id": 8}) == []
    assert server.sent() == []
    assert caplog.text
    server.respond(first, tools=[])
    assert server.sent() == [result(7, tools=[])]


@every_version
@pytest.mark.parametrize("role", ["client", "server"])
@pytest.mark.parametrize("members", [{}, {"id": None}])
def test_an_error_that_names_no_request_is_logged(
    version: str, role: Any, members: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    peer = ready(role, version)
    message = {
        "jsonrpc": "2.0",
        **members,
        "error": {"code": -32700, "message": "your line is cut"},
    }
    assert peer.receive(message) == []
    assert peer.sent() == []
    assert "your line is cut" in caplog.text


@every_version
def test_ids_of_two_types_are_two_ids(version: str) -> None:
    server = server_of(version)
    one, other = server.receive(call(version, 1), call(version, "1"))
    server.respond(other)
    server.respond(one)
    assert [answer["id"] for answer in server.sent()] == ["1", 1]


@every_version
def test_our_ids_never_repeat(version: str) -> None:
    client = client_of(version)
    ids = [client.request() for _ in range(5)]
    for id in ids:
        client.receive(result(id))
    ids += [client.request() for _ in range(5)]
    assert len({*ids}) == 10
    assert [message["id"] for message in client.sent()] == ids


@every_version
@pytest.mark.parametrize("wrong", ["{id}", 0, 10**6, "unknown"])
def test_answers_to_nothing_are_ignored(version: str, wrong: Any) -> None:
    client = client_of(version)
    id = client.request()
    wrong = str(id) if wrong == "{id}" else wrong
    client.sent()
    assert client.receive(result(wrong), error(wrong), error(None), error(id) | {"id": None}) == []
    assert client.sent() == []
    assert answers(client.receive(result(id, tools=[]))) == [("caller", {"tools": []})]


@every_version
def test_a_second_answer_is_ignored(version: str) -> None:
    client = client_of(version)
    id = client.request()
    assert len(client.receive(result(id), result(id), error(id))) == 1


@every_version
@pytest.mark.parametrize("members", [{"result": 3}, {"result": None}, {"error": 3}, {}])
def test_a_malformed_answer_ends_its_call(version: str, members: dict[str, Any]) -> None:
    client = client_of(version)
    id = client.request()
    client.sent()
    events = client.receive({"jsonrpc": "2.0", "id": id, **members})
    assert [owner for owner, _ in answers(events)] == ["caller"]
    assert client.sent() == []
    assert client.connection.open_calls == 0


MALFORMED: list[dict[str, Any]] = [
    {"jsonrpc": "2.0", "id": 99, "result": 5},
    {"jsonrpc": "2.0", "id": None, "result": {}},
    {"jsonrpc": "2.0", "id": 1.5, "result": {}},
    {"jsonrpc": "2.0", "id": 99, "result": {}, "error": {"code": 1, "message": "m"}},
    {"jsonrpc": "2.0", "id": None, "error": 5},
    {"jsonrpc": "2.0", "id": None, "error": {"code": "1", "message": "m"}},
    {"jsonrpc": "2.0", "id": True, "error": {"code": 1, "message": "m"}},
    {"jsonrpc": "1.0", "id": 99, "result": {}},
    {"error": {"code": 1, "message": "m"}},
]


@every_version
@pytest.mark.parametrize("role", ["client", "server"])
@pytest.mark.parametrize("message", MALFORMED)
def test_a_malformed_answer_to_nothing_is_not_answered(
    version: str, role: Any, message: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    peer = ready(role, version)
    assert peer.receive(message) == []
    assert peer.sent() == []
    assert "malformed response" in caplog.text


def test_nor_in_a_batch() -> None:
    server = server_of(BATCHES)
    assert server.receive([*MALFORMED, request("ping", 1)]) == []
    assert server.sent() == [[result(1)]]


@pytest.mark.parametrize("version", STATELESS)
def test_clients_answer_nothing_where_only_servers_do(version: str) -> None:
    client = client_of(version)
    assert client.receive(b"{", {}, request("ping"), request("roots/list"), []) == []
    assert client.sent() == []


@pytest.mark.parametrize("version", STATEFUL)
def test_clients_serve_requests(version: str) -> None:
    client = client_of(version)
    (event,) = client.receive(request("roots/list", 4))
    client.respond(event, roots=[])
    assert client.sent() == [result(4, roots=[])]


@every_version
@pytest.mark.parametrize("role", ["client", "server"])
def test_notifications_reach_the_handler(version: str, role: Any) -> None:
    peer = ready(role, version)
    assert notified(peer.receive(notification("acme/news", a=1))) == ["acme/news"]
    assert peer.sent() == []


# --- batches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [version for version in VERSIONS if version != BATCHES])
def test_batches_are_refused_with_one_error(version: str) -> None:
    server = server_of(version)
    assert server.receive([call(version, 1), call(version, 2)]) == []
    (answer,) = server.sent()
    assert answer["error"]["code"] == -32600
    assert answer.get("id") is None


def test_a_batch_is_answered_by_one_array() -> None:
    server = server_of(BATCHES)
    events = server.receive(
        [
            request("tools/list", 1),
            notification("acme/news"),
            request("ping", 2),
            {"jsonrpc": "2.0"},
            initialize(BATCHES, 3),
            request("tools/list", 4),
        ]
    )
    assert notified(events) == ["acme/news"]
    assert served(events) == [1, 4]
    assert server.sent() == []
    server.respond(events[-1], tools=[])
    assert server.sent() == []
    server.respond(events[0], tools=[])
    (batch,) = server.sent()
    assert [answer.get("id") for answer in batch] == [2, None, 3, 4, 1]
    codes = [answer["error"]["code"] for answer in batch if "error" in answer]
    assert codes == [-32600, -32600]


def test_a_batch_of_what_gets_no_answer_gets_none() -> None:
    server = server_of(BATCHES)
    server.receive([notification("acme/news"), result(77)])
    assert server.sent() == []


def test_an_empty_batch_is_refused() -> None:
    server = server_of(BATCHES)
    server.receive([])
    (answer,) = server.sent()
    assert answer["error"]["code"] == -32600


@pytest.mark.parametrize("role", ["client", "server"])
def test_answers_come_in_batches(role: Any) -> None:
    peer = ready(role, BATCHES)
    ids = [peer.request(owner=name) for name in "ab"]
    assert answers(peer.receive([result(ids[1], x=1), result(ids[0])])) == [
        ("b", {"x": 1}),
        ("a", {}),
    ]


def test_a_cancelled_member_leaves_the_rest_of_its_batch() -> None:
    server = server_of(BATCHES)
    events = server.receive([request("tools/list", 1), request("tools/list", 2)])
    stop = server.receive(notification("notifications/cancelled", requestId=1))
    assert cancelled(stop) == [1]
    server.respond(events[1])
    assert server.sent() == [[result(2)]]


def test_a_member_cancelled_by_the_next_leaves_one_array() -> None:
    server = server_of(BATCHES)
    events = server.receive(
        [
            request("ping", 1),
            request("tools/list", 2),
            notification("notifications/cancelled", requestId=2),
            request("ping", 3),
        ]
    )
    assert (served(events), cancelled(events)) == ([2], [2])
    assert server.sent() == [[result(1), result(3)]]


def test_a_ping_in_a_batch_is_answered_with_it() -> None:
    server = server_of(BATCHES)
    events = server.receive([request("ping", 1), request("tools/list", 2)], request("ping", 3))
    assert server.sent() == [result(3)]
    server.respond(events[0])
    assert server.sent() == [[result(1), result(2)]]


@pytest.mark.parametrize("end", ["close", "receive_end"])
def test_the_end_leaves_what_is_answered_of_a_batch(end: str) -> None:
    server = server_of(BATCHES)
    events = server.receive([request("tools/list", 1), request("tools/list", 2)])
    server.respond(events[0])
    getattr(server.connection, end)(server.now)
    assert server.sent() == []
    assert cancelled(server.connection.abort(server.now)) == [2]
    assert server.sent() == [[result(1)]]
    server.respond(events[1])
    assert server.sent() == []


def test_nothing_is_sent_by_an_end_at_once() -> None:
    server = server_of(BATCHES)
    events = server.receive([request("tools/list", 1), request("tools/list", 2)])
    server.respond(events[0])
    server.connection.abort(server.now)
    assert server.sent() == []


def test_the_last_member_cancelled_sends_the_batch() -> None:
    server = server_of(BATCHES)
    events = server.receive([request("tools/list", 1), request("tools/list", 2)])
    server.respond(events[1])
    server.receive(notification("notifications/cancelled", requestId=1))
    assert server.sent() == [[result(2)]]


def test_a_batch_before_the_handshake() -> None:
    from .peers import Peer

    server = Peer("server", BATCHES)
    server.receive([request("ping", 1), request("tools/list", 2), initialize(BATCHES, 3)])
    (batch,) = server.sent()
    assert [answer["id"] for answer in batch] == [1, 2, 3]
    assert "result" in batch[0]
    assert [answer["error"]["code"] for answer in batch[1:]] == [-32600, -32600]
