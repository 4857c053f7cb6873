"""Stubs of every version: what they send, what they return, and what they refuse."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import pytest
from mcp_wire import (
    CapabilityError,
    DecodeError,
    RequestTimeout,
    RpcError,
)

from .stubbing import (
    CACHEABLE,
    TASK,
    Calls,
    content,
    without_meta,
)
from .wire import (
    STATEFUL,
    TASKS,
    is_stateless,
    request_meta,
    version_id,
)

# --- completeness -------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "sender"), [("ServerStub", "client"), ("ClientStub", "server")])
def test_every_method_that_is_sent_is_there(mcp: ModuleType, name: str, sender: str) -> None:
    for suffix in ("", "Sync"):
        cls = getattr(mcp, name + suffix)
        own = {key for key, value in vars(cls).items() if inspect.isfunction(value)}
        rows = [row for row in mcp.METHODS.values() if sender in row.sent_by]
        expected = {row.python_name for row in rows if row.kind == "request"}
        expected |= {f"notify_{row.python_name}" for row in rows if row.kind == "notification"}
        assert expected <= own
        others = {key for key in own - expected if not key.startswith("iter_")}
        assert others <= {"request_once"}
        for key in own:
            assert inspect.getdoc(getattr(cls, key))
            if not key.startswith("iter_"):
                assert inspect.iscoroutinefunction(vars(cls)[key]) == (not suffix)


def test_iterators(mcp: ModuleType) -> None:
    found = {name for name in vars(mcp.ServerStub) if name.startswith("iter_")}
    expected = {"iter_tools", "iter_prompts", "iter_resources", "iter_resource_templates"}
    assert found == expected | ({"iter_tasks"} if mcp is TASKS else set())


# --- requests -----------------------------------------------------------------------------------


def test_keywords(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session(content(mcp))
    stub = calls.stub(mcp, session)
    result = calls(stub, lambda stub: stub.call_tool(name="add", arguments={"a": None}))
    assert isinstance(result, mcp.CallToolResult)
    assert result.content[0].text == "hi"
    ((method, params),) = session.sent
    assert method == "tools/call"
    assert without_meta(params) == {"name": "add", "arguments": {"a": None}}
    assert session.options == [{"timeout": None, "on_progress": None}]


def test_params_object(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session(content(mcp))
    given = mcp.CallToolRequestParams(name="add", extra={"acme": 1})
    result = calls(calls.stub(mcp, session), lambda stub: stub.call_tool(given))
    assert isinstance(result, mcp.CallToolResult)
    assert without_meta(session.sent[0][1]) == {"name": "add", "acme": 1}


def test_control_arguments(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session(content(mcp))

    def progress(*args: Any) -> None:
        raise AssertionError

    calls(
        calls.stub(mcp, session),
        lambda stub: stub.call_tool(name="x", timeout=1.5, on_progress=progress),
    )
    assert session.options == [{"timeout": 1.5, "on_progress": progress}]
    assert "progressToken" not in session.sent[0][1].get("_meta", {})  # the session's to choose


def test_both_an_object_and_keywords(mcp: ModuleType, calls: Calls) -> None:
    stub = calls.stub(mcp, calls.session())
    given = mcp.CallToolRequestParams(name="add")
    with pytest.raises(TypeError, match="both"):
        calls(stub, lambda stub: stub.call_tool(given, name="x"))


@pytest.mark.parametrize("fields", [{}, {"name": "x", "nope": 1}])
def test_fields_that_are_missing_or_unknown(mcp: ModuleType, calls: Calls, fields: Any) -> None:
    session = calls.session()
    with pytest.raises(TypeError):
        calls(calls.stub(mcp, session), lambda stub: stub.call_tool(**fields))
    assert session.sent == []


def test_without_params(mcp: ModuleType, calls: Calls) -> None:
    extra = CACHEABLE if is_stateless(mcp) else {}
    session = calls.session({**extra, "tools": []})
    result = calls(calls.stub(mcp, session), lambda stub: stub.list_tools())
    assert isinstance(result, mcp.ListToolsResult)
    expected = {"_meta": request_meta(mcp)} if is_stateless(mcp) else None
    assert session.sent == [("tools/list", expected)]


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_empty_results_are_returned(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session({"_meta": {"a": 1}}, {})
    stub = calls.stub(mcp, session)
    assert calls(stub, lambda stub: stub.ping()) == mcp.Result(meta={"a": 1})
    assert calls(stub, lambda stub: stub.set_level(level="info")) == mcp.Result()
    assert session.sent == [("ping", None), ("logging/setLevel", {"level": "info"})]


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_meta(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session({}, {}, {})
    stub = calls.stub(mcp, session)
    typed = mcp.RequestParamsMeta(progress_token=0)
    calls(stub, lambda stub: stub.ping(meta={"acme/x": 1}))
    calls(stub, lambda stub: stub.ping(meta=typed))
    calls(stub, lambda stub: stub.ping(meta=None))
    sent = [params for _, params in session.sent]
    assert sent[:2] == [{"_meta": {"acme/x": 1}}, {"_meta": {"progressToken": 0}}]
    assert sent[2] in (None, {})


def test_answer_of_another_type(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session({"content": 5})
    with pytest.raises(DecodeError) as caught:
        calls(calls.stub(mcp, session), lambda stub: stub.call_tool(name="x"))
    assert caught.value.path == "$.content"


@pytest.mark.parametrize("failure", [RpcError(-32601, "no"), RequestTimeout("x", 1)])
def test_errors_of_the_session_pass_through(calls: Calls, failure: Exception) -> None:
    session = calls.session(failure)
    with pytest.raises(type(failure)):
        calls(calls.stub(TASKS, session), lambda stub: stub.call_tool(name="x"))


# --- notifications ------------------------------------------------------------------------------


def test_notifications(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session()
    stub = calls.stub(mcp, session)
    params = mcp.CancelledNotificationParams(request_id=0, reason="r")
    calls(stub, lambda stub: stub.notify_cancelled(params))
    calls(stub, lambda stub: stub.notify_cancelled(request_id="0", meta={"acme/x": 1}))
    assert session.sent == [
        ("notifications/cancelled", {"requestId": 0, "reason": "r"}),
        ("notifications/cancelled", {"requestId": "0", "_meta": {"acme/x": 1}}),
    ]


def test_notification_without_params(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session()
    stub = calls.stub(mcp, session, "ClientStub")
    calls(stub, lambda stub: stub.notify_tool_list_changed())
    assert session.sent == [("notifications/tools/list_changed", None)]


# --- unions and tasks ---------------------------------------------------------------------------


def test_params_that_are_a_union(calls: Calls) -> None:
    session = calls.session(*[{"action": "decline"}] * 3)
    stub = calls.stub(TASKS, session, "ClientStub")
    schema = TASKS.ElicitRequestFormParamsRequestedSchema(properties={})
    calls(stub, lambda stub: stub.elicit(message="m", requested_schema=schema))
    calls(stub, lambda stub: stub.elicit(message="m", elicitation_id="e", url="https://a.b"))
    url = TASKS.ElicitRequestURLParams(message="m", elicitation_id="e", url="https://a.b")
    calls(stub, lambda stub: stub.elicit(url))
    form, *urls = [params for _, params in session.sent]
    assert form == {"message": "m", "requestedSchema": {"type": "object", "properties": {}}}
    expected = {"mode": "url", "message": "m", "elicitationId": "e", "url": "https://a.b"}
    assert urls == [expected, expected]


def test_task_result(calls: Calls) -> None:
    session = calls.session({"task": TASK}, {"task": TASK}, content(TASKS))
    stub = calls.stub(TASKS, session)
    task = TASKS.TaskMetadata(ttl=5)
    params = TASKS.CallToolRequestParams(name="x", task=task)
    by_keyword = calls(stub, lambda stub: stub.call_tool(name="x", task=task))
    by_object = calls(stub, lambda stub: stub.call_tool(params))
    ordinary = calls(stub, lambda stub: stub.call_tool(name="x", task=None))
    assert isinstance(by_keyword, TASKS.CreateTaskResult)
    assert isinstance(by_object, TASKS.CreateTaskResult)
    assert isinstance(ordinary, TASKS.CallToolResult)
    assert session.sent[0] == ("tools/call", {"name": "x", "task": {"ttl": 5}})


def test_task_that_was_not_asked_for(calls: Calls) -> None:
    stub = calls.stub(TASKS, calls.session({"task": TASK}))
    with pytest.raises(DecodeError):
        calls(stub, lambda stub: stub.call_tool(name="x"))


def test_tasks_need_their_capability(calls: Calls) -> None:
    task = TASKS.TaskMetadata()
    session = calls.session(peer_capabilities={"tools": {}, "tasks": {"requests": {}}})
    with pytest.raises(CapabilityError) as caught:
        calls(calls.stub(TASKS, session), lambda stub: stub.call_tool(name="x", task=task))
    assert caught.value.capability == "tasks.requests.tools.call"
    able = {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}}
    session = calls.session({"task": TASK}, peer_capabilities=able)
    calls(calls.stub(TASKS, session), lambda stub: stub.call_tool(name="x", task=task))


# --- capabilities -------------------------------------------------------------------------------


@pytest.mark.parametrize("capabilities", [{}, {"prompts": {}}, {"tools": None}, {"tools": False}])
def test_capability_the_peer_lacks(mcp: ModuleType, calls: Calls, capabilities: Any) -> None:
    session = calls.session(peer_capabilities=capabilities)
    stub = calls.stub(mcp, session)
    with pytest.raises(CapabilityError) as caught:
        calls(stub, lambda stub: stub.call_tool(name="x"))
    assert (caught.value.method, caught.value.capability) == ("tools/call", "tools")
    with pytest.raises(CapabilityError):
        calls.items(stub, lambda stub: stub.iter_tools())
    assert session.sent == []


@pytest.mark.parametrize("capabilities", [{"tools": {}}, {"tools": {"listChanged": False}}, None])
def test_capability_the_peer_has(mcp: ModuleType, calls: Calls, capabilities: Any) -> None:
    session = calls.session(content(mcp), peer_capabilities=capabilities)
    calls(calls.stub(mcp, session), lambda stub: stub.call_tool(name="x"))
    assert len(session.sent) == 1


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_capability_that_is_a_flag(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session(peer_capabilities={"resources": {"subscribe": False}})
    with pytest.raises(CapabilityError, match=r"resources\.subscribe"):
        calls(calls.stub(mcp, session), lambda stub: stub.subscribe(uri="a:b"))
    session = calls.session({}, peer_capabilities={"resources": {"subscribe": True}})
    calls(calls.stub(mcp, session), lambda stub: stub.subscribe(uri="a:b"))


def test_calls_without_a_capability_are_not_gated(calls: Calls) -> None:
    session = calls.session({}, peer_capabilities={})
    calls(calls.stub(TASKS, session), lambda stub: stub.ping())
