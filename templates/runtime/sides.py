"""One side of a connection that may speak several versions: its handler in each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import isawaitable, iscoroutine, iscoroutinefunction
from types import ModuleType
from typing import Any, TypeAlias

from ..versions import FACTS, PACKAGE_VERSION, VERSIONS, load
from .dispatcher import DispatcherBase
from .facts import Side, VersionFacts
from .handlers import HandlerBase
from .handshake import Introduction
from .session import CallSession, NotifyingSession

__all__ = ["Build", "OwnSide"]

Build: TypeAlias = Callable[[Any], object]
"""Makes the handler for a version from the module of that version."""


class _Nobody:
    """The handler of a client that has none: it serves nothing, and goes by the package's name."""

    info = {"name": __name__.partition(".")[0], "version": PACKAGE_VERSION}  # noqa: RUF012


class OwnSide:
    """What this side says and serves, version by version, each loaded when it is needed."""

    def __init__(
        self,
        handler: object,
        role: Side,
        versions: Sequence[str] | None,
        session: CallSession,
    ) -> None:
        """Serve `handler`: a `ServerHandler` or `ClientHandler`, a function that makes one from
        a version's module, any other object with the right methods, or None for a client.

        `versions` are those to speak: all that are released unless given, but the only one of
        a handler class. `session` is what handlers call through. Raises `ValueError` for
        versions that the handler cannot speak, or a peer cannot tell apart, `LookupError` for
        one that this package does not have, and `TypeError` for a handler class, for an async
        function, and for a string in place of a list.
        """
        _require_handler(handler)
        self._session = session
        self.role: Side = role
        self._given = handler
        names = _versions(handler, role, versions)
        self.versions: tuple[VersionFacts, ...] = tuple(FACTS[name] for name in names)
        self._names = {FACTS[name].version: name for name in names}
        self._dispatchers: dict[str, DispatcherBase] = {}

    def module(self, version: str) -> ModuleType:
        """Return the module of a version."""
        return load(self._names[version])

    def dispatcher(self, version: str) -> DispatcherBase:
        """Return what serves a version; raises what making a handler for it raises."""
        found = self._dispatchers.get(version)
        return found or self._make_dispatcher(version)

    def handler(self, version: str) -> object | None:
        """Return the handler for a version, None when there is none."""
        return None if self._given is None else self.dispatcher(version).handler

    def introduction(self, version: str) -> Introduction:
        """Return what is said of this side in a version."""
        dispatcher = self.dispatcher(version)
        return Introduction(dispatcher.info, dispatcher.capabilities)

    def _make_dispatcher(self, version: str) -> DispatcherBase:
        module = self.module(version)
        handler = self._given
        if handler is None:
            handler = _Nobody()
        elif callable(handler) and not isinstance(handler, HandlerBase):
            handler = _made(handler(module), module)
        session = self._session
        if self.role == "server" and module.Dispatcher.facts.stateless:
            session = NotifyingSession(session.notify, _no_requests)
        made: DispatcherBase = module.Dispatcher(
            handler, role=self.role, session=session, versions=list(self._names)
        )
        self._dispatchers[version] = made
        return made


def _require_handler(handler: object) -> None:
    """Refuse what would be called for a handler and cannot make one."""
    if iscoroutinefunction(handler):
        name = handler.__name__
        raise TypeError(f"handler: expected a plain function, found {name}, which is async")
    if isinstance(handler, type) and issubclass(handler, HandlerBase):
        name = handler.__name__
        raise TypeError(f"handler: expected an instance of {name}, found the class itself")


def _made(handler: object, module: ModuleType) -> object:
    """What a function has made for a version, if it can be a handler."""
    if isawaitable(handler) or isinstance(handler, type) or handler is None:
        found = type(handler).__name__ if handler is not None else "None"
        if iscoroutine(handler):
            handler.close()
        raise TypeError(f"handler for {module.__name__}: expected an object, found {found}")
    return handler


def _versions(handler: object, role: Side, versions: Sequence[str] | None) -> list[str]:
    """The versions to speak, oldest first."""
    if isinstance(versions, str):
        raise TypeError(f"versions: expected a list of versions, found the string {versions!r}")
    unknown = [version for version in versions or () if version not in FACTS]
    if unknown:
        known = ", ".join(VERSIONS)
        raise LookupError(f"no protocol version {unknown[0]!r}; this package has {known}")
    if versions is not None and not versions:
        raise ValueError("versions: expected at least one, found none")
    released = [version for version in VERSIONS if FACTS[version].released] or VERSIONS
    asked = released if versions is None else versions
    if isinstance(handler, HandlerBase):
        asked = _version_of(handler, role, versions)
    elif handler is None:
        if role == "server":
            raise ValueError("handler: expected one for a server, found None")
    elif not callable(handler) and versions is None:
        raise ValueError(
            "versions: expected at least one, since the handler's class does not say which it is"
            " for; a function or class that makes the handler from a version's module needs none"
        )
    names = [version for version in VERSIONS if version in asked]
    _require_distinct(names)
    return names


def _version_of(handler: HandlerBase, role: Side, versions: Sequence[str] | None) -> list[str]:
    """The version of a handler, if no other is to be spoken."""
    if handler.side != role:
        raise ValueError(f"handler: expected one of a {role}, found one of a {handler.side}")
    own = [name for name in VERSIONS if FACTS[name].version == handler.codec.version]
    if len(own) > 1:
        # A draft may be sent by the name of a released version: then its codec tells.
        own = [name for name in own if load(name).Dispatcher.codec is handler.codec]
    if not own or not set(versions or own) <= {*own}:
        found = (own or [handler.codec.version])[0]
        raise ValueError(f"versions: expected only the handler's, which is {found}")
    return own


def _require_distinct(names: Sequence[str]) -> None:
    """Refuse versions that a peer cannot tell apart."""
    sent: dict[str, str] = {}
    for name in names:
        other = sent.setdefault(FACTS[name].version, name)
        if other != name:
            raise ValueError(f"versions: expected {other} or {name}, which are sent alike")


def _no_requests(method: str) -> ValueError:
    return ValueError(f"{method}: a server sends no requests in this version")
