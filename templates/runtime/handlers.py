"""Handlers: objects whose methods are what the other side can call.

A handler is any object with methods of the right names, `async def` or plain `def`. The
emitted `ServerHandler` and `ClientHandler` add types, documentation and defaults to that.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from .capabilities import capability_object, merge
from .codec import Codec
from .envelope import METHOD_NOT_FOUND
from .errors import DecodeError, RpcError
from .extensions import Extendable
from .facts import Side
from .guards import is_object
from .methods import MethodInfo
from .threads import Jobs, in_thread
from .values import UNSET

__all__ = ["BUILT_IN", "Endpoint", "HandlerBase", "as_asynchronous", "unknown_method"]

_NAMES: dict[Side, str] = {"client": "ClientCapabilities", "server": "ServerCapabilities"}
_OTHER: dict[Side, Side] = {"client": "server", "server": "client"}


class HandlerBase(Extendable):
    """What the emitted handler classes have in common.

    `info` says who this side is; `capabilities` is what it advertises, None for what follows
    from the methods that are overridden.
    """

    side: ClassVar[Side]
    defaults: ClassVar[frozenset[object]] = frozenset()

    def __init_subclass__(
        cls, *, codec: Codec | None = None, side: Side | None = None, **kwargs: Any
    ) -> None:
        """Bind an emitted class to its version; what it defines itself counts as a default."""
        super().__init_subclass__(**kwargs)
        if codec is not None and side is not None:
            cls.codec = codec
            cls.side = side
            cls.defaults = frozenset(filter(callable, vars(cls).values()))

    def __init__(
        self, info: Any, *, instructions: str | None = None, capabilities: Any = None
    ) -> None:
        self.info = info
        self.instructions = instructions
        self.capabilities = capabilities

    def built_in(self, method: str) -> Any:
        """Return the typed answer to a request that needs no method of the handler."""
        answer = Endpoint(self, self.codec, self.side).answer(method)
        return self.codec.decode_result(method, answer)


class Endpoint:
    """One side of a connection: a handler, whatever its shape, and what it can be asked."""

    def __init__(self, handler: object, codec: Codec, side: Side) -> None:
        self.handler = handler
        self.codec = codec
        self.side: Side = side
        self._defaults: frozenset[object] = frozenset()
        if isinstance(handler, HandlerBase):
            self._defaults = handler.defaults

    def receives(self, info: MethodInfo) -> bool:
        """Tell whether messages of a method go to this side."""
        return _OTHER[self.side] in info.sent_by

    def find(self, info: MethodInfo) -> Callable[[Any, Any], Any] | None:
        """Return the handler's own method for one of the protocol, None when it has none."""
        prefix = "on_" if info.kind == "notification" else ""
        found: Callable[[Any, Any], Any] | None = getattr(
            self.handler, prefix + info.python_name, None
        )
        is_default = getattr(found, "__func__", None) in self._defaults
        return found if callable(found) and not is_default else None

    @cached_property
    def info(self) -> dict[str, Any]:
        """Who this side is, as a JSON object: a handler that does not say goes by its type."""
        info = getattr(self.handler, "info", None)
        if info is None:
            return {"name": type(self.handler).__name__, "version": "0"}
        return self._encoded("Implementation", info)

    @cached_property
    def capabilities(self) -> dict[str, Any]:
        """What this side advertises, as a JSON object."""
        given = getattr(self.handler, "capabilities", None)
        if given is not None:
            return self._encoded(_NAMES[self.side], given)
        found: dict[str, Any] = {}
        for info in self.codec.methods.values():
            if info.capability and self.receives(info) and self.find(info):
                merge(found, self._capability(info.capability))
        return found

    def answer(self, method: str, versions: Sequence[str] = ()) -> dict[str, Any]:
        """Return the result of a request in `BUILT_IN`; `versions` are those the server speaks.

        Raises `RpcError` for every other method.
        """
        make = _ANSWERS.get(method)
        if make is None:
            raise unknown_method(method)
        return make(self, versions)

    def with_instructions(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a handshake, with how this side wants to be used if it says so."""
        instructions = getattr(self.handler, "instructions", None)
        return result if instructions is None else {**result, "instructions": instructions}

    def _encoded(self, name: str, value: Any) -> dict[str, Any]:
        """What a handler gives typed, or as the JSON object itself."""
        encoded: dict[str, Any] = value if is_object(value) else self.codec.encode_as(name, value)
        return encoded

    def _capability(self, path: str) -> dict[str, Any]:
        """The object that advertises a capability: some are objects, the others are flags."""
        found = capability_object(path, {})
        try:
            self.codec.decode_as(_NAMES[self.side], found)
        except DecodeError:
            return capability_object(path, True)
        return found


def _nothing(endpoint: Endpoint, versions: Sequence[str]) -> dict[str, Any]:
    return {}


def _initialized(endpoint: Endpoint, versions: Sequence[str]) -> dict[str, Any]:
    return endpoint.with_instructions(
        {
            "protocolVersion": endpoint.codec.version,
            "capabilities": endpoint.capabilities,
            "serverInfo": endpoint.info,
        }
    )


def _discovered(endpoint: Endpoint, versions: Sequence[str]) -> dict[str, Any]:
    return endpoint.with_instructions(
        {
            "resultType": "complete",
            "supportedVersions": list(versions or [endpoint.codec.version]),
            "capabilities": endpoint.capabilities,
            "ttlMs": 0,
            "cacheScope": "private",
        }
    )


_ANSWERS: Mapping[str, Callable[[Endpoint, Sequence[str]], dict[str, Any]]] = {
    "initialize": _initialized,
    "logging/setLevel": _nothing,
    "ping": _nothing,
    "server/discover": _discovered,
}
BUILT_IN = frozenset(_ANSWERS)
"""The requests that are answered without a handler's method for them."""


def as_asynchronous(fn: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Awaitable[Any]]:
    """Return a handler's method as one to await: a plain `def` runs in a thread."""
    if inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(type(fn).__call__):
        return fn

    async def call(params: Any, ctx: Any) -> Any:
        if ctx.jobs is None:
            ctx.jobs = Jobs()
        result = await in_thread(fn, params, ctx, jobs=ctx.jobs)
        return await result if inspect.isawaitable(result) else result

    return call


def unknown_method(method: str, data: Any = UNSET) -> RpcError:
    """Return the error for a method that is not served."""
    return RpcError(METHOD_NOT_FOUND, f"Method not found: {method[:80]}", data)
