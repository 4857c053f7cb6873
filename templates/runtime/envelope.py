"""The JSON-RPC 2.0 envelope, which is the same in every version of the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, Protocol, TypeVar

from . import jsontext
from .coerce import as_integer, as_request_id
from .errors import DecodeError, Mismatch
from .guards import is_object
from .records import dataclass
from .slotted import Slotted
from .values import EMPTY, UNSET, Unset

__all__ = [
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "METHOD_NOT_FOUND",
    "PARSE_ERROR",
    "Envelope",
    "ErrorResponse",
    "InvalidMessage",
    "MessageDecoder",
    "ResultResponse",
    "is_meant_as_response",
    "read_envelope",
]

_new = object.__new__

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603


class InvalidMessage(DecodeError):
    """JSON that is no JSON-RPC message.

    `id` is the id of the request that an error answer can name, `UNSET` when it has none
    that can be read.
    """

    def __init__(self, path: str, expected: str, found: str, id: str | int | Unset = UNSET) -> None:
        super().__init__(path, expected, found)
        self.id = id

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.path, self.expected, self.found, self.id))


@dataclass(slots=True)
class Envelope(Slotted):
    """What kind of JSON-RPC message an object is, and its outer members.

    `id` is None for notifications, and for an error response that names no request;
    `params` is `UNSET` when absent.
    """

    kind: Literal["request", "notification", "result", "error"]
    message: dict[str, Any]
    method: str | None
    id: str | int | None
    params: Any


@dataclass(kw_only=True, slots=True)
class ResultResponse(Slotted):
    """A successful response; `result` is the JSON object, which `decode_result` types."""

    id: str | int
    result: dict[str, Any]
    extra: Mapping[str, Any] = EMPTY

    def to_dict(self) -> dict[str, Any]:
        """Return the response as a JSON object."""
        message = {"jsonrpc": "2.0", "id": self.id, "result": self.result}
        return _with(self.extra, message)

    def to_json(self) -> bytes:
        """Return the response as JSON text in UTF-8."""
        return jsontext.dumps(self.to_dict())


@dataclass(kw_only=True, slots=True)
class ErrorResponse(Slotted):
    """An error response.

    `id` is `UNSET` or None when the sender could not read the request's id; which of the
    two is written differs by version and both are accepted. `data` is `UNSET` when absent.
    `error_extra` holds unknown members of the error object.
    """

    id: str | int | Unset | None
    code: int
    message: str
    data: Any = UNSET
    error_extra: Mapping[str, Any] = EMPTY
    extra: Mapping[str, Any] = EMPTY

    def to_dict(self) -> dict[str, Any]:
        """Return the response as a JSON object."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not UNSET:
            error["data"] = self.data
        message: dict[str, Any] = {"jsonrpc": "2.0"}
        if self.id is not UNSET:
            message["id"] = self.id
        message["error"] = _with(self.error_extra, error)
        return _with(self.extra, message)

    def to_json(self) -> bytes:
        """Return the response as JSON text in UTF-8."""
        return jsontext.dumps(self.to_dict())


M = TypeVar("M", covariant=True)


class MessageDecoder(Protocol[M]):
    """The function that reads the messages of a version."""

    def __call__(
        self,
        data: bytes | bytearray | memoryview | str | dict[str, Any] | list[Any],
        *,
        max_bytes: int | None = None,
    ) -> M:
        """Return the typed message in JSON text, or in a decoded JSON object or array.

        A request or notification of the version becomes its class; of another method,
        `JSONRPCRequest` or `JSONRPCNotification` with params as a dict. A response becomes
        `ResultResponse` or `ErrorResponse`. In 2025-03-26 a batch becomes a list of these.
        Raises `JsonError` for text that is no JSON or longer than `max_bytes`,
        `InvalidMessage` for JSON that is no message, and `DecodeError` for a message that its
        method does not allow.
        """
        ...


def read_envelope(value: Any) -> Envelope:
    """Return what message a decoded JSON value is.

    A key `id` that is present makes a request, whatever its value. Raises `InvalidMessage`
    for everything that is no request, notification or response: another `jsonrpc`, an id
    that is neither a string nor a whole number, params that are no object, both a result
    and an error.
    """
    if not is_object(value):
        raise InvalidMessage.at([], "a JSON-RPC message", value)
    identifier: Any = value.get("id", UNSET)
    if type(identifier) is not int and type(identifier) is not str:
        identifier = _readable_id(identifier)
    if "method" in value:
        return _read_call(value, identifier)
    if value.get("jsonrpc") != "2.0":
        raise _invalid(["jsonrpc"], '"2.0"', value.get("jsonrpc", UNSET), UNSET)
    if "result" in value and "error" in value:
        raise _invalid([], "either a result or an error", value, UNSET)
    if "result" in value:
        return _read_result(value, identifier)
    if "error" in value:
        return _read_error(value, identifier)
    raise _invalid([], "a method, a result or an error", value, identifier)


def is_meant_as_response(value: Any) -> bool:
    """Tell whether what is no valid message was meant as a response.

    Then it must not be answered: two peers that answer each other's answers never stop.
    """
    return is_object(value) and "method" not in value and ("result" in value or "error" in value)


def plain_response(value: dict[str, Any]) -> ResultResponse | ErrorResponse | None:
    """Return the response in an object that has a response's ordinary members and no others.

    None means that the object is a response out of the ordinary, or none: `read_envelope`
    knows. Nearly all responses are ordinary, and this takes a quarter of the time.
    """
    identifier: Any = value.get("id")
    if type(identifier) is not int and type(identifier) is not str:
        return None
    if len(value) != 3 or value.get("jsonrpc") != "2.0":
        return None
    result = value.get("result")
    if is_object(result):
        # Attributes are set directly, as in the emitted decoders: twice as quick as calling.
        response = _new(ResultResponse)
        response.id = identifier
        response.result = result
        response.extra = EMPTY
        return response
    error = value.get("error")
    if not is_object(error) or len(error) != 2 + ("data" in error):
        return None
    code, message = error.get("code"), error.get("message")
    if type(code) is not int or type(message) is not str:
        return None
    failure = _new(ErrorResponse)
    failure.id = identifier
    failure.code = code
    failure.message = message
    failure.data = error.get("data", UNSET)
    failure.error_extra = failure.extra = EMPTY
    return failure


def read_result(envelope: Envelope) -> ResultResponse:
    """Return the response of an envelope of the kind `result`."""
    message = envelope.message
    assert envelope.id is not None
    return ResultResponse(
        id=envelope.id,
        result=message["result"],
        extra=_others(message, ("jsonrpc", "id", "result")),
    )


def read_error(envelope: Envelope) -> ErrorResponse:
    """Return the response of an envelope of the kind `error`."""
    message = envelope.message
    error: dict[str, Any] = message["error"]
    return ErrorResponse(
        id=message.get("id", UNSET),
        code=as_integer(error["code"]),
        message=error["message"],
        data=error.get("data", UNSET),
        error_extra=_others(error, ("code", "message", "data")),
        extra=_others(message, ("jsonrpc", "id", "error")),
    )


def _read_call(value: dict[str, Any], identifier: str | int | Unset) -> Envelope:
    if value.get("jsonrpc") != "2.0":
        raise _invalid(["jsonrpc"], '"2.0"', value.get("jsonrpc", UNSET), identifier)
    method = value["method"]
    if not isinstance(method, str):
        raise _invalid(["method"], "a string", method, identifier)
    if "id" in value and identifier is UNSET:
        raise _invalid(["id"], "a string or a whole number", value["id"], UNSET)
    params = value.get("params", UNSET)
    if params is not UNSET and params is not None and not is_object(params):
        raise _invalid(["params"], "an object", params, identifier)
    # null in a member that does not allow it is read as absent, here as everywhere.
    params = UNSET if params is None else params
    if identifier is UNSET:
        return Envelope("notification", value, method, None, params)
    return Envelope("request", value, method, identifier, params)


def _read_result(value: dict[str, Any], identifier: str | int | Unset) -> Envelope:
    if identifier is UNSET:
        raise _invalid(["id"], "a string or a whole number", value.get("id", UNSET), UNSET)
    if not is_object(value["result"]):
        raise _invalid(["result"], "an object", value["result"], UNSET)
    return Envelope("result", value, None, identifier, UNSET)


def _read_error(value: dict[str, Any], identifier: str | int | Unset) -> Envelope:
    if identifier is UNSET and value.get("id") is not None:
        raise _invalid(["id"], "a string, a whole number or null", value["id"], UNSET)
    error = value["error"]
    if not is_object(error):
        raise _invalid(["error"], "an object", error, UNSET)
    try:
        as_integer(error.get("code"))
    except Mismatch:
        raise _invalid(["error", "code"], "an integer", error.get("code", UNSET), UNSET) from None
    if not isinstance(error.get("message"), str):
        raise _invalid(["error", "message"], "a string", error.get("message", UNSET), UNSET)
    return Envelope("error", value, None, None if identifier is UNSET else identifier, UNSET)


def _readable_id(value: object) -> str | int | Unset:
    try:
        return as_request_id(value)
    except Mismatch:
        return UNSET


def _others(value: dict[str, Any], known: tuple[str, ...]) -> Mapping[str, Any]:
    return {key: item for key, item in value.items() if key not in known} or EMPTY


def _with(extra: Mapping[str, Any], members: dict[str, Any]) -> dict[str, Any]:
    """An object's own members, and unknown ones under other names."""
    return members if extra is EMPTY else {**extra, **members}


def _invalid(
    parts: list[str], expected: str, found: object, identifier: str | int | Unset
) -> InvalidMessage:
    error = InvalidMessage.at(parts, expected, found)
    error.id = identifier
    return error
