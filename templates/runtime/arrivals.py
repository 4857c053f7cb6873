"""The peer's requests from their arrival to their answer: order, slots, batches, cancellation."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from .envelope import Envelope
from .limits import MOST_WAITING

__all__ = ["Arrival", "Arrivals", "Batch"]

_SLOTLESS: Final = frozenset(
    {"initialize", "server/discover", "subscriptions/listen", "tasks/result"}
)
"""Requests that hold no slot: they are answered at once, or wait for something to happen."""

Place: TypeAlias = Literal["starts", "waits", "refused"]


class Batch:
    """The messages of one array, whose answers go back as one array.

    So a ping among them is answered together with the others, and not before.
    """

    def __init__(self) -> None:
        self._answers: list[bytes] = []
        self._expected = 0

    def expect(self) -> None:
        """Note that one more answer will be added, or withdrawn."""
        self._expected += 1

    def add(self, answer: bytes) -> None:
        """Add an answer that was not announced."""
        self._answers.append(answer)

    def settle(self, answer: bytes | None) -> bytes | None:
        """Take an expected answer, None for one that will not come.

        Returns the array once nothing more is expected; None before, and without answers.
        """
        self._expected -= 1
        if answer is not None:
            self._answers.append(answer)
        if self._expected or not self._answers:
            return None
        answers, self._answers = self._answers, []
        return b"[" + b",".join(answers) + b"]"


class Arrival:
    """A request of the peer: its message, the version it is of, and the batch it came in.

    `size` is what the message takes up, in bytes; `is_waiting` says that it has not started,
    for want of a slot.
    """

    __slots__ = ("batch", "envelope", "has_slot", "id", "is_waiting", "size", "version")

    def __init__(
        self,
        request_id: str | int,
        envelope: Envelope,
        version: str,
        batch: Batch | None,
        size: int,
    ) -> None:
        self.id = request_id
        self.envelope = envelope
        self.version = version
        self.batch = batch
        self.size = size
        self.has_slot = False
        self.is_waiting = False


class Arrivals:
    """The requests that have neither been answered nor cancelled, at most `slots` running.

    What waits for a slot has a bound in bytes.
    """

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._by_id: dict[str | int, Arrival] = {}
        self._waiting: OrderedDict[Arrival, None] = OrderedDict()
        self.waiting_bytes = 0
        """What those take up that have not started, for want of a slot."""

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Arrival]:
        return iter(list(self._by_id.values()))

    def get(self, request_id: str | int) -> Arrival | None:
        """Return the request with this id that has still to be answered."""
        return self._by_id.get(request_id)

    def add(self, arrival: Arrival) -> Place:
        """Add a request with an id that is free; it is not there when it is refused."""
        if arrival.envelope.method not in _SLOTLESS:
            if not self._free:
                return self._wait(arrival)
            self._free -= 1
            arrival.has_slot = True
        self._by_id[arrival.id] = arrival
        return "starts"

    def _wait(self, arrival: Arrival) -> Place:
        if self.waiting_bytes > MOST_WAITING:
            # Not left unread: answers to our own requests come the same way.
            return "refused"
        self._by_id[arrival.id] = arrival
        self._waiting[arrival] = None
        self.waiting_bytes += arrival.size
        arrival.is_waiting = True
        return "waits"

    def remove(self, arrival: Arrival) -> bool:
        """Take out a request that is answered or cancelled; tell whether it was there.

        It keeps its slot until `release`, since a handler may go on after a cancellation.
        """
        if self._by_id.get(arrival.id) is not arrival:
            return False
        del self._by_id[arrival.id]
        if arrival.is_waiting:
            del self._waiting[arrival]
            self.waiting_bytes -= arrival.size
        return True

    def release(self, arrival: Arrival) -> Arrival | None:
        """Give back the slot of a request that has stopped; return the one to start instead."""
        if not arrival.has_slot:
            return None
        arrival.has_slot = False
        if not self._waiting:
            self._free += 1
            return None
        following, _ = self._waiting.popitem(last=False)
        self.waiting_bytes -= following.size
        following.is_waiting = False
        following.has_slot = True
        return following
