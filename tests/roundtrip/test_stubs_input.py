"""Stubs of 2026-07-28: requests for input, raw results, and what each request says."""

from __future__ import annotations

import threading
from types import ModuleType
from typing import Any

import pytest
from mcp_wire import (
    DecodeError,
    ProtocolError,
)

from .stubbing import (
    CACHEABLE,
    COMPLETE,
    ROOTS,
    TASK,
    Calls,
    Client,
    SyncSession,
    content,
)
from .wire import (
    CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    MODERN,
    TASKS,
    VERSION_KEY,
    info,
    is_stateless,
    run,
)

# --- requests for input -------------------------------------------------------------------------


def asks(*keys: str, state: str | None = None, **requests: Any) -> dict[str, Any]:
    """An `InputRequiredResult` that asks for the roots under each key."""
    questions = {**{key: {"method": "roots/list"} for key in keys}, **requests}
    answer: dict[str, Any] = {"resultType": "input_required"}
    if questions:
        answer["inputRequests"] = questions
    return answer if state is None else {**answer, "requestState": state}


def test_input_is_given(calls: Calls) -> None:
    form = {
        "method": "elicitation/create",
        "params": {"message": "m", "requestedSchema": {"type": "object", "properties": {}}},
    }
    client = Client()
    session = calls.session(
        asks("r", state="s1", e=form), asks(state="s2"), content(MODERN), handler=client
    )
    stub = calls.stub(MODERN, session)
    result = calls(stub, lambda stub: stub.call_tool(name="x", arguments={"a": 1}, timeout=9))
    assert isinstance(result, MODERN.CallToolResult)
    first, second, third = [params for _, params in session.sent]
    meta = first["_meta"]
    assert meta[CLIENT_INFO_KEY] == {"name": "client", "version": "1.0"}
    assert meta[CAPABILITIES_KEY] == {"roots": {}, "elicitation": {}}
    plain = {"_meta": meta, "name": "x", "arguments": {"a": 1}}
    assert first == plain
    answers = {"r": ROOTS, "e": {"action": "accept", "content": {"a": 1}}}
    assert second == {**plain, "inputResponses": answers, "requestState": "s1"}
    assert third == {**plain, "requestState": "s2"}
    assert [options["timeout"] for options in session.options] == [9, 9, 9]
    (roots, roots_key, roots_meta), (elicit, elicit_key, thread) = client.asked
    assert (roots, roots_key, roots_meta) == (MODERN.ListRootsRequestParams(), "r", {})
    assert isinstance(elicit, MODERN.ElicitRequestFormParams)
    assert elicit_key == "e"
    assert thread != threading.main_thread().name


def test_input_given_without_a_state_leaves_none_behind(calls: Calls) -> None:
    session = calls.session(asks(state="s"), asks("r"), content(MODERN), handler=Client())
    params = MODERN.CallToolRequestParams(name="x", request_state="mine")
    calls(calls.stub(MODERN, session), lambda stub: stub.call_tool(params))
    states = [params.get("requestState") for _, params in session.sent]
    assert states == ["mine", "s", None]


@pytest.mark.parametrize("method", ["get_prompt", "read_resource"])
def test_input_for_other_methods(calls: Calls, method: str) -> None:
    result = {
        "get_prompt": {**COMPLETE, "messages": []},
        "read_resource": {**CACHEABLE, "contents": []},
    }[method]
    arguments = {"get_prompt": {"name": "p"}, "read_resource": {"uri": "a:b"}}[method]
    session = calls.session(asks("r"), result, handler=Client())
    found = calls(calls.stub(MODERN, session), lambda stub: getattr(stub, method)(**arguments))
    assert type(found).__name__ in ("GetPromptResult", "ReadResourceResult")
    assert session.sent[1][1]["inputResponses"] == {"r": ROOTS}


@pytest.mark.parametrize("rounds", [0, 2, 8])
def test_bound_of_rounds(calls: Calls, rounds: int) -> None:
    def play(asked: int) -> Any:
        session = calls.session(*[asks("r")] * asked, content(MODERN), handler=Client())
        options = {} if rounds == 8 else {"max_rounds": rounds}
        stub = calls.stub(MODERN, session, **options)
        try:
            return calls(stub, lambda stub: stub.call_tool(name="x"))
        finally:
            assert len(session.sent) == min(asked, rounds) + 1

    assert isinstance(play(rounds), MODERN.CallToolResult)
    with pytest.raises(ProtocolError, match="input"):
        play(rounds + 1)


def test_input_that_is_asked_for_without_saying_which(calls: Calls) -> None:
    session = calls.session(asks(), handler=Client())
    with pytest.raises(ProtocolError, match="which"):
        calls(calls.stub(MODERN, session), lambda stub: stub.call_tool(name="x"))


@pytest.mark.parametrize("handler", [None, object(), MODERN.ClientHandler(info(MODERN))])
def test_input_that_nobody_gives(calls: Calls, handler: Any) -> None:
    session = calls.session(asks("r"), handler=handler)
    with pytest.raises(ProtocolError, match="roots/list"):
        calls(calls.stub(MODERN, session), lambda stub: stub.call_tool(name="x"))


def test_input_from_a_structural_handler(calls: Calls) -> None:
    class Roots:
        def list_roots(self, params: Any, ctx: Any) -> Any:
            return MODERN.ListRootsResult(roots=[])

    session = calls.session(asks("r"), content(MODERN), handler=Roots())
    calls(calls.stub(MODERN, session), lambda stub: stub.call_tool(name="x"))
    assert session.sent[1][1]["inputResponses"] == {"r": {"roots": []}}
    assert session.sent[1][1]["_meta"][CAPABILITIES_KEY] == {"roots": {}}


def test_failure_while_giving_input(calls: Calls) -> None:
    class Broken:
        async def list_roots(self, params: Any, ctx: Any) -> Any:
            raise KeyError("mine")

    session = calls.session(asks("r"), handler=Broken())
    with pytest.raises(KeyError, match="mine"):
        calls(calls.stub(MODERN, session), lambda stub: stub.call_tool(name="x"))


@pytest.mark.parametrize(
    "question", [{"method": "tools/call", "params": {"name": "x"}}, {"method": "nope"}, {}, 5]
)
def test_malformed_question(calls: Calls, question: Any) -> None:
    session = calls.session(asks(q=question), handler=Client())
    with pytest.raises(DecodeError):
        calls(calls.stub(MODERN, session), lambda stub: stub.call_tool(name="x"))


def test_result_type_that_does_not_exist(calls: Calls) -> None:
    session = calls.session({**content(MODERN), "resultType": "someday"}, handler=Client())
    with pytest.raises(DecodeError, match="resultType"):
        calls(calls.stub(MODERN, session), lambda stub: stub.call_tool(name="x"))


def test_input_while_a_loop_runs_in_the_thread() -> None:
    async def main() -> None:
        session = SyncSession(asks("r"), content(MODERN), handler=Client())
        MODERN.ServerStubSync(session).call_tool(name="x")
        assert session.sent[1][1]["inputResponses"] == {"r": ROOTS}

    run(main())


# --- request_once -------------------------------------------------------------------------------


def test_request_once(calls: Calls) -> None:
    session = calls.session(asks("r"), content(MODERN), handler=Client())
    stub = calls.stub(MODERN, session)
    params = MODERN.CallToolRequestParams(name="x")
    first = calls(stub, lambda stub: stub.request_once("tools/call", params))
    second = calls(stub, lambda stub: stub.request_once("tools/call", params))
    assert isinstance(first, MODERN.InputRequiredResult)
    assert isinstance(second, MODERN.CallToolResult)


def test_request_once_in_every_version(mcp: ModuleType, calls: Calls) -> None:
    extra = CACHEABLE if is_stateless(mcp) else {}
    session = calls.session({**extra, "tools": []})
    result = calls(calls.stub(mcp, session), lambda stub: stub.request_once("tools/list"))
    assert isinstance(result, mcp.ListToolsResult)


def test_request_once_of_a_task(calls: Calls) -> None:
    session = calls.session({"task": TASK})
    params = TASKS.CallToolRequestParams(name="x")
    stub = calls.stub(TASKS, session)
    result = calls(stub, lambda stub: stub.request_once("tools/call", params))
    assert isinstance(result, TASKS.CreateTaskResult)


@pytest.mark.parametrize("method", ["nope", "notifications/progress", "elicitation/create"])
def test_request_once_of_no_request_of_this_side(calls: Calls, method: str) -> None:
    stub = calls.stub(MODERN, calls.session())
    with pytest.raises(ValueError, match="no request"):
        calls(stub, lambda stub: stub.request_once(method))


# --- _meta of 2026-07-28 ------------------------------------------------------------------------


def test_request_meta(calls: Calls) -> None:
    session = calls.session(content(MODERN))
    calls(calls.stub(MODERN, session), lambda stub: stub.call_tool(name="x"))
    expected = {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}
    assert session.sent[0][1]["_meta"] == expected


def test_request_meta_is_merged_under_what_the_caller_gives(calls: Calls) -> None:
    own = MODERN.RequestMetaObject(
        protocol_version="x",
        client_capabilities=MODERN.ClientCapabilities(),
        extra={"acme/x": 1},
    )
    session = calls.session(content(MODERN), content(MODERN), handler=Client())
    stub = calls.stub(MODERN, session)
    calls(stub, lambda stub: stub.call_tool(name="x", meta=own))
    calls(stub, lambda stub: stub.call_tool(name="x", meta={"traceparent": "t"}))
    first, second = [params["_meta"] for _, params in session.sent]
    client_info = {"name": "client", "version": "1.0"}
    assert first == {
        VERSION_KEY: "x",
        CAPABILITIES_KEY: {},
        CLIENT_INFO_KEY: client_info,
        "acme/x": 1,
    }
    assert second["traceparent"] == "t"
    assert second[VERSION_KEY] == "2026-07-28"


def test_notifications_have_no_request_meta(calls: Calls) -> None:
    session = calls.session(handler=Client())
    calls(calls.stub(MODERN, session), lambda stub: stub.notify_cancelled(request_id=1))
    assert session.sent == [("notifications/cancelled", {"requestId": 1})]
