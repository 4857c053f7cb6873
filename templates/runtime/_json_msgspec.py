"""JSON text by msgspec where it is installed, with the results of the standard library.

Whatever msgspec refuses is given to the standard library, which accepts more (lone surrogate
escapes, a byte order mark) and whose errors are the ones reported. What msgspec accepts, it
reads to the same values; at the limit of nesting it may go a level or two deeper.

msgspec writes without complaint what JSON cannot express (bytes, dates, sets, dataclasses,
NaN as null) and spells some floats in its own way, and has no switch for either. So it is
given only values made of the commonest types, which it writes as the standard library does;
looking through a message first costs a third of what the standard encoder does.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from . import _json_standard
from ._json_common import Dumps, JsonText, Loads, check_size

__all__ = ["make_dumps", "make_loads"]

_PROBE = b"[18446744073709551616,-0,1e5]"
_WRITTEN_PROBE = [0.0001, -0.0, 9007199254740994.0, "\x1f\x7f\u2028/", -1]


class _Decode(Protocol):
    """`msgspec.json.Decoder().decode`."""

    def __call__(self, text: JsonText, /) -> Any: ...


class _Encode(Protocol):
    """`msgspec.json.Encoder().encode`."""

    def __call__(self, value: object, /) -> bytes: ...


def make_loads() -> Loads:
    """Return a `loads` that uses msgspec.

    Raises ImportError when msgspec is missing, or reads numbers unlike Python's json, as old
    releases do with integers of more than 64 bits.
    """
    decode: _Decode = import_module("msgspec.json").Decoder().decode
    if repr(decode(_PROBE)) != repr(_json_standard.loads(_PROBE)):
        raise ImportError("this release of msgspec loses the digits of large integers")

    def loads(data: JsonText, *, max_bytes: int | None = None) -> Any:
        if max_bytes is not None:
            check_size(data, max_bytes)
        try:
            return decode(data)
        except Exception:
            pass  # Outside this block, so that the error raised does not drag this one along.
        return _json_standard.loads(data)

    loads.__doc__ = _json_standard.loads.__doc__
    return loads


def make_dumps() -> Dumps:
    """Return a `dumps` that uses msgspec.

    Raises ImportError when msgspec is missing, or writes common values unlike Python's json.
    """
    encode: _Encode = import_module("msgspec.json").Encoder().encode
    if encode(_WRITTEN_PROBE) != _json_standard.dumps(_WRITTEN_PROBE):
        raise ImportError("this release of msgspec spells JSON in another way")

    def dumps(value: Any, *, long_strings: bool = False) -> bytes:
        try:
            _refuse_uncommon(value)
            return encode(value)
        except Exception:
            pass  # Also for large integers, lone surrogates and cycles.
        return _json_standard.dumps(value, long_strings=long_strings)

    dumps.__doc__ = _json_standard.dumps.__doc__
    return dumps


def _refuse_uncommon(value: object) -> None:
    """Raise TypeError unless a value is made of what both libraries write alike.

    That is dicts by strings, lists, strings, ints, bools, None, and floats of middling size.
    """
    item: object
    kind = type(value)
    of_kind: Any = value
    if kind is dict:
        for key, item in of_kind.items():
            if type(key) is not str:
                raise TypeError
            inner = type(item)
            if inner is not str and inner is not int and inner is not bool:
                _refuse_uncommon(item)
    elif kind is list:
        for item in of_kind:
            if type(item) is not str:
                _refuse_uncommon(item)
    elif kind is float:
        # Outside these bounds the standard library writes an exponent, and "e+16" or "e-07".
        if not (1e-4 <= abs(of_kind) < 1e16 or of_kind == 0.0):
            raise TypeError
    elif value is not None and kind is not str and kind is not int and kind is not bool:
        raise TypeError
