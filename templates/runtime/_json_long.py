"""Strings of many kilobytes, such as base64: read and written without a look at each character.

Searching a text for one character runs at the speed of memory, so that even the thirty-odd
searches which prove that a string needs no escape take a fraction of the time that the JSON
scanner and encoder of the standard library take for it.
"""

from __future__ import annotations

from json.encoder import encode_basestring

__all__ = ["LONG_TEXT", "STAND_IN", "large_text", "large_text_is_near", "quote", "set_aside"]

LONG_TEXT = 16_384
"""Characters of JSON text from which looking for one long string in it is worth while."""

STAND_IN = "NaN"
"""What stands for a string that was set aside: the decoder has a hook for it, JSON has no use."""

_LONG = 2048
"""Characters from which searching for what needs an escape is quicker than escaping."""

_WINDOW = 512
"""Characters in the middle of a text that are seen to belong to a string or not."""

_BLOCK = 65_536
"""Characters searched at a time: few enough to stay in the processor's cache."""

_ESCAPED = ('"', "\\", "\n", "\r", "\t", *(chr(code) for code in range(32)))
"""What JSON strings cannot hold as it is, the most frequent first."""

_MESSAGES = 8
"""How many messages to come are expected to hold a large text that was announced."""

_expected = 0


def quote(text: str) -> str:
    """Return a string as JSON, the long ones without escaping where nothing needs it."""
    if len(text) < _LONG or not _is_plain(text):
        return encode_basestring(text)
    return f'"{text}"'


def large_text(text: str) -> str:
    """Return `text`, which may be large, and note it for `large_text_is_near` if it is.

    Encoders call this for base64, which is known to be there before the message is written
    but cannot be found again in it without a search. Between the two another thread or task
    may write another message; a wrong guess costs time only.
    """
    if len(text) >= _LONG:
        global _expected
        _expected = _MESSAGES
    return text


def large_text_is_near() -> bool:
    """Tell whether the message about to be written is likely to hold a large text."""
    global _expected
    if _expected > 0:
        _expected -= 1
        return True
    return False


def set_aside(text: str) -> tuple[str, str] | None:
    """Return a JSON text with the string in its middle replaced by `STAND_IN`, and that string.

    None where the middle is no long string without escapes, or the stand-in is in the text
    already. Whoever decodes the rest has to make sure that the stand-in was taken as a value:
    if it was, decoding the whole text would have found that string there.
    """
    middle = len(text) // 2
    if text.find('"', middle, middle + _WINDOW) >= 0:
        return None
    start, end = text.rfind('"', 0, middle), text.find('"', middle)
    if start < 0 or end < 0:
        return None
    content = text[start + 1 : end]
    rest = f"{text[:start]}{STAND_IN}{text[end + 1 :]}"
    if rest.count(STAND_IN) != 1 or not _is_plain(content):
        return None
    return rest, content


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
