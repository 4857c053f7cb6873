"""Gives progress to a callback, in order, outside the task that reads messages."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import deque
from math import inf

from .exits import EXITS, note_exit
from .progress import Report
from .session import ProgressCallback

__all__ = ["ProgressFeed", "give_report"]

_log = logging.getLogger(__name__)

_MOST = 100
"""Reports that may wait for the callback; when there are more, the oldest is left out."""


class ProgressFeed:
    """Calls one callback with each report, after the last call is done; its errors are logged.

    `begin` and `latest` are when it was made and when the last report came, in the time of
    the event loop.
    """

    def __init__(self, callback: ProgressCallback) -> None:
        self._loop = asyncio.get_running_loop()
        self._callback = callback
        self._reports: deque[Report] = deque(maxlen=_MOST)
        self._task: asyncio.Task[None] | None = None
        self.begin = self.latest = self._loop.time()

    def put(self, report: Report) -> None:
        """Add a report."""
        self.latest = self._loop.time()
        self._reports.append(report)
        self._go_on()

    async def drain(self, until: float) -> None:
        """Wait until the callback has had everything; at the time `until`, stop instead."""
        while self._task is not None:
            seconds = until - self._loop.time()
            if seconds <= 0:
                self.stop()
                return
            await asyncio.wait([self._task], timeout=None if seconds == inf else seconds)

    def stop(self) -> None:
        """Drop what the callback has not had yet, and interrupt it where it waits."""
        self._reports.clear()
        if self._task is not None:
            self._task.cancel()

    def _go_on(self) -> None:
        if self._reports and self._task is None:
            self._task = self._loop.create_task(self._run())
            self._task.add_done_callback(self._on_done)

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._task = None
        self._go_on()

    async def _run(self) -> None:
        while self._reports:
            try:
                await give_report(self._callback, self._reports.popleft())
            except EXITS:
                note_exit()
                raise


async def give_report(callback: ProgressCallback, report: Report) -> None:
    """Call a callback with a report, and wait for it; an error of its own is logged."""
    try:
        waiting = callback(*report)
        if inspect.isawaitable(waiting):
            await waiting
    except Exception:
        _log.exception("a callback for progress failed")
