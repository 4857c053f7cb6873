"""What the emitted synchronous stubs do: the same as `stubs`, by blocking."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, overload

from .calling import MAX_PAGES, MAX_ROUNDS, Pages, StubCore
from .context import RequestContext
from .extensions import SupportsFromDict, SupportsToDict
from .inputs import answer_inputs
from .session import SyncCallSession, SyncProgressCallback, wrong_session

__all__ = ["StubBaseSync"]

T = TypeVar("T")


class StubBaseSync(StubCore):
    """The blocking half of every emitted synchronous stub."""

    def __init__(
        self,
        session: SyncCallSession,
        *,
        max_pages: int = MAX_PAGES,
        max_rounds: int = MAX_ROUNDS,
    ) -> None:
        super().__init__(session, max_pages, max_rounds)
        self._session = session

    @overload
    def request(
        self,
        method: str,
        params: SupportsToDict | Mapping[str, Any] | None = None,
        *,
        result: SupportsFromDict[T],
        timeout: float | None = None,
        on_progress: SyncProgressCallback | None = None,
    ) -> T: ...
    @overload
    def request(
        self,
        method: str,
        params: SupportsToDict | Mapping[str, Any] | None = None,
        *,
        result: None = None,
        timeout: float | None = None,
        on_progress: SyncProgressCallback | None = None,
    ) -> dict[str, Any]: ...
    def request(
        self,
        method: str,
        params: SupportsToDict | Mapping[str, Any] | None = None,
        *,
        result: SupportsFromDict[Any] | None = None,
        timeout: float | None = None,
        on_progress: SyncProgressCallback | None = None,
    ) -> Any:
        """Call a vendor's method, such as `acme/customOp`, as `StubBase.request` does."""
        sent = self._prepare_extension(method, params, True)
        answer = self._send(method, sent, timeout, on_progress)
        return answer if result is None else result.from_dict(answer)

    def notify(self, method: str, params: SupportsToDict | Mapping[str, Any] | None = None) -> None:
        """Send a vendor's notification; `params` as for `request`."""
        self._tell(method, self._prepare_extension(method, params, False))

    def request_once(
        self,
        method: str,
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: SyncProgressCallback | None = None,
    ) -> Any:
        """Call a method of the specification and return its result, whichever it is.

        `params` is the typed params. Neither is a request for input answered, nor is a task
        told from an ordinary result. Raises `ValueError` for a method this side does not call.
        """
        self._request_info(method)
        sent = self._prepare(method, params, {})
        answer = self._send(method, sent, timeout, on_progress)
        return self.codec.decode_result(method, answer)

    def _call(
        self,
        method: str,
        params: Any,
        fields: Mapping[str, Any],
        timeout: float | None,
        on_progress: SyncProgressCallback | None,
    ) -> Any:
        sent = self._prepare(method, params, fields)
        return self._result(method, sent, self._exchange(method, sent, timeout, on_progress))

    def _iterate(
        self,
        method: str,
        items: str,
        item: str,
        params: Any,
        fields: Mapping[str, Any],
        timeout: float | None,
    ) -> Iterator[Any]:
        sent = self._prepare(method, params, fields)
        pages = Pages(self.codec, method, items, item, sent, self.max_pages)
        while True:
            page = self._exchange(method, sent, timeout, None)
            yield from pages.read(page)
            sent = pages.follow(page)
            if sent is None:
                return

    def _notify(self, method: str, params: Any, fields: Mapping[str, Any]) -> None:
        self._tell(method, self._prepare(method, params, fields))

    def _exchange(
        self,
        method: str,
        sent: dict[str, Any] | None,
        timeout: float | None,
        on_progress: SyncProgressCallback | None,
    ) -> dict[str, Any]:
        rounds = 0
        while True:
            answer = self._send(method, sent, timeout, on_progress)
            if not self._asks_for_input(method, answer):
                return answer
            rounds += 1
            questions = self._questions(method, answer, rounds)
            sent = self._repeated(sent, answer, self._answers(questions))

    def _send(
        self,
        method: str,
        sent: dict[str, Any] | None,
        timeout: float | None,
        on_progress: SyncProgressCallback | None,
    ) -> dict[str, Any]:
        answer = self._session.request(method, sent, timeout=timeout, on_progress=on_progress)
        self._require_blocking(answer)
        return answer

    def _tell(self, method: str, sent: dict[str, Any] | None) -> None:
        notify: Callable[..., object] = self._session.notify
        self._require_blocking(notify(method, sent))

    def _require_blocking(self, answer: object) -> None:
        """Raise `TypeError` for what an asynchronous session answers, which has sent nothing."""
        if isinstance(answer, Awaitable):
            if isinstance(answer, Coroutine):
                answer.close()
            raise wrong_session(self, self._session)

    def _answers(self, questions: dict[str, Any]) -> dict[str, Any]:
        """The handler's answers, worked out on an event loop in a thread of its own.

        The caller's thread may be running a loop already, which would refuse a second.
        """
        work = answer_inputs(questions, self._own_side, self.codec, self._input_context)
        with ThreadPoolExecutor(1) as executor:
            return executor.submit(asyncio.run, work).result()

    def _input_context(self, key: str, meta: dict[str, Any]) -> RequestContext:
        return self.context(self._scope, request_id=key, meta=meta, session=None)
