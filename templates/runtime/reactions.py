"""What a session does about events: one at a time, in their order, never one inside another."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .events import Event

__all__ = ["Reactions"]

_log = logging.getLogger(__name__)

_MOST_AT_ONCE = 100
"""Events that are dealt with before everything else in the event loop has its turn."""


class Reactions:
    """Calls the reaction to each event, as `table` has them by the event's class.

    Events that come of a reaction wait until it has returned: a request that is answered at
    once makes room for the next, which may be answered at once as well, and so on. What a
    reaction raises is logged, and the next event is dealt with.
    """

    def __init__(self, table: Mapping[type, Callable[[Any], None]]) -> None:
        self._table = table
        self._loop = asyncio.get_running_loop()
        self._is_reacting = False
        self._later: asyncio.Handle | None = None
        self.waiting: deque[Event] = deque()
        """Events that are dealt with in the next turn of the event loop."""

    def react(self, events: Sequence[Event]) -> None:
        """Deal with events, after those that wait already."""
        waiting = self.waiting
        waiting.extend(events)
        if self._is_reacting:
            return
        self._is_reacting = True
        left = _MOST_AT_ONCE
        try:
            while waiting and left:
                left -= 1
                event = waiting.popleft()
                reaction = self._table.get(type(event))
                try:
                    if reaction is not None:
                        reaction(event)
                except Exception:
                    _log.exception("an event was not dealt with: %s", type(event).__name__)
        finally:
            self._is_reacting = False
            if waiting and self._later is None:
                self._later = self._loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        self._later = None
        self.react(())
