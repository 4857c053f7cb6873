"""Gives progress to a callback, in order, outside the task that reads messages."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import deque

from .progress import Report
from .session import ProgressCallback

__all__ = ["ProgressFeed"]

_log = logging.getLogger(__name__)


class ProgressFeed:
    """Calls one callback with each report, after the last call is done; its errors are logged."""

    def __init__(self, callback: ProgressCallback) -> None:
        self._callback = callback
        self._reports: deque[Report] = deque()
        self._task: asyncio.Task[None] | None = None

    def put(self, report: Report) -> None:
        """Add a report."""
        self._reports.append(report)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def drain(self) -> None:
        """Wait until the callback has had everything."""
        if self._task is not None:
            await asyncio.wait([self._task])

    def stop(self) -> None:
        """Drop what the callback has not had yet."""
        self._reports.clear()

    async def _run(self) -> None:
        while self._reports:
            try:
                waiting = self._callback(*self._reports.popleft())
                if inspect.isawaitable(waiting):
                    await waiting
            except Exception:
                _log.exception("a callback for progress failed")
        self._task = None
