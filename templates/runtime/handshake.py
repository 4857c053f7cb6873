"""How a connection comes to a version: what a server does about it, and what a client does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from . import jsontext
from .calls import Call, Calls
from .core import Core
from .envelope import Envelope
from .errors import ConnectionClosed, McpError, ProtocolError, RequestTimeout
from .events import Ready
from .exits import EXITS
from .facts import VersionFacts
from .guards import is_object
from .limits import Limits
from .negotiation import Agreement, Negotiation, Question, Step
from .records import dataclass
from .stateless import CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION
from .states import State

__all__ = ["ClientHandshake", "GiveUp", "Introduce", "Introduction", "ServerHandshake"]

GiveUp: TypeAlias = Callable[[Exception, float], None]
"""Ends the connection at once, for an error, at a time."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """Who a client is and what it offers, as the JSON objects of a version."""

    info: dict[str, Any]
    capabilities: dict[str, Any]


Introduce: TypeAlias = Callable[[str], Introduction]
"""Returns the introduction in a version."""


class ServerHandshake:
    """Answers `initialize` with the version asked for or, without that, the newest."""

    def __init__(self, core: Core, versions: Sequence[VersionFacts]) -> None:
        self._core = core
        self._before = core.facts
        self._versions = {facts.version: facts for facts in versions if not facts.stateless}
        self._is_early = False

    def begin(self, envelope: Envelope) -> str:
        """Take an `initialize`; return the version to answer it in."""
        params: dict[str, Any] = envelope.params if is_object(envelope.params) else {}
        asked = params.get("protocolVersion")
        found = self._versions.get(asked) if isinstance(asked, str) else None
        core = self._core
        core.facts = found or list(self._versions.values())[-1]
        core.agreed = True
        core.happened("asked")
        self._is_early = False
        capabilities, info = params.get("capabilities"), params.get("clientInfo")
        core.peer_capabilities = capabilities if is_object(capabilities) else None
        core.peer_info = info if is_object(info) else None
        return core.facts.version

    def answered(self, answer: bytes | None, now: float) -> None:
        """Note how `initialize` was answered: after an error another may come."""
        core = self._core
        if core.state is not State.INITIALIZING:
            return
        if answer is not None and "result" in jsontext.loads(answer):
            core.happened("answered")
            if self._is_early:
                self.initialized(now)
        else:
            core.facts, core.agreed = self._before, False
            core.happened("refused")
            core.peer_capabilities = core.peer_info = None

    def initialized(self, now: float) -> None:
        """Take the client's word that it is ready; one that came too early counts later."""
        core = self._core
        self._is_early = core.state is State.INITIALIZING
        if core.state is State.INITIALIZED:
            core.happened("initialized")
            core.release(now)
            core.events.append(Ready())


class ClientHandshake:
    """Asks the server which version to speak, as `negotiation` decides.

    Whatever goes wrong on the way ends the connection with `give_up`: an answer that leads
    nowhere, and what `introduce` raises.
    """

    def __init__(
        self,
        core: Core,
        calls: Calls,
        versions: Sequence[VersionFacts],
        introduce: Introduce,
        limits: Limits,
        give_up: GiveUp,
    ) -> None:
        self._core = core
        self._calls = calls
        self._negotiation = Negotiation(versions)
        self._introduce = introduce
        self._limits = limits
        self._give_up = give_up
        self._meta: dict[str, Any] = {}
        self._asked: dict[int, Question] = {}
        self._late: set[int] = set()

    def start(self, now: float) -> None:
        """Ask the first question."""
        self._core.happened("asked")
        self._go_on(self._negotiation.first, now)

    def answered(self, call: Call, result: dict[str, Any], now: float) -> None:
        """Go on after a result."""
        question = self._asked.pop(call.id)
        if call.id in self._late:
            self._go_on(partial(self._negotiation.answered_late, result), now)
        else:
            self._go_on(partial(self._negotiation.answered, question, result), now)

    def failed(self, call: Call, error: McpError, now: float) -> None:
        """Go on after an error."""
        question = self._asked.pop(call.id)
        if call.id not in self._late:
            self._go_on(partial(self._negotiation.failed, question, error), now)

    def with_meta(self, params: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return the params of a request with what the version wants in `_meta`.

        From 2026-07-28 on that is the version and who we are, under what the caller gave.
        """
        given: Any = {} if params is None else params.get("_meta")
        if given is None:
            given = {}
        if not is_object(given) or self._meta.keys() <= given.keys():
            return params
        return {**(params or {}), "_meta": {**self._meta, **given}}

    def _completed(self, message: bytes) -> bytes:
        """A request that was made before the version was known, with what that wants."""
        request = jsontext.loads(message)
        request["params"] = self.with_meta(request.get("params"))
        return jsontext.dumps(request)

    def timed_out(self, call: Call, now: float) -> None:
        """Go on after silence, and still listen."""
        error = RequestTimeout(call.method, call.seconds or 0)
        question = self._asked[call.id]
        self._late.add(call.id)
        self._calls.reopen(call)
        self._go_on(partial(self._negotiation.failed, question, error), now)

    def _go_on(self, decide: Callable[[], Step | None], now: float) -> None:
        try:
            step = decide()
            if isinstance(step, Agreement):
                self._agree(step, now)
            elif step is not None:
                self._ask(step, now)
        except EXITS as error:
            self._give_up(ConnectionClosed(f"making a handler was ended by {error!r}"), now)
            raise
        except BaseException as error:
            # Nothing was waited for here: a cancellation is an error like others.
            failure = error if isinstance(error, Exception) else RuntimeError(repr(error))
            self._give_up(self._explained(failure), now)

    def _explained(self, error: Exception) -> Exception:
        """What silence means where the server has said something, if nothing of the protocol."""
        noise = self._core.noise
        if noise is None or not isinstance(error, RequestTimeout):
            return error
        return ProtocolError(f"{error}; the server sent what is no message: {noise}")

    def _ask(self, question: Question, now: float) -> None:
        # A server may be slow to start: only where silence leads on is the wait a short one.
        is_short = self._negotiation.leads_on(question)
        call = self._calls.make(
            question.method,
            self._params(question),
            now,
            owner=None,
            purpose="handshake",
            timeout=self._limits.probe_timeout if is_short else self._limits.timeout,
        )
        self._asked[call.id] = question

    def _params(self, question: Question) -> dict[str, Any]:
        version = question.facts.version
        own = self._own(version)
        if question.method == "initialize":
            return {
                "protocolVersion": version,
                "capabilities": own.capabilities,
                "clientInfo": own.info,
            }
        return {"_meta": _request_meta(version, own)}

    def _own(self, version: str) -> Introduction:
        try:
            return self._introduce(version)
        except StopIteration as error:
            # No future can hold this one: whoever waits for the version would wait for ever.
            raise RuntimeError("the introduction raised StopIteration") from error

    def _agree(self, agreement: Agreement, now: float) -> None:
        core = self._core
        version = agreement.facts.version
        own = self._own(version)  # A side that cannot be had in this version ends it here.
        for request_id in self._asked:
            self._calls.cancel(request_id, now, None)
        self._asked.clear()
        core.facts, core.agreed = agreement.facts, True
        core.peer_capabilities = agreement.capabilities
        core.peer_info = agreement.info
        core.instructions = agreement.instructions
        if agreement.facts.stateless:
            self._meta = _request_meta(version, own)
            core.happened("discovered")
            core.release(now, self._completed)
        else:
            core.happened("agreed")
            core.notify("notifications/initialized", None, now)
            core.release(now)
        core.events.append(Ready())


def _request_meta(version: str, own: Introduction) -> dict[str, Any]:
    return {
        PROTOCOL_VERSION: version,
        CLIENT_CAPABILITIES: own.capabilities,
        CLIENT_INFO: own.info,
    }
