"""The start of sessions that goes wrong, and what begins only once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp_wire import (
    ConnectionClosed,
    Limits,
    RequestTimeout,
    Session,
)

from .peers import LATEST, MODERN, error
from .pipes import Roots, Tools, pair, run


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


@pytest.mark.parametrize("good", [(), (MODERN,)])
def test_a_factory_that_fails_is_what_the_start_raises(good: tuple[str, ...]) -> None:
    """Before the first question, and for the version of the second."""

    def build(mcp: Any) -> object:
        if mcp.PROTOCOL_VERSION not in good:
            raise AttributeError(f"not in {mcp.PROTOCOL_VERSION}")
        return Roots(mcp)

    async def main() -> None:
        near, far = pair()
        session = Session(near, build, role="client")
        opening = asyncio.ensure_future(session.start())
        if good:
            await far.say(error((await far.hear())["id"], -32601))
        with pytest.raises(AttributeError, match=f"not in {LATEST if good else MODERN}"):
            await opening
        assert near.is_closed
        await session.wait_closed()
        with pytest.raises(ConnectionClosed, match="AttributeError: not in"):
            await session.request("tools/list", None)

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


def test_nobody_waits_for_the_end_of_what_has_not_begun() -> None:
    async def main() -> None:
        session = Session(pair()[0], role="client")
        with pytest.raises(RuntimeError, match="not been started"):
            await session.wait_closed()
        await session.close()
        await session.wait_closed()

    run(main())
