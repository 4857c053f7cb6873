"""What every JSON backend shares: the shapes of `loads` and `dumps`, and the size limit."""

from __future__ import annotations

from typing import Any, Protocol

from .errors import JsonError

__all__ = ["Dumps", "JsonText", "Loads", "check_size"]

JsonText = bytes | bytearray | memoryview | str


class Loads(Protocol):
    """Read one JSON text; see `jsontext`."""

    def __call__(self, data: JsonText, *, max_bytes: int | None = None) -> Any: ...


class Dumps(Protocol):
    """Write one JSON text; see `jsontext`."""

    def __call__(self, value: Any, *, long_strings: bool = False) -> bytes: ...


def check_size(data: JsonText, max_bytes: int) -> None:
    """Raise `JsonError` if `data`, as UTF-8, is longer than `max_bytes`."""
    size = _size(data)
    if size > max_bytes:
        raise JsonError("$", f"JSON text of at most {max_bytes} bytes", f"{size} bytes")


def _size(data: JsonText) -> int:
    if isinstance(data, str):
        return len(data) if data.isascii() else len(data.encode(errors="surrogatepass"))
    try:
        return memoryview(data).nbytes
    except TypeError:
        return 0  # No text at all, which is refused when it is read.
