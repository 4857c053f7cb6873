"""What a peer can make a session keep has a bound: threads, requests, notifications, answers."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import mcp_wire
import pytest
from mcp_wire import Limits, Session
from mcp_wire.runtime import reading, serving_tasks
from mcp_wire.runtime.memory import memory_pair

from .peers import (
    LATEST,
    MODERN,
    dumps,
    every_version,
    initialize,
    modern,
    notification,
    request,
    result,
)
from .pipes import Pipe, Tools, joined, pair, run


async def opened(far: Pipe, near: Pipe, handler: Any, **limits: Any) -> Session:
    """A server's session past its handshake."""
    session = Session(
        far, handler, role="server", versions=[LATEST], limits=Limits(grace=0.1, **limits)
    )
    await session.start()
    await near.say(initialize(LATEST, 0))
    await near.hear()
    await near.say(notification("notifications/initialized"))
    return session


class Blocking(Tools):
    """Plain functions that wait in their threads, all for the same."""

    release = threading.Event()

    def call_tool(self, params: Any, ctx: Any) -> Any:  # type: ignore[override]
        self.release.wait(20)
        return self.text("done")

    def on_roots_list_changed(self, params: Any, ctx: Any) -> None:
        self.release.wait(20)


@pytest.fixture
def before() -> Any:
    """The threads there are before; afterwards those of the test may end."""
    Blocking.release.clear()
    yield threading.active_count()
    Blocking.release.set()


def test_threads_of_cancelled_requests_keep_their_slots(before: int) -> None:
    async def main() -> None:
        near, far = pair()
        session = await opened(far, near, Blocking, requests=2)
        for id in range(1, 100):
            await near.say(request("tools/call", id, name="x"))
            await asyncio.sleep(0)
            await near.say(notification("notifications/cancelled", requestId=id))
        await near.say(request("tools/call", 100, name="x"))
        await near.say(request("ping", 101))
        assert (await near.hear())["id"] == 101
        await asyncio.sleep(0.05)
        assert threading.active_count() <= before + 2
        Blocking.release.set()
        assert (await near.hear())["id"] == 100
        await session.close()

    run(main())


def test_notifications_run_within_the_bound_and_in_order(before: int) -> None:
    async def main() -> None:
        near, far = pair()
        session = await opened(far, near, Blocking, requests=3)
        for _ in range(100):
            await near.say(notification("notifications/roots/list_changed"))
        await near.say(request("ping", 1))
        assert (await near.hear())["id"] == 1
        await asyncio.sleep(0.05)
        assert threading.active_count() <= before + 3
        assert 97 * 1000 <= session._serving.waiting_bytes < 97 * 1200
        Blocking.release.set()
        await asyncio.sleep(0.2)
        assert session._serving.waiting_bytes == 0
        await session.close()

    run(main())


def test_notifications_begin_in_their_order() -> None:
    seen: list[Any] = []

    class Listening(Tools):
        async def on_progress(self, params: Any, ctx: Any) -> None:
            seen.append(params.progress)

        async def on_cancelled(self, params: Any, ctx: Any) -> None:
            seen.append(params.request_id)
            await asyncio.sleep(0.001)

    async def main() -> None:
        near, far = pair()
        session = await opened(far, near, Listening, requests=1)
        for id in range(20):
            await near.say(notification("notifications/cancelled", requestId=id))
        await asyncio.sleep(0.2)
        await session.close()
        assert seen == [*range(20)]

    run(main())


def test_requests_that_stay_open_have_a_bound() -> None:
    class Subscriptions(Tools):
        async def subscriptions_listen(self, params: Any, ctx: Any) -> Any:
            await asyncio.sleep(60)

    async def main() -> None:
        near, far = pair()
        session = Session(
            far, Subscriptions, role="server", versions=[MODERN], limits=Limits(grace=0.1)
        )
        await session.start()
        params = {"notifications": {}}
        for id in range(1500):
            await near.say(modern("subscriptions/listen", id, **params))
        refused = [await near.hear() for _ in range(1500 - 1128)]
        assert {answer["error"]["message"] for answer in refused} == {"Too many requests are open"}
        await session.close()

    run(main())


def test_a_peer_that_reads_nothing_is_kept_from_writing_and_given_up() -> None:
    async def main() -> None:
        near, far = pair(limit=2)
        session = await opened(far, near, Tools, stall=0.2)
        text = "x" * 100_000
        bad = request("tools/call", 1, name="echo", arguments={"text": text})
        taken = 0
        while not far.is_closed and taken < 100_000:
            for _ in range(50):
                await near.say({**bad, "id": taken})
                await near.say(request("ping", f"{taken} {text}"))
                taken += 1
            await asyncio.sleep(0.01)
            assert session._connection.backlog < 1 << 26
            if far.queue.qsize() > 200:
                break
        assert far.queue.qsize() > 200
        await session.wait_closed()
        with pytest.raises(Exception, match=r"read nothing for 0\.2 s"):
            await session.notify("acme/x", None)

    run(main())


def test_a_peer_that_reads_again_is_served_again() -> None:
    async def main() -> None:
        near, far = pair(limit=2)
        session = await opened(far, near, Tools, stall=20)
        text = "x" * 1_000_000
        for id in range(60):
            await near.say(request("ping", f"{id} {text}"))
        await asyncio.sleep(0.1)
        assert far.queue.qsize() > 10
        answers = [await near.hear() for _ in range(60)]
        assert [answer["id"].split()[0] for answer in answers] == [str(id) for id in range(60)]
        await session.close()

    run(main())


def test_requests_that_wait_do_not_keep_answers_from_coming() -> None:
    """However many wait, the handler that runs gets the answer it waits for."""

    class Calling(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            await ctx.session.ping()
            return self.text("done")

    async def main() -> None:
        near, far = pair()
        session = await opened(far, near, Calling, requests=1)
        params = {"name": "x", "arguments": {"text": "x" * 1_000_000}}
        for id in range(1, 81):
            await near.say(request("tools/call", id, **params))
        answered: set[Any] = set()
        while len(answered) < 80:
            message = await near.hear()
            if message.get("method") == "ping":
                await near.say(result(message["id"]))
            else:
                answered.add(message["id"])
        assert answered == {*range(1, 81)}
        assert session._connection.waiting_bytes == 0
        await session.close()

    run(main())


def test_two_that_flood_each_other_both_get_all_their_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "_HIGH_WATER", 10_000)

    async def main() -> None:
        async with joined(Tools, versions=[LATEST], limit=2) as (client, server):
            pings = [end.ping(timeout=15) for end in (client, server) for _ in range(2000)]
            await asyncio.gather(*pings)

    run(main())


def test_a_call_of_ours_is_answered_by_a_peer_that_reads_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "_HIGH_WATER", 10_000)

    async def main() -> None:
        near, far = pair(limit=2)
        session = await opened(far, near, Tools, stall=20)
        for id in range(1000):
            await near.say(request("ping", id))
        await asyncio.sleep(0.1)
        assert far.queue.qsize() > 100
        ping = asyncio.ensure_future(session.ping())
        await near.say(result(1))
        await ping
        await session.close()

    run(main())


def test_notifications_that_wait_have_a_bound_and_the_oldest_are_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(serving_tasks, "MOST_WAITING", 20_000)
    seen: list[Any] = []

    class Listening(Tools):
        async def on_cancelled(self, params: Any, ctx: Any) -> None:
            if not seen:
                await ctx.session.ping()
            seen.append(params.request_id)

    async def main() -> None:
        near, far = pair()
        session = await opened(far, near, Listening, requests=1)
        for id in range(1000):
            await near.say(notification("notifications/cancelled", requestId=id))
        await near.say(request("ping", "last"))
        ping, pong = await near.hear(), await near.hear()
        assert (ping["method"], pong["id"]) == ("ping", "last")
        assert 15_000 < session._serving.waiting_bytes <= 20_000
        await near.say(result(ping["id"]))
        await asyncio.sleep(0.1)
        assert seen == [0, *range(1001 - len(seen), 1000)]
        assert 10 < len(seen) < 20
        await session.close()

    run(main())
    assert caplog.text.count("left out a notification") == 1


def test_a_flood_leaves_time_for_everything_else() -> None:
    """Whatever has arrived together: the event loop turns while it is dealt with."""

    async def main() -> None:
        near, far = memory_pair()
        session = Session(far, Tools, role="server")
        await session.start()
        garbage = [b"?"] * 20_000
        await near.send_all([*garbage, b'{"jsonrpc":"2.0","id":"last","method":"ping"}'])
        turns = answers = 0
        while answers <= len(garbage):
            answers += len(await asyncio.wait_for(near.receive_all(), 20))
            turns += 1
        assert turns > 5
        await session.close()

    run(main())


def test_first_answers_go_out_before_all_that_came_together_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However quickly that would be."""
    monkeypatch.setattr(reading, "_TURN", 60)

    async def main() -> None:
        near, far = memory_pair()
        session = Session(far, Tools, role="server")
        await session.start()
        params = {"name": "echo", "arguments": {"text": "x"}}
        calls = [modern("tools/call", id, **params) for id in range(200)]
        await near.send_all([dumps(call) for call in calls])
        first = answers = len(await near.receive_all())
        while answers < len(calls):
            answers += len(await near.receive_all())
        assert first < 100
        await session.close()

    run(main())


def test_no_handler_begins_while_its_answer_would_only_wait() -> None:
    begun: list[str] = []

    class Large(Tools):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            begun.append(params.name)
            return self.text("x" * 1_000_000)

    async def main() -> None:
        near, far = pair(limit=1)
        session = await opened(far, near, Large, requests=4)
        for id in range(1, 101):
            await near.say(request("tools/call", id, name="x"))
        await asyncio.sleep(0.2)
        assert len(begun) < 20
        assert {(await near.hear())["id"] for _ in range(100)} == {*range(1, 101)}
        await session.close()

    run(main())


def test_a_closed_session_is_not_started() -> None:
    async def main() -> None:
        near, far = pair()
        for end, handler, role in ((near, None, "client"), (far, Tools, "server")):
            session = Session(end, handler, role=role)  # type: ignore[arg-type]
            await session.close()
            with pytest.raises(mcp_wire.ConnectionClosed):
                await session.start()
        assert far.queue.qsize() <= 2

    run(main())


@pytest.mark.parametrize("method", ["tools/call", "notifications/roots/list_changed"])
def test_a_fault_of_the_handler_ends_no_session(
    method: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Faulty(Tools):
        @property
        def call_tool(self) -> Any:  # type: ignore[override]
            raise RuntimeError("of the handler")

        on_roots_list_changed = call_tool

    async def main() -> None:
        near, far = pair()
        session = await opened(far, near, Faulty)
        message = request(method, 1, name="x")
        if method.startswith("notifications"):
            message = notification(method)
        await near.say(message)
        await near.say(request("ping", 2))
        answers = [await near.hear()]
        if answers[-1]["id"] != 2:
            answers.append(await near.hear())
        assert answers[-1] == {"jsonrpc": "2.0", "id": 2, "result": {}}
        await session.close()

    run(main())
    assert "failed to receive" not in caplog.text


@every_version
def test_nothing_is_logged_for_an_answered_request_where_logs_belong_to_one(version: str) -> None:
    contexts: list[Any] = []

    class Logging(Tools):
        capabilities: Any = {"logging": {}, "tools": {}}  # noqa: RUF012

        async def call_tool(self, params: Any, ctx: Any) -> Any:
            contexts.append(ctx)
            await ctx.log("error", "while it runs")
            return self.text("done")

    async def main() -> None:
        async with joined(Logging, versions=[version]) as (session, _):
            seen = session.transport.peer.sent  # type: ignore[attr-defined]
            meta = {"io.modelcontextprotocol/logLevel": "debug"} if version == MODERN else {}
            params: Any = {"name": "x", "_meta": meta}
            if version == MODERN:
                params["_meta"] |= modern("x")["params"]["_meta"]
            await session.request("tools/call", params)
            await contexts[0].log("error", "afterwards")
            await asyncio.sleep(0.01)
            logs = [m["params"]["data"] for m in seen if m.get("method") == "notifications/message"]
            later = [] if version == MODERN else ["afterwards"]
            assert logs == ["while it runs", *later]

    run(main())
