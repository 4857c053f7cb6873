"""Sessions on an event loop: handlers in tasks, calls as futures, and an end that comes."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
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
)

from .peers import LATEST, MODERN, OLDEST, STATEFUL, VERSIONS, initialize, request, result
from .pipes import Pipe, Roots, Tools, joined, pair, run

every_version = pytest.mark.parametrize("version", VERSIONS)
stateful = pytest.mark.parametrize("version", STATEFUL)


def text_of(answer: Any) -> str:
    return str(answer.content[0].text)


@every_version
def test_call(version: str) -> None:
    async def main() -> None:
        async with joined(Tools, versions=[version]) as (session, server):
            assert session.version == version
            assert session.server_info.name == "Tools"
            assert session.capabilities.tools is not None
            assert session.client_info is None
            answer = await session.server.call_tool(name="echo", arguments={"text": "hi"})
            assert text_of(answer) == "hi"
            with pytest.raises(RpcError, match="no such tool") as caught:
                await session.server.call_tool(name="?")
            assert caught.value.code == -32602
            if version in STATEFUL:
                assert server.version == version
                assert server.client_info.name == "mcp_wire"
                assert server.server_info is None

    run(main())


@pytest.mark.parametrize("client", VERSIONS)
@pytest.mark.parametrize("server", [None, *VERSIONS])
def test_versions_meet(client: str, server: str | None) -> None:
    """Each side that speaks several versions meets each that speaks one."""

    async def main() -> None:
        near, far = pair()
        speaks = None if server is None else [server]
        serving = Session(far, Tools, role="server", versions=speaks)
        await serving.start()
        offers = [client] if server is None else None
        async with Session(near, role="client", versions=offers) as session:
            assert session.version == (server or client)
            answer = await session.server.call_tool(name="echo", arguments={"text": "x"})
            assert text_of(answer) == "x"
        await serving.wait_closed()

    run(main())


@every_version
def test_the_session_of_a_version_speaks_that_version(version: str) -> None:
    mcp: Any = mcp_wire.load(version)

    async def main() -> None:
        near, far = pair()
        serving = Session(far, Tools, role="server")
        await serving.start()
        async with mcp.ClientSession(near, limits=Limits(timeout=7)) as session:
            assert (session.version, session.role) == (version, "client")
            assert type(session.server) is mcp.ServerStub
        await serving.wait_closed()
        handler = mcp_wire.load(next(other for other in VERSIONS if other != version)).ClientHandler
        with pytest.raises(ValueError, match="versions"):
            mcp.ClientSession(pair()[0], handler({"name": "x", "version": "1"}))

    run(main())


@pytest.mark.parametrize(("client", "server"), [(LATEST, MODERN), (MODERN, LATEST)])
def test_versions_that_do_not_meet(client: str, server: str) -> None:
    async def main() -> None:
        near, far = pair()
        serving = Session(far, Tools, role="server", versions=[server])
        await serving.start()
        with pytest.raises((ProtocolError, RpcError)):
            async with Session(near, role="client", versions=[client]):
                raise AssertionError("there is no such session")
        assert near.is_closed
        await serving.wait_closed()

    run(main())


@every_version
def test_progress_comes_before_the_result_and_in_order(version: str) -> None:
    async def main() -> None:
        seen: list[tuple[Any, ...]] = []

        async def slowly(*report: Any) -> None:
            await asyncio.sleep(0.01)
            seen.append(report)

        async with joined(Tools, versions=[version]) as (session, _):
            for watch in (slowly, lambda *report: seen.append(report)):
                seen.clear()
                await session.server.call_tool(name="progress", on_progress=watch)
                assert seen == [(0, 3, None), (1, 3, None), (2, 3, None)]

    run(main())


def test_a_failing_callback_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        def fail(*report: Any) -> None:
            raise RuntimeError("of the callback")

        async with joined(Tools, versions=[LATEST]) as (session, _):
            await session.server.call_tool(name="progress", on_progress=fail)

    run(main())
    assert "of the callback" in caplog.text


@pytest.mark.parametrize(
    ("limits", "options"),
    [
        (Limits(), {"timeout": 0.2}),
        (Limits(), {"total_timeout": 0.2}),
        (Limits(timeout=0.2), {}),
        (Limits(total_timeout=0.2), {}),
        (Limits(timeout=0.2, total_timeout=30, progress_restarts=True), {}),
        (Limits(total_timeout=0.2, progress_restarts=True), {}),
    ],
)
def test_a_callback_has_no_more_time_than_its_call(limits: Limits, options: Any) -> None:
    """The answer is there: what is dropped is the progress that nobody has taken in time."""

    async def main() -> None:
        seen: list[Any] = []

        async def stuck(*report: Any) -> None:
            seen.append(report[0])
            await asyncio.sleep(60)

        async with joined(Tools, versions=[LATEST], limits=limits) as (session, _):
            params = {"name": "progress"}
            started = time.monotonic()
            answer = await session.request("tools/call", params, on_progress=stuck, **options)
            assert 0.15 < time.monotonic() - started < 5
            assert answer["content"][0]["text"] == "done"
        assert seen == [0]

    run(main())


def test_progress_is_not_reported_after_an_error() -> None:
    class Reporting(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            for value in range(3):
                await ctx.progress(value)
            await asyncio.sleep(60)

    async def main() -> None:
        seen: list[Any] = []

        async def slowly(*report: Any) -> None:
            seen.append(report[0])
            await asyncio.sleep(0.1)

        async with joined(Reporting, versions=[LATEST]) as (session, _):
            request = session.request("tools/call", {"name": "x"}, on_progress=slowly, timeout=0.05)
            with pytest.raises(RequestTimeout):
                await request
            await asyncio.sleep(0.2)
            assert seen == [0]

    run(main())


@stateful
def test_a_handler_may_call_its_peer(version: str) -> None:
    async def main() -> None:
        async with joined(Tools, Roots, versions=[version]) as (session, _):
            calls = [session.server.call_tool(name="roots") for _ in range(20)]
            for answer in await asyncio.gather(*calls):
                assert text_of(answer) == "file:///a"

    run(main())


def test_a_server_of_later_versions_sends_no_requests() -> None:
    class Asking:
        def __init__(self, mcp: Any) -> None:
            self.mcp = mcp

        async def call_tool(self, params: Any, ctx: Any) -> Any:
            await ctx.session.request("roots/list", None)

    async def main() -> None:
        for versions in ([MODERN], [LATEST, MODERN]):
            async with joined(Asking, Roots, versions=versions) as (session, _):
                with pytest.raises(RpcError) as caught:
                    await session.server.call_tool(name="x")
                assert caught.value.code == -32603

    run(main())


@stateful
def test_ping_from_both_sides_while_handlers_are_busy(version: str) -> None:
    async def main() -> None:
        limits = Limits(requests=1, grace=0)
        async with joined(Tools, versions=[version], server_limits=limits) as (session, server):
            calls = [asyncio.ensure_future(session.server.call_tool(name="hang")) for _ in range(3)]
            await asyncio.sleep(0)
            await session.ping()
            await server.ping()
            for call in calls:
                call.cancel()

    run(main())


def test_cancelling_the_caller_cancels_the_request() -> None:
    async def main() -> None:
        tools: list[Tools] = []

        def build(mcp: Any) -> Tools:
            tools.append(Tools(mcp))
            return tools[-1]

        async with joined(build, versions=[LATEST]) as (session, _):
            call = asyncio.ensure_future(session.server.call_tool(name="hang"))
            await asyncio.sleep(0.01)
            await tools[0].started.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await asyncio.sleep(0.01)
            assert tools[0].stopped == ["hang"]
            with pytest.raises(RequestTimeout):
                await session.server.call_tool(name="hang", timeout=0.05)
            await asyncio.sleep(0.01)
            assert tools[0].stopped == ["hang", "hang"]

    run(main())


@every_version
def test_a_cancellation_that_comes_with_its_request(version: str) -> None:
    """The handler has not started when it is stopped, and holds no slot afterwards."""

    async def main() -> None:
        near, far = pair()
        limits = Limits(requests=1)
        session = Session(far, Tools, role="server", versions=[version], limits=limits)
        await session.start()
        meta = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        if version != MODERN:
            meta = {}
            await near.say(initialize(version))
            await near.hear()
        for _ in range(3):
            await near.say(request("tools/call", 1, name="hang", _meta=meta))
            await near.say(
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
            )
        echo = request("tools/call", 2, name="echo", arguments={"text": "x"}, _meta=meta)
        await near.say(echo)
        assert (await near.hear())["id"] == 2
        await session.close()

    run(main())


def test_plain_functions_run_in_threads() -> None:
    class Plain(Tools):
        def call_tool(self, params: Any, ctx: Any) -> Any:  # type: ignore[override]
            time.sleep(0.05)
            return self.text(threading.current_thread().name)

    async def main() -> None:
        async with joined(Plain, versions=[LATEST]) as (session, _):
            call = asyncio.ensure_future(session.server.call_tool(name="x"))
            await session.ping()
            assert not call.done()
            assert text_of(await call) != threading.current_thread().name

    run(main())


def test_messages_that_come_together_are_all_served() -> None:
    async def main() -> None:
        near, far = pair()
        session = Session(far, Tools, role="server")
        await near.say(initialize(OLDEST, 0))
        await near.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        for id in range(1, 20):
            await near.say(request("tools/call", id, name="echo", arguments={"text": "x"}))
        far.end()
        await session.run()
        assert [message["id"] for message in far.sent] == [*range(20)]

    run(main())


@every_version
@pytest.mark.parametrize(
    "failure", [asyncio.CancelledError, GeneratorExit, BaseException, BaseExceptionGroup, None]
)
def test_a_handler_that_fails_oddly_is_answered_for(version: str, failure: Any) -> None:
    class Odd(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            if failure is None:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
                await asyncio.sleep(60)
            elif failure is BaseExceptionGroup:
                raise BaseExceptionGroup("several", [GeneratorExit()])
            raise failure

    async def main() -> None:
        async with joined(Odd, versions=[version]) as (session, _):
            with pytest.raises(RpcError) as caught:
                await session.server.call_tool(name="x", timeout=5)
            assert caught.value.code == -32603

    run(main())


# --- the handler --------------------------------------------------------------------------------


def test_a_handler_class_speaks_its_own_version() -> None:
    mcp = mcp_wire.v2025_06_18

    async def main() -> None:
        handler = mcp.ServerHandler(mcp.Implementation(name="own", version="1"))
        async with joined(handler) as (session, server):
            assert session.version == "2025-06-18"
            assert server.handler is handler
        with pytest.raises(ValueError, match="2025-06-18"):
            Session(pair()[0], handler, role="server", versions=[OLDEST])
        with pytest.raises(ValueError, match="server"):
            Session(pair()[0], handler, role="client")

    run(main())


@pytest.mark.parametrize(
    ("handler", "role", "versions", "error"),
    [
        (None, "server", None, ValueError),
        (object(), "server", None, ValueError),
        (Tools, "server", ["1999-01-01"], LookupError),
        (Tools, "server", [], ValueError),
        (None, "client", ["1999-01-01"], LookupError),
    ],
)
def test_handlers_that_cannot_be(handler: Any, role: Any, versions: Any, error: Any) -> None:
    async def main() -> None:
        with pytest.raises(error):
            Session(pair()[0], handler, role=role, versions=versions)

    run(main())


class OwnHandler(mcp_wire.v2025_11_25.ServerHandler):
    pass


async def build_later(mcp: Any) -> Any:
    return Tools(mcp)


@pytest.mark.parametrize(
    ("handler", "words"),
    [
        (OwnHandler, "expected an instance of OwnHandler, found the class itself"),
        (build_later, "expected a plain function, found build_later, which is async"),
    ],
)
@pytest.mark.parametrize("role", ["client", "server"])
def test_what_would_make_no_handler(handler: Any, words: str, role: Any) -> None:
    async def main() -> None:
        with pytest.raises(TypeError, match=f"handler: {words}"):
            Session(pair()[0], handler, role=role)

    run(main())


@pytest.mark.parametrize(
    ("build", "found"),
    [
        (lambda mcp: build_later(mcp), "coroutine"),
        (lambda _: None, "None"),
        (lambda _: int, "type"),
    ],
)
def test_a_function_that_makes_no_handler(build: Any, found: str) -> None:
    async def main() -> None:
        session = Session(pair()[0], build, role="client", versions=[LATEST])
        with pytest.raises(TypeError, match=f"v2025_11_25: expected an object, found {found}"):
            await session.start()
        await session.close()

    run(main())


def test_a_handler_that_cannot_be_made(caplog: pytest.LogCaptureFixture) -> None:
    def build(mcp: Any) -> Any:
        raise RuntimeError("of the factory")

    async def main() -> None:
        near, far = pair()
        session = Session(far, build, role="server")
        await session.start()
        await near.say(initialize(LATEST, 1))
        answer = await near.hear()
        assert answer["error"] == {"code": -32603, "message": "Internal error"}
        await session.close()

    run(main())
    assert "of the factory" in caplog.text


@stateful
def test_a_client_without_a_handler_serves_nothing(version: str) -> None:
    async def main() -> None:
        async with joined(Tools, versions=[version]) as (session, server):
            assert session.handler is None
            with pytest.raises(mcp_wire.CapabilityError):
                await server.client.list_roots()
            with pytest.raises(RpcError) as caught:
                await server.request("roots/list", None)
            assert caught.value.code == -32601

    run(main())


def test_stubs_are_those_of_the_other_side() -> None:
    async def main() -> None:
        near, far = pair()
        serving = Session(far, Tools, role="server", versions=[LATEST])
        with pytest.raises(RuntimeError, match="version"):
            _ = serving.client
        await serving.start()
        async with Session(near, role="client", versions=[LATEST]) as session:
            assert session.server is session.server
            with pytest.raises(RuntimeError, match="client"):
                _ = session.client
            with pytest.raises(RuntimeError, match="server"):
                _ = serving.server
        await serving.wait_closed()

    run(main())


# --- the end ------------------------------------------------------------------------------------


@every_version
@pytest.mark.parametrize("how", ["client", "server", "pipe"])
def test_the_end_fails_what_is_open_and_everything_after(version: str, how: str) -> None:
    async def main() -> None:
        limits = Limits(grace=0.05)
        near, far = pair()
        server = Session(far, Tools, role="server", versions=[version], limits=limits)
        await server.start()
        client = Session(near, role="client", versions=[version], limits=limits)
        await client.start()
        call = asyncio.ensure_future(client.server.call_tool(name="hang"))
        await asyncio.sleep(0.01)
        match how:
            case "client":
                await client.close()
            case "server":
                await server.close()
            case _:
                await near.close()
        with pytest.raises(ConnectionClosed):
            await call
        await client.wait_closed()
        await server.wait_closed()
        with pytest.raises(ConnectionClosed):
            await client.request("tools/list", None)
        with pytest.raises(ConnectionClosed):
            await client.notify("acme/x", None)
        with pytest.raises(ConnectionClosed):
            await server.notify("acme/x", None)
        await client.close()
        await server.close()

    run(main())


def test_running_handlers_may_finish() -> None:
    class Slow(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            await asyncio.sleep(0.1)
            await ctx.progress(1)
            await ctx.log("info", "late")
            return self.text("late")

    async def main() -> None:
        near, far = pair()
        session = Session(far, Slow, role="server", limits=Limits(requests=1))
        await near.say(initialize(LATEST, 1))
        await near.say(request("tools/call", 2, name="x", _meta={"progressToken": 7}))
        await near.say(request("tools/call", 3, name="x"))
        far.end()
        await session.run()
        assert [message["id"] for message in far.sent] == [1, 2, 3]

    run(main())


def test_but_not_for_ever() -> None:
    class Stubborn(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            for _ in range(3):
                try:
                    await asyncio.sleep(0.3)
                except asyncio.CancelledError:
                    continue

    async def main() -> None:
        near, far = pair()
        session = Session(far, Stubborn, role="server", limits=Limits(grace=0.1))
        await near.say(initialize(LATEST, 1))
        await near.say(request("tools/call", 2, name="x"))
        far.end()
        started = time.monotonic()
        await session.run()
        assert time.monotonic() - started < 5
        assert [message["id"] for message in far.sent] == [1]
        await asyncio.sleep(1)

    run(main())


def test_a_failed_ping_closes_the_session() -> None:
    async def main() -> None:
        near, far = pair()
        session = Session(near, role="client", versions=[LATEST])
        opening = asyncio.ensure_future(session.start())
        asked = await far.hear()
        known = {"protocolVersion": LATEST, "capabilities": {}, "serverInfo": {"name": "x"}}
        await far.say(result(asked["id"], **known))
        await opening
        assert (await far.hear())["method"] == "notifications/initialized"
        with pytest.raises(PingFailed, match=r"within 0\.05 s"):
            await session.ping(timeout=0.05)
        await session.wait_closed()
        with pytest.raises(ConnectionClosed, match="ping failed"):
            await session.ping()

    run(main())


def test_keepalive_notices_a_silent_peer() -> None:
    async def main() -> None:
        near, far = pair()
        limits = Limits(keepalive=1, ping_timeout=0.1)
        session = Session(far, Tools, role="server", limits=limits)
        await session.start()
        await near.say(initialize(LATEST, 1))
        await near.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert (await near.hear())["id"] == 1
        ping = await near.hear()
        assert ping["method"] == "ping"
        await session.wait_closed()
        assert await near.hear() is None

    run(main())


def test_a_peer_that_never_answers_does_not_hang_the_start() -> None:
    async def main() -> None:
        near, far = pair()
        session = Session(near, role="client", limits=Limits(timeout=0.05, probe_timeout=0.05))
        with pytest.raises(RequestTimeout, match="initialize"):
            await session.start()
        methods = [message["method"] for message in near.sent]
        assert methods == ["server/discover", "initialize"]
        assert near.is_closed
        assert not far.is_closed

    run(main())


def test_a_session_is_started_once_and_may_be_closed_before() -> None:
    async def main() -> None:
        near, far = pair()
        session = Session(far, Tools, role="server")
        await session.start()
        with pytest.raises(RuntimeError, match="once"):
            await session.start()
        await session.close()
        other = Session(near, role="client")
        await other.close()
        with pytest.raises(ConnectionClosed):
            await other.notify("acme/x", None)

    run(main())


def test_cancelling_the_start_closes() -> None:
    async def main() -> None:
        near, _ = pair()
        session = Session(near, role="client")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await session.start()
        assert near.is_closed

    run(main())


class Broken(Pipe):
    """A transport that fails in a way it should not."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where

    async def receive(self) -> bytes | None:
        if self.where == "receive":
            raise OSError("of the pipe")
        return await super().receive()

    async def send(self, message: bytes) -> None:
        if self.where == "send":
            raise OSError("of the pipe")

    async def close(self) -> None:
        if self.where == "close":
            raise OSError("of the pipe")


@pytest.mark.parametrize("where", ["receive", "send", "close"])
def test_a_transport_that_fails_ends_the_session(
    where: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)

    async def main() -> None:
        session = Session(Broken(where), role="client", versions=[LATEST], limits=Limits(timeout=1))
        with pytest.raises((ConnectionClosed, RequestTimeout)):
            await session.start()

    run(main())
    assert "of the pipe" in caplog.text


def test_writing_waits_for_a_reader_and_reading_goes_on() -> None:
    """Both sides write far more than fits, before either answer is read."""

    class Chatty(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            await ctx.log("info", "x" * 100_000)
            return self.text(params.arguments["text"])

    async def main() -> None:
        near, far = pair(limit=2)
        server = Session(far, Chatty, role="server", versions=[LATEST])
        await server.start()
        async with Session(near, role="client", versions=[LATEST]) as session:
            calls = [
                session.server.call_tool(name="x", arguments={"text": "y" * 100_000})
                for _ in range(100)
            ]
            answers = await asyncio.gather(*calls)
            assert all(len(text_of(answer)) == 100_000 for answer in answers)
        await server.wait_closed()

    run(main())


def test_notifications_wait_for_room() -> None:
    async def main() -> None:
        near, far = pair(limit=1)
        session = Session(far, Tools, role="server", versions=[MODERN], limits=Limits(grace=0.1))
        await session.start()
        sending = asyncio.ensure_future(_flood(session))
        await asyncio.sleep(0.05)
        assert not sending.done()
        for _ in range(50):
            assert (await near.hear())["method"] == "acme/x"
        await sending
        await session.close()

    async def _flood(session: Session) -> None:
        for _ in range(50):
            await session.notify("acme/x", {"text": "x" * 100_000})

    run(main())
