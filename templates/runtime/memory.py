"""Two transports in one process that are connected to each other, for tests above all."""

from __future__ import annotations

from collections.abc import Sequence

from .errors import ConnectionClosed
from .inbox import Inbox

__all__ = ["MemoryTransport", "memory_pair"]


class MemoryTransport:
    """One end of a pair: what it sends arrives at the other, in order and at once."""

    def __init__(self, incoming: Inbox, outgoing: Inbox) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    async def receive(self) -> bytes | None:
        """Return the next message; None once either end is closed and all have been received."""
        return await self._incoming.get()

    async def receive_all(self) -> list[bytes]:
        """Return the messages that have arrived, once there are any; none at the end."""
        return await self._incoming.get_all()

    async def send(self, message: bytes) -> None:
        """Send one message; never waits. Raises `ConnectionClosed` once either end is closed."""
        await self.send_all((message,))

    async def send_all(self, messages: Sequence[bytes]) -> None:
        """Send messages in order, as `send` does."""
        if self._outgoing.has_ended:
            raise ConnectionClosed
        self._outgoing.put(messages)

    async def close(self) -> None:
        """Close both ends."""
        self._incoming.end()
        self._outgoing.end()


def memory_pair() -> tuple[MemoryTransport, MemoryTransport]:
    """Return the two ends of a connection."""
    one, other = Inbox(), Inbox()
    return MemoryTransport(one, other), MemoryTransport(other, one)
