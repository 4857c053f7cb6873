"""The base of both kinds of session: what is known of the two sides, and the stub of the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .connection import Connection
from .facts import Side
from .records import dataclass
from .sides import OwnSide

__all__ = ["SessionBase", "Sides"]


@dataclass(frozen=True, slots=True)
class Sides:
    """Where what is known comes from: our own side, and the connection to the other."""

    own: OwnSide
    connection: Connection


class SessionBase:
    """The base of sessions: versions, capabilities and names of both sides, and their stubs."""

    stub_suffix: ClassVar[str] = "Stub"
    _stub: Any = None

    @property
    def sides(self) -> Sides:
        """The two sides. Raises `RuntimeError` before the session has been started."""
        raise NotImplementedError

    @property
    def role(self) -> Side:
        """Which side the session is seen from."""
        return self.sides.own.role

    @property
    def version(self) -> str | None:
        """The version agreed on; None before, and on a server whose clients say it each time."""
        return self.sides.connection.version

    @property
    def capabilities(self) -> Any:
        """What the peer advertised, typed, as `ServerCapabilities` or `ClientCapabilities`.

        None while it is unknown. Raises `DecodeError` for what is no such object.
        """
        name = "ServerCapabilities" if self.role == "client" else "ClientCapabilities"
        return self._typed(name, self.sides.connection.peer_capabilities)

    @property
    def server_info(self) -> Any:
        """Who the server said it is, an `Implementation`; None on a server and while unknown."""
        return self._peer_info("client")

    @property
    def client_info(self) -> Any:
        """Who the client said it is, an `Implementation`; None on a client and while unknown."""
        return self._peer_info("server")

    @property
    def is_suspect(self) -> bool:
        """Whether the peer failed a ping, for which the session has been closed."""
        return self.sides.connection.is_suspect

    @property
    def instructions(self) -> str | None:
        """How the server wants to be used, if it said so."""
        return self.sides.connection.instructions

    @property
    def peer_capabilities(self) -> Mapping[str, Any] | None:
        """What the peer advertised, as a JSON object; None while it is unknown."""
        return self.sides.connection.peer_capabilities

    @property
    def handler(self) -> object | None:
        """The handler of this side, None without one and while the version is unknown."""
        sides = self.sides
        version = sides.connection.version
        return None if version is None else sides.own.handler(version)

    @property
    def server(self) -> Any:
        """The stub of the server. Raises `RuntimeError` on a server, and before it is ready."""
        return self._stub_of("server")

    @property
    def client(self) -> Any:
        """The stub of the client. Raises `RuntimeError` on a client, and before it is known."""
        return self._stub_of("client")

    def _stub_of(self, target: Side) -> Any:
        sides = self.sides
        version = sides.connection.version
        if sides.own.role == target:
            raise RuntimeError(f"a {target} does not call a {target}")
        if version is None:
            raise RuntimeError("no version has been agreed on yet")
        if self._stub is None:
            name = f"{target.capitalize()}{self.stub_suffix}"
            self._stub = getattr(sides.own.module(version), name)(self)
        return self._stub

    def _peer_info(self, role: Side) -> Any:
        sides = self.sides
        info = sides.connection.peer_info if sides.own.role == role else None
        return self._typed("Implementation", info)

    def _typed(self, name: str, value: dict[str, Any] | None) -> Any:
        sides = self.sides
        version = sides.connection.version
        if value is None or version is None:
            return None
        return sides.own.module(version).decode_as(name, value)
