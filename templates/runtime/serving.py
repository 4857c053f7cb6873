"""From the params of one message to the result of a handler: the typed half of a dispatcher."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from .capabilities import advertises, capability_object, merge
from .context import RequestContext, Scope
from .envelope import INVALID_PARAMS
from .errors import DecodeError, RpcError
from .extensions import Extension
from .guards import is_object
from .handlers import BUILT_IN, Endpoint, as_asynchronous, unknown_method
from .methods import MethodInfo
from .records import dataclass
from .refusals import details
from .stateless import (
    MISSING_CLIENT_CAPABILITY,
    PROTOCOL_VERSION,
    SERVER_INFO,
    UNSUPPORTED_VERSION,
)
from .values import UNSET

__all__ = ["Service"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Route:
    """A method of the specification and what serves it; None when the answer is built in."""

    info: MethodInfo
    fn: Callable[[Any, Any], Awaitable[Any]] | None


class Service:
    """Finds what serves a message, and gives it typed params.

    `extensions` are the tables of vendor methods, the first that has one wins. `versions`
    are all that the server speaks. Which method of the handler serves a message is settled
    when the first of its kind arrives.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        scope: Scope,
        extensions: Sequence[Mapping[str, Extension]],
        versions: Sequence[str],
    ) -> None:
        self._endpoint = endpoint
        self._codec = endpoint.codec
        self._scope = scope
        self._extensions = extensions
        self._versions = versions
        self._identifies = scope.stateless and scope.side == "server"
        self._requests: dict[str, _Route] = {}

    async def result(self, method: str, params: Any, ctx: RequestContext) -> dict[str, Any]:
        """Return the result object of a request; `params` is `UNSET` when there are none.

        Raises `RpcError` for a request that cannot be served, and what a handler raises.
        """
        if self._scope.stateless:
            self._check_version(ctx)
        route = self._requests.get(method) or self._find_request(method)
        if route is None:
            result = await self._extended(method, params, ctx)
        else:
            typed = self._params(route.info, params)
            if route.fn is None:
                result = self._endpoint.answer(method, self._versions)
            else:
                result = self._specified(route.info, await route.fn(typed, ctx), ctx)
            if method == "logging/setLevel" and ctx.session is not None:
                self._scope.log_levels[ctx.session] = params["level"]
        if self._identifies:
            result["_meta"] = {SERVER_INFO: self._endpoint.info, **(result.get("_meta") or {})}
        return result

    async def notify(self, method: str, params: Any, ctx: RequestContext) -> None:
        """Give a notification to the handler; one it has no method for is ignored.

        Raises `RpcError` for bad params, and what a handler raises.
        """
        info = self._codec.methods.get(method)
        extension = self._extension(method)
        if extension is not None:
            typed = self._extension_params(extension, params)
            await as_asynchronous(extension.fn)(typed, ctx)
        elif info is None or info.kind != "notification" or not self._endpoint.receives(info):
            _log.debug("ignored an unknown notification %.80r", method)
        else:
            typed = self._params(info, params)
            fn = self._endpoint.find(info)
            if fn is not None:
                await as_asynchronous(fn)(typed, ctx)

    def is_built_in(self, method: str) -> bool:
        """Tell whether a request is answered without the handler."""
        if method not in BUILT_IN:
            return False
        route = self._requests.get(method) or self._find_request(method)
        return route is not None and route.fn is None

    def listens(self, method: str) -> bool:
        """Tell whether the handler has a method for notifications of `method`."""
        if self._extension(method) is not None:
            return True
        info = self._codec.methods.get(method)
        return info is not None and self._endpoint.find(info) is not None

    # --- methods of the specification -----------------------------------------------------------

    def _find_request(self, method: str) -> _Route | None:
        """The route of a request that this side advertises and serves, None for any other."""
        info = self._codec.methods.get(method)
        if info is None or info.kind != "request" or not self._endpoint.receives(info):
            return None
        if info.capability and not advertises(self._endpoint.capabilities, info.capability):
            return None
        fn = self._endpoint.find(info)
        if fn is None and method not in BUILT_IN:
            return None
        route = _Route(info, None if fn is None else as_asynchronous(fn))
        self._requests[method] = route
        return route

    def _specified(self, info: MethodInfo, value: Any, ctx: RequestContext) -> dict[str, Any]:
        """The result object of a method of the specification whose handler returned `value`."""
        result = self._encoded(info, value)
        if "task" not in result or "CreateTaskResult" not in info.results:
            ctx.end()
        if result.get("resultType") == "input_required":
            self._check_client(result, ctx)
        return result

    def _params(self, info: MethodInfo, params: Any) -> Any:
        """The typed params.

        Where the message may have none, they are those of an empty object, or None when an
        empty object would not do. Only stateless versions ask for `_meta` all the same.
        """
        absent = params is UNSET and not info.params_required
        try:
            return self._codec.decode_params(info.method, {} if absent else params)
        except DecodeError as error:
            if absent and not self._scope.stateless:
                return None
            raise _invalid_params(error) from None

    def _encoded(self, info: MethodInfo, result: Any) -> dict[str, Any]:
        if result is None and info.results == ("EmptyResult",):
            result = self._codec.decode_result(info.method, {})
        return self._codec.encode_result(info.method, result)

    # --- vendor methods -------------------------------------------------------------------------

    def _extension(self, method: str) -> Extension | None:
        return next((table[method] for table in self._extensions if method in table), None)

    async def _extended(self, method: str, params: Any, ctx: RequestContext) -> dict[str, Any]:
        extension = self._extension(method)
        if extension is None:
            raise unknown_method(method, self._versions_for(method))
        if self._scope.stateless:
            self._require_meta(params)
        typed = self._extension_params(extension, params)
        result = extension.encode(await as_asynchronous(extension.fn)(typed, ctx))
        ctx.end()
        return dict(result)

    def _extension_params(self, extension: Extension, params: Any) -> Any:
        try:
            return extension.decode({} if params is UNSET else params)
        except DecodeError as error:
            path = f"$.params{error.path.removeprefix('$')}"
            raise _invalid_params(DecodeError(path, error.expected, error.found)) from None
        except (ValueError, TypeError, LookupError):
            _log.info("%.80r refused its params", extension.method, exc_info=True)
            refused = DecodeError.at(["params"], f"params of {extension.method}", params)
            raise _invalid_params(refused) from None

    # --- from 2026-07-28 on ---------------------------------------------------------------------

    def _check_version(self, ctx: RequestContext) -> None:
        """Refuse a request that says it is of another version; one that says none comes later."""
        requested = ctx.meta.get(PROTOCOL_VERSION)
        if isinstance(requested, str) and requested != self._codec.version:
            supported = list(self._versions)
            data = {"supported": supported, "requested": requested}
            raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)

    def _require_meta(self, params: Any) -> None:
        """Refuse a vendor's request without the `_meta` that every request has to carry."""
        meta = params.get("_meta", UNSET) if is_object(params) else UNSET
        try:
            # The one request whose params are nothing but that.
            found = {} if meta is UNSET else {"_meta": meta}
            self._codec.decode_params("server/discover", found)
        except DecodeError as error:
            raise _invalid_params(error) from None

    def _check_client(self, result: dict[str, Any], ctx: RequestContext) -> None:
        """Refuse to ask a client for input that it did not say it can give."""
        offered = ctx.peer_capabilities or {}
        missing: dict[str, Any] = {}
        questions: dict[str, Any] = result.get("inputRequests") or {}
        for question in questions.values():
            capability = self._codec.methods[question["method"]].capability
            if capability and not advertises(offered, capability):
                merge(missing, capability_object(capability, {}))
        if missing:
            message = "Missing required client capability"
            data = {"requiredCapabilities": missing}
            raise RpcError(MISSING_CLIENT_CAPABILITY, message, data)

    def _versions_for(self, method: str) -> Any:
        """What to tell a client of an earlier version, which cannot find out any other way."""
        if method == "initialize" and self._scope.stateless:
            return {"supported": list(self._versions)}
        return UNSET


def _invalid_params(error: DecodeError) -> RpcError:
    return RpcError(INVALID_PARAMS, f"Invalid params: {error}", details(error))
