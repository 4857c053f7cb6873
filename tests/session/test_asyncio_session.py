"""Sessions on an event loop: calls as futures, handlers in tasks, progress and cancellation."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import mcp_wire
import pytest
from mcp_wire import (
    Limits,
    ProtocolError,
    RequestTimeout,
    RpcError,
    Session,
)

from .peers import (
    LATEST,
    MODERN,
    OLDEST,
    STATEFUL,
    VERSIONS,
    every_version,
    initialize,
    request,
    stateful,
)
from .pipes import Roots, Tools, joined, pair, run, text_of


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
def test_a_handler_that_fails_oddly_is_answered_for(
    version: str, failure: Any, caplog: pytest.LogCaptureFixture
) -> None:
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
    # By cancelling its task it gives up; whatever it raises is a fault.
    assert ("the handler of 'tools/call' failed" in caplog.text) == (failure is not None)
