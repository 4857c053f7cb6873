"""Judges the messages of a session in order, and results by the requests they answer.

An entry is a message, or `{"from": "client" | "server", "message": …}` with any other
members beside, such as a time; an array of such entries is a session too. A response answers
an open request with the same id, equal in type and value, which is then closed. Where both
sides are known, a side answers only what the other asked. Where several requests are left,
the response answers the first whose method allows its result, else the first of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

from ..jsonvalues import is_array, is_object
from .judge import Envelope, Judge, Refusal


@dataclass(frozen=True, slots=True)
class Remark:
    """What was not judged in a valid message, and why."""

    text: str


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    sender: str | None


Verdict: TypeAlias = Refusal | Remark | None
"""What is said of one message; None is the best."""


class Session:
    """Judges what is given to it, one document after the other."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._open: dict[str | int, list[_Request]] = {}

    def read(self, value: Any) -> Iterator[Verdict]:
        """The verdict on each message of a document, most of which are one message."""
        if _is_entry(value):
            yield from self._entry(value, "$")
        elif _are_entries(value):
            for index, entry in enumerate(value):
                yield from self._entry(entry, f"$[{index}]")
        else:
            yield from self._messages(value, None, "$")

    def _entry(self, entry: dict[str, Any], path: str) -> Iterator[Verdict]:
        sender = entry["from"]
        if sender in ("client", "server"):
            yield from self._messages(entry["message"], sender, f"{path}.message")
        else:
            yield self._judge.refuse(["from"], 'one of "client", "server"', sender).moved(path)

    def _messages(self, value: Any, sender: str | None, path: str) -> Iterator[Verdict]:
        if not (self._judge.protocol.batches and is_array(value) and value):
            yield self._verdict(value, self._judge.message(value), sender, path)
            return
        for index, item in enumerate(value):
            # In a batch of its own, since a batch may not hold another.
            refusal = self._judge.message([item])
            place = f"{path}[{index}]"
            yield self._verdict(item, refusal and refusal.moved("$", "$[0]"), sender, place)

    def _verdict(
        self, value: Any, refusal: Refusal | None, sender: str | None, path: str
    ) -> Verdict:
        envelope = self._judge.envelope(value)
        if envelope is not None:
            self._open_request(envelope, sender)
        if refusal is not None:
            return refusal.moved(path)
        if envelope is None:
            return None
        if envelope.method is not None:
            return self._remark_on_call(envelope)
        return self._response(envelope, sender, path)

    def _open_request(self, envelope: Envelope, sender: str | None) -> None:
        """Opens a request, one that is not valid too: its result can still be judged."""
        if envelope.kind == "request" and envelope.id is not None:
            request = _Request(str(envelope.method), sender)
            self._open.setdefault(envelope.id, []).append(request)

    def _remark_on_call(self, envelope: Envelope) -> Verdict:
        if self._judge.knows(envelope.kind, str(envelope.method)):
            return None
        what = f"the version has no {envelope.kind} {envelope.method!r}"
        return Remark(f"{what}, so its params were not judged")

    def _response(self, envelope: Envelope, sender: str | None, path: str) -> Verdict:
        if envelope.id is None:
            return None
        waiting = self._open.get(envelope.id, [])
        asked = [item for item in waiting if sender is None or item.sender != sender]
        if not asked:
            what = f"the response {envelope.id!r} answers no request before it"
            return Remark(f"{what}, so its result was not judged")
        refusals = [self._result_refusal(item, envelope) for item in asked]
        chosen = refusals.index(None) if None in refusals else 0
        waiting.remove(asked[chosen])
        refusal = refusals[chosen]
        return refusal.moved(f"{path}.result") if refusal else None

    def _result_refusal(self, request: _Request, envelope: Envelope) -> Refusal | None:
        if envelope.kind == "error":
            return None
        return self._judge.result(request.method, envelope.message["result"])


def _is_entry(value: object) -> TypeGuard[dict[str, Any]]:
    return is_object(value) and {"from", "message"} <= value.keys() and "jsonrpc" not in value


def _are_entries(value: object) -> TypeGuard[list[dict[str, Any]]]:
    return is_array(value) and bool(value) and all(map(_is_entry, value))
