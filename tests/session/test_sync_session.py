"""Blocking sessions: without an event loop, from any thread."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mcp_wire
import pytest
from mcp_wire import (
    ConnectionClosed,
    Limits,
    PingFailed,
    ProtocolError,
    RequestTimeout,
    RpcError,
    Session,
    SyncSession,
    Transport,
)

from .peers import LATEST, MODERN, STATEFUL, every_version
from .pipes import Roots, Tools, pair, text_of


class Server:
    """Connects to a server that runs in the session's own loop."""

    def __init__(self, build: Any = Tools, version: str | None = None, **limits: Any) -> None:
        self.build = build
        self.versions = None if version is None else [version]
        self.limits = Limits(**limits)
        self.session: Session | None = None
        self.task: asyncio.Task[None] | None = None

    async def __call__(self) -> Transport:
        near, far = pair()
        self.session = Session(
            far, self.build, role="server", versions=self.versions, limits=self.limits
        )
        self.task = asyncio.get_running_loop().create_task(self.session.run())
        return near


@every_version
def test_call(version: str) -> None:
    with SyncSession(Server(version=version)) as session:
        assert session.version == version
        assert session.role == "client"
        assert session.server_info.name == "Tools"
        answer = session.server.call_tool(name="echo", arguments={"text": "hi"})
        assert text_of(answer) == "hi"
        with pytest.raises(RpcError, match="no such tool"):
            session.server.call_tool(name="?")
        if version in STATEFUL:
            session.ping()
        else:
            with pytest.raises(ValueError, match="ping"):
                session.ping()
    with pytest.raises(ConnectionClosed):
        session.request("tools/list", None)
    with pytest.raises(ConnectionClosed):
        session.notify("acme/x", None)
    session.close()


@every_version
def test_the_session_of_a_version_speaks_that_version(version: str) -> None:
    mcp: Any = mcp_wire.load(version)
    with mcp.ClientSessionSync(Server()) as session:
        assert (session.version, session.role) == (version, "client")
        assert type(session.server) is mcp.ServerStubSync


def test_calls_may_come_from_many_threads() -> None:
    with SyncSession(Server()) as session, ThreadPoolExecutor(8) as threads:
        texts = [str(n) for n in range(100)]

        def call(text: str) -> str:
            return text_of(session.server.call_tool(name="echo", arguments={"text": text}))

        assert list(threads.map(call, texts)) == texts


def test_progress_is_reported_in_another_thread_before_the_result() -> None:
    seen: list[tuple[float, str]] = []

    def watch(progress: float, total: float | None, message: str | None) -> None:
        time.sleep(0.01)
        seen.append((progress, threading.current_thread().name))

    with SyncSession(Server()) as session:
        session.server.call_tool(name="progress", on_progress=watch)
    assert [progress for progress, _ in seen] == [0, 1, 2]
    assert not {name for _, name in seen} & {threading.current_thread().name, "mcp session"}


def test_time_limits_and_the_end() -> None:
    with SyncSession(Server(grace=0.05), limits=Limits(grace=0.05)) as session:
        with pytest.raises(RequestTimeout):
            session.server.call_tool(name="hang", timeout=0.05)
        assert not session.wait_closed(0.05)
        with ThreadPoolExecutor(1) as threads:
            call = threads.submit(session.server.call_tool, name="hang")
            time.sleep(0.05)
            session.close()
            with pytest.raises(ConnectionClosed):
                call.result(5)


@pytest.mark.parametrize("version", STATEFUL)
def test_a_handler_serves_the_server(version: str) -> None:
    with SyncSession(Server(), Roots, versions=[version]) as session:
        assert text_of(session.server.call_tool(name="roots")) == "file:///a"


def test_plain_handlers_may_block() -> None:
    class Slow(Roots):
        def list_roots(self, params: Any, ctx: Any) -> Any:  # type: ignore[override]
            time.sleep(0.05)
            return self.mcp.ListRootsResult(roots=[])

    with SyncSession(Server(), Slow, versions=[LATEST]) as session:
        assert text_of(session.server.call_tool(name="roots")) == ""


def test_a_handler_cannot_block_on_its_own_session() -> None:
    class Blocking(Roots):
        async def list_roots(self, params: Any, ctx: Any) -> Any:
            with pytest.raises(RuntimeError, match="own thread"):
                session.ping()
            with pytest.raises(RuntimeError, match="own thread"):
                session.close()
            with pytest.raises(RuntimeError, match="own thread"):
                session.wait_closed()
            return self.mcp.ListRootsResult(roots=[])

    with SyncSession(Server(), Blocking, versions=[LATEST]) as session:
        assert text_of(session.server.call_tool(name="roots")) == ""


def test_a_start_that_fails_closes() -> None:
    async def fail() -> Transport:
        raise OSError("no such server")

    before = threading.active_count()
    with pytest.raises(OSError, match="no such server"), SyncSession(fail):
        raise AssertionError("there is no such session")
    with pytest.raises(ProtocolError), SyncSession(Server(version=LATEST), versions=[MODERN]):
        raise AssertionError("there is no such session")
    with pytest.raises(LookupError), SyncSession(Server(), versions=["1999"]):
        raise AssertionError("there is no such session")
    assert threading.active_count() == before


def test_a_session_is_started_once() -> None:
    session = SyncSession(Server())
    with pytest.raises(RuntimeError, match="started"):
        _ = session.version
    with session, pytest.raises(RuntimeError, match="once"):
        session.start()


def test_a_closed_session_is_not_started() -> None:
    before = threading.active_count()
    session = SyncSession(Server())
    session.close()
    with pytest.raises(ConnectionClosed):
        session.start()
    assert threading.active_count() == before


@pytest.mark.filterwarnings("error")
def test_waiting_for_the_end_when_it_is_past() -> None:
    with SyncSession(Server(), versions=[LATEST]) as session:
        assert not session.wait_closed(0.01)
    assert session.wait_closed(5)
    assert session.wait_closed()
    gc.collect()


def test_a_failed_ping_closes() -> None:
    class Silent:
        async def receive(self) -> bytes | None:
            await asyncio.sleep(0.01)
            return self.answers.pop(0) if self.answers else await self.never()

        async def never(self) -> None:
            await asyncio.sleep(60)

        answers = [  # noqa: RUF012
            b'{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"%s","capabilities":{},'
            b'"serverInfo":{"name":"x","version":"1"}}}' % LATEST.encode()
        ]

        async def send(self, message: bytes) -> None: ...

        async def close(self) -> None: ...

    async def connect() -> Transport:
        return Silent()

    with SyncSession(connect, versions=[LATEST]) as session:
        with pytest.raises(PingFailed):
            session.ping(timeout=0.05)
        assert session.wait_closed(5)
        with pytest.raises(ConnectionClosed):
            session.ping()


def test_the_peer_may_close() -> None:
    server = Server()
    with SyncSession(server, versions=[LATEST]) as session:
        assert server.session is not None
        closing = asyncio.run_coroutine_threadsafe(server.session.close(), asyncio_loop(server))
        closing.result(5)
        assert session.wait_closed(5)
        with pytest.raises(ConnectionClosed):
            session.server.list_tools()


def asyncio_loop(server: Server) -> asyncio.AbstractEventLoop:
    assert server.task is not None
    return server.task.get_loop()
