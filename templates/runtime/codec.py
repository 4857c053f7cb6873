"""The public side of a version's codec: names in, errors with paths out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from operator import itemgetter
from typing import Any, TypeAlias

from . import jsontext
from .envelope import (
    InvalidMessage,
    plain_response,
    read_envelope,
    read_error,
    read_result,
)
from .errors import DecodeError, EncodeError, Mismatch, one
from .explain import Path, explain
from .guards import is_array, is_object
from .methods import MethodInfo
from .objects import WireObject
from .support import Candidates, Decoder, Encoder, Encoders, first_of
from .values import UNSET

__all__ = ["Codec", "ResultPlan"]

# What a decoder raises when a value does not fit: by its own judgement, by a missing key,
# or because the value nests deeper than Python goes.
_REFUSALS = (Mismatch, KeyError, RecursionError)

# What an encoder raises for a value of another type, or one that nests too deeply.
_MISFITS = (AttributeError, TypeError, KeyError, RecursionError)

NamedCandidates: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Result types, each with the keys that make it the planned one."""

ResultPlan: TypeAlias = tuple[str | None, str | None, Mapping[str | None, NamedCandidates]]
"""How the results of a method are told apart: a tag, what its absence means, and the types
under each of its values; under None alone where there is no tag."""


class Codec:
    """Reads and writes every type and message of one version."""

    def __init__(
        self,
        *,
        version: str,
        package: str,
        methods: Mapping[str, MethodInfo],
        decoders: Mapping[str, Decoder],
        encoders: Mapping[str, Encoder],
        class_encoders: Encoders,
        results: Mapping[str, ResultPlan],
        param_classes: Mapping[str, tuple[type[Any], ...]],
        batches: bool,
        definitions: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """Take the tables of a version; `definitions` are read from `package` when left out."""
        self.version = version
        self.methods = methods
        self._package = package
        self._decoders = decoders
        self._encoders = encoders
        self._class_encoders = class_encoders
        self._classes: dict[str, type] = {cls.__name__: cls for cls in class_encoders}
        self._results = results
        self._result_members = {
            method: _with_decoders(groups, decoders) for method, (_, _, groups) in results.items()
        }
        self._result_classes: dict[str, tuple[type, ...]] = {}
        self._param_classes = param_classes
        self._batches = batches
        self._requests = self._frames("request")
        self._notifications = self._frames("notification")
        self._definitions = definitions

    def _frames(self, kind: str) -> dict[str, Decoder]:
        return {
            method: self._decoders[info.message]
            for method, info in self.methods.items()
            if info.kind == kind
        }

    # --- types ----------------------------------------------------------------------------------

    def decode_as(self, name: str, value: Any) -> Any:
        """Return a JSON value decoded as the named type, unions and aliases included.

        Raises `DecodeError` with the path of the first thing that does not fit, and
        `LookupError` when the version has no such type.
        """
        return self._decode(name, self._known(self._decoders, name), value, ())

    def encode_as(self, name: str, value: Any) -> Any:
        """Return the JSON value of the named type.

        Raises `EncodeError` where an object or an array should be and is not, as `to_dict`
        does, and `LookupError` for an unknown name.
        """
        encode = self._known(self._encoders, name)
        cls = self._classes.get(name)
        if cls is not None and not isinstance(value, cls):
            raise EncodeError.at([], one(name), value)
        try:
            return encode(value)
        except _MISFITS:
            pass
        raise self._misfit(name, value)

    def decode_object(self, cls: type[WireObject], value: Any) -> Any:
        """Return an instance of `cls`, an emitted class or a subclass of one."""
        if self._classes.get(cls.__name__) is cls:
            return self.decode_as(cls.__name__, value)
        base: Any = self._emitted_class(cls)
        decoded = self.decode_as(base.__name__, value)
        return cls(**{field.name: getattr(decoded, field.name) for field in fields(base)})

    def encode(self, value: Any) -> Any:
        """Return the JSON object of an instance of an emitted class."""
        try:
            return self._class_encoders[type(value)](value)
        except _MISFITS:
            pass
        raise self._misfit(self._emitted_class(value.__class__).__name__, value)

    def _emitted_class(self, cls: type) -> type:
        """The emitted class that `cls` is, or is a subclass of."""
        return next(base for base in cls.__mro__ if self._classes.get(base.__name__) is base)

    def schema(self, name: str) -> dict[str, Any]:
        """Return the JSON Schema of the named type, with the types it uses under `$defs`."""
        # Imported where it is used, seldom: what reads a package's files is slow to import.
        from .published import published_schema

        self._known(self._decoders, name)
        return published_schema(name, self._schema_definitions())

    # --- messages -------------------------------------------------------------------------------

    def decode_message(
        self,
        data: bytes | bytearray | memoryview | str | dict[str, Any] | list[Any],
        *,
        max_bytes: int | None = None,
    ) -> Any:
        """Return the typed message in JSON text or a decoded value, as `MessageDecoder` says."""
        value: Any = data
        if not isinstance(data, (dict, list)):
            value = jsontext.loads(data, max_bytes=max_bytes)
        if is_object(value):
            method = value.get("method")
            if method is None:
                response = plain_response(value)
                if response is not None:
                    return response
            elif type(method) is str:
                frames = self._requests if "id" in value else self._notifications
                decode = frames.get(method)
                if decode is not None:
                    try:
                        return decode(value)
                    except _REFUSALS:
                        pass
        elif self._batches and is_array(value) and value:
            return [self._decode_member(item, index) for index, item in enumerate(value)]
        return self._decode_other(value, ())

    def _decode_member(self, value: Any, index: int) -> Any:
        try:
            return self._decode_other(value, (index,))
        except InvalidMessage as error:
            path = f"$[{index}]{error.path.removeprefix('$')}"
            raise InvalidMessage(path, error.expected, error.found, error.id) from None

    def _decode_other(self, value: Any, above: Path) -> Any:
        """A response, a message of an unknown method, a batch's, or one that does not fit."""
        envelope = read_envelope(value)
        match envelope.kind:
            case "result":
                return read_result(envelope)
            case "error":
                return read_error(envelope)
            case "request":
                frames, generic = self._requests, "JSONRPCRequest"
            case "notification":
                frames, generic = self._notifications, "JSONRPCNotification"
        method = str(envelope.method)
        name = self.methods[method].message if method in frames else generic
        return self._decode(name, self._decoders[name], value, above)

    # --- params and results ---------------------------------------------------------------------

    def decode_params(self, method: str, params: Any) -> Any:
        """Return a method's typed params; `UNSET` stands for none, and gives None.

        Raises `DecodeError` whose path starts at `$.params`.
        """
        info = self.methods[method]
        if info.params is None or (params is UNSET and not info.params_required):
            return None
        if params is UNSET:
            raise DecodeError.at(["params"], one(info.params), UNSET)
        return self._decode(info.params, self._decoders[info.params], params, ("params",))

    def encode_params(self, method: str, params: Any) -> dict[str, Any] | None:
        """Return a method's params as a JSON object; None for none."""
        info = self.methods[method]
        if params is None or info.params is None:
            return None
        encoded: dict[str, Any] = self.encode_as(info.params, params)
        return encoded

    def build_params(self, method: str, given: Mapping[str, Any]) -> Any:
        """Return a method's params built from fields by their Python names.

        Where the params are a union, the first member that takes all the fields is built;
        params without fields of their own are an empty dict where they are required.
        Raises `TypeError` as a class does for fields that are missing or unknown.
        """
        classes = self._param_classes.get(method, ())
        if not classes:
            if given:
                raise TypeError(f"{method} takes no {', '.join(given)}")
            return {} if self.methods[method].params_required else None
        failures: list[tuple[int, TypeError]] = []
        for cls in classes:
            try:
                return cls(**given)
            except TypeError as error:
                unknown = given.keys() - {field.name for field in fields(cls)}
                failures.append((len(unknown), error))
        # Whichever knows most of the fields is the one that was meant.
        raise min(failures, key=itemgetter(0))[1]

    def decode_result(self, method: str, value: Any) -> Any:
        """Return the typed result of a request by its method.

        Raises `DecodeError` with the path of what does not fit, a result type that the
        version does not know included, and `LookupError` for a method without results.
        """
        plan = self._result_plan(method)
        if not is_object(value):
            raise DecodeError.at([], "an object", value)
        kind = _result_kind(plan, value)
        try:
            return first_of(value, self._result_members[method][kind])
        except _REFUSALS:
            pass
        candidates = plan[2][kind]
        planned = next(
            (name for name, keys in candidates if all(key in value for key in keys)),
            candidates[0][0],
        )
        raise explain(planned, value, self._schema_definitions())

    def encode_result(self, method: str, result: Any) -> dict[str, Any]:
        """Return a method's result as a JSON object.

        Raises `EncodeError` for a value that is no instance of one of its result types, and
        `LookupError` for a method without results.
        """
        classes = self._result_classes.get(method) or self._classes_of_results(method)
        if not isinstance(result, classes):
            expected = " or ".join(one(cls.__name__) for cls in classes)
            raise EncodeError.at([], expected, result)
        encoded: dict[str, Any] = self.encode(result)
        return encoded

    def _classes_of_results(self, method: str) -> tuple[type, ...]:
        groups = self._result_plan(method)[2]
        names = dict.fromkeys(name for group in groups.values() for name, _ in group)
        classes = self._result_classes[method] = tuple(self._classes[name] for name in names)
        return classes

    def _result_plan(self, method: str) -> ResultPlan:
        plan = self._results.get(method)
        if plan is None:
            raise LookupError(f"{method!r} is no request of version {self.version}")
        return plan

    # --- shared ---------------------------------------------------------------------------------

    def _known(self, table: Mapping[str, Callable[[Any], Any]], name: str) -> Callable[[Any], Any]:
        try:
            return table[name]
        except KeyError:
            raise LookupError(f"version {self.version} has no type {name!r}") from None

    def _decode(self, name: str, decode: Decoder, value: Any, above: Path) -> Any:
        try:
            return decode(value)
        except _REFUSALS:
            pass
        raise explain(name, value, self._schema_definitions(), above)

    def _misfit(self, name: str, value: Any) -> EncodeError:
        """The error for a value that the encoder of the type called `name` failed on."""
        from .explain_encoding import explain_encoding

        return explain_encoding(name, value, self._schema_definitions(), self._classes)

    def _schema_definitions(self) -> Mapping[str, Mapping[str, Any]]:
        definitions = self._definitions
        if definitions is None:
            from .published import read_definitions

            definitions = self._definitions = read_definitions(self._package)
        return definitions


def _result_kind(plan: ResultPlan, value: dict[str, Any]) -> str | None:
    """The value of a result's tag; None where the plan has no tag."""
    tag, default, groups = plan
    if tag is None:
        return None
    kind = value.get(tag)
    kind = default if kind is None and tag not in value else kind
    if not isinstance(kind, str) or kind not in groups:
        options = " or ".join(f'"{option}"' for option in groups)
        raise DecodeError.at([tag], options, kind)
    return kind


def _with_decoders(
    groups: Mapping[str | None, NamedCandidates], decoders: Mapping[str, Decoder]
) -> dict[str | None, Candidates]:
    return {
        kind: tuple((keys, decoders[name]) for name, keys in candidates)
        for kind, candidates in groups.items()
    }
