"""From the method table of a version to its stubs and handlers, as their templates need them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from ..errors import SchemaError
from ..model.model import Field, Map, Method, Protocol, Ref, Side
from .call_texts import handler_text, iterator_text, stub_text
from .call_types import (
    Types,
    has_literals,
    item_types,
    named_types,
    param_objects,
    referred_types,
)
from .call_views import (
    Calls,
    Handler,
    HandlerMethod,
    Iteration,
    Keyword,
    OnceCall,
    Overload,
    Stub,
    StubMethod,
    StubNeeds,
)
from .hints import field_default, field_hint, needs_unset, python_hint

TASK_RESULT = "CreateTaskResult"
"""The result that a request has instead of its own when its params have a `task`."""

INPUT_RESULT = "InputRequiredResult"
"""The result that asks for input: stubs answer it, and repeat the request."""

BUILT_IN = frozenset({"initialize", "logging/setLevel", "ping", "server/discover"})
"""The requests that are answered without a handler's method for them."""

_META = "_meta"
_TASK = "task"
_OTHER: dict[Side, Side] = {"client": "server", "server": "client"}
# What the modules name beside the params and results of methods.
_STUB_TYPES = ("ClientCapabilities",)
_HANDLER_TYPES = ("ClientCapabilities", "Implementation", "ServerCapabilities")


def plan_calls(protocol: Protocol) -> Calls:
    """The stubs and handlers of a version.

    Raises `SchemaError` when two methods of a stub or of a handler have one name.
    """
    types = {declared.name: declared for declared in protocol.types}
    progress = param_objects("ProgressNotificationParams", types)
    return Calls(
        server_stub=stub_methods(protocol, "client"),
        client_stub=stub_methods(protocol, "server"),
        server_handler=handler_methods(protocol, "server"),
        client_handler=handler_methods(protocol, "client"),
        stub_needs=_stub_needs(protocol, types),
        handler_types=_sorted(named_types(protocol.methods), _HANDLER_TYPES),
        progress_has_message=any(declared.field("message") for declared in progress),
    )


# --- stubs --------------------------------------------------------------------------------------


def stub_methods(protocol: Protocol, sender: Side) -> Stub:
    """What `sender` sends: `client` gives the methods of the server's stub."""
    types = {declared.name: declared for declared in protocol.types}
    sent = [method for method in protocol.methods if sender in method.sent_by]
    requests = [method for method in sent if method.kind == "request"]
    methods = tuple(_stub_request(method, types) for method in requests)
    notifications = tuple(
        _stub_notification(method, types) for method in sent if method.kind == "notification"
    )
    names = [(method.name, method.method) for method in (*methods, *notifications)]
    names += [(method.iteration.name, method.method) for method in methods if method.iteration]
    _require_distinct(protocol, names)
    return Stub(
        side=sender,
        requests=methods,
        notifications=notifications,
        once=tuple(
            OnceCall(method.method, _params(method), _union(method.results))
            for method in requests
            if len(method.results) > 1
        ),
    )


def _stub_request(method: Method, types: Types) -> StubMethod:
    ordinary = tuple(n for n in method.results if n not in (TASK_RESULT, INPUT_RESULT))
    may_be_task = TASK_RESULT in method.results
    result = _union((*ordinary, TASK_RESULT) if may_be_task else ordinary)
    overloads = [Overload(_params(method), (), result)]
    for fields in _ways(method, types):
        if may_be_task:
            keywords = _keywords(fields, task=False)
            overloads.append(Overload(None, keywords, _union(ordinary)))
            overloads.append(Overload(None, _keywords(fields, task=True), TASK_RESULT))
        else:
            overloads.append(Overload(None, _keywords(fields), result))
    return StubMethod(
        method=method.method,
        name=method.python_name,
        params=_params(method),
        result=result,
        overloads=tuple(overloads),
        iteration=_iteration(method),
        text=stub_text(method),
        deprecated=method.deprecated,
    )


def _stub_notification(method: Method, types: Types) -> StubMethod:
    ways = [Overload(None, _keywords(fields), "None") for fields in _ways(method, types)]
    return StubMethod(
        method=method.method,
        name=f"notify_{method.python_name}",
        params=_params(method),
        result="None",
        overloads=(Overload(_params(method), (), "None"), *ways),
        iteration=None,
        text=stub_text(method),
        deprecated=method.deprecated,
    )


def _ways(method: Method, types: Types) -> list[tuple[Field, ...]]:
    """The fields of each way to give the params by keywords; params of open keys have none."""
    declared = param_objects(method.params, types)
    if declared:
        return [item.fields for item in declared]
    return [] if method.params_required else [()]


def _keywords(fields: Iterable[Field], *, task: bool | None = None) -> tuple[Keyword, ...]:
    """The fields as keyword arguments, `_meta` last; `task` says whether one has to be given."""
    ordered = sorted(fields, key=lambda field: field.wire_name == _META)
    return tuple(_keyword(field, task) for field in ordered)


def _keyword(field: Field, task: bool | None) -> Keyword:
    if field.wire_name == _META:
        hint = python_hint(field.type)
        typed = "" if isinstance(field.type, Map) else f"{hint} | "
        return Keyword(field.name, f"{typed}Mapping[str, Any] | None", "None")
    if field.wire_name == _TASK and task is not None:
        hint = python_hint(field.type)
        return Keyword(field.name, hint, None) if task else Keyword(field.name, "None", "None")
    return Keyword(field.name, field_hint(field), field_default(field))


def _iteration(method: Method) -> Iteration | None:
    pagination = method.pagination
    if pagination is None or not isinstance(pagination.item, Ref):
        return None
    item = pagination.item.name
    name = "iter_" + method.python_name.removeprefix("list_")
    return Iteration(name, pagination.items_wire_name, item, iterator_text(method, item))


def _stub_needs(protocol: Protocol, types: Types) -> StubNeeds:
    sent = [method for method in protocol.methods if method.kind != "embedded"]
    fields = [field for method in sent for way in _ways(method, types) for field in way]
    return StubNeeds(
        types=_sorted(
            named_types(sent),
            item_types(sent),
            _STUB_TYPES,
            *(referred_types(field.type) for field in fields),
        ),
        literals=any(len(method.results) > 1 for method in sent)
        or any(has_literals(field.type) for field in fields),
        mapping=any(field.wire_name == _META for field in fields),
        unset=any(needs_unset(field) for field in fields),
        iterators=any(_iteration(method) for method in sent),
        deprecated=any(method.deprecated is not None for method in sent),
    )


# --- handlers -----------------------------------------------------------------------------------


def handler_methods(protocol: Protocol, side: Side) -> Handler:
    """What `side` receives from the other."""
    received = [method for method in protocol.methods if _OTHER[side] in method.sent_by]
    types = {declared.name: declared for declared in protocol.types}
    requests = tuple(
        _handler_request(method, types) for method in received if method.kind != "notification"
    )
    notifications = tuple(
        _handler_notification(method, types) for method in received if method.kind == "notification"
    )
    _require_distinct(
        protocol, [(method.name, method.method) for method in (*requests, *notifications)]
    )
    return Handler(side=side, requests=requests, notifications=notifications)


def _handler_request(method: Method, types: Types) -> HandlerMethod:
    built_in = method.method in BUILT_IN
    result = _union(method.results)
    return HandlerMethod(
        method=method.method,
        name=method.python_name,
        params=_received_params(method, types),
        result=f"{result} | None" if method.results == ("EmptyResult",) else result,
        built_in=built_in,
        text=handler_text(method, built_in=built_in),
    )


def _handler_notification(method: Method, types: Types) -> HandlerMethod:
    return HandlerMethod(
        method=method.method,
        name=f"on_{method.python_name}",
        params=_received_params(method, types),
        result="None",
        built_in=True,
        text=handler_text(method, built_in=False),
    )


def _received_params(method: Method, types: Types) -> str:
    """The hint of the params a handler gets: None where there are none and `{}` would not do."""
    declared = param_objects(method.params, types)
    may_be_empty = any(
        all(field.lenient or not field.required for field in item.fields) for item in declared
    )
    if method.params_required or may_be_empty or not declared:
        return _params(method)
    return f"{method.params} | None"


# --- shared -------------------------------------------------------------------------------------


def _params(method: Method) -> str:
    return method.params or "None"


def _union(names: Iterable[str]) -> str:
    return " | ".join(names)


def _sorted(*names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(chain.from_iterable(names))))


def _require_distinct(protocol: Protocol, names: Iterable[tuple[str, str]]) -> None:
    """Stops at a name of a stub or handler that two methods have; `names` are with methods."""
    taken: dict[str, str] = {}
    for name, method in names:
        if name in taken:
            what = f"{taken[name]} and {method} both become {name}"
            raise SchemaError(f"methods of {protocol.version}", what)
        taken[name] = method
