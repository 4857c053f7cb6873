"""Progress tokens: whose they are, and which progress counts."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from .coerce import as_number, as_request_id
from .errors import Mismatch
from .guards import is_object

__all__ = ["ProgressTokens", "Report", "chosen_token", "with_token"]

_OVER: Final = ("completed", "failed", "cancelled")
_LONGEST: Final = 1e15
"""Milliseconds that are as good as for ever."""

Report = tuple[float, float | None, str | None]
"""Progress, total and message."""


class ProgressTokens:
    """The tokens in use, each with an owner who is told of progress.

    A token ends with its request, or with the task that the request started: when that is
    said to be over, and at the latest when it is not kept any more.
    """

    def __init__(self) -> None:
        self._owners: dict[str | int, Any] = {}
        self._last: dict[str | int, float] = {}
        self._tasks: dict[str, tuple[str | int, float]] = {}
        self._earliest = inf
        """No task is at the end of its time before this."""

    def __len__(self) -> int:
        return len(self._owners)

    def __contains__(self, token: str | int) -> bool:
        return token in self._owners

    def add(self, token: str | int, owner: object) -> None:
        """Register a token. Raises `ValueError` when it is in use already."""
        if token in self._owners:
            raise ValueError(f"progress token {token!r:.80} is in use")
        self._owners[token] = owner

    def end(self, token: str | int | None) -> None:
        """Forget a token, if it is one."""
        if token is not None:
            self._owners.pop(token, None)
            self._last.pop(token, None)

    def keep_for_task(self, token: str | int, task: dict[str, Any], now: float) -> None:
        """Let a token live as long as a task that has an id.

        A task has one: another that it had before has ended.
        """
        self.expire(now)
        task_id, until = task["taskId"], now + _lifetime(task)
        before, _ = self._tasks.get(task_id, (token, until))
        if before != token:
            self.end(before)
        self._tasks[task_id] = token, until
        self._earliest = min(self._earliest, until)
        self.observe_task(task)

    def observe_task(self, status: Any) -> None:
        """End the token of a task that is said to be over."""
        if is_object(status) and status.get("status") in _OVER:
            self.end_task(status.get("taskId"))

    def end_task(self, task_id: object) -> None:
        """Forget the token of a task that has ended."""
        if isinstance(task_id, str) and task_id in self._tasks:
            token, _ = self._tasks.pop(task_id)
            self.end(token)

    def clear(self) -> None:
        """Forget all tokens."""
        self._owners.clear()
        self._last.clear()
        self._tasks.clear()

    def expire(self, now: float) -> None:
        """Forget the tokens of tasks that are not kept any more."""
        if now < self._earliest:
            return
        for task_id in [task_id for task_id, (_, until) in self._tasks.items() if until <= now]:
            self.end_task(task_id)
        self._earliest = min((until for _, until in self._tasks.values()), default=inf)

    def accept(self, params: Any) -> tuple[Any, Report] | None:
        """Return whose progress it is that the params of a notification report, and what.

        None for progress that does not count: of no known token, not more than the last, or
        malformed.
        """
        if not is_object(params):
            return None
        try:
            token = as_request_id(params.get("progressToken"))
            value = as_number(params.get("progress"))
            total = params.get("total")
            total = None if total is None else as_number(total)
        except Mismatch:
            return None
        last = self._last.get(token)
        if token not in self._owners or (last is not None and value <= last):
            return None
        self._last[token] = value
        message = params.get("message")
        return self._owners[token], (value, total, message if isinstance(message, str) else None)


def _lifetime(task: dict[str, Any]) -> float:
    """How many seconds a task is kept at most, as its `ttl` says."""
    try:
        return min(as_number(task.get("ttl")), _LONGEST) / 1000
    except Mismatch:
        return inf


def chosen_token(params: dict[str, Any] | None) -> str | int | None:
    """Return the progress token that a caller has put into params, None when there is none.

    0 and the empty string are tokens. Raises `ValueError` for what can be none.
    """
    meta = (params or {}).get("_meta")
    token = meta.get("progressToken") if is_object(meta) else None
    if token is None:
        return None
    try:
        return as_request_id(token)
    except Mismatch:
        raise ValueError(f"progress token: expected a string or an integer: {token!r}") from None


def with_token(params: dict[str, Any] | None, token: str | int) -> dict[str, Any]:
    """Return params with a progress token."""
    params = params or {}
    meta = params.get("_meta")
    given: dict[str, Any] = meta if is_object(meta) else {}
    return {**params, "_meta": {**given, "progressToken": token}}
