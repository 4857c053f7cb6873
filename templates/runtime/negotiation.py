"""How a client finds the version to speak with a server: pure decisions, no messages.

speaks versions without a handshake ── server/discover ──▶ a result, or a modern error:
                  │                                        a version that both speak
                  │                                      ▶ any other error, or silence:
                  ▼                                        a server of an earlier version
speaks only others ─────────────────── initialize ───────▶ the version that it answers

Silence may also be that of a server that is slow to start. So a result of `server/discover`
counts until `initialize` is answered, and a refusal of `initialize` may lead back to the
question that got no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from .errors import DecodeError, McpError, ProtocolError, RequestTimeout, RpcError
from .facts import VersionFacts
from .guards import is_array, is_object
from .records import dataclass
from .stateless import (
    HEADER_MISMATCH,
    MISSING_CLIENT_CAPABILITY,
    SERVER_INFO,
    UNSUPPORTED_VERSION,
)
from .values import UNSET

__all__ = ["Agreement", "Negotiation", "Question", "Step"]

_MODERN_ERRORS = (HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION)


@dataclass(frozen=True, slots=True)
class Question:
    """The request to send next, in the version it is sent in."""

    method: Literal["initialize", "server/discover"]
    facts: VersionFacts


@dataclass(frozen=True, slots=True)
class Agreement:
    """The version to speak, and what the server said of itself."""

    facts: VersionFacts
    capabilities: dict[str, Any]
    info: dict[str, Any] | None
    instructions: str | None


Step: TypeAlias = Question | Agreement


class Negotiation:
    """Decides for a client that speaks `versions`, oldest first."""

    def __init__(self, versions: Sequence[VersionFacts]) -> None:
        self._versions = {facts.version: facts for facts in reversed(versions)}
        self._asked: set[Question] = set()

    def first(self) -> Question:
        """Return what to ask first."""
        known = list(self._versions.values())
        modern = [facts for facts in known if facts.stateless]
        return self._ask((modern or known)[0])

    def answered(self, question: Question, result: dict[str, Any]) -> Step:
        """Return what follows from a result.

        Raises `ProtocolError` when there is no version that both speak, and for a result
        that is malformed.
        """
        if question.method == "initialize":
            return self._initialized(result)
        supported = result.get("supportedVersions", UNSET)
        if not is_array(supported):
            error = _unexpected(question.method, "supportedVersions", "an array", supported)
            return self._legacy(error)
        chosen = self._choose(supported)
        return _discovered(chosen, result) if chosen.stateless else self._ask(chosen)

    def answered_late(self, result: dict[str, Any]) -> Agreement | None:
        """Return what a result of `server/discover` settles when `initialize` has been sent.

        None when that is nothing: then the answer to `initialize` decides.
        """
        supported = result.get("supportedVersions")
        try:
            chosen = self._choose(supported if is_array(supported) else [])
            return _discovered(chosen, result) if chosen.stateless else None
        except ProtocolError:
            return None

    def failed(self, question: Question, error: McpError) -> Question:
        """Return what to ask after an error, a malformed answer or silence.

        Raises the error, or what it means, to give up.
        """
        if isinstance(error, RpcError):
            supported = error.data.get("supported") if is_object(error.data) else None
            if is_array(supported) and (
                error.code == UNSUPPORTED_VERSION or question.method == "initialize"
            ):
                chosen = self._choose(supported)
                return self._ask_again(chosen, error)
            if error.code in _MODERN_ERRORS:
                raise error
        if question.method == "initialize":
            raise error
        if isinstance(error, RequestTimeout):
            self._asked.discard(question)
        return self._legacy(error)

    def leads_on(self, question: Question) -> bool:
        """Tell whether silence after a question would lead to one that has not been asked yet."""
        legacy = self._newest_legacy()
        if question.method == "initialize" or legacy is None:
            return False
        return Question("initialize", legacy) not in self._asked

    def _ask(self, facts: VersionFacts) -> Question:
        question = Question("server/discover" if facts.stateless else "initialize", facts)
        self._asked.add(question)
        return question

    def _ask_again(self, facts: VersionFacts, error: McpError) -> Question:
        asked = len(self._asked)
        question = self._ask(facts)
        if len(self._asked) == asked:
            raise error
        return question

    def _legacy(self, error: McpError) -> Question:
        """The handshake of the newest version that has one, after an error of the others."""
        legacy = self._newest_legacy()
        if legacy is not None:
            return self._ask_again(legacy, error)
        if isinstance(error, RequestTimeout):
            raise error
        raise ProtocolError(f"the server does not speak {', '.join(self._versions)}: {error}")

    def _newest_legacy(self) -> VersionFacts | None:
        return next((facts for facts in self._versions.values() if not facts.stateless), None)

    def _choose(self, supported: list[Any]) -> VersionFacts:
        """The newest version that both sides speak."""
        for version, facts in self._versions.items():
            if version in supported:
                return facts
        raise self._no_common(supported)

    def _no_common(self, supported: list[Any]) -> ProtocolError:
        theirs = ", ".join(f"{version:.40}" for version in supported if isinstance(version, str))
        ours = ", ".join(self._versions)
        found = f"speaks {theirs}" if theirs else "names none"
        return ProtocolError(f"no version in common: the server {found}, we speak {ours}")

    def _initialized(self, result: dict[str, Any]) -> Agreement:
        version = result.get("protocolVersion", UNSET)
        if not isinstance(version, str):
            raise _unexpected("initialize", "protocolVersion", "a string", version)
        chosen = self._versions.get(version)
        if chosen is None or chosen.stateless:
            raise self._no_common([version])
        info = result.get("serverInfo", UNSET)
        if not is_object(info):
            raise _unexpected("initialize", "serverInfo", "an object", info)
        return _agreement("initialize", chosen, result, info)


def _discovered(facts: VersionFacts, result: dict[str, Any]) -> Agreement:
    meta = result.get("_meta")
    info = meta.get(SERVER_INFO) if is_object(meta) else None
    return _agreement("server/discover", facts, result, info)


def _agreement(method: str, facts: VersionFacts, result: dict[str, Any], info: Any) -> Agreement:
    capabilities = result.get("capabilities", UNSET)
    if not is_object(capabilities):
        raise _unexpected(method, "capabilities", "an object", capabilities)
    instructions = result.get("instructions")
    return Agreement(
        facts,
        capabilities,
        info if is_object(info) else None,
        instructions if isinstance(instructions, str) else None,
    )


def _unexpected(method: str, member: str, expected: str, value: object) -> ProtocolError:
    """The error of a member of a result that is not what it should be."""
    return ProtocolError(f"{method}: {DecodeError.at(['result', member], expected, value)}")
