"""The base of every emitted class: conversion from and to JSON through the version's codec."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol, Self

from . import jsontext
from .slotted import Slotted

__all__ = ["WireObject"]


class _Codec(Protocol):
    """What a class needs of its version's codec."""

    def decode_object(self, cls: type[WireObject], value: Any) -> Any: ...

    def encode(self, value: Any) -> Any: ...


_codecs: dict[type[WireObject], _Codec] = {}


def _codec_of(cls: type[WireObject]) -> _Codec:
    """The codec of the package that the emitted class behind `cls` belongs to.

    It is imported when first needed: the classes alone are quick to import.
    """
    known = _codecs.get(cls)
    if known is not None:
        return known
    for base in cls.__mro__:
        if WireObject in base.__bases__:
            package = base.__module__.rpartition(".")[0]
            found: _Codec = import_module(f"{package}.codec").CODEC
            _codecs[cls] = found
            return found
    raise TypeError(f"{cls.__name__} is no type of the protocol")


class WireObject(Slotted):
    """A JSON object of the protocol.

    Keys the version does not know are kept in `extra` and written back. Decoding does not
    copy values whose type the schema leaves open, such as tool arguments.
    """

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the object under its wire names.

        Raises `EncodeError` where a field should hold an object or an array and does not.
        Strings, numbers and flags are written as they are: that they are of the right type
        is for a type checker to see.
        """
        cls = type(self)
        encoded: dict[str, Any] = (_codecs.get(cls) or _codec_of(cls)).encode(self)
        return encoded

    def to_json(self) -> bytes:
        """Return the object as JSON text in UTF-8. Raises `EncodeError` for what JSON lacks."""
        return jsontext.dumps(self.to_dict())

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> Self:
        """Return the object read from a JSON object under wire names.

        A subclass is built by its constructor, with the fields of the protocol. Raises
        `DecodeError` with the path of the first member that does not fit.
        """
        decoded: Self = _codec_of(cls).decode_object(cls, value)
        return decoded

    @classmethod
    def from_json(
        cls, data: bytes | bytearray | memoryview | str, *, max_bytes: int | None = None
    ) -> Self:
        """Return the object read from JSON text.

        Raises `JsonError` for text that is no JSON or longer than `max_bytes`, and
        `DecodeError` as `from_dict` does.
        """
        return cls.from_dict(jsontext.loads(data, max_bytes=max_bytes))
