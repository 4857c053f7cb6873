"""Stubs of every version: what they send, what they return, and what they refuse."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import mcp_wire
import pytest
from mcp_wire import (
    CapabilityError,
    ConnectionClosed,
    DecodeError,
    ProtocolError,
    RequestTimeout,
    RpcError,
)
from mcp_wire.runtime.loopback import DispatcherSession, SyncDispatcherSession

from .wire import (
    CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    MODERN,
    MODULES,
    OLDEST,
    STATEFUL,
    TASKS,
    VERSION_KEY,
    info,
    is_stateless,
    request_meta,
    run,
    text_result,
    version_id,
)

COMPLETE = {"resultType": "complete"}
CACHEABLE = {**COMPLETE, "ttlMs": 0, "cacheScope": "private"}


@pytest.fixture(params=MODULES.values(), ids=version_id)
def mcp(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


class FakeSession:
    """Answers requests from a list, and keeps what it was asked; for both kinds of stub."""

    def __init__(
        self, *answers: Any, peer_capabilities: Any = None, handler: object | None = None
    ) -> None:
        self.answers = list(answers)
        self.sent: list[tuple[str, Any]] = []
        self.options: list[dict[str, Any]] = []
        self.peer_capabilities = peer_capabilities
        self.handler = handler

    def answer(self, method: str, params: Any, options: dict[str, Any]) -> Any:
        self.sent.append((method, params))
        self.options.append(options)
        found = self.answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


class AsyncSession(FakeSession):
    async def request(self, method: str, params: Any, **options: Any) -> Any:
        return self.answer(method, params, options)

    async def notify(self, method: str, params: Any) -> None:
        self.sent.append((method, params))


class SyncSession(FakeSession):
    def request(self, method: str, params: Any, **options: Any) -> Any:
        return self.answer(method, params, options)

    def notify(self, method: str, params: Any) -> None:
        self.sent.append((method, params))


class Calls:
    """Calls a stub in one of its two kinds: `calls(session, lambda stub: stub.ping())`."""

    def __init__(self, sync: bool) -> None:
        self.sync = sync

    def session(self, *answers: Any, **options: Any) -> Any:
        return (SyncSession if self.sync else AsyncSession)(*answers, **options)

    def stub(self, mcp: ModuleType, session: Any, name: str = "ServerStub", **options: Any) -> Any:
        return getattr(mcp, f"{name}Sync" if self.sync else name)(session, **options)

    def __call__(self, stub: Any, call: Callable[[Any], Any]) -> Any:
        async def main() -> Any:
            return await call(stub)

        return call(stub) if self.sync else run(main())

    def items(self, stub: Any, call: Callable[[Any], Any]) -> list[Any]:
        async def main() -> list[Any]:
            return [item async for item in call(stub)]

        return list(call(stub)) if self.sync else run(main())


@pytest.fixture(params=[False, True], ids=["async", "sync"])
def calls(request: pytest.FixtureRequest) -> Calls:
    return Calls(request.param)


def content(mcp: ModuleType, text: str = "hi") -> dict[str, Any]:
    extra = COMPLETE if is_stateless(mcp) else {}
    return {**extra, "content": [{"type": "text", "text": text}]}


def without_meta(params: Any) -> Any:
    return {key: value for key, value in params.items() if key != "_meta"}


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


NOW = "2025-11-25T00:00:00Z"
TASK = {"taskId": "t", "status": "working", "createdAt": NOW, "lastUpdatedAt": NOW, "ttl": None}


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


# --- pages --------------------------------------------------------------------------------------


def page(mcp: ModuleType, *names: str, cursor: str | None = None) -> dict[str, Any]:
    extra = CACHEABLE if is_stateless(mcp) else {}
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    more = {} if cursor is None else {"nextCursor": cursor}
    return {**extra, **more, "tools": tools}


def test_pages_are_followed(mcp: ModuleType, calls: Calls) -> None:
    pages = [
        page(mcp, "a", "b", cursor=""),
        page(mcp, cursor="next"),
        {**page(mcp, "c"), "nextCursor": None},
    ]
    session = calls.session(*pages)
    meta = {"acme/x": 1}
    tools = calls.items(
        calls.stub(mcp, session), lambda stub: stub.iter_tools(meta=meta, timeout=2)
    )
    assert all(isinstance(tool, mcp.Tool) for tool in tools)
    assert [tool.name for tool in tools] == ["a", "b", "c"]
    cursors = [params.get("cursor") for _, params in session.sent]
    assert cursors == [None, "", "next"]
    for _, params in session.sent:
        assert params["_meta"] == {**request_meta(mcp), **meta}
    assert [options["timeout"] for options in session.options] == [2, 2, 2]


def test_pages_are_asked_for_as_they_are_needed(calls: Calls) -> None:
    session = calls.session(page(TASKS, "a", cursor="x"))
    stub = calls.stub(TASKS, session)

    async def first() -> Any:
        async for tool in stub.iter_tools():
            return tool

    found = next(iter(stub.iter_tools())) if calls.sync else run(first())
    assert found.name == "a"
    assert len(session.sent) == 1


@pytest.mark.parametrize("first", [{}, {"cursor": "x"}])
def test_pages_from_a_cursor_on(calls: Calls, first: Any) -> None:
    session = calls.session(page(TASKS, "a"))
    params = TASKS.PaginatedRequestParams(**first)
    calls.items(calls.stub(TASKS, session), lambda stub: stub.iter_tools(params))
    assert session.sent == [("tools/list", first)]


@pytest.mark.parametrize(
    ("start", "cursors"), [(None, ["a", "a"]), (None, ["a", "b", "a"]), ("a", ["a"]), ("", [""])]
)
def test_cursor_that_comes_twice(mcp: ModuleType, calls: Calls, start: Any, cursors: Any) -> None:
    session = calls.session(*[page(mcp, "t", cursor=cursor) for cursor in cursors])
    with pytest.raises(ProtocolError, match="twice"):
        calls.items(calls.stub(mcp, session), lambda stub: stub.iter_tools(cursor=start))
    assert session.answers == []


def test_too_many_pages(mcp: ModuleType, calls: Calls) -> None:
    endless = [page(mcp, "t", cursor=str(number)) for number in range(5)]
    session = calls.session(*endless)
    with pytest.raises(ProtocolError, match="3 pages"):
        calls.items(calls.stub(mcp, session, max_pages=3), lambda stub: stub.iter_tools())
    assert len(session.sent) == 3
    session = calls.session(*endless[:2], page(mcp, "last"))
    found = calls.items(calls.stub(mcp, session, max_pages=3), lambda stub: stub.iter_tools())
    assert len(found) == 3


def test_bound_of_pages(calls: Calls) -> None:
    assert calls.stub(TASKS, calls.session()).max_pages == 1000


@pytest.mark.parametrize(
    ("broken", "path"),
    [
        ({"tools": [{"name": "a", "inputSchema": {"type": "object"}}, {}]}, "$.tools[1].name"),
        ({"tools": [5]}, "$.tools[0]"),
        ({"tools": {}}, "$.tools"),
        ({}, "$.tools"),
        ({"tools": [], "nextCursor": 5}, "$.nextCursor"),
    ],
)
def test_broken_page(mcp: ModuleType, calls: Calls, broken: Any, path: str) -> None:
    extra = CACHEABLE if is_stateless(mcp) else {}
    session = calls.session({**extra, **broken})
    with pytest.raises(DecodeError) as caught:
        calls.items(calls.stub(mcp, session), lambda stub: stub.iter_tools())
    assert caught.value.path == path


# --- vendor methods -----------------------------------------------------------------------------


def test_vendor_request_with_classes(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session(content(mcp))
    given = mcp.CallToolRequestParams(name="n")
    result = calls(
        calls.stub(mcp, session),
        lambda stub: stub.request("acme/op", given, result=mcp.CallToolResult, timeout=3),
    )
    assert isinstance(result, mcp.CallToolResult)
    ((method, params),) = session.sent
    assert method == "acme/op"
    assert without_meta(params) == {"name": "n"}
    assert params.get("_meta", {}) == request_meta(mcp)
    assert session.options[0]["timeout"] == 3


def test_vendor_request_with_dicts(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session({"b": 2}, {})
    stub = calls.stub(mcp, session)
    assert calls(stub, lambda stub: stub.request("acme/op", params={"a": 1})) == {"b": 2}
    assert calls(stub, lambda stub: stub.request("acme/op")) == {}
    assert without_meta(session.sent[0][1]) == {"a": 1}
    expected = {"_meta": request_meta(mcp)} if is_stateless(mcp) else None
    assert session.sent[1] == ("acme/op", expected)


def test_vendor_notification(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session()
    calls(calls.stub(mcp, session), lambda stub: stub.notify("acme/event", {"a": 1}))
    assert session.sent == [("acme/event", {"a": 1})]


def test_vendor_params_of_another_kind(calls: Calls) -> None:
    stub = calls.stub(TASKS, calls.session())
    with pytest.raises(TypeError, match="to_dict"):
        calls(stub, lambda stub: stub.request("acme/op", [1]))


def test_methods_of_the_specification_are_no_vendors(mcp: ModuleType, calls: Calls) -> None:
    session = calls.session()
    stub = calls.stub(mcp, session)
    for method in mcp.METHODS:
        with pytest.raises(ValueError, match="specification"):
            calls(stub, lambda stub, method=method: stub.request(method))
        with pytest.raises(ValueError, match="specification"):
            calls(stub, lambda stub, method=method: stub.notify(method))
    assert session.sent == []


# --- requests for input -------------------------------------------------------------------------


def asks(*keys: str, state: str | None = None, **requests: Any) -> dict[str, Any]:
    """An `InputRequiredResult` that asks for the roots under each key."""
    questions = {**{key: {"method": "roots/list"} for key in keys}, **requests}
    answer: dict[str, Any] = {"resultType": "input_required"}
    if questions:
        answer["inputRequests"] = questions
    return answer if state is None else {**answer, "requestState": state}


class Client(MODERN.ClientHandler):  # type: ignore[name-defined,misc]
    def __init__(self) -> None:
        super().__init__(info(MODERN, "client"))
        self.asked: list[Any] = []

    async def list_roots(self, params: Any, ctx: Any) -> Any:
        assert isinstance(ctx, MODERN.ClientContext)
        self.asked.append((params, ctx.request_id, ctx.meta))
        return MODERN.ListRootsResult(roots=[MODERN.Root(uri="file:///r")])

    def elicit(self, params: Any, ctx: Any) -> Any:
        self.asked.append((params, ctx.request_id, threading.current_thread().name))
        return MODERN.ElicitResult(action="accept", content={"a": 1})


ROOTS = {"roots": [{"uri": "file:///r"}]}


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


# --- against a dispatcher -----------------------------------------------------------------------


class Server:
    """A structural server of any version."""

    def __init__(self, mcp: ModuleType) -> None:
        self.mcp = mcp

    async def call_tool(self, params: Any, ctx: Any) -> Any:
        await ctx.progress(0.5, 1)
        await ctx.progress(1, 1, "done")
        return text_result(self.mcp, params.name)

    async def list_tools(self, params: Any, ctx: Any) -> Any:
        number = int(params.cursor or 0)
        tool = self.mcp.Tool(name=f"tool{number}", input_schema=self.mcp.ToolInputSchema())
        cursor = str(number + 1) if number < 2 else None
        return self.mcp.ListToolsResult(tools=[tool], next_cursor=cursor)

    async def get_prompt(self, params: Any, ctx: Any) -> Any:
        raise RpcError(-32602, "no such prompt", {"name": params.name})

    async def read_resource(self, params: Any, ctx: Any) -> Any:
        await asyncio.sleep(60)


def test_round_trip(mcp: ModuleType) -> None:
    async def main() -> None:
        heard: list[Any] = []
        stub = mcp.ServerStub(DispatcherSession(mcp.Dispatcher(Server(mcp))))
        result = await stub.call_tool(name="n", on_progress=lambda *args: heard.append(args))
        assert result.content[0].text == "n"
        assert heard == [(0.5, 1, None), (1, 1, None if mcp is OLDEST else "done")]
        assert [tool.name async for tool in stub.iter_tools()] == ["tool0", "tool1", "tool2"]
        with pytest.raises(RpcError) as caught:
            await stub.get_prompt(name="p")
        assert caught.value.args == (-32602, "no such prompt", {"name": "p"})
        with pytest.raises(CapabilityError):
            await stub.complete(
                ref=mcp.PromptReference(name="p"),
                argument=mcp.CompleteRequestParamsArgument(name="a", value="v"),
            ) if mcp is not OLDEST else await stub.set_level(level="info")

    run(main())


def test_round_trip_by_blocking(mcp: ModuleType) -> None:
    heard: list[Any] = []
    with SyncDispatcherSession(mcp.Dispatcher(Server(mcp))) as session:
        stub = mcp.ServerStubSync(session)
        result = stub.call_tool(name="n", on_progress=lambda *args: heard.append(args))
        assert result.content[0].text == "n"
        assert len(heard) == 2
        assert [tool.name for tool in stub.iter_tools()] == ["tool0", "tool1", "tool2"]
        with pytest.raises(RequestTimeout):
            stub.read_resource(uri="a:b", timeout=0.01)
        stub.notify_cancelled(request_id=1)


def test_asynchronous_progress_callback(mcp: ModuleType) -> None:
    async def main() -> None:
        heard: list[Any] = []

        async def progress(value: float, total: float | None, message: str | None) -> None:
            await asyncio.sleep(0)
            heard.append(value)

        stub = mcp.ServerStub(DispatcherSession(mcp.Dispatcher(Server(mcp))))
        await stub.call_tool(name="n", on_progress=progress)
        assert heard == [0.5, 1]

    run(main())


def test_progress_under_the_callers_own_token() -> None:
    async def main() -> None:
        heard: list[Any] = []
        stub = TASKS.ServerStub(DispatcherSession(TASKS.Dispatcher(Server(TASKS))))
        for token in (0, ""):
            await stub.call_tool(
                name="n",
                meta=TASKS.RequestParamsMeta(progress_token=token),
                on_progress=lambda *args: heard.append(args),
            )
        assert len(heard) == 4

    run(main())


def test_progress_that_does_not_rise_is_dropped() -> None:
    class Falling:
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            for value in (2, 1, 2, 3):
                await ctx.peer.notify_progress(
                    progress_token=ctx.meta["progressToken"], progress=value
                )
            await ctx.peer.notify_progress(progress_token="unknown", progress=9)
            return text_result(TASKS)

    async def main() -> None:
        heard: list[Any] = []
        stub = TASKS.ServerStub(DispatcherSession(TASKS.Dispatcher(Falling())))
        await stub.call_tool(name="n", on_progress=lambda *args: heard.append(args[0]))
        assert heard == [2, 3]

    run(main())


def test_time_limit_interrupts_the_handler(mcp: ModuleType) -> None:
    async def main() -> None:
        stub = mcp.ServerStub(DispatcherSession(mcp.Dispatcher(Server(mcp))))
        with pytest.raises(RequestTimeout) as caught:
            await stub.read_resource(uri="a:b", timeout=0.01)
        assert caught.value.args == ("resources/read", 0.01)

    run(main())


def test_cancellation_by_a_notification() -> None:
    async def main() -> None:
        stub = TASKS.ServerStub(DispatcherSession(TASKS.Dispatcher(Server(TASKS))))
        task = asyncio.create_task(stub.read_resource(uri="a:b"))
        await asyncio.sleep(0)
        await stub.notify_cancelled(request_id=1)
        with pytest.raises(ConnectionClosed):
            await task

    run(main())


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_handler_calls_its_client(mcp: ModuleType) -> None:
    class Asking(mcp.ServerHandler):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            assert ctx.client_capabilities.roots is not None
            heard: list[Any] = []
            found = await ctx.peer.list_roots(on_progress=lambda *args: heard.append(args))
            with pytest.raises(CapabilityError):
                await ctx.peer.create_message(messages=[], max_tokens=1)
            await ctx.peer.notify_tool_list_changed()
            assert heard == [(1, None, None)]
            return text_result(mcp, found.roots[0].uri)

    class Asked(mcp.ClientHandler):
        changed = 0

        async def list_roots(self, params: Any, ctx: Any) -> Any:
            await ctx.progress(1)
            assert await ctx.peer.ping() == mcp.Result()
            return mcp.ListRootsResult(roots=[mcp.Root(uri="file:///x")])

        async def on_tool_list_changed(self, params: Any, ctx: Any) -> None:
            self.changed += 1

    async def main() -> None:
        client = Asked(info(mcp))
        session = DispatcherSession(mcp.Dispatcher(Asking(info(mcp))), mcp.Dispatcher(client))
        result = await mcp.ServerStub(session).call_tool(name="n")
        assert result.content[0].text == "file:///x"
        assert client.changed == 1

    run(main())


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_client_without_a_handler_offers_nothing(mcp: ModuleType) -> None:
    class Asking:
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            with pytest.raises(CapabilityError):
                await ctx.peer.list_roots()
            with pytest.raises(RpcError, match="ping"):
                await ctx.peer.ping()
            await ctx.peer.notify_tool_list_changed()
            return text_result(mcp)

    async def main() -> None:
        stub = mcp.ServerStub(DispatcherSession(mcp.Dispatcher(Asking())))
        await stub.call_tool(name="n")

    run(main())


@pytest.mark.parametrize("sync", [False, True])
def test_input_through_a_dispatcher(sync: bool) -> None:
    class Asking:
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            if params.input_responses is None:
                return MODERN.InputRequiredResult(
                    input_requests={"r": MODERN.ListRootsRequest()}, request_state="s"
                )
            assert params.request_state == "s"
            return text_result(MODERN, params.input_responses["r"].roots[0].uri)

    dispatchers = (MODERN.Dispatcher(Asking()), MODERN.Dispatcher(Client()))

    async def main() -> Any:
        return await MODERN.ServerStub(DispatcherSession(*dispatchers)).call_tool(name="n")

    if sync:
        with SyncDispatcherSession(*dispatchers) as session:
            result = MODERN.ServerStubSync(session).call_tool(name="n")
    else:
        result = run(main())
    assert result.content[0].text == "file:///r"


def test_two_sides_of_one_version() -> None:
    server = TASKS.Dispatcher(Server(TASKS))
    with pytest.raises(ValueError, match="own"):
        DispatcherSession(server, server)
    with pytest.raises(ValueError, match="own"):
        DispatcherSession(server, OLDEST.Dispatcher(object(), role="client"))


def test_vendor_method_through_a_dispatcher(mcp: ModuleType) -> None:
    async def main() -> None:
        dispatcher = mcp.Dispatcher(object())
        dispatcher.extend(
            "acme/op",
            params=mcp.CallToolRequestParams,
            result=mcp.CallToolResult,
            fn=lambda params, ctx: text_result(mcp, params.name),
        )
        stub = mcp.ServerStub(DispatcherSession(dispatcher))
        params = mcp.CallToolRequestParams(name="n")
        result = await stub.request("acme/op", params=params, result=mcp.CallToolResult)
        assert result.content[0].text == "n"
        with pytest.raises(RpcError) as caught:
            await stub.request("acme/other")
        assert caught.value.code == -32601

    run(main())


@pytest.mark.parametrize("name", ["", None, 3, "rpc.x", "tools/call"])
def test_names_that_no_vendor_method_can_have(mcp: ModuleType, name: Any) -> None:
    dispatcher = mcp.Dispatcher(object())
    stub = mcp.ServerStub(DispatcherSession(dispatcher))
    for call in (stub.request, stub.notify):
        with pytest.raises(ValueError, match="method"):
            run(call(name))
    with SyncDispatcherSession(dispatcher) as session:
        blocking = mcp.ServerStubSync(session)
        for call in (blocking.request, blocking.notify):
            with pytest.raises(ValueError, match="method"):
                call(name)


def test_errors_are_of_the_package() -> None:
    assert issubclass(ProtocolError, mcp_wire.McpError)


@pytest.mark.parametrize(
    ("fields", "cls", "lacking"),
    [
        ({"mode": "url", "message": "m", "url": "https://a.example"}, "URL", "elicitation_id"),
        ({"message": "m"}, "Form", "requested_schema"),
    ],
)
def test_the_error_is_that_of_the_params_that_were_meant(
    fields: dict[str, str], cls: str, lacking: str
) -> None:
    codec = mcp_wire.load("2025-11-25").ClientStub.codec
    with pytest.raises(TypeError, match=rf"^ElicitRequest{cls}Params.*'{lacking}'"):
        codec.build_params("elicitation/create", fields)
