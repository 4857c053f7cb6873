"""What cannot be read: who is told, of what, how often, and which calls it ends."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_wire import InvalidMessage, ProtocolError
from mcp_wire.runtime.events import Failed
from mcp_wire.runtime.lines import LineSplitter

from .peers import (
    BATCHES,
    LATEST,
    MODERN,
    VERSIONS,
    Peer,
    call,
    client_of,
    closing,
    dumps,
    error,
    ready,
    request,
    result,
    server_of,
)

LIMIT = 1000
TEXT = "x" * 2000


def long(message: dict[str, Any]) -> bytes:
    (line,) = LineSplitter(LIMIT).feed(dumps(message) + b"\n")
    return line


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("is_id_last", [False, True])
def test_answer_over_the_limit_ends_its_call(
    version: str, is_id_last: bool, caplog: pytest.LogCaptureFixture
) -> None:
    client = client_of(version)
    one, other = client.request(), client.request()
    client.sent()
    message = result(one, text=TEXT)
    if is_id_last:
        message["id"] = message.pop("id")
    (event,) = client.receive(long(message))
    assert isinstance(event, Failed)
    assert isinstance(event.error, InvalidMessage)
    expected = f"a message of at most {LIMIT} bytes (max_bytes)"
    assert str(event.error) == f"$: expected {expected}, found a longer one"
    assert client.sent() == []
    (warning,) = caplog.messages
    assert f"more than {LIMIT} bytes, which is the limit (max_bytes)" in warning
    assert len(client.receive(result(other))) == 1


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (b'"here"', b"NaN", "'NaN', which is no finite number"),
        (b'"here"', b'"\xff"', "byte 0xff at offset"),
        (b"}}", b"}", "the end of the text"),
    ],
)
def test_answer_that_is_no_json_ends_its_call(
    version: str, old: bytes, new: bytes, found: str
) -> None:
    client = client_of(version)
    one, other = client.request(), client.request()
    client.sent()
    text = dumps(result(one, text="here")).replace(old, new)
    assert new in text
    (event,) = client.receive(text)
    assert isinstance(event, Failed)
    assert isinstance(event.error, InvalidMessage)
    assert found in str(event.error)
    # Nobody is to answer an answer, nor one that comes too late.
    assert client.receive(text) == []
    assert client.sent() == []
    assert len(client.receive(result(other))) == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_request_over_the_limit_is_refused_with_its_id(
    version: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = server_of(version)
    assert server.receive(long(call(version, "a", text=TEXT))) == []
    (answer,) = server.sent()
    assert (answer["id"], answer["error"]["code"]) == ("a", -32600)
    assert f"at most {LIMIT} bytes (max_bytes), found a longer one" in answer["error"]["message"]
    assert caplog.messages == []


@pytest.mark.parametrize("version", VERSIONS)
def test_answer_that_is_cut_off_is_left_to_the_end(
    version: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = client_of(version)
    id = client.request()
    client.sent()
    splitter = LineSplitter()
    assert splitter.feed(dumps(result(id, text=TEXT))[:500]) == []
    assert client.receive(*splitter.finish()) == []
    assert (client.sent(), caplog.messages, client.connection.open_calls) == ([], [], 1)
    client.receive(*LineSplitter().feed(b"Traceback:\n"))
    assert len(caplog.messages) == 1


def test_whatever_else_is_over_the_limit_ends_nothing() -> None:
    client = client_of(LATEST)
    client.request()
    client.sent()
    assert client.receive(long(result(999, text=TEXT)), long({"x": TEXT}), long(result(TEXT))) == []
    assert ["id" in answer for answer in client.sent()] == [False, False]
    assert client.connection.open_calls == 1


def test_text_that_is_no_message_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    """At a client: a server tells its client."""
    text = b"Starting \xff on port 80" + b"!" * 100
    server_of(LATEST).receive(text)
    assert caplog.messages == []
    client_of(LATEST).receive(text)
    (warning,) = caplog.messages
    assert "the server sent what is no message: 'Starting \ufffd on port 80!!!" in warning
    assert ("!'…" in warning, "!" * 80 in warning) == (True, False)
    assert "a server must write nothing but messages to its standard output" in warning


def test_that_is_said_once_in_a_while(caplog: pytest.LogCaptureFixture) -> None:
    client = client_of(LATEST)
    for _ in range(1000):
        client.receive(b"noise")
    assert len(caplog.messages) == 1
    client.wait(61)
    client.receive(b"noise", b"noise")
    assert len(caplog.messages) == 2
    assert caplog.messages[1].endswith("standard output, after 999 more")


@pytest.mark.parametrize(
    ("role", "version", "message", "warning"),
    [
        ("server", LATEST, call(LATEST, 1), "an id that is in use: 1"),
        ("server", LATEST, {"jsonrpc": "2.0", "id": 1, "method": 5}, "an id that is in use: 1"),
        ("client", LATEST, {"jsonrpc": "1.0", "id": 99, "result": {}}, "malformed response"),
        ("client", LATEST, error(None), "did not understand a message of ours: no"),
        ("client", MODERN, request("roots/list"), "which only clients send: 'roots/list'"),
    ],
)
def test_so_is_all_else_that_a_peer_should_not_do(
    role: Any,
    version: str,
    message: dict[str, Any],
    warning: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    peer = ready(role, version)
    if role == "server":
        peer.receive(call(version, 1))
    peer.receive(*[message] * 1000)
    (said,) = caplog.messages
    assert warning in said
    peer.wait(61)
    peer.receive(message)
    assert caplog.messages[1:] == [f"{said}, after 999 more"]


@pytest.mark.parametrize("versions", [[LATEST], [MODERN], [LATEST, MODERN]])
def test_peer_that_sends_everything_back(versions: list[str]) -> None:
    client = Peer("client", *versions)
    (asked,) = client.sent()
    end = closing(client.receive(asked))
    assert end is not None
    assert isinstance(end.error, ProtocolError)
    assert (
        str(end.error) == f"the server sent our own {asked['method']!r} back: it is no MCP server"
    )


def test_request_that_only_looks_like_our_own() -> None:
    client = Peer("client", LATEST)
    (asked,) = client.sent()
    others = [{**asked, "id": str(asked["id"])}, request("ping", asked["id"])]
    assert client.receive(*others) == []
    refusal, pong = client.sent()
    assert refusal["error"]["code"] == -32600
    assert pong["result"] == {}


@pytest.mark.parametrize("noise", [b"> ", b"null", b"[]", b"{}", b'{"method":1}'])
@pytest.mark.parametrize("version", [LATEST, BATCHES])
def test_client_does_not_talk_to_what_is_no_server_for_ever(version: str, noise: bytes) -> None:
    """A program may write such a line for each that it reads, errors too."""
    client = client_of(version)
    answers = 0
    while answers < 100 and (client.receive(noise), client.sent())[1]:
        answers += 1
    assert answers == 10
    client.receive(request("ping", 1), noise)
    pong, complaint = client.sent()
    assert (pong["id"], "error" in complaint) == (1, True)


@pytest.mark.parametrize("version", [LATEST, BATCHES])
def test_client_answers_all_that_has_an_id(version: str) -> None:
    client = client_of(version)
    for id in range(20):
        client.receive({"id": id, "method": "roots/list"})
        client.receive(long({**request("sampling/createMessage", f"{id}"), "params": {"x": TEXT}}))
    assert [answer["id"] for answer in client.sent()] == [
        known for id in range(20) for known in (id, f"{id}")
    ]


def test_server_answers_all_that_is_no_message() -> None:
    server = server_of(LATEST)
    server.receive(*[b"> "] * 100)
    assert len(server.sent()) == 100
