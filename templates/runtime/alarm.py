"""Calls a function once a time has come, the earliest of those it has been set to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["Alarm"]


class Alarm:
    """Calls `on_time`, once, at a time of the event loop; after that it may be set again."""

    def __init__(self, on_time: Callable[[], None]) -> None:
        self._on_time = on_time
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def set(self, when: float | None) -> None:
        """Have it call at `when`, unless it does so before; None changes nothing."""
        if when is not None and (self._timer is None or when < self._timer.when()):
            self.stop()
            self._timer = self._loop.call_at(when, self._ring)

    def stop(self) -> None:
        """Do not call."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        self._on_time()
