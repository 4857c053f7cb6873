"""Stubs that are given a session of the other kind say so, and name the stub that takes it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from mcp_wire import DispatcherSession, SyncSession
from mcp_wire.runtime.loopback import SyncDispatcherSession

from .wire import MODULES, run, text_result, version_id


@pytest.fixture(params=MODULES.values(), ids=version_id)
def mcp(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


def test_dispatchers_of_one_side_do_not_meet(mcp: ModuleType) -> None:
    server = mcp.Dispatcher(object())
    words = f"own: expected the client, in version {mcp.PROTOCOL_VERSION}, found the server, in "
    for session in (DispatcherSession, SyncDispatcherSession):
        with pytest.raises(ValueError, match=words):
            session(server, mcp.Dispatcher(object()))


@pytest.mark.parametrize("kind", ["", "Sync"])
def test_a_stub_needs_a_session(mcp: ModuleType, kind: str) -> None:
    words = f"ServerStub{kind}: expected a session, found an instance of .*Dispatcher; of a "
    with pytest.raises(TypeError, match=f"{words}dispatcher, {kind}DispatcherSession makes one"):
        getattr(mcp, f"ServerStub{kind}")(mcp.Dispatcher(object()))


class Blocking:
    """A blocking session of somebody else's."""

    peer_capabilities = None
    handler = None

    def request(self, method: str, params: Any, **options: Any) -> dict[str, Any]:
        return {}

    def notify(self, method: str, params: Any) -> None:
        return None


async def never() -> Any:
    raise AssertionError("nobody connects")


class Proxy:
    """An asynchronous session whose methods are no `async def`."""

    peer_capabilities = None
    handler = None

    def __init__(self, session: Any) -> None:
        self.session = session

    def request(self, *given: Any, **options: Any) -> Any:
        return self.session.request(*given, **options)

    def notify(self, *given: Any) -> Any:
        return self.session.notify(*given)


def test_asynchronous_stub_refuses_blocking_sessions(mcp: ModuleType) -> None:
    class Server:
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            return text_result(mcp)

    dispatcher = mcp.Dispatcher(Server())
    blocking = SyncSession(never)
    with SyncDispatcherSession(dispatcher) as session:
        for wrong in (session, blocking):
            expected = f"^ServerStub: .* {type(wrong).__name__} is blocking.*ServerStubSync$"
            with pytest.raises(TypeError, match=expected):
                mcp.ServerStub(wrong)
    stub = mcp.ServerStub(Blocking())
    for call in (
        stub.call_tool(name="n"),
        anext(stub.iter_tools()),
        stub.request("acme/op"),
        stub.request_once("tools/list"),
        stub.notify("acme/event"),
        stub.notify_cancelled(request_id=1),
    ):
        with pytest.raises(
            TypeError, match=r"^ServerStub: .* Blocking is blocking.*ServerStubSync$"
        ):
            run(call)
    proxied = mcp.ServerStub(Proxy(DispatcherSession(dispatcher)))
    assert run(proxied.call_tool(name="n")).content[0].text == "done"


@pytest.mark.filterwarnings("error")
def test_blocking_stub_refuses_asynchronous_sessions(mcp: ModuleType) -> None:
    session = DispatcherSession(mcp.Dispatcher(object()))
    for wrong in (session, Proxy(session)):
        stub = mcp.ServerStubSync(wrong)
        wrong_kind = f"^ServerStubSync: .* {type(wrong).__name__} is asynchronous.*ServerStub$"
        for call in (
            lambda stub: stub.request("acme/op"),
            lambda stub: stub.notify("acme/event"),
            lambda stub: stub.notify_cancelled(request_id=1),
        ):
            with pytest.raises(TypeError, match=wrong_kind):
                call(stub)
    stub = mcp.ServerStubSync(Proxy(session))
    for call in (
        lambda stub: stub.call_tool(name="n"),
        lambda stub: next(stub.iter_tools()),
        lambda stub: stub.request_once("tools/list"),
    ):
        with pytest.raises(TypeError, match=r"^ServerStubSync: .* Proxy is asynchronous"):
            call(stub)
