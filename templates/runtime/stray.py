"""Tells whoever runs a client what the server sends that cannot be read.

A server need not tell anybody but its client, which gets an error.
"""

from __future__ import annotations

from .complaints import Complaints
from .errors import JsonError
from .lines import LongLine

__all__ = ["complain_of_text", "shown"]

_SHOWN = 80
"""Bytes of a text that are shown."""


def complain_of_text(complaints: Complaints, text: bytes, error: JsonError, now: float) -> None:
    """Warn of text of a server that stands where a message should."""
    if isinstance(text, LongLine):
        complaints.warn(
            now,
            "a message of the server was left out: it has more than %d bytes,"
            " which is the limit (max_bytes); it begins with %s",
            text.limit,
            shown(text.head),
        )
    else:
        complaints.warn(
            now,
            "the server sent what is no message: %s (%s);"
            " a server must write nothing but messages to its standard output",
            shown(text),
            error,
        )


def shown(text: bytes) -> str:
    """Return the beginning of a text, for people."""
    beginning = repr(text[:_SHOWN].decode(errors="replace"))
    return beginning if len(text) <= _SHOWN else f"{beginning}…"
