"""Strings of many kilobytes, such as base64, written without escaping them by character.

Searching a string for one character runs at the speed of memory: even the thirty-odd searches
which prove that a string needs no escape take a fifth of the time that escaping it takes.
"""

from __future__ import annotations

from json.encoder import encode_basestring

__all__ = ["large_text", "large_text_was_noted", "quote"]

_LONG = 2048
"""Characters from which searching for what needs an escape is quicker than escaping."""

_BLOCK = 65_536
"""Characters searched at a time: few enough to stay in the processor's cache."""

_ESCAPED = ('"', "\\", "\n", "\r", "\t", *(chr(code) for code in range(32)))
"""What JSON strings cannot hold as it is, the most frequent first."""

_noted = False


def quote(text: str) -> str:
    """Return a string as JSON, the long ones without escaping where nothing needs it."""
    if len(text) < _LONG or not _is_plain(text):
        return encode_basestring(text)
    return f'"{text}"'


def large_text(text: str) -> str:
    """Return `text`, which may be large, and note it for `large_text_was_noted` if it is.

    Encoders call this for base64, which is at hand before the message is written but could
    not be found in it again without a search. Another thread may write another message
    between the two; a wrong guess costs time only.
    """
    if len(text) >= _LONG:
        global _noted
        _noted = True
    return text


def large_text_was_noted() -> bool:
    """Tell, once, whether the message about to be written is likely to hold a large text."""
    global _noted
    if _noted:
        _noted = False
        return True
    return False


def _is_plain(text: str) -> bool:
    """Tell whether a string is ASCII in which JSON escapes nothing."""
    if not text.isascii():
        return False
    for start in range(0, len(text), _BLOCK):
        block = text[start : start + _BLOCK]
        for char in _ESCAPED:
            if char in block:
                return False
    return True
