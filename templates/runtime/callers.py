"""Whoever waits for one of our requests, and for its progress."""

from __future__ import annotations

import asyncio
from math import inf
from typing import Any

from .errors import McpError
from .events import Answered, Failed, Progressed
from .feeds import ProgressFeed
from .limits import Limits
from .session import ProgressCallback

__all__ = ["Caller"]


class Caller:
    """Waits for the answer to one request; `on_progress` is given its progress."""

    __slots__ = ("_answer", "_feed")

    def __init__(self, on_progress: ProgressCallback | None) -> None:
        self._answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._feed = None if on_progress is None else ProgressFeed(on_progress)

    async def result(
        self, limits: Limits, timeout: float | None, total_timeout: float | None
    ) -> dict[str, Any]:
        """Return the result, once the callback has had the progress, or its time is over.

        Raises the error when there is none; the callback is not called any more then.
        """
        try:
            result = await self._answer
            if self._feed is not None:
                await self._feed.drain(_last_moment(self._feed, limits, timeout, total_timeout))
        except BaseException:
            if self._feed is not None:
                self._feed.stop()
            raise
        finally:
            if self._answer.done() and not self._answer.cancelled():
                self._answer.exception()  # It may have come when nobody waited any more.
        return result

    @staticmethod
    def answered(event: Answered) -> None:
        """Take the result."""
        caller: Caller = event.owner
        if not caller._answer.done():
            caller._answer.set_result(event.result)

    @staticmethod
    def failed(event: Failed) -> None:
        """Take the error."""
        caller: Caller = event.owner
        error: McpError = event.error
        if not caller._answer.done():
            caller._answer.set_exception(error)

    @staticmethod
    def progressed(event: Progressed) -> None:
        """Give progress to the callback."""
        caller: Caller = event.owner
        if caller._feed is not None:
            caller._feed.put((event.progress, event.total, event.message))


def _last_moment(
    feed: ProgressFeed, limits: Limits, timeout: float | None, total_timeout: float | None
) -> float:
    """When the time of a request is over, in the time of the event loop."""
    since = feed.latest if limits.progress_restarts else feed.begin
    ends = [since + timeout] if timeout is not None else []
    ends += [feed.begin + total_timeout] if total_timeout is not None else []
    return min(ends, default=inf)
