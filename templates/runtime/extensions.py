"""Methods beside those of the specification: how they are registered, read and written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Protocol, TypeAlias, TypeGuard, TypeVar, overload

from .codec import Codec
from .errors import describe
from .guards import is_object
from .records import dataclass

__all__ = [
    "Extendable",
    "Extension",
    "SupportsFromDict",
    "SupportsToDict",
    "is_mapping",
    "require_vendor_method",
    "wire_object",
]

T_co = TypeVar("T_co", covariant=True)
P = TypeVar("P")


class SupportsToDict(Protocol):
    """A value that can be written: an instance of an emitted class, or of one like it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the value as a JSON object."""
        ...


class SupportsFromDict(Protocol[T_co]):
    """A class that can be read: an emitted class, or one like it."""

    def from_dict(self, value: dict[str, Any], /) -> T_co:
        """Return the instance read from a JSON object."""
        ...


R = TypeVar("R", bound=SupportsToDict)
Writable: TypeAlias = SupportsToDict | Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Extension:
    """A vendor's method: what reads its params, what its results are, and what serves it."""

    method: str
    params: SupportsFromDict[Any] | None
    result: type[SupportsToDict] | None
    fn: Callable[[Any, Any], Any]

    def decode(self, params: dict[str, Any]) -> Any:
        """Return the params as `fn` takes them; raises whatever `from_dict` does."""
        return params if self.params is None else self.params.from_dict(params)

    def encode(self, result: Any) -> dict[str, Any]:
        """Return a result as a JSON object. Raises `TypeError` when it cannot be one."""
        if self.result is not None and not isinstance(result, self.result):
            found = type(result).__name__
            raise TypeError(f"{self.method}: expected a {self.result.__name__}, found {found}")
        return wire_object(result) or {}


class Extendable:
    """Whatever vendor methods can be added to."""

    codec: ClassVar[Codec]

    @property
    def extensions(self) -> dict[str, Extension]:
        """The vendor methods by name."""
        found: dict[str, Extension] = self.__dict__.setdefault("_extensions", {})
        return found

    @overload
    def extend(
        self,
        method: str,
        *,
        params: SupportsFromDict[P],
        result: type[R],
        fn: Callable[[P, Any], Awaitable[R] | R],
    ) -> None: ...
    @overload
    def extend(
        self,
        method: str,
        *,
        params: SupportsFromDict[P],
        result: None = None,
        fn: Callable[[P, Any], Awaitable[Writable] | Writable],
    ) -> None: ...
    @overload
    def extend(
        self,
        method: str,
        *,
        params: None = None,
        result: type[R],
        fn: Callable[[dict[str, Any], Any], Awaitable[R] | R],
    ) -> None: ...
    @overload
    def extend(
        self,
        method: str,
        *,
        params: None = None,
        result: None = None,
        fn: Callable[[dict[str, Any], Any], Awaitable[Writable] | Writable],
    ) -> None: ...
    def extend(
        self,
        method: str,
        *,
        params: SupportsFromDict[Any] | None = None,
        result: type[SupportsToDict] | None = None,
        fn: Callable[[Any, Any], Any],
    ) -> None:
        """Serve a vendor's method, such as `acme/customOp`, with `fn(params, ctx)`.

        `params` is a class with `from_dict`; without one, `fn` gets the JSON object as a
        dict. `fn` returns an instance of the class `result`; without one, something that has
        `to_dict`, a dict, or None for an empty result. Sent as a notification, the method is
        served too, and what it returns is dropped. Like other handlers, a plain `def` runs in
        a thread. Raises `ValueError` for a name that a vendor's method cannot have, and for
        a method that is served already.
        """
        require_vendor_method(method, self.codec)
        if method in self.extensions:
            raise ValueError(f"{method!r} is served already")
        self.extensions[method] = Extension(method, params, result, fn)


def require_vendor_method(method: object, codec: Codec) -> None:
    """Raise `ValueError` for a name that no vendor's method can have.

    That is one of the specification, one that begins with `rpc.`, which JSON-RPC keeps for
    itself, and whatever is no string or an empty one.
    """
    if not isinstance(method, str) or not method:
        raise ValueError(f"method: expected a string that is not empty, found {describe(method)}")
    if method.startswith("rpc."):
        raise ValueError(f"{method!r:.80} is no vendor's method: JSON-RPC keeps rpc. for itself")
    if method in codec.methods:
        raise ValueError(f"{method!r} is a method of the specification ({codec.version})")


def is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Tell whether `value` is a mapping, whose keys are taken to be strings."""
    return isinstance(value, Mapping)


def wire_object(value: Any) -> dict[str, Any] | None:
    """Return what a caller gives for a JSON object as one: None stays None.

    Raises `TypeError` for what neither is a mapping nor has a `to_dict` that returns one.
    """
    if value is None:
        return None
    if is_mapping(value):
        return dict(value)
    to_dict = getattr(value, "to_dict", None)
    written = to_dict() if callable(to_dict) else None
    if not is_object(written):
        found = type(value).__name__
        raise TypeError(f"expected a dict, None or something with to_dict, found {found}")
    return written
