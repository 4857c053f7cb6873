"""What a handler knows of the message it serves, and what it can send while doing so."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import field
from math import isfinite
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from .capabilities import advertises
from .codec import Codec
from .errors import ConnectionClosed, describe
from .facts import Side
from .guards import is_object
from .records import dataclass
from .session import CallSession
from .stateless import CLIENT_CAPABILITIES, LOG_LEVEL
from .threads import Jobs

__all__ = ["LogLevel", "RequestContext", "Scope"]

LogLevel: TypeAlias = Literal[
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
]
T = TypeVar("T")

_log = logging.getLogger(__name__)

_PROGRESS = "notifications/progress"
_LOG_MESSAGE = "notifications/message"
_LEVELS: tuple[LogLevel, ...] = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)


@dataclass(frozen=True, slots=True)
class Scope:
    """What all messages of one dispatcher have in common.

    `side` is the handler's own, and `advertised` returns its capabilities. `log_levels` are
    those that `logging/setLevel` asked for, each for the session it came from, since one
    dispatcher may serve several. `stateless` says that each request carries version and
    capabilities, as from 2026-07-28 on.
    """

    codec: Codec
    side: Side
    advertised: Callable[[], Mapping[str, Any]] = dict[str, Any]
    log_levels: WeakKeyDictionary[CallSession, str] = field(default_factory=WeakKeyDictionary)
    stateless: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stateless", "initialize" not in self.codec.methods)

    def logs(self) -> bool:
        """Whether this side has said that it sends log messages, as it must before it does."""
        return advertises(self.advertised(), "logging")

    def sends(self, method: str) -> bool:
        """Whether this side may send a notification of that method."""
        info = self.codec.methods.get(method)
        return info is not None and info.kind == "notification" and self.side in info.sent_by


class RequestContext:
    """The request or notification a handler serves.

    `request_id` is None for notifications; for the requests inside an `InputRequiredResult`
    it is their key there. `meta` is the `_meta` of the params as it came, empty when there is
    none. `session` is what `peer` calls through, None when nothing can be sent.
    """

    progress_has_message: ClassVar[bool] = True

    jobs: Jobs | None = None
    """The functions that run in threads for it; None before the first. A dispatcher sets this."""

    _progress: float | None = None
    _cancelled = False
    _ended = False

    def __init__(
        self,
        scope: Scope,
        *,
        request_id: str | int | None,
        meta: Mapping[str, Any],
        session: CallSession | None,
    ) -> None:
        self.request_id = request_id
        self.meta = meta
        self.session = session
        self._scope = scope
        self._loop = asyncio.get_running_loop()

    @property
    def cancelled(self) -> bool:
        """Whether the sender has cancelled the request.

        An asynchronous handler is interrupted as well; one that runs in a thread is not, and
        should look here from time to time.
        """
        return self._cancelled

    @property
    def peer(self) -> Any:
        """The stub of the other side.

        The contexts of a version, `ServerContext` and `ClientContext`, say which. Raises
        `RuntimeError` when there is no session to call through.
        """
        raise RuntimeError("a context without a version has no stub of the other side")

    @property
    def peer_capabilities(self) -> Mapping[str, Any] | None:
        """What the other side advertised, as a JSON object; None while it is unknown.

        From 2026-07-28 on it is what the client said in this very request.
        """
        if self._scope.stateless:
            found = self.meta.get(CLIENT_CAPABILITIES)
            return found if is_object(found) else None
        return self.session.peer_capabilities if self.session is not None else None

    async def progress(
        self, value: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Report progress to the sender of the request, if it asked for that.

        Sends nothing when it gave no progress token, when the request has been cancelled or
        answered, and once the connection has ended; 2024-11-05 has no place for `message`,
        which is left out there. Raises `ValueError` unless `value` is more than it was the
        last time, and for numbers that are not finite or beyond the range of a float;
        `TypeError` for what is no number, and for a `message` that is no string.
        """
        _require_number("progress", value)
        if total is not None:
            _require_number("total", total)
        _require_text("message", message)
        if self._progress is not None and value <= self._progress:
            raise ValueError(f"progress has to rise: found {value} after {self._progress}")
        self._progress = value
        token = self.meta.get("progressToken")
        if token is None or self.session is None or self._cancelled or self._ended:
            return
        params: dict[str, Any] = {"progressToken": token, "progress": value}
        if total is not None:
            params["total"] = total
        if message is not None and self.progress_has_message:
            params["message"] = message
        await self._tell(_PROGRESS, params)

    async def log(self, level: LogLevel, data: Any, logger: str | None = None) -> None:
        """Send a log message to the client; `data` is any JSON value.

        Nothing is sent below the level the client asked for: with `logging/setLevel`, or from
        2026-07-28 on in the request itself, where asking for nothing means no messages; nor
        once the connection has ended, and there once the request has been answered or
        cancelled. A server that logs has to advertise the capability `logging`: one that does
        not sends nothing, and warns of it in its own log. Raises `ValueError` for a level that
        does not exist, `TypeError` for a `logger` that is no string, `EncodeError` for `data`
        that JSON cannot express, and `RuntimeError` on the client's side, which sends no logs.
        """
        if level not in _LEVELS:
            raise ValueError(f"level: expected one of {', '.join(_LEVELS)}, found {level!r}")
        _require_text("logger", logger)
        if not self._scope.sends(_LOG_MESSAGE):
            raise RuntimeError(f"a {self._scope.side} does not send {_LOG_MESSAGE}")
        if not self._scope.logs():
            _log.warning("a log message was not sent: the capability logging is not advertised")
            return
        is_over = self._scope.stateless and (self._cancelled or self._ended)
        if self.session is None or is_over or not self._is_wanted(level, self.session):
            return
        params: dict[str, Any] = {"level": level, "data": data}
        if logger is not None:
            params["logger"] = logger
        await self._tell(_LOG_MESSAGE, params)

    async def _tell(self, method: str, params: dict[str, Any]) -> None:
        """Send what nobody has to get: a handler may finish when the other side has gone."""
        assert self.session is not None
        with suppress(ConnectionClosed):
            await self.session.notify(method, params)

    def _is_wanted(self, level: LogLevel, session: CallSession) -> bool:
        stateless = self._scope.stateless
        wanted = self.meta.get(LOG_LEVEL) if stateless else self._scope.log_levels.get(session)
        if wanted not in _LEVELS:
            return not stateless
        return _LEVELS.index(level) >= _LEVELS.index(wanted)

    def run(self, call: Coroutine[Any, Any, T]) -> T:
        """Wait for an asynchronous call, from a plain `def` handler in its thread.

        As in `ctx.run(ctx.progress(0.5))`. Raises what the call raises, and `RuntimeError`
        in an `async def` handler, which has to await instead.
        """
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run_coroutine_threadsafe(call, self._loop).result()
        call.close()
        raise RuntimeError(f"await the call instead: {running!r} is running in this thread")

    def require_session(self) -> CallSession:
        """Return the session. Raises `RuntimeError` when there is none."""
        if self.session is None:
            raise RuntimeError("the dispatcher has neither a session nor a function to send with")
        return self.session

    def cancel(self) -> None:
        """Note that the request has been cancelled; a dispatcher calls this."""
        self._cancelled = True

    def end(self) -> None:
        """Note that the request has been answered; a dispatcher calls this."""
        self._ended = True


def _require_number(name: str, value: object) -> None:
    """Raise for what is no number of JSON, or one that receivers may not be able to read."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name}: expected a number, found {describe(value)}")
    try:
        if isfinite(value):
            return
    except OverflowError:
        pass
    raise ValueError(f"{name}: expected a finite number, found {describe(value)}")


def _require_text(name: str, value: object) -> None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, found {describe(value)}")
