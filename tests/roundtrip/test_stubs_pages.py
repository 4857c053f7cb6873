"""Stubs that follow pages, and stubs of vendor methods."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from mcp_wire import (
    DecodeError,
    ProtocolError,
)

from .stubbing import (
    CACHEABLE,
    Calls,
    content,
    without_meta,
)
from .wire import (
    TASKS,
    is_stateless,
    request_meta,
    run,
)

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
