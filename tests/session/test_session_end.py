"""The end of sessions: it comes in every case, and whoever waits learns of it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import mcp_wire
import pytest
from mcp_wire import (
    ConnectionClosed,
    Limits,
    PingFailed,
    Session,
)

from .peers import (
    LATEST,
    MODERN,
    every_version,
    initialize,
    request,
    result,
    stateful,
)
from .pipes import Tools, joined, pair, run, text_of


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


@pytest.mark.parametrize("how", ["graceful", "lost"])
def test_a_subscription_that_ends_differs_from_a_connection_that_is_lost(how: str) -> None:
    class Server(Tools):
        async def subscriptions_listen(self, params: Any, ctx: Any) -> Any:
            self.started.set()
            await asyncio.sleep(60)

    async def main() -> None:
        near, far = pair()
        handler = Server(mcp_wire.load(MODERN))
        server = Session(far, handler, role="server", versions=[MODERN])
        await server.start()
        client = Session(near, role="client", versions=[MODERN])
        await client.start()
        wanted = handler.mcp.SubscriptionFilter()
        listening = asyncio.ensure_future(client.server.subscriptions_listen(notifications=wanted))
        await handler.started.wait()
        if how == "graceful":
            await server.close()
            over = await listening
            assert over.result_type == "complete"
            assert over.meta.to_dict() == {"io.modelcontextprotocol/subscriptionId": 2}
        else:
            await near.close()
            with pytest.raises(ConnectionClosed):
                await listening
        await client.wait_closed()
        await server.wait_closed()

    run(main())


def test_running_handlers_may_finish() -> None:
    class Slow(Tools):
        capabilities: Any = {"logging": {}, "tools": {}}  # noqa: RUF012

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
        assert session.is_suspect
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


@pytest.mark.parametrize("how", ["awaited", "in a thread"])
def test_a_handler_may_close_its_session(how: str) -> None:
    """It is not waited for, nor interrupted, since it waits for the end itself."""
    done: list[str] = []

    class Closing(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            await ctx.session.close()
            done.append("closed")

    class Plain(Tools):
        def call_tool(self, params: Any, ctx: Any) -> Any:  # type: ignore[override]
            ctx.run(ctx.session.close())
            done.append("closed")

    async def main() -> None:
        near, far = pair()
        handler = Plain if how == "in a thread" else Closing
        session = Session(far, handler, role="server", limits=Limits(grace=15))
        await near.say(initialize(LATEST, 1))
        await near.say(request("tools/call", 2, name="x"))
        started = time.monotonic()
        await session.run()
        while not done:
            await asyncio.sleep(0.01)
        assert time.monotonic() - started < 10
        assert [message["id"] for message in far.sent] == [1]
        assert all(task is asyncio.current_task() for task in asyncio.all_tasks())

    run(main())


def test_a_handler_that_has_its_session_closed_is_still_answered() -> None:
    closing: list[asyncio.Task[None]] = []

    class Closing(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            closing.append(asyncio.create_task(ctx.session.close()))
            await asyncio.sleep(0.05)
            return self.text("bye")

    async def main() -> None:
        near, far = pair()
        session = Session(far, Closing, role="server")
        await near.say(initialize(LATEST, 1))
        await near.say(request("tools/call", 2, name="x"))
        await session.run()
        await closing[0]
        assert [message["id"] for message in far.sent] == [1, 2]

    run(main())


@stateful
def test_a_handler_that_calls_after_the_end_is_told(version: str) -> None:
    """It may finish, but all that it asks for fails at once, and what it tells is dropped."""
    found: list[Any] = []

    class Late(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            self.started.set()
            with pytest.raises(ConnectionClosed) as caught:
                await ctx.peer.list_roots()
            found.append(caught.value)
            for call in (ctx.peer.list_roots, ctx.session.ping):
                with pytest.raises(ConnectionClosed):
                    await call()
            with pytest.raises(ConnectionClosed):
                await ctx.session.notify("acme/x", None)
            await ctx.progress(1)
            found.append("done")
            return self.text("late")

    class Hanging:
        def __init__(self, mcp: Any) -> None:
            self.mcp = mcp

        async def list_roots(self, params: Any, ctx: Any) -> Any:
            await asyncio.sleep(60)

    async def main() -> None:
        limits = Limits(grace=5)
        async with joined(Late, Hanging, versions=[version], limits=limits) as (client, server):
            call = asyncio.ensure_future(client.server.call_tool(name="x"))
            await asyncio.sleep(0.05)
            started = time.monotonic()
            await server.close()
            assert time.monotonic() - started < 4
            assert text_of(await call) == "late"
        assert found[1] == "done"

    run(main())


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
@pytest.mark.parametrize("is_async", [True, False])
def test_an_exit_in_a_handler_ends_the_event_loop(kind: Any, is_async: bool) -> None:
    class Leaving(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            raise kind("of the handler")

    class Plain(Tools):
        def call_tool(self, params: Any, ctx: Any) -> Any:  # type: ignore[override]
            raise kind("of the handler")

    async def main() -> None:
        near, far = pair()
        await near.say(initialize(LATEST, 1))
        await near.say(request("tools/call", 2, name="x"))
        session = Session(far, Leaving if is_async else Plain, role="server")
        await session.run()

    with pytest.raises(kind, match="of the handler"):
        asyncio.run(main())


def test_a_session_belongs_to_one_event_loop() -> None:
    def elsewhere(call: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        with pytest.raises(RuntimeError, match="another event loop"):
            asyncio.run(call())

    async def main() -> None:
        async with joined(Tools, versions=[LATEST]) as (session, _):
            for call in (
                session.start,
                session.run,
                session.ping,
                session.wait_closed,
                session.close,
                session.server.list_tools,
                lambda: session.notify("acme/x", None),
                lambda: session.request("tools/list", None),
            ):
                await asyncio.to_thread(elsewhere, call)
            await session.ping()

    run(main())


def ends(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a program to its end, and fail when it does not come.

    In a thread, since one that never ends must not keep the others.
    """
    ending = threading.Thread(target=asyncio.run, args=(main(),), daemon=True)
    ending.start()
    ending.join(20)
    assert not ending.is_alive()


@pytest.mark.parametrize("how", ["cancel", "close"])
def test_cleaning_up_of_ones_own_does_not_keep_an_interruption_off(how: str) -> None:
    """Whoever is interrupted by a time limit of his own can still be by the peer."""
    works_on: list[None] = []
    cleaning = asyncio.Event()

    class Careful(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            with suppress(TimeoutError):
                async with asyncio.timeout(0.05):
                    try:
                        await asyncio.sleep(60)
                    finally:
                        cleaning.set()
                        await asyncio.sleep(0.3)
            works_on.append(None)
            await asyncio.sleep(60)

    async def main() -> None:
        limits = Limits(grace=0.1)
        async with joined(Careful, versions=[LATEST], limits=limits) as (session, server):
            call = asyncio.ensure_future(session.server.call_tool(name="x"))
            await cleaning.wait()
            if how == "cancel":
                call.cancel()
            else:
                await server.close()
            await asyncio.gather(call, return_exceptions=True)
            await asyncio.sleep(0.5)
        assert not works_on

    run(main())


async def held_by_a_task(use: Callable[[Session], Coroutine[Any, Any, None]]) -> list[Any]:
    """Start a server, and a task that uses a client's session; both, and the server's transport."""
    near, far = mcp_wire.memory_pair()
    server = Session(far, Tools, role="server", versions=[LATEST])
    await server.start()
    is_open = asyncio.Event()

    async def hold() -> None:
        async with Session(near, role="client", versions=[LATEST]) as session:
            is_open.set()
            await use(session)

    task = asyncio.create_task(hold())
    await is_open.wait()
    return [server, task, far]


def test_a_program_that_ends_while_its_session_does() -> None:
    """All tasks are cancelled then, also the one that ends the session, before it has begun."""
    kept: list[Any] = []

    async def main() -> None:
        kept.extend(await held_by_a_task(Session.wait_closed))
        await kept[-1].close()

    ends(main)


@pytest.mark.parametrize("count", [1, 300])
def test_cleaning_up_is_not_interrupted(count: int) -> None:
    cleaned: list[None] = []

    class Careful(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.05)
                cleaned.append(None)

    async def main() -> None:
        limits = Limits(requests=count, grace=0.05)
        async with joined(Careful, versions=[LATEST], limits=limits) as (session, server):
            calls = [
                asyncio.ensure_future(session.server.call_tool(name="x")) for _ in range(count)
            ]
            await asyncio.sleep(0.2)
            await server.close()
            await asyncio.gather(*calls, return_exceptions=True)
        assert len(cleaned) == count

    run(main())


@pytest.mark.parametrize("what", ["request", "ping", "wait_closed"])
def test_a_last_call_when_a_program_ends_fails_at_once(what: str) -> None:
    """All tasks are cancelled then, and with them those that read and write."""
    raised: list[BaseException] = []
    kept: list[Any] = []

    async def call_last(session: Session) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            params: list[Any] = ["acme/bye", None] if what == "request" else []
            try:
                await getattr(session, what)(*params)
            except ConnectionClosed as error:
                raised.append(error)

    async def main() -> None:
        kept.extend(await held_by_a_task(call_last))

    ends(main)
    reasons = [] if what == "wait_closed" else ["the tasks of the session were cancelled"]
    assert [str(error) for error in raised] == reasons


@pytest.mark.parametrize("what", ["a call", "the end"])
def test_a_session_whose_tasks_are_cancelled_is_over(what: str) -> None:
    """By somebody who cancels all but his own, as some libraries do to clean up."""

    async def main() -> None:
        near, far = pair()
        server = Session(far, Tools, role="server", versions=[LATEST])
        await server.start()
        session = Session(near, role="client", versions=[LATEST])
        await session.start()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if what == "a call":
            waiting = asyncio.create_task(session.server.call_tool(name="hang"))
        else:
            waiting = asyncio.create_task(session.wait_closed())
        await asyncio.sleep(0.05)
        for task in others:
            task.cancel()
        if what == "a call":
            with pytest.raises(ConnectionClosed, match="the tasks of the session were cancelled"):
                await waiting
        await waiting if what == "the end" else await session.wait_closed()
        await server.wait_closed()

    run(main())


def test_a_handler_that_ends_with_its_program_is_not_blamed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kept: list[Any] = []
    tasks: list[asyncio.Task[None] | None] = []

    class Waiting(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            tasks.append(asyncio.current_task())
            begun.set()
            await asyncio.sleep(60)

    begun = asyncio.Event()

    async def main() -> None:
        near, far = pair()
        server = Session(far, Waiting, role="server", versions=[LATEST])
        await server.start()
        session = Session(near, role="client", versions=[LATEST])
        await session.start()
        kept.append(asyncio.create_task(session.server.call_tool(name="x")))
        await begun.wait()

    ends(main)
    assert caplog.messages == []
    assert [task is not None and task.cancelled() for task in tasks] == [True]
