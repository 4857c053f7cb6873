"""JSON text read by msgspec where it is installed, with the results of the standard library.

Whatever msgspec refuses is given to the standard library, which accepts more (lone surrogate
escapes, a byte order mark) and whose errors are the ones reported. What msgspec accepts, it
reads to the same values; at the limit of nesting it may go a level or two deeper.

Writing is left to the standard library. msgspec writes without complaint what JSON cannot
express (bytes, dates, sets, dataclasses, NaN as null) and has no switch against it; looking
for such values first takes, on small messages, most of what the standard encoder takes.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from . import _json_standard
from ._json_common import JsonText, Loads, check_size

__all__ = ["make_loads"]

_PROBE = b"[18446744073709551616,-0,1e5]"


class _Decode(Protocol):
    """`msgspec.json.Decoder().decode`."""

    def __call__(self, text: JsonText, /) -> Any: ...


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
