"""JSON text to Python values and back: `loads` and `dumps`.

The standard library does the work; with msgspec installed, that does it, and gives the same
values, the same text and the same errors. `backend()` tells which is in use. The environment
variable `MCP_WIRE_JSON`, read when this module is imported, forces one: `json` or `msgspec`.

Reading is strict JSON (RFC 8259) in UTF-8, but for one leading byte order mark, which is
skipped. NaN, infinities and numbers beyond the range of a double are refused. Integers keep
all their digits. Of equal keys the last one wins. An escaped lone surrogate becomes a lone
surrogate. How deep a text may nest is up to the interpreter's recursion limit.

Writing is compact UTF-8 that escapes nothing without need; a lone surrogate becomes an
escape again. What JSON cannot express is refused. Keys that are numbers, bools or None become
strings, as in Python's json: refusing them would cost a walk over every message.
"""

from __future__ import annotations

import os
from typing import Literal

from . import _json_msgspec, _json_standard
from ._json_common import Dumps, JsonText, Loads
from .errors import JsonError

__all__ = ["Backend", "Dumps", "JsonError", "JsonText", "Loads", "backend", "dumps", "loads"]

Backend = Literal["msgspec", "json"]

_VARIABLE = "MCP_WIRE_JSON"


def backend() -> Backend:
    """Return which library `loads` and `dumps` use: `"msgspec"` or, the standard one, `"json"`."""
    return _backend


def _choose() -> tuple[Backend, Loads, Dumps]:
    wanted = os.environ.get(_VARIABLE, "")
    if wanted not in ("", "json", "msgspec"):
        raise ValueError(
            f"environment variable {_VARIABLE}: expected json or msgspec, found {wanted!r}"
        )
    if wanted != "json":
        try:
            return "msgspec", _json_msgspec.make_loads(), _json_msgspec.make_dumps()
        except ImportError as error:
            if wanted == "msgspec":
                raise ImportError(
                    f"environment variable {_VARIABLE} asks for msgspec: {error}"
                ) from error
    return "json", _json_standard.loads, _json_standard.dumps


_chosen = _choose()
_backend: Backend = _chosen[0]
loads: Loads = _chosen[1]
dumps: Dumps = _chosen[2]
