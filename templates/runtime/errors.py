"""Every exception the package raises, all under `McpError`, and how they describe values.

The constructor arguments of each class are its `args`, so that pickles and copies keep
every attribute.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Self

from .guards import is_array, is_object
from .values import UNSET

__all__ = [
    "CapabilityError",
    "ConnectionClosed",
    "DecodeError",
    "EncodeError",
    "JsonError",
    "McpError",
    "Mismatch",
    "PingFailed",
    "ProtocolError",
    "RequestTimeout",
    "RpcError",
    "describe",
    "format_path",
    "one",
]

_MAX_TEXT = 40
"""Characters of a peer's string that a message quotes: it may hold megabytes."""

_MAX_KEY = 80
"""Characters of one object key that a path shows."""

_MAX_BITS = 256
"""Integers of more bits are described by their size: writing them out may be refused."""


class McpError(Exception):
    """Base of every error that callers of this package are meant to catch."""


class _LocatedError(McpError, ValueError):
    """A value that is not what it should be, and where it stands."""

    def __init__(self, path: str, expected: str, found: str) -> None:
        super().__init__(path, expected, found)
        self.path = path
        self.expected = expected
        self.found = found

    @classmethod
    def at(cls, parts: Iterable[str | int], expected: str, value: object) -> Self:
        """Return the error for `value`, found under `parts`: keys and indices from the root."""
        return cls(format_path(parts), expected, describe(value))

    def __str__(self) -> str:
        return f"{self.path}: expected {self.expected}, found {self.found}"


class DecodeError(_LocatedError):
    """What was received is not the JSON, or not the type, that was asked for.

    `path` says where, as in `$.params.content[2].text`; `expected` and `found` are short
    descriptions for people.
    """


class JsonError(DecodeError):
    """The bytes or text received are not acceptable JSON text at all; `path` is `$`."""


class EncodeError(_LocatedError):
    """A value that JSON cannot express: not a number, an object of some other class, a cycle.

    `path`, `expected` and `found` are those of `DecodeError`.
    """


class RpcError(McpError):
    """A JSON-RPC error: raised by a handler to be sent, by a stub when it was received.

    `data` is `UNSET` when the error has none, which differs from a null.
    """

    def __init__(self, code: int, message: str, data: Any = UNSET) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return f"{self.message} (code {self.code})"


class RequestTimeout(McpError):
    """The peer did not answer the request for `method` within `seconds`."""

    def __init__(self, method: str, seconds: float) -> None:
        super().__init__(method, seconds)
        self.method = method
        self.seconds = seconds

    def __str__(self) -> str:
        return f"{self.method}: no answer within {self.seconds:g} s"


class PingFailed(McpError):
    """The peer did not answer a ping as it must, for this `reason`; the connection is closed."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"ping failed: {self.reason}"


class ConnectionClosed(McpError):
    """The connection ended, for this `reason`, before the call was made or answered."""

    def __init__(self, reason: str = "the connection is closed") -> None:
        super().__init__(reason)
        self.reason = reason


class ProtocolError(McpError):
    """The peer broke a rule of the protocol that no type expresses.

    A list of pages that never ends is one, a request for input without end another.
    """


class CapabilityError(McpError):
    """The call was not sent: `method` needs a `capability` that the peer did not advertise."""

    def __init__(self, method: str, capability: str) -> None:
        super().__init__(method, capability)
        self.method = method
        self.capability = capability

    def __str__(self) -> str:
        return f"{self.method}: the peer did not advertise the capability {self.capability!r}"


class Mismatch(Exception):
    """The fast decoder's signal that a value does not fit; it never leaves the package.

    Raised without arguments, since it is often raised just to try the next member of a
    union; whoever gives up walks the value again and raises a `DecodeError` with the path.
    Raise a new one each time: a shared instance would collect tracebacks.
    """


def format_path(parts: Iterable[str | int]) -> str:
    """Return the path of `parts`, keys and indices from the root, as in `$.tools[2]["a b"]`."""
    return "$" + "".join(map(_format_part, parts))


def _format_part(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    if len(part) > _MAX_KEY:
        return f"[{json.dumps(part[:_MAX_KEY])}…]"
    if part.isidentifier():
        return f".{part}"
    return f"[{json.dumps(part)}]"


def one(name: str) -> str:
    """Return the name of a type with its article, as in `a Tool`, `an Icon`."""
    return f"an {name}" if name[:1] in "AEIOUaeiou" else f"a {name}"


def describe(value: object) -> str:
    """Return what `value` is in the terms of JSON, on one line and short whatever its size."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _describe_string(value)
    if isinstance(value, int):
        return _describe_integer(value)
    if isinstance(value, float):
        return f"number {float(value)!r}"
    if is_object(value):
        return f"object with {_count(len(value), 'key')}"
    if is_array(value):
        return f"array of {_count(len(value), 'item')}"
    if value is UNSET:
        return "nothing"
    return f"an instance of {type(value).__module__}.{type(value).__qualname__}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _describe_string(value: str) -> str:
    quoted = repr(value[:_MAX_TEXT])
    if len(value) <= _MAX_TEXT:
        return f"string {quoted}"
    return f"string of {len(value)} characters {quoted}…"


def _describe_integer(value: int) -> str:
    if value.bit_length() > _MAX_BITS:
        return f"integer of {value.bit_length()} bits"
    return f"integer {int(value)}"
