"""Our own requests, from being made to their end: ids, time limits, progress, cancellation."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final, Literal

from . import jsontext
from .capabilities import advertises, task_capability
from .core import Core
from .errors import McpError, RequestTimeout
from .events import Answered, Failed, Progressed
from .guards import is_object
from .limits import Limits
from .progress import ProgressTokens, chosen_token, with_token
from .session import message_object
from .stateless import end_of_subscription
from .states import State

__all__ = ["Call", "Calls", "Purpose"]

_log = logging.getLogger(__name__)

_OPEN_ENDED: Final = frozenset({"subscriptions/listen", "tasks/result"})

Purpose = Literal["call", "ping", "handshake", "abandoned"]
"""`abandoned` calls started a task, or are about to: it is cancelled once its id is known."""


@dataclass(slots=True, eq=False)
class Call:
    """A request of ours that has no answer yet.

    `seconds` and `total` are its time limits; `deadline` is when its time is over, `latest`
    when no progress helps any more.
    """

    id: int
    method: str
    owner: Any
    purpose: Purpose
    seconds: float | None
    total: float | None
    deadline: float
    latest: float
    token: str | int | None
    wants_task: bool
    task_id: Any


class Calls:
    """The requests of one connection that have no answer yet."""

    def __init__(self, core: Core, limits: Limits) -> None:
        self._core = core
        self._limits = limits
        self._by_id: dict[int, Call] = {}
        self._last_id = 0
        self._pings: set[int] = set()
        self.tokens = ProgressTokens()
        self.earliest = inf
        """No time limit ends before this; it may be too early, never too late."""

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Call]:
        return iter(list(self._by_id.values()))

    def make(
        self,
        method: str,
        params: dict[str, Any] | None,
        now: float,
        *,
        owner: object,
        purpose: Purpose = "call",
        timeout: float | None = None,
        total_timeout: float | None = None,
        progress: bool = False,
    ) -> Call:
        """Make a request, and send it as soon as that is allowed; None is for no time limit.

        Its progress token is registered before. Raises `ConnectionClosed`; `ValueError` when
        the version has no such requests, and for a progress token that is in use; and
        `EncodeError`.
        """
        verdict = self._core.verdict("ping" if purpose == "ping" else "request")
        if verdict == "never":
            version = self._core.facts.version
            raise ValueError(f"{method}: a {self._core.role} has no such request in {version}")
        self._last_id += 1
        request_id = self._last_id
        wants_token = purpose == "call" and (progress or self._limits.progress_restarts)
        params, token = self._with_token(request_id, params, wants_token)
        message = jsontext.dumps(message_object(method, params, request_id))
        latest = inf if total_timeout is None else now + total_timeout
        call = Call(
            id=request_id,
            method=method,
            owner=owner,
            purpose=purpose,
            seconds=timeout,
            total=total_timeout,
            deadline=latest if timeout is None else min(now + timeout, latest),
            latest=latest,
            token=token,
            wants_task=params is not None and params.get("task") is not None,
            task_id=params.get("taskId") if params and method == "tasks/result" else None,
        )
        if token is not None:
            self.tokens.add(token, call)
        self._by_id[request_id] = call
        if purpose == "ping":
            self._pings.add(request_id)
        self.earliest = min(self.earliest, call.deadline)
        if verdict == "send" or purpose == "handshake":
            self._core.send(message, now)
        else:
            self._core.hold(request_id, message)
        return call

    def time_limits(
        self, method: str, timeout: float | None, total_timeout: float | None
    ) -> tuple[float | None, float | None]:
        """Return both time limits of a request, in seconds, of which none may have been given."""
        limits = self._limits
        if method == "ping":
            return limits.ping_timeout if timeout is None else timeout, total_timeout
        if method not in _OPEN_ENDED:
            timeout = limits.timeout if timeout is None else timeout
            total_timeout = limits.total_timeout if total_timeout is None else total_timeout
        return timeout, total_timeout

    def _is_task(self, call: Call) -> bool:
        """Whether the peer runs a request as a task: not merely because of a param of that name."""
        capabilities = self._core.peer_capabilities or {}
        return call.wants_task and advertises(capabilities, task_capability(call.method))

    def _with_token(
        self, request_id: int, params: dict[str, Any] | None, wanted: bool
    ) -> tuple[dict[str, Any] | None, str | int | None]:
        """The params with a progress token where one is wanted, and the token."""
        token = chosen_token(params)
        if token is not None:
            if token in self.tokens:
                raise ValueError(f"progress token {token!r:.80} is in use")
            return params, token
        if not wanted:
            return params, None
        token = request_id if request_id not in self.tokens else f"request-{request_id}"
        return with_token(params, token), token

    def has_open_ping(self) -> bool:
        """Tell whether a ping of ours has no answer yet."""
        return bool(self._pings)

    # --- how they end ---------------------------------------------------------------------------

    def take(self, request_id: str | int | None) -> Call | None:
        """Take out the request that a response is for, None when there is no such request."""
        call = self._by_id.pop(request_id, None) if isinstance(request_id, int) else None
        if call is None:
            _log.debug("ignored a response to no request that is open: id %.80r", request_id)
        return call

    def succeed(self, call: Call, result: dict[str, Any], now: float) -> None:
        """End a call that has been taken out with its result."""
        task = result.get("task") if self._is_task(call) else None
        task_id = task.get("taskId") if is_object(task) else None
        if isinstance(task_id, str) and call.purpose == "abandoned":
            self._cancel_task(task_id, now)
        if is_object(task) and isinstance(task_id, str) and call.token is not None:
            self.tokens.keep_for_task(call.token, task, now)
        else:
            self.tokens.end(call.token)
        self.tokens.end_task(call.task_id)
        self.tokens.observe_task(result)
        self._pings.discard(call.id)
        if call.owner is not None:
            self._core.events.append(Answered(call.owner, result))

    def fail(self, call: Call, error: McpError) -> None:
        """End a call that has been taken out with an error."""
        self.tokens.end(call.token)
        self._pings.discard(call.id)
        if not isinstance(error, RequestTimeout):
            # Any answer of `tasks/result` says that the task is over; silence does not.
            self.tokens.end_task(call.task_id)
        if call.owner is not None:
            self._core.events.append(Failed(call.owner, error))

    def expire(self, now: float) -> list[Call]:
        """Take out and return the calls whose time is over."""
        over = [call for call in self._by_id.values() if call.deadline <= now]
        for call in over:
            del self._by_id[call.id]
        self.earliest = min((call.deadline for call in self._by_id.values()), default=inf)
        return over

    def time_out(self, call: Call, now: float) -> None:
        """End a call whose time is over."""
        self._withdraw(call, now, "timed out")
        seconds = call.total if call.deadline == call.latest else call.seconds
        self.fail(call, RequestTimeout(call.method, seconds or 0))

    def reopen(self, call: Call) -> None:
        """Wait again, without a limit, for the answer of a call whose time is over."""
        call.deadline = call.latest = inf
        self._by_id[call.id] = call

    def cancel(self, request_id: int, now: float, reason: str | None) -> None:
        """End a call that nobody waits for any more, and tell the peer unless it is a handshake.

        Nothing happens when it has ended.
        """
        call = self._by_id.pop(request_id, None)
        if call is not None:
            self._withdraw(call, now, reason)
            self.tokens.end(call.token)
            self._pings.discard(call.id)

    def end_subscription(self, request_id: str | int, reason: Any, now: float) -> None:
        """End a `subscriptions/listen` of ours that the server has ended: with its result.

        So it differs from a connection that is lost, whether the server sends the result as
        well or not.
        """
        call = self._by_id.get(request_id) if isinstance(request_id, int) else None
        if call is not None and call.method == "subscriptions/listen":
            _log.info("the server ended a subscription: %.200r", reason)
            del self._by_id[call.id]
            self.succeed(call, end_of_subscription(call.id), now)

    def fail_all(self, error: McpError) -> None:
        """End all calls with an error, and all progress."""
        for call in self:
            del self._by_id[call.id]
            self.fail(call, error)
        self.tokens.clear()
        self.earliest = inf

    def withdraw_all(self, now: float, reason: str) -> None:
        """Tell the peer that nobody waits for our calls any more; tasks go on without us."""
        for call in self:
            if not self._is_task(call):
                self._withdraw(call, now, reason)

    def _withdraw(self, call: Call, now: float, reason: str | None) -> None:
        """Tell the peer, once, that a call of ours is cancelled, where that is allowed."""
        if self._core.drop_held(call.id) or call.purpose in ("handshake", "abandoned"):
            return
        if self._core.state is State.CLOSED:
            return
        if self._is_task(call):
            # A task is cancelled by its id, which comes with the answer.
            seconds = self._limits.timeout
            late = inf if seconds is None else now + seconds
            self._by_id[call.id] = replace(
                call, owner=None, purpose="abandoned", token=None, deadline=late, latest=late
            )
            self.earliest = min(self.earliest, late)
            return
        params: dict[str, Any] = {"requestId": call.id}
        if reason is not None:
            params["reason"] = reason
        self._core.notify("notifications/cancelled", params, now)

    def _cancel_task(self, task_id: str, now: float) -> None:
        if advertises(self._core.peer_capabilities or {}, "tasks.cancel"):
            params = {"taskId": task_id}
            timeout = self._limits.timeout
            self.make("tasks/cancel", params, now, owner=None, timeout=timeout)

    # --- progress -------------------------------------------------------------------------------

    def progress(self, params: Any, now: float) -> bool:
        """Report progress to the owner of its token; tell whether it counts."""
        self.tokens.expire(now)
        found = self.tokens.accept(params)
        if found is None:
            return False
        call, (progress, total, message) = found
        restarts = self._limits.progress_restarts and call.purpose != "ping"
        if restarts and call.seconds is not None:
            call.deadline = min(now + call.seconds, call.latest)
        if call.owner is not None:
            self._core.events.append(Progressed(call.owner, progress, total, message))
        return True
