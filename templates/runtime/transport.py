"""What carries messages: the small protocol between a session and pipes, sockets or memory.

A message is the JSON text of one frame, without the newline that ends it on a byte stream.
A session calls what sends from one task only, in the order in which the messages were made,
and what receives from another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

__all__ = ["BatchTransport", "ExplainedTransport", "Transport", "end_reason"]


class Transport(Protocol):
    """A connection to the other side, as sessions use it."""

    async def receive(self) -> bytes | None:
        """Return the next message, None at the end.

        Raises nothing for a peer that went away: that is the end.
        """
        ...

    async def send(self, message: bytes) -> None:
        """Send one message; waits while the other side takes no more.

        Raises `ConnectionClosed` when it cannot be sent.
        """
        ...

    async def close(self) -> None:
        """Send what is still to be sent, and close. May be called more than once."""
        ...


@runtime_checkable
class BatchTransport(Transport, Protocol):
    """A transport that moves several messages at once, as streams do.

    A session gives it, each time, all that has come together in one turn of the event loop.
    """

    async def receive_all(self) -> Sequence[bytes]:
        """Return the messages that have arrived, once there are any; none at the end."""
        ...

    async def send_all(self, messages: Sequence[bytes]) -> None:
        """Send messages in order, as `send` does."""
        ...


@runtime_checkable
class ExplainedTransport(Transport, Protocol):
    """A transport that knows why it has come to its end."""

    @property
    def end_reason(self) -> str:
        """Why nothing more is received or can be sent, for people."""
        ...


def end_reason(transport: Transport) -> str:
    """Return why a transport that the other side has ended is at its end, for people."""
    if isinstance(transport, ExplainedTransport):
        return transport.end_reason
    return "the peer closed the connection"
