"""The queue between whatever brings messages and the one task that receives them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

__all__ = ["Inbox"]


class Inbox:
    """Messages that have arrived and are not taken yet, in order, and the end after them.

    Everything happens in one event loop, and one task at a time takes messages. `on_empty` is
    called whenever the last message has been taken.
    """

    def __init__(self, on_empty: Callable[[], None] | None = None) -> None:
        self._messages: deque[bytes] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._on_empty = on_empty
        self._ended = False

    @property
    def has_ended(self) -> bool:
        """Whether no more messages are added."""
        return self._ended

    def put(self, messages: Iterable[bytes]) -> None:
        """Add messages; after the end there are no more, and they are dropped."""
        if not self._ended:
            self._messages.extend(messages)
            self._wake()

    def end(self) -> None:
        """Add no more: `get` returns None once it has returned what is there."""
        self._ended = True
        self._wake()

    async def get(self) -> bytes | None:
        """Return the next message, None at the end."""
        if not await self._wait():
            return None
        message = self._messages.popleft()
        if not self._messages:
            self._emptied()
        return message

    async def get_all(self) -> list[bytes]:
        """Return all messages, once there are any; none at the end."""
        await self._wait()
        messages = list(self._messages)
        if messages:
            self._messages.clear()
            self._emptied()
        return messages

    async def _wait(self) -> bool:
        """Wait for messages; False at the end."""
        while not self._messages and not self._ended:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return bool(self._messages)

    def _emptied(self) -> None:
        if self._on_empty is not None:
            self._on_empty()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
