"""How a typed call becomes params, and an answer a typed result; no I/O happens here.

Both kinds of stub share it, so that they apply the same rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from .capabilities import advertises, task_capability
from .codec import Codec
from .context import RequestContext, Scope
from .errors import CapabilityError, DecodeError, ProtocolError
from .extensions import is_mapping, require_vendor_method, wire_object
from .facts import Side
from .guards import is_array
from .handlers import Endpoint
from .methods import MethodInfo
from .session import SessionFacts, no_session
from .stateless import CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION

__all__ = ["MAX_PAGES", "MAX_ROUNDS", "Pages", "StubCore"]

MAX_PAGES = 1000
MAX_ROUNDS = 8

_TASK_RESULT = "CreateTaskResult"
_INPUT_RESULT = "InputRequiredResult"


class StubCore:
    """What every stub knows and decides.

    `max_pages` bounds how many pages an iterator follows, `max_rounds` how many times one
    call is repeated because the server asks for input. `side` is the caller's own.
    """

    codec: ClassVar[Codec]
    side: ClassVar[Side]
    context: ClassVar[type[RequestContext]]

    def __init__(self, facts: SessionFacts, max_pages: int, max_rounds: int) -> None:
        """Raises `TypeError` for what can make no request."""
        if not hasattr(facts, "request"):
            raise no_session(self, facts)
        self._facts = facts
        self._scope = Scope(self.codec, self.side)
        self.max_pages = max_pages
        self.max_rounds = max_rounds

    def _prepare(
        self, method: str, params: Any, fields: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """The params of a call as they are sent.

        Raises `CapabilityError` when the peer did not advertise what the call needs,
        `TypeError` for fields that the params do not have or lack, and `EncodeError`.
        """
        info = self.codec.methods[method]
        self._require(method, info.capability)
        typed, meta = self._typed(info, params, fields)
        sent = self.codec.encode_params(method, typed)
        if sent is not None and _TASK_RESULT in info.results and sent.get("task") is not None:
            self._require(method, task_capability(method))
        return self._with_meta(sent, meta, info.kind == "request")

    def _prepare_extension(
        self, method: str, params: Any, is_request: bool
    ) -> dict[str, Any] | None:
        """The params of a vendor's method. Raises `ValueError` for a name it cannot have."""
        require_vendor_method(method, self.codec)
        return self._with_meta(wire_object(params), {}, is_request)

    def _request_info(self, method: str) -> MethodInfo:
        """The row of a request this stub can send; `ValueError` for any other method."""
        info = self.codec.methods.get(method)
        if info is None or info.kind != "request" or self.side not in info.sent_by:
            raise ValueError(f"{method!r} is no request that a {self.side} sends")
        return info

    def _require(self, method: str, capability: str | None) -> None:
        known = self._facts.peer_capabilities
        if capability is not None and known is not None and not advertises(known, capability):
            raise CapabilityError(method, capability)

    def _typed(
        self, info: MethodInfo, params: Any, fields: Mapping[str, Any]
    ) -> tuple[Any, Mapping[str, Any]]:
        """The typed params, and what belongs into their `_meta` beside."""
        if params is not None:
            if fields:
                names = ", ".join(fields)
                raise TypeError(f"{info.method}: found both a params object and {names}")
            return params, {}
        given = fields.get("meta")
        meta: Mapping[str, Any] = {}
        if is_mapping(given):
            meta = given
            fields = {name: value for name, value in fields.items() if name != "meta"}
        if not fields and not meta and not info.params_required:
            return None, {}
        return self.codec.build_params(info.method, fields), meta

    def _with_meta(
        self, params: dict[str, Any] | None, meta: Mapping[str, Any], is_request: bool
    ) -> dict[str, Any] | None:
        """The params with what the version wants in `_meta`, under what the caller gave."""
        own = self._own_meta if is_request and self._scope.stateless else {}
        if not own and not meta:
            return params
        params = params or {}
        return {**params, "_meta": {**own, **(params.get("_meta") or {}), **meta}}

    @cached_property
    def _own_meta(self) -> dict[str, Any]:
        meta: dict[str, Any] = {PROTOCOL_VERSION: self.codec.version, CLIENT_CAPABILITIES: {}}
        if self._own_side is not None:
            meta[CLIENT_CAPABILITIES] = self._own_side.capabilities
            meta[CLIENT_INFO] = self._own_side.info
        return meta

    @cached_property
    def _own_side(self) -> Endpoint | None:
        handler = self._facts.handler
        return None if handler is None else Endpoint(handler, self.codec, self.side)

    # --- answers --------------------------------------------------------------------------------

    def _result(self, method: str, sent: dict[str, Any] | None, answer: dict[str, Any]) -> Any:
        """The typed result: the one for tasks exactly when the request asked for a task.

        Raises `DecodeError` for an answer that is of another type.
        """
        results = self.codec.methods[method].results
        if _TASK_RESULT in results:
            as_task = sent is not None and sent.get("task") is not None
            return self.codec.decode_as(_TASK_RESULT if as_task else results[0], answer)
        return self.codec.decode_result(method, answer)

    def _asks_for_input(self, method: str, answer: dict[str, Any]) -> bool:
        info = self.codec.methods.get(method)
        can_ask = info is not None and _INPUT_RESULT in info.results
        return can_ask and answer.get("resultType") == "input_required"

    def _questions(self, method: str, answer: dict[str, Any], rounds: int) -> dict[str, Any]:
        """The requests inside an `InputRequiredResult`, by their keys.

        Raises `DecodeError` when it is malformed, and `ProtocolError` when it asks for
        nothing, or comes once more than `max_rounds`.
        """
        if rounds > self.max_rounds:
            raise ProtocolError(f"{method}: the server asked for input {rounds} times")
        self.codec.decode_as(_INPUT_RESULT, answer)
        questions: dict[str, Any] = answer.get("inputRequests") or {}
        if not questions and answer.get("requestState") is None:
            raise ProtocolError(f"{method}: the server asked for input without saying for which")
        return questions

    def _repeated(
        self, sent: dict[str, Any] | None, answer: dict[str, Any], responses: dict[str, Any]
    ) -> dict[str, Any]:
        """The params of the call that is made once more, with what the server asked for."""
        params = dict(sent or {})
        params.pop("requestState", None)
        params.pop("inputResponses", None)
        if answer.get("inputRequests") is not None:
            params["inputResponses"] = responses
        if answer.get("requestState") is not None:
            params["requestState"] = answer["requestState"]
        return params


class Pages:
    """Walks the pages of one list: reads their items, and finds the way to the next.

    `items` is the wire name of the list in each page, `item` the type of its members.
    """

    def __init__(
        self,
        codec: Codec,
        method: str,
        items: str,
        item: str,
        first: dict[str, Any] | None,
        max_pages: int,
    ) -> None:
        self._codec = codec
        self._method = method
        self._items = items
        self._item = item
        self._params = first or {}
        self._seen = {self._params.get("cursor")}
        self._max_pages = max_pages
        self._read = 0

    def read(self, page: dict[str, Any]) -> Iterator[Any]:
        """Yield the typed items of a page. Raises `DecodeError` with the path in the page."""
        found = page.get(self._items)
        # The list is read below, item by item; a page without one is refused here.
        rest: dict[str, Any] = {**page, self._items: []} if is_array(found) else page
        self._codec.decode_result(self._method, rest)
        self._read += 1
        for index, value in enumerate(found or ()):
            yield self._decoded(index, value)

    def _decoded(self, index: int, value: Any) -> Any:
        try:
            return self._codec.decode_as(self._item, value)
        except DecodeError as error:
            below = error.path.removeprefix("$")
            path = f"$.{self._items}[{index}]{below}"
            raise DecodeError(path, error.expected, error.found) from None

    def follow(self, page: dict[str, Any]) -> dict[str, Any] | None:
        """Return the params that ask for the next page, None after the last.

        An empty string is a cursor. Raises `ProtocolError` for a cursor that came before, and
        when there are more pages than allowed.
        """
        cursor = page.get("nextCursor")
        if cursor is None:
            return None
        if cursor in self._seen:
            raise ProtocolError(f"{self._method}: the cursor {cursor!r:.80} came twice")
        if self._read >= self._max_pages:
            raise ProtocolError(f"{self._method}: more than {self._max_pages} pages")
        self._seen.add(cursor)
        return {**self._params, "cursor": cursor}
