"""JSON text by the standard library; what it accepts and writes is the reference.

The wrappers `json.loads` and `json.dumps` cost more than the work itself on small messages,
so a decoder and an encoder are made once and called directly.
"""

from __future__ import annotations

import json
import json.encoder
import re
import sys
from collections.abc import Callable, Iterable
from json import JSONDecodeError, JSONDecoder, JSONEncoder
from math import isfinite
from typing import Any, Final, NoReturn

from ._json_common import JsonText, check_size
from ._json_long import large_text_was_noted, quote
from ._json_problem import unencodable
from .errors import JsonError, describe

__all__ = ["dumps", "loads"]

_BOM = "\ufeff"
_SPACE = " \t\n\r"
_SNIPPET = 20
_Encode = Callable[[Any, int], Iterable[str]]
_Scan = Callable[[str, int], tuple[Any, int]]
_skip_space = re.compile(f"[{_SPACE}]*").match


def loads(data: JsonText, *, max_bytes: int | None = None) -> Any:
    """Return the value of the JSON text `data`.

    Raises `JsonError` if it is not JSON in UTF-8, if it is longer than `max_bytes` bytes, and
    if it is neither text nor bytes; nothing else, whatever is given.
    """
    if max_bytes is not None:
        check_size(data, max_bytes)
    try:
        text = data.decode() if type(data) is bytes else _unchecked_text(data)
        value, end = _scan(text, 0)
        if end == len(text) or not text[end:].strip(_SPACE):
            return value
    except (StopIteration, ValueError, RecursionError, TypeError):
        pass  # The careful way finds out what is wrong, if anything is.
    return _loads_carefully(_text(data))


def _unchecked_text(data: JsonText) -> str:
    return data if isinstance(data, str) else str(data, "utf-8")


def _text(data: JsonText) -> str:
    if isinstance(data, str):
        return data
    try:
        # A memoryview may have gaps, which nothing but its own method copes with.
        return str(data.tobytes() if isinstance(data, memoryview) else data, "utf-8")
    except TypeError:
        expected, found = "JSON text", describe(data)
    except UnicodeDecodeError as error:
        expected = "JSON text in UTF-8"
        found = f"byte 0x{error.object[error.start]:02x} at offset {error.start}"
    raise JsonError("$", expected, found)


def _loads_carefully(text: str) -> Any:
    """Decode what may start with a byte order mark or white space, or say what is wrong."""
    try:
        value, end = _raw_decode(text, _start(text))
        rest = text[end:].lstrip(_SPACE)
        if not rest:
            return value
        found = f"{_snippet(rest)} after its end, at character {len(text) - len(rest)}"
    except RecursionError:
        found = "arrays or objects nested too deeply"
    except JSONDecodeError as error:
        found = _describe_syntax(error)
    except JsonError as error:
        found = error.found
    except ValueError:
        found = f"an integer of more than {sys.get_int_max_str_digits()} digits"
    raise JsonError("$", "JSON text", found)


def _start(text: str) -> int:
    """Return where the value starts: after one byte order mark and white space."""
    space = _skip_space(text, 1 if text.startswith(_BOM) else 0)
    return space.end() if space else 0


def _describe_syntax(error: JSONDecodeError) -> str:
    rest = error.doc[error.pos : error.pos + _SNIPPET + 1]
    what = _snippet(rest) if rest else "the end of the text"
    reason = error.msg.removesuffix(" at").removesuffix(" starting")
    return f"{what} at line {error.lineno}, column {error.colno} ({reason})"


def _snippet(text: str) -> str:
    quoted = repr(text[:_SNIPPET])
    return f"{quoted}…" if len(text) > _SNIPPET else quoted


def _finite(text: str) -> float:
    """Return the float that `text` spells; called for numbers with a fraction or exponent."""
    value = float(text)
    if isfinite(value):
        return value
    return _refuse_number(text)


def _refuse_number(text: str) -> NoReturn:
    raise JsonError("$", "JSON text", f"{_snippet(text)}, which is no finite number")


_decoder: Final = JSONDecoder(parse_float=_finite, parse_constant=_refuse_number)
_raw_decode: Final = _decoder.raw_decode
# What `raw_decode` calls, without its frame: a tenth of the time a small message takes.
_scan: Final[_Scan] = vars(_decoder)["scan_once"]


def dumps(value: Any, *, long_strings: bool = False) -> bytes:
    """Return `value` as compact JSON text in UTF-8.

    `value` is made of dicts, lists, tuples, strings, numbers, bools and None, and of
    subclasses of these. `long_strings` is a hint that changes the speed only: True makes
    strings of many kilobytes in base64 several times as fast, and short ones slower. It is
    also taken from `large_text`, which the emitted encoders call.

    Raises `EncodeError`, which says where, for anything else and for NaN, infinities, cycles,
    integers over Python's limit of digits, and nesting beyond the recursion limit.
    """
    try:
        encode = _encode_long if long_strings or large_text_was_noted() else _encode
        text = "".join(encode(value, 0))
    except (TypeError, ValueError, RecursionError):
        pass  # Outside this block, so that the error raised does not drag this one along.
    else:
        return _utf8(text)
    raise unencodable(value)


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Only lone surrogates fail, and they can only be inside strings, where an escape
        # means the same.
        return text.encode(errors="backslashreplace")


def _make_encode(quote: Callable[[str], str]) -> _Encode:
    """Return an encoder to chunks of text; its second argument is the indentation level, 0.

    `JSONEncoder.encode` makes one of these on each call, which takes half as long as
    writing a small message does. Cycles are not looked for: they end in a `RecursionError`.
    """
    encoder = JSONEncoder(
        ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
    )
    accelerated: Callable[..., _Encode] | None = getattr(json.encoder, "c_make_encoder", None)
    if accelerated is None:
        return lambda value, _level: encoder.iterencode(value)
    return accelerated(None, encoder.default, quote, None, ":", ",", False, False, False)


_encode: Final = _make_encode(json.encoder.encode_basestring)
_encode_long: Final = _make_encode(quote)
