"""Serves one handler without a transport: a message in, the answer to it out.

    bytes ── loads ──▶ one message, or in 2025-03-26 a batch of them
                         │
          request ───────┼── notification ──▶ an on_… method of the handler; no answer, ever
             │           └── response ──▶ ignored: it is for whoever sent the request
             ▼
    method known, capability advertised ──▶ params decoded ──▶ handler ──▶ result encoded
          else -32601                       else -32602        else -32603     else -32603

Nothing here enforces the order of a session or that ids are unique: a session does.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from . import jsontext
from .complaints import Complaints
from .context import RequestContext, Scope
from .envelope import Envelope, InvalidMessage, is_meant_as_response, read_envelope
from .errors import ConnectionClosed, DecodeError, JsonError, RpcError
from .extensions import Extendable
from .facts import Side, VersionFacts
from .guards import is_array, is_object
from .handlers import Endpoint, HandlerBase
from .refusals import internal_error, invalid_request, not_a_message, sendable_error
from .serving import Service
from .session import CallSession, Send, SendOnlySession
from .values import EMPTY

__all__ = ["DispatcherBase"]

_log = logging.getLogger(__name__)

_CANCELLED = "notifications/cancelled"


class DispatcherBase(Extendable):
    """What the dispatchers of all versions have in common."""

    facts: ClassVar[VersionFacts]
    contexts: ClassVar[Mapping[Side, type[RequestContext]]]

    def __init__(
        self,
        handler: object,
        send: Send | None = None,
        *,
        role: Side | None = None,
        session: CallSession | None = None,
        versions: Sequence[str] = (),
    ) -> None:
        """Serve `handler`: an instance of a handler class, or any object with the right methods.

        `send` takes what handlers send of their own accord, as bytes; where they call the
        other side and await its answers, there has to be a `session` instead. `role` says
        which side such an object is, `server` unless given. `versions` are all the versions
        the server speaks, for what tells clients of them. Raises `ValueError` for a handler
        class of another version or role.
        """
        self.handler = handler
        self.role: Side = self._role_of(handler, role)
        self.session = session or (None if send is None else SendOnlySession(send))
        self._endpoint = Endpoint(handler, self.codec, self.role)
        self._scope = Scope(self.codec, self.role, lambda: self._endpoint.capabilities)
        own = handler.extensions if isinstance(handler, HandlerBase) else {}
        self._service = Service(
            self._endpoint, self._scope, (self.extensions, own), versions or (self.codec.version,)
        )
        self._context_type = self.contexts[self.role]
        self._running: dict[tuple[type, str | int | None], _Running] = {}
        self._complaints = Complaints()

    def _role_of(self, handler: object, role: Side | None) -> Side:
        if not isinstance(handler, HandlerBase):
            return role or "server"
        if handler.codec is not self.codec:
            found, expected = handler.codec.version, self.codec.version
            raise ValueError(f"handler: expected one of version {expected}, found one of {found}")
        if role not in (None, handler.side):
            raise ValueError(f"role: expected {handler.side!r} as the handler's, found {role!r}")
        return handler.side

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the handler's side advertises, as a JSON object."""
        return self._endpoint.capabilities

    @property
    def info(self) -> dict[str, Any]:
        """Who the handler's side is, as a JSON object."""
        return self._endpoint.info

    async def dispatch(
        self, data: jsontext.JsonText, *, session: CallSession | None = None
    ) -> bytes | None:
        """Return the answer to the JSON text of a message; None when it gets none.

        Never raises for what it is given: that becomes an error answer. `session` is where
        the message came from, if that is not the session of the dispatcher. The log level that
        a client sets is kept for its session, as long as that lives: an object that weak
        references can point to, and the same one for all messages of the client.
        """
        try:
            value = jsontext.loads(data)
        except JsonError as error:
            return not_a_message(self.facts, error)
        if self.facts.batches and is_array(value):
            return await self._batch(value, session)
        return await self._one(value, session)

    async def serve(
        self, envelope: Envelope, *, session: CallSession | None = None
    ) -> bytes | None:
        """Return the answer to one message that has been read already, as `dispatch` does."""
        if envelope.kind == "request":
            return await self._request(envelope, self.context(envelope, session))
        if envelope.kind == "notification":
            await self._notification(envelope, self.context(envelope, session))
        return None

    async def respond(self, envelope: Envelope, ctx: RequestContext) -> bytes:
        """Return the answer to a request; raises only what is no `Exception`.

        A `CancelledError` is for the caller to judge: the request may have been cancelled, in
        which case `ctx.cancel()` comes first, or its handler have cancelled itself.
        """
        assert envelope.id is not None
        try:
            result = await self._service.result(str(envelope.method), envelope.params, ctx)
            return jsontext.dumps({"jsonrpc": "2.0", "id": envelope.id, "result": result})
        except BaseException as error:
            ctx.end()
            if not isinstance(error, Exception):
                raise
            return self.failure(envelope, error)

    def failure(self, envelope: Envelope, error: BaseException) -> bytes:
        """Return the answer to a request whose handler has just raised an error; log a fault."""
        assert envelope.id is not None
        if isinstance(error, RpcError):
            return sendable_error(envelope.id, error)
        if _is_from_outside(error):
            _log.info("the handler of %.80r was cut short: %r", envelope.method, error)
        else:
            _log.exception("the handler of %.80r failed", envelope.method)
        return internal_error(envelope.id).to_json()

    def context(self, envelope: Envelope, session: CallSession | None = None) -> RequestContext:
        """Return what the handler of a message gets to know of it."""
        params = envelope.params
        meta = params.get("_meta") if is_object(params) else None
        return self._context_type(
            self._scope,
            request_id=envelope.id,
            meta=EMPTY if meta is None or not is_object(meta) else meta,
            session=session or self.session,
        )

    def is_built_in(self, method: str) -> bool:
        """Tell whether a request is answered without the handler."""
        return self._service.is_built_in(method)

    def listens(self, method: str) -> bool:
        """Tell whether the handler has a method for notifications of `method`."""
        return self._service.listens(method)

    def cancel(self, request_id: object) -> None:
        """Cancel the request with this id: its handler is interrupted and it gets no answer.

        Nothing happens when there is none, or when it is `initialize`.
        """
        if isinstance(request_id, str | int):
            running = self._running.get((type(request_id), request_id))
            if running is not None:
                running.cancel()

    # --- messages -------------------------------------------------------------------------------

    async def _one(
        self, value: Any, session: CallSession | None, *, batched: bool = False
    ) -> bytes | None:
        try:
            envelope = read_envelope(value)
        except InvalidMessage as error:
            if is_meant_as_response(value):
                self._warn("dropped a malformed response: %s", error)
                return None
            return not_a_message(self.facts, error)
        if batched and envelope.method == "initialize" and envelope.id is not None:
            found = DecodeError.at(["method"], "no initialize in a batch", envelope.method)
            return invalid_request(self.facts, found, envelope.id)
        if envelope.method == _CANCELLED and envelope.id is None and is_object(envelope.params):
            self.cancel(envelope.params.get("requestId"))
        return await self.serve(envelope, session=session)

    async def _batch(self, members: list[Any], session: CallSession | None) -> bytes | None:
        """The answers to a batch, whose requests are served at the same time."""
        if not members:
            error = DecodeError.at([], "a batch of at least one message", members)
            return invalid_request(self.facts, error)
        answers = await asyncio.gather(
            *(self._one(member, session, batched=True) for member in members)
        )
        found = [answer for answer in answers if answer is not None]
        return b"[" + b",".join(found) + b"]" if found else None

    async def _notification(self, envelope: Envelope, ctx: RequestContext) -> None:
        method = str(envelope.method)
        try:
            await self._service.notify(method, envelope.params, ctx)
        except RpcError as error:
            self._warn("ignored a notification %.80r: %s", method, error.message)
        except ConnectionClosed as error:
            _log.info("the handler of %.80r was cut short: %s", method, error)
        except Exception:
            _log.exception("the handler of the notification %.80r failed", method)

    def _warn(self, message: str, *args: object) -> None:
        self._complaints.warn(asyncio.get_running_loop().time(), message, *args)

    async def _request(self, envelope: Envelope, ctx: RequestContext) -> bytes | None:
        """The answer to a request, None when it was cancelled."""
        answer: bytes | None = None
        running = _Running(ctx)
        key = (type(envelope.id), envelope.id)
        if envelope.method != "initialize":
            self._running[key] = running
        try:
            answer = await self.respond(envelope, ctx)
            if running.interrupted:
                # Where the handler did not wait after its interruption, that is still to come,
                # and before Python 3.13 `Task.uncancel` does not take it back.
                await asyncio.sleep(0)
        except asyncio.CancelledError as error:
            if running.is_caller_cancelled():
                ctx.cancel()
                raise
            if not ctx.cancelled:
                answer = self.failure(envelope, error)
        finally:
            running.absorb()
            if self._running.get(key) is running:
                del self._running[key]
        return None if ctx.cancelled else answer


def _is_from_outside(error: BaseException) -> bool:
    """Tell whether what a handler has just raised is no fault of its own.

    Its task may have been cancelled with all others, as at the end of a program.
    """
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return isinstance(error, ConnectionClosed)


class _Running:
    """A request being served, and the task to interrupt when it is cancelled."""

    def __init__(self, ctx: RequestContext) -> None:
        self._ctx = ctx
        self._task = asyncio.current_task()
        self._requests = self._cancellations()
        self.interrupted = False

    def cancel(self) -> None:
        """Interrupt the handler, once."""
        self._ctx.cancel()
        if self._task is not None and not self.interrupted:
            self.interrupted = self._task.cancel()

    def is_caller_cancelled(self) -> bool:
        """Tell whether whoever awaits the answer is being cancelled, and not the request alone.

        A caller may have been cancelled before, and have gone on.
        """
        return self._cancellations() > (self._requests + 1 if self.interrupted else 0)

    def absorb(self) -> None:
        """Let the task go on after its interruption, which was for the handler only."""
        if self._task is not None and self.interrupted:
            self._task.uncancel()

    def _cancellations(self) -> int:
        return 0 if self._task is None else self._task.cancelling()
