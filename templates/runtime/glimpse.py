"""What can still be told of a message that cannot be read: what it is, and its id.

It is too long, or no JSON text. Of a long one the first and the last bytes are known: members
with short values stand there, before or after the long one, in the order in which the peer
writes them. Of what is no JSON text only the beginning is to be trusted: where its last bytes
belong is not known.
"""

from __future__ import annotations

import re
from typing import Any

from . import jsontext
from .errors import JsonError
from .guards import is_object
from .lines import LongLine

__all__ = ["glimpse"]

_HEAD = 256
"""Bytes of a text that are looked at."""

_STRING = rb'"(?:[^"\\]|\\.)*"'
_NAME = rb"\s*" + _STRING + rb"\s*:"
_MEMBER = _NAME + rb"\s*(?:" + _STRING + rb"|-?\d+)\s*"

_FIRST = rb"\s*\{((?:" + _MEMBER + rb",)*)(" + _NAME + rb")?"
_LAST = rb"((?:," + _MEMBER + rb")+)\}\s*\Z"


def glimpse(text: bytes) -> dict[str, Any]:
    """Return the members that are known of the object that a text, or a `LongLine`, is meant as.

    The long one, when its name is known, is an empty object; nothing is known of what is no
    JSON object.
    """
    head, tail = (text.head, text.tail) if isinstance(text, LongLine) else (text[:_HEAD], b"")
    # Compiled when they are first needed, and most processes need them never.
    first, last = re.match(_FIRST, head), re.search(_LAST, tail)
    if first is None:
        return {}
    members = [first[1].rstrip(b",")] if first[1] else []
    if first[2]:
        members.append(first[2] + b"{}")
    if last is not None:
        members.append(last[1][1:])
    try:
        found = jsontext.loads(b"{" + b",".join(members) + b"}")
    except JsonError:
        return {}
    return found if is_object(found) else {}
