"""What the emitted asynchronous stubs do.

A stub calls the other side through a session. It refuses a call that needs a capability the
peer is known to lack, before anything is sent, with `CapabilityError`; an error that the peer
answers with is raised as `RpcError`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, TypeVar, overload

from .calling import MAX_PAGES, MAX_ROUNDS, Pages, StubCore
from .context import RequestContext
from .extensions import SupportsFromDict, SupportsToDict
from .guards import is_object
from .inputs import answer_inputs
from .session import BlockingSession, CallSession, ProgressCallback, wrong_session

__all__ = ["StubBase"]

T = TypeVar("T")


class StubBase(StubCore):
    """The asynchronous half of every emitted stub."""

    def __init__(
        self, session: CallSession, *, max_pages: int = MAX_PAGES, max_rounds: int = MAX_ROUNDS
    ) -> None:
        """Raises `TypeError` for a blocking session of this package."""
        if isinstance(session, BlockingSession):
            raise wrong_session(self, session)
        super().__init__(session, max_pages, max_rounds)
        self._session = session

    @overload
    async def request(
        self,
        method: str,
        params: SupportsToDict | Mapping[str, Any] | None = None,
        *,
        result: SupportsFromDict[T],
        timeout: float | None = None,
        on_progress: ProgressCallback | None = None,
    ) -> T: ...
    @overload
    async def request(
        self,
        method: str,
        params: SupportsToDict | Mapping[str, Any] | None = None,
        *,
        result: None = None,
        timeout: float | None = None,
        on_progress: ProgressCallback | None = None,
    ) -> dict[str, Any]: ...
    async def request(
        self,
        method: str,
        params: SupportsToDict | Mapping[str, Any] | None = None,
        *,
        result: SupportsFromDict[Any] | None = None,
        timeout: float | None = None,
        on_progress: ProgressCallback | None = None,
    ) -> Any:
        """Call a vendor's method, such as `acme/customOp`.

        `params` is an object with `to_dict`, a dict, or None; `result` is a class with
        `from_dict`, and without one the result is a dict. Raises `ValueError` for a name that
        a vendor's method cannot have; those of the specification have methods of their own here.
        """
        sent = self._prepare_extension(method, params, True)
        answer = await self._send(method, sent, timeout, on_progress)
        return answer if result is None else result.from_dict(answer)

    async def notify(
        self, method: str, params: SupportsToDict | Mapping[str, Any] | None = None
    ) -> None:
        """Send a vendor's notification; `params` as for `request`."""
        await self._tell(method, self._prepare_extension(method, params, False))

    async def request_once(
        self,
        method: str,
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: ProgressCallback | None = None,
    ) -> Any:
        """Call a method of the specification and return its result, whichever it is.

        `params` is the typed params. Neither is a request for input answered, nor is a task
        told from an ordinary result. Raises `ValueError` for a method this side does not call.
        """
        self._request_info(method)
        sent = self._prepare(method, params, {})
        answer = await self._send(method, sent, timeout, on_progress)
        return self.codec.decode_result(method, answer)

    async def _call(
        self,
        method: str,
        params: Any,
        fields: Mapping[str, Any],
        timeout: float | None,
        on_progress: ProgressCallback | None,
    ) -> Any:
        """The typed result of a call, requests for input answered."""
        sent = self._prepare(method, params, fields)
        return self._result(method, sent, await self._exchange(method, sent, timeout, on_progress))

    async def _iterate(
        self,
        method: str,
        items: str,
        item: str,
        params: Any,
        fields: Mapping[str, Any],
        timeout: float | None,
    ) -> AsyncIterator[Any]:
        """The items of every page of a list."""
        sent = self._prepare(method, params, fields)
        pages = Pages(self.codec, method, items, item, sent, self.max_pages)
        while True:
            page = await self._exchange(method, sent, timeout, None)
            for found in pages.read(page):
                yield found
            sent = pages.follow(page)
            if sent is None:
                return

    async def _notify(self, method: str, params: Any, fields: Mapping[str, Any]) -> None:
        await self._tell(method, self._prepare(method, params, fields))

    async def _exchange(
        self,
        method: str,
        sent: dict[str, Any] | None,
        timeout: float | None,
        on_progress: ProgressCallback | None,
    ) -> dict[str, Any]:
        """The answer to a request, which is repeated for as long as the server wants input."""
        rounds = 0
        while True:
            answer = await self._send(method, sent, timeout, on_progress)
            if not self._asks_for_input(method, answer):
                return answer
            rounds += 1
            questions = self._questions(method, answer, rounds)
            responses = await answer_inputs(
                questions, self._own_side, self.codec, self._input_context
            )
            sent = self._repeated(sent, answer, responses)

    async def _send(
        self,
        method: str,
        sent: dict[str, Any] | None,
        timeout: float | None,
        on_progress: ProgressCallback | None,
    ) -> dict[str, Any]:
        call = self._session.request(method, sent, timeout=timeout, on_progress=on_progress)
        self._require_awaitable(call)
        return await call

    async def _tell(self, method: str, sent: dict[str, Any] | None) -> None:
        call = self._session.notify(method, sent)
        self._require_awaitable(call)
        await call

    def _require_awaitable(self, call: object) -> None:
        """Raise `TypeError` for what a blocking session returns: a result, or nothing."""
        if call is None or is_object(call):
            raise wrong_session(self, self._session)

    def _input_context(self, key: str, meta: dict[str, Any]) -> RequestContext:
        return self.context(self._scope, request_id=key, meta=meta, session=self._session)
