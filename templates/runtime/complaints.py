"""Warnings about a peer: each kind once in a while, for a peer may do it without end."""

from __future__ import annotations

import logging
from math import inf

__all__ = ["Complaints"]

_log = logging.getLogger(__name__)

_QUIET_SECONDS = 60.0
"""How long nothing more is said of a kind after a warning."""


class Complaints:
    """Logs warnings, and with each how many of its kind were passed over since the last."""

    def __init__(self) -> None:
        self._quiet_until: dict[str, float] = {}
        self._unsaid: dict[str, int] = {}

    def warn(self, now: float, message: str, *args: object) -> None:
        """Log a warning; for debugging only where one with this `message` has just been.

        `now` is in seconds, from the same origin each time.
        """
        if now < self._quiet_until.get(message, -inf):
            self._unsaid[message] = self._unsaid.get(message, 0) + 1
            _log.debug(message, *args)
            return
        self._quiet_until[message] = now + _QUIET_SECONDS
        unsaid = self._unsaid.pop(message, 0)
        if unsaid:
            _log.warning(f"{message}, after %d more", *args, unsaid)
        else:
            _log.warning(message, *args)
