"""Tells whoever runs this side what the other side sends that cannot be read."""

from __future__ import annotations

import logging
from math import inf

from .errors import JsonError
from .lines import LongLine

__all__ = ["StrayText"]

_log = logging.getLogger(__name__)

_SHOWN = 80
"""Bytes of a text that are shown."""

_QUIET_SECONDS = 60.0
"""How long nothing is said after a warning: a server that prints may print without end."""


class StrayText:
    """Logs text that stands where a message should; `is_server` is whether a server sends it."""

    def __init__(self, is_server: bool) -> None:
        self._is_server = is_server
        self._quiet_until = -inf
        self._unsaid = 0

    def note(self, text: bytes, error: JsonError, now: float) -> None:
        """Log a warning about a text, and how many were passed over since the last."""
        if now < self._quiet_until:
            self._unsaid += 1
            return
        before = f", after {self._unsaid} more" if self._unsaid else ""
        self._quiet_until, self._unsaid = now + _QUIET_SECONDS, 0
        _log.warning("%s%s", self._complaint(text, error), before)

    def _complaint(self, text: bytes, error: JsonError) -> str:
        peer = "server" if self._is_server else "client"
        if isinstance(text, LongLine):
            return (
                f"a message of the {peer} was left out: it has more than {text.limit} bytes,"
                f" which is the limit (max_bytes); it begins with {_shown(text.head)}"
            )
        found = f"the {peer} sent what is no message: {_shown(text)} ({error})"
        if self._is_server:
            found += "; a server must write nothing but messages to its standard output"
        return found


def _shown(text: bytes) -> str:
    shown = repr(text[:_SHOWN].decode(errors="replace"))
    return shown if len(text) <= _SHOWN else f"{shown}…"
