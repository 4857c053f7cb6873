"""Tells whoever runs a client what the server sends that cannot be read.

A server need not tell anybody but its client, which gets an error.
"""

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
    """Logs text of a server that stands where a message should."""

    def __init__(self) -> None:
        self._quiet_until = -inf
        self._unsaid = 0

    def note(self, text: bytes, error: JsonError, now: float) -> None:
        """Log a warning about a text, and how many were passed over since the last."""
        if now < self._quiet_until:
            self._unsaid += 1
            return
        before = f", after {self._unsaid} more" if self._unsaid else ""
        self._quiet_until, self._unsaid = now + _QUIET_SECONDS, 0
        _log.warning("%s%s", _complaint(text, error), before)


def _complaint(text: bytes, error: JsonError) -> str:
    if isinstance(text, LongLine):
        return (
            f"a message of the server was left out: it has more than {text.limit} bytes,"
            f" which is the limit (max_bytes); it begins with {_shown(text.head)}"
        )
    return (
        f"the server sent what is no message: {_shown(text)} ({error});"
        " a server must write nothing but messages to its standard output"
    )


def _shown(text: bytes) -> str:
    shown = repr(text[:_SHOWN].decode(errors="replace"))
    return shown if len(text) <= _SHOWN else f"{shown}…"
