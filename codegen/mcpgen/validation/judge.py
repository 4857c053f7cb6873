"""The judge of a version: whether a JSON value is a message, a result or a named type.

It judges as the emitted package does, without emitting it: the runtime's own codec applies
the rules of messages, methods and unions, and its own walk over the version's schema stands
in for the emitted decoders. A refusal is the `DecodeError` the package would raise.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias
from typing import Protocol as Interface

from ..emit.schemas import schema_file
from ..emit.shapes import Shapes
from ..errors import ConfigError
from ..model.model import Method, Protocol, Ref
from ..runtime import runtime_module

_Definitions: TypeAlias = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a value is not valid: where in it, what was expected there, what was found."""

    path: str
    expected: str
    found: str

    def moved(self, to: str, start: str = "$") -> Refusal:
        """The same refusal where what was judged at `start` stands at the path `to`."""
        return Refusal(to + self.path.removeprefix(start), self.expected, self.found)


class Envelope(Interface):
    """The outer members of a valid message: see the runtime's `Envelope`."""

    kind: str
    message: dict[str, Any]
    method: str | None
    id: str | int | None


class _Codec(Interface):
    """What is used of the runtime's `Codec`."""

    def decode_message(self, data: dict[str, Any] | list[Any]) -> object: ...
    def decode_result(self, method: str, value: Any) -> object: ...
    def decode_as(self, name: str, value: Any) -> object: ...


class Judge:
    """Judges values by one version of the protocol."""

    def __init__(self, protocol: Protocol) -> None:
        errors = runtime_module("errors")
        self.protocol = protocol
        self._refused: type[Exception] = errors.DecodeError
        self._refusal_at: Callable[[list[str], str, object], Exception] = errors.DecodeError.at
        self._loads: Callable[[bytes], Any] = runtime_module("jsontext").loads
        self._codec = _codec(protocol)
        self._read_envelope: Callable[[Any], Envelope] = runtime_module("envelope").read_envelope
        self._calls = {(str(m.kind), m.method) for m in protocol.methods}

    def parse(self, text: bytes) -> Any:
        """The value of a JSON text, or the `Refusal` of one that is none."""
        try:
            return self._loads(text)
        except self._refused as error:
            return Refusal(*error.args)

    def message(self, value: Any) -> Refusal | None:
        """Judges a message, and a batch of them in a version that has batches."""
        if isinstance(value, (dict, list)):
            return self._refusal(partial(self._codec.decode_message, value))
        return self._refusal(partial(self._read_envelope, value))

    def result(self, method: str, value: Any) -> Refusal | None:
        """Judges the result of a request by its method; of an unknown one, anything goes."""
        if not self.knows("request", method):
            return None
        return self._refusal(partial(self._codec.decode_result, method, value))

    def named(self, name: str, value: Any) -> Refusal | None:
        """Judges a value of a named type, one of `require_type`."""
        return self._refusal(partial(self._codec.decode_as, name, value))

    def refuse(self, parts: list[str], expected: str, found: object) -> Refusal:
        """The refusal of what was found under keys from the root."""
        return Refusal(*self._refusal_at(parts, expected, found).args)

    def envelope(self, value: Any) -> Envelope | None:
        """The envelope of a message; None for what is no message at all."""
        try:
            return self._read_envelope(value)
        except self._refused:
            return None

    def knows(self, kind: str, method: str) -> bool:
        """Whether the version has a message of that kind, `request` or `notification`."""
        return (kind, method) in self._calls

    def require_type(self, name: str) -> None:
        """Raises `ConfigError` for a name that is no type of the version."""
        names = [declared.name for declared in self.protocol.types]
        if name not in names:
            close = [other for other in names if other.casefold() == name.casefold()]
            what = f"found {name!r}, which version {self.protocol.version} has no type of"
            remedy = f"did you mean {close[0]}?" if close else "mcpgen inspect lists the types"
            raise ConfigError("--type", what, remedy)

    def _refusal(self, decode: Callable[[], object]) -> Refusal | None:
        try:
            decode()
        except self._refused as error:
            # The first three arguments of every decode error; some have more.
            return Refusal(*error.args[:3])
        return None


def _codec(protocol: Protocol) -> _Codec:
    """The runtime's codec over the version's schema instead of emitted decoders."""
    accepts: Callable[[str, Any, _Definitions], bool] = runtime_module("explain").accepts
    mismatch: type[Exception] = runtime_module("errors").Mismatch
    definitions = _definitions(protocol)

    def decoder(name: str) -> Callable[[Any], Any]:
        def decode(value: Any) -> Any:
            if not accepts(name, value, definitions):
                raise mismatch
            return value

        return decode

    info: Callable[..., Any] = runtime_module("methods").MethodInfo
    codec: _Codec = runtime_module("codec").Codec(
        version=protocol.version,
        package="",
        methods={method.method: _method_info(info, method) for method in protocol.methods},
        decoders={declared.name: decoder(declared.name) for declared in protocol.types},
        encoders={},
        class_encoders={},
        results={method.method: _results(method) for method in protocol.methods if method.results},
        param_classes={},
        batches=protocol.batches,
        definitions=definitions,
    )
    return codec


def _definitions(protocol: Protocol) -> _Definitions:
    """The schemas of all types; as in decoders, nothing is looked at that may be any value."""
    definitions: dict[str, Mapping[str, Any]] = json.loads(schema_file(protocol))["$defs"]
    shapes = Shapes(protocol)
    return {
        name: {} if shapes.is_universal(Ref(name)) else schema
        for name, schema in definitions.items()
    }


def _method_info(info: Callable[..., Any], method: Method) -> Any:
    return info(
        method=method.method,
        python_name=method.python_name,
        kind=method.kind,
        sent_by=method.sent_by,
        message=method.message,
        params=method.params,
        params_required=method.params_required,
        results=method.results,
        capability=method.capability,
        deprecated=method.deprecated,
    )


def _results(method: Method) -> Any:
    """A method's result plan in the shape the codec takes."""
    plan = method.result_plan
    groups = {
        value: tuple((candidate.type, candidate.keys) for candidate in candidates)
        for value, candidates in plan.groups.items()
    }
    return plan.tag, plan.default_tag, groups
