"""Progress reaches its callback in order, and never without bound."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from math import inf
from typing import Any

from mcp_wire.runtime.feeds import ProgressFeed


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(10):
            await test()

    asyncio.run(limited())


def test_a_slow_callback_misses_the_oldest_reports() -> None:
    async def test() -> None:
        seen: list[Any] = []
        release = asyncio.Event()

        async def slow(*report: Any) -> None:
            seen.append(report[0])
            await release.wait()

        feed = ProgressFeed(slow)
        feed.put((0, None, None))
        await asyncio.sleep(0)
        for value in range(1, 100_001):
            feed.put((value, None, None))
        release.set()
        await feed.drain(inf)
        assert seen == [0, *range(99_901, 100_001)]

    run(test)


def test_draining_ends_in_time_and_nothing_is_called_afterwards() -> None:
    async def test() -> None:
        seen: list[Any] = []

        async def slow(*report: Any) -> None:
            seen.append(report[0])
            await asyncio.sleep(60)

        feed = ProgressFeed(slow)
        for value in range(3):
            feed.put((value, None, None))
        await feed.drain(asyncio.get_running_loop().time() + 0.05)
        await asyncio.sleep(0.05)
        assert seen == [0]
        feed.put((3, None, None))
        await asyncio.sleep(0.01)
        assert seen == [0, 3]
        feed.stop()

    run(test)


def test_a_callback_that_cancels_itself_does_not_keep_the_rest() -> None:
    async def test() -> None:
        seen: list[Any] = []

        async def odd(*report: Any) -> None:
            seen.append(report[0])
            raise asyncio.CancelledError

        feed = ProgressFeed(odd)
        for value in range(3):
            feed.put((value, None, None))
        await feed.drain(inf)
        assert seen == [0, 1, 2]

    run(test)
