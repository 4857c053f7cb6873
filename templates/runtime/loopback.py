"""Sessions without a transport: a stub that calls a dispatcher in the same process.

    dispatcher = mcp.Dispatcher(MyServer(info))
    server = mcp.ServerStub(DispatcherSession(dispatcher))
    result = await server.call_tool(name="add", arguments={"a": 1, "b": 2})

Made for tests of handlers: every message is written and read as on a wire, and nothing else
of a session is there, no handshake and no order.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine, Mapping
from typing import Any, Self, TypeVar

from . import jsontext
from .dispatcher import DispatcherBase
from .envelope import METHOD_NOT_FOUND, read_envelope, read_error
from .errors import ConnectionClosed, RequestTimeout, RpcError
from .feeds import give_report
from .limits import require_seconds
from .progress import ProgressTokens, chosen_token, with_token
from .session import BlockingSession, ProgressCallback, SyncProgressCallback, message_object

__all__ = ["DispatcherSession", "SyncDispatcherSession"]

T = TypeVar("T")

_PROGRESS = "notifications/progress"


class _End:
    """One end of the connection: what it sends goes to the dispatcher of the other side."""

    def __init__(self, target: DispatcherBase | None, own: DispatcherBase | None) -> None:
        self._target = target
        self._own = own
        self._opposite: _End | None = None
        self._ids = itertools.count(1)
        self._tokens = ProgressTokens()

    @property
    def peer_capabilities(self) -> Mapping[str, Any] | None:
        """What the other side's handler offers; nothing when there is no handler."""
        return {} if self._target is None else self._target.capabilities

    @property
    def handler(self) -> object | None:
        """The handler of this side."""
        return None if self._own is None else self._own.handler

    async def request(
        self,
        method: str,
        params: dict[str, Any] | None,
        *,
        timeout: float | None = None,
        on_progress: ProgressCallback | None = None,
    ) -> dict[str, Any]:
        """Call the other side; a timeout or cancellation here interrupts its handler.

        Raises `ValueError` or `TypeError` for a time limit that makes no sense.
        """
        require_seconds("timeout", timeout)
        request_id = next(self._ids)
        token: str | int | None = None
        if on_progress is not None:
            token = chosen_token(params)
            if token is None:
                token = request_id
                params = with_token(params, token)
            self._tokens.add(token, on_progress)
        try:
            async with asyncio.timeout(timeout):
                answer = await self._deliver(message_object(method, params, request_id))
        except TimeoutError:
            raise RequestTimeout(method, timeout or 0) from None
        finally:
            self._tokens.end(token)
        if answer is None:
            raise ConnectionClosed(f"{method} was cancelled and gets no answer")
        return _result(answer)

    async def notify(self, method: str, params: dict[str, Any] | None) -> None:
        """Send a notification to the other side, and wait until it has been served."""
        if method == _PROGRESS and params is not None and self._opposite is not None:
            await self._opposite.receive_progress(params)
        if self._target is not None:
            await self._deliver(message_object(method, params))

    async def receive_progress(self, params: dict[str, Any]) -> None:
        """Call back whoever waits for the progress of a request of this end."""
        found = self._tokens.accept(params)
        if found is not None:
            callback, report = found
            await give_report(callback, report)

    async def _deliver(self, message: dict[str, Any]) -> bytes | None:
        if self._target is None:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {message['method']}")
        return await self._target.dispatch(jsontext.dumps(message), session=self._opposite)


class DispatcherSession(_End):
    """The session of a stub that calls the dispatcher `target`.

    `own` is the dispatcher of the caller's handler: it serves what the target's handlers send
    and ask for, and answers input that they require. Without it there is nobody to ask.
    """

    def __init__(self, target: DispatcherBase, own: DispatcherBase | None = None) -> None:
        """Raises `ValueError` unless the dispatchers are two sides of one version."""
        if own is not None and (own.role == target.role or own.codec is not target.codec):
            other = "client" if target.role == "server" else "server"
            raise ValueError(
                f"own: expected the {other}, in version {target.codec.version},"
                f" found the {own.role}, in {own.codec.version}; a dispatcher of a handler"
                " without a base class is told its side by role="
            )
        super().__init__(target, own)
        self._opposite = _End(own, target)
        self._opposite._opposite = self


class SyncDispatcherSession(BlockingSession):
    """The same for a synchronous stub; its event loop runs while a call waits.

    A context manager, which closes the loop. To be used in one thread, where no loop runs.
    """

    def __init__(self, target: DispatcherBase, own: DispatcherBase | None = None) -> None:
        self._session = DispatcherSession(target, own)
        self._runner = asyncio.Runner()

    @property
    def peer_capabilities(self) -> Mapping[str, Any] | None:
        """What the target's handler offers."""
        return self._session.peer_capabilities

    @property
    def handler(self) -> object | None:
        """The handler of this side."""
        return self._session.handler

    def request(
        self,
        method: str,
        params: dict[str, Any] | None,
        *,
        timeout: float | None = None,
        on_progress: SyncProgressCallback | None = None,
    ) -> dict[str, Any]:
        """Call the target's handler."""
        return self._run(
            self._session.request(method, params, timeout=timeout, on_progress=on_progress)
        )

    def notify(self, method: str, params: dict[str, Any] | None) -> None:
        """Send a notification to the target's handler."""
        self._run(self._session.notify(method, params))

    def close(self) -> None:
        """Close the event loop."""
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def _run(self, call: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(call)


def _result(answer: bytes) -> dict[str, Any]:
    envelope = read_envelope(jsontext.loads(answer))
    if envelope.kind == "error":
        error = read_error(envelope)
        raise RpcError(error.code, error.message, error.data)
    result: dict[str, Any] = envelope.message["result"]
    return result
