"""The end of blocking sessions: whatever it is, no call waits for ever, and closing works."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mcp_wire import ConnectionClosed, Limits, McpError, RpcError, SyncSession, Transport

from .peers import LATEST
from .pipes import Pipe, Roots, Tools, text_of
from .test_sync_session import Server

exits = pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])


class Asking(Tools):
    """A server that reports an error of its client as text."""

    async def call_tool(self, params: Any, ctx: Any) -> Any:
        if params.name == "tell":
            await ctx.session.notify("notifications/tools/list_changed", None)
        try:
            return await super().call_tool(params, ctx)
        except RpcError as error:
            return self.text(str(error.code))


def in_threads(*calls: Callable[[], Any]) -> list[Future[Any]]:
    """The calls, each running in a thread that ends with it."""
    with_threads = ThreadPoolExecutor(len(calls))
    found = [with_threads.submit(call) for call in calls]
    with_threads.shutdown(wait=False)
    return found


@exits
@pytest.mark.parametrize("is_async", [True, False])
def test_an_exit_in_a_handler_is_a_failure_like_any_other(
    kind: type[BaseException], is_async: bool, caplog: pytest.LogCaptureFixture
) -> None:
    class Plain(Roots):
        def list_roots(self, params: Any, ctx: Any) -> Any:  # type: ignore[override]
            raise kind("of the handler")

        def on_tool_list_changed(self, params: Any, ctx: Any) -> None:
            raise kind("of the other handler")

    class Asynchronous(Roots):
        async def list_roots(self, params: Any, ctx: Any) -> Any:
            raise kind("of the handler")

        async def on_tool_list_changed(self, params: Any, ctx: Any) -> None:
            raise kind("of the other handler")

    handler = Asynchronous if is_async else Plain
    with SyncSession(Server(Asking), handler, versions=[LATEST]) as session:
        for _ in range(2):
            assert text_of(session.server.call_tool(name="roots", timeout=5)) == "-32603"
            session.server.call_tool(name="tell", timeout=5)
        session.ping()
    assert "of the handler" in caplog.text
    assert "of the other handler" in caplog.text


@exits
def test_an_exit_in_a_callback_ends_nothing(kind: type[BaseException]) -> None:
    def leave(progress: float, total: float | None, message: str | None) -> None:
        raise kind("of the callback")

    with SyncSession(Server(), versions=[LATEST]) as session:
        session.server.call_tool(name="progress", on_progress=leave, timeout=5)
        session.ping()


@exits
def test_an_exit_while_connecting_is_raised_by_the_start(kind: type[BaseException]) -> None:
    async def connect() -> Transport:
        raise kind("of the connection")

    before = threading.active_count()
    with pytest.raises(kind, match="of the connection"), SyncSession(connect):
        raise AssertionError("there is no such session")
    assert threading.active_count() == before


def test_a_handler_that_stops_the_event_loop_ends_nothing() -> None:
    class Stopping(Roots):
        async def list_roots(self, params: Any, ctx: Any) -> Any:
            asyncio.get_running_loop().stop()
            return await super().list_roots(params, ctx)

    with SyncSession(Server(), Stopping, versions=[LATEST]) as session:
        assert text_of(session.server.call_tool(name="roots", timeout=5)) == "file:///a"


def test_all_calls_fail_when_the_thread_breaks(caplog: pytest.LogCaptureFixture) -> None:
    class Breaking(Roots):
        async def list_roots(self, params: Any, ctx: Any) -> Any:
            def fail() -> None:
                del loop._run_once
                raise OSError("of the event loop")

            loop: Any = asyncio.get_running_loop()
            loop._run_once = fail
            return await super().list_roots(params, ctx)

    session = SyncSession(Server(), Breaking, versions=[LATEST], limits=Limits(grace=0.1))
    session.start()
    calls = in_threads(
        session.wait_closed,
        lambda: session.server.call_tool(name="hang"),
        lambda: time.sleep(0.2) or session.server.call_tool(name="roots"),
    )
    assert calls[0].result(5)
    for call in calls[1:]:
        with pytest.raises(ConnectionClosed):
            call.result(5)
    with pytest.raises(ConnectionClosed):
        session.ping()
    assert session.wait_closed()
    session.close()
    assert "of the event loop" in caplog.text


def test_closing_while_progress_is_reported() -> None:
    """The callback still runs, and the call that waits for it ends as all others do."""
    began = threading.Event()
    release = threading.Event()

    def stuck(progress: float, total: float | None, message: str | None) -> None:
        began.set()
        release.wait(10)

    session = SyncSession(Server(), versions=[LATEST], limits=Limits(grace=0.1))
    session.start()
    (call,) = in_threads(lambda: session.server.call_tool(name="progress", on_progress=stuck))
    assert began.wait(5)
    session.close()
    with pytest.raises(ConnectionClosed):
        call.result(5)
    release.set()


def test_closing_while_it_connects() -> None:
    connecting = threading.Event()

    async def connect() -> Transport:
        connecting.set()
        await asyncio.sleep(60)
        raise AssertionError("not so late")

    session = SyncSession(connect)
    (start,) = in_threads(session.start)
    assert connecting.wait(5)
    session.close()
    with pytest.raises(ConnectionClosed):
        start.result(5)
    assert session.wait_closed()


def test_everybody_who_closes_waits_for_the_end() -> None:
    class Slow(Roots):
        async def list_roots(self, params: Any, ctx: Any) -> Any:
            await asyncio.sleep(0.3)

    session = SyncSession(Server(), Slow, versions=[LATEST])
    session.start()
    in_threads(lambda: session.server.call_tool(name="roots"))
    time.sleep(0.1)
    for closing in in_threads(*[session.close] * 4):
        closing.result(5)
        assert not session._thread._thread.is_alive()


def test_a_plain_handler_may_close_its_session() -> None:
    """It is not waited for, since it waits for the end itself."""
    took: list[float] = []

    class Closing(Roots):
        def list_roots(self, params: Any, ctx: Any) -> Any:  # type: ignore[override]
            started = time.monotonic()
            session.close()
            took.append(time.monotonic() - started)
            return self.mcp.ListRootsResult(roots=[])

    session = SyncSession(Server(), Closing, versions=[LATEST], limits=Limits(grace=15))
    session.start()
    with pytest.raises(McpError):
        session.server.call_tool(name="roots")
    session.close()
    deadline = time.monotonic() + 5
    while not took and time.monotonic() < deadline:
        time.sleep(0.01)
    assert took[0] < 5


def test_nobody_waits_for_the_end_of_what_has_not_begun() -> None:
    session = SyncSession(Server())
    with pytest.raises(RuntimeError, match="not been started"):
        session.wait_closed(1)
    session.close()
    assert session.wait_closed(1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_has_no_session() -> None:
    code = """
import os, sys, warnings
warnings.simplefilter("ignore")
sys.path[:0] = %r
from tests.session.test_sync_session import Server
from mcp_wire import ConnectionClosed, SyncSession
with SyncSession(Server(), versions=['2025-11-25']) as session:
    pid = os.fork()
    if pid:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    try:
        session.ping()
    except ConnectionClosed:
        session.close()
        os._exit(7)
    os._exit(0)
"""
    paths = [path for path in sys.path if path]
    done = subprocess.run([sys.executable, "-c", code % paths], timeout=30, check=False)
    assert done.returncode == 7


class SilentAtFirst(Pipe):
    """The client's end of a pipe to a server that does not answer what it does not know."""

    async def send(self, message: bytes) -> None:
        if b"server/discover" not in message:
            await super().send(message)


class SilentServer(Server):
    """Connects to such a server."""

    async def __call__(self) -> Transport:
        near = await super().__call__()
        assert isinstance(near, Pipe)
        silent = SilentAtFirst()
        silent.queue, silent.peer, silent.peer.peer = near.queue, near.peer, silent
        return silent


@exits
@pytest.mark.parametrize("server", [Server, SilentServer])
def test_an_exit_where_a_handler_is_made_ends_the_session(
    kind: type[BaseException], server: type[Server]
) -> None:
    """In the version that is fallen back to: where messages are read, or when a time is over."""

    def build(mcp: Any) -> Any:
        if mcp.PROTOCOL_VERSION == LATEST:
            raise kind("this client is for newer servers")
        return Roots(mcp)

    limits = Limits(probe_timeout=0.2)
    session = SyncSession(server(version=LATEST), build, limits=limits)
    (starting,) = in_threads(session.start)
    with pytest.raises(ConnectionClosed, match="this client is for newer servers"):
        starting.result(20)
    session.close()


@pytest.mark.parametrize("busy", ["0", "0.6"])
def test_an_interrupted_end_leaves_no_child(busy: str, tmp_path: Path) -> None:
    """When Ctrl-C comes the session waits for a handler of its own, or has not begun to end."""
    server, client = tmp_path / "server.py", tmp_path / "client.py"
    server.write_text(ASKING_SERVER)
    client.write_text(INTERRUPTED_CLIENT)
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, client, busy, sys.executable, server],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("interrupted\n", 0)


ASKING_SERVER = """
import asyncio, signal, time
from mcp_wire import serve_stdio

class Asking:
    def __init__(self, mcp):
        self.mcp = mcp

    async def call_tool(self, params, ctx):
        await ctx.peer.list_roots()

signal.signal(signal.SIGTERM, signal.SIG_IGN)
asyncio.run(serve_stdio(Asking, versions=["2025-11-25"]))
time.sleep(60)
"""

INTERRUPTED_CLIENT = """
import asyncio, os, signal, sys, threading, time
from contextlib import suppress
from mcp_wire import Limits, McpError, connect_stdio_sync

class Hanging:
    def __init__(self, mcp):
        pass

    async def list_roots(self, params, ctx):
        asked.set()
        await asyncio.sleep(60)

def call():
    with suppress(McpError):
        session.server.call_tool(name="x")

asked = threading.Event()
try:
    with connect_stdio_sync(sys.argv[2:], Hanging, limits=Limits(grace=20)) as session:
        threading.Thread(target=call).start()
        asked.wait(20)
        session._thread._loop.call_soon_threadsafe(time.sleep, float(sys.argv[1]))
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
except KeyboardInterrupt:
    print("interrupted")
until = time.monotonic() + 10
while time.monotonic() < until:
    try:
        os.kill(session.transport.pid, 0)
    except ProcessLookupError:
        sys.exit(0)
    time.sleep(0.05)
sys.exit("the child is left")
"""
