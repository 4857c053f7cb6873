"""Handler classes: complete, documented, and advertising what is overridden."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import pytest
from mcp_wire import RpcError

from .wire import MODERN, MODULES, OLDEST, STATEFUL, TASKS, info, run, text_result, version_id

ROLES = ["client", "server"]
BUILT_IN = {"initialize", "logging/setLevel", "ping", "server/discover"}


@pytest.fixture(params=MODULES.values(), ids=version_id)
def mcp(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


def handler_class(mcp: ModuleType, role: str) -> Any:
    return {"client": mcp.ClientHandler, "server": mcp.ServerHandler}[role]


def received(mcp: ModuleType, role: str) -> list[Any]:
    """The rows of the method table that go to a role."""
    return [found for found in mcp.METHODS.values() if set(found.sent_by) - {role}]


def method_name(found: Any) -> str:
    return f"on_{found.python_name}" if found.kind == "notification" else found.python_name


def advertised(mcp: ModuleType, role: str, *names: str) -> Any:
    """What a handler advertises that overrides the methods of these names."""

    async def method(self: Any, params: Any, ctx: Any) -> None:
        return None

    cls = type("Handler", (handler_class(mcp, role),), dict.fromkeys(names, method))
    return mcp.Dispatcher(cls(info(mcp))).capabilities


# --- completeness -------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_every_message_has_a_documented_method(mcp: ModuleType, role: str) -> None:
    cls = handler_class(mcp, role)
    rows = received(mcp, role)
    assert rows
    for row in rows:
        method = getattr(cls, method_name(row))
        assert inspect.iscoroutinefunction(method)
        assert list(inspect.signature(method).parameters) == ["self", "params", "ctx"]
        kind = {"notification": "Notification", "embedded": "Embedded request"}
        text = " ".join(method.__doc__.split())
        assert f"{kind.get(row.kind, 'Request')} `{row.method}`, sent by the " in text
        assert "Specification: https://" in text
        assert ("Deprecated" in text) >= (row.deprecated is not None)


@pytest.mark.parametrize("role", ROLES)
def test_there_is_no_other_method(mcp: ModuleType, role: str) -> None:
    cls = handler_class(mcp, role)
    own = {name for name, value in vars(cls).items() if inspect.iscoroutinefunction(value)}
    assert own == {method_name(row) for row in received(mcp, role)}


@pytest.mark.parametrize("role", ROLES)
def test_annotations_name_the_types_of_the_table(mcp: ModuleType, role: str) -> None:
    for row in received(mcp, role):
        annotations = getattr(handler_class(mcp, role), method_name(row)).__annotations__
        assert annotations["params"] == row.params
        results = list(row.results) or ["None"]
        if row.results == ("EmptyResult",):
            results.append("None")
        assert annotations["return"] == " | ".join(results)


def test_context_is_that_of_the_role(mcp: ModuleType) -> None:
    server = mcp.ServerHandler.on_cancelled.__annotations__["ctx"]
    client = mcp.ClientHandler.on_cancelled.__annotations__["ctx"]
    assert (server, client) == ("ServerContext", "ClientContext")


# --- what is not overridden ---------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_defaults(mcp: ModuleType, role: str) -> None:
    handler = handler_class(mcp, role)(info(mcp))
    for row in received(mcp, role):
        method = getattr(handler, method_name(row))
        if row.kind == "notification":
            assert run(method(None, None)) is None
        elif row.method not in BUILT_IN:
            with pytest.raises(RpcError) as caught:
                run(method(None, None))
            assert caught.value.code == -32601
            assert row.method in caught.value.message
        else:
            assert type(run(method(None, None))).__name__ in (*row.results, "Result")


def test_nothing_is_advertised_by_default(mcp: ModuleType) -> None:
    assert advertised(mcp, "server") == {}
    assert advertised(mcp, "client") == {}


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_built_in_answers_are_typed(mcp: ModuleType) -> None:
    handler = mcp.ServerHandler(info(mcp), instructions="i")
    result = run(handler.initialize(None, None))
    assert isinstance(result, mcp.InitializeResult)
    assert result.server_info == info(mcp)
    assert result.instructions == "i"
    assert result.protocol_version == mcp.PROTOCOL_VERSION
    assert run(handler.ping(None, None)) == mcp.Result()
    assert run(mcp.ClientHandler(info(mcp)).ping(None, None)) == mcp.Result()


def test_built_in_discovery_is_typed() -> None:
    result = run(MODERN.ServerHandler(info(MODERN)).discover(None, None))
    assert isinstance(result, MODERN.DiscoverResult)
    assert result.supported_versions == ["2026-07-28"]


# --- capabilities -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["call_tool"], {"tools": {}}),
        (["list_tools", "call_tool", "get_prompt"], {"tools": {}, "prompts": {}}),
        (["read_resource"], {"resources": {}}),
        (["list_resource_templates"], {"resources": {}}),
        (["on_cancelled"], {}),
    ],
)
def test_capabilities_of_servers(mcp: ModuleType, names: Any, expected: Any) -> None:
    assert advertised(mcp, "server", *names) == expected


@pytest.mark.parametrize("mcp", STATEFUL, ids=version_id)
def test_capabilities_of_servers_with_sessions(mcp: ModuleType) -> None:
    assert advertised(mcp, "server", "subscribe") == {"resources": {"subscribe": True}}
    found = advertised(mcp, "server", "list_resources", "unsubscribe", "set_level")
    assert found == {"resources": {"subscribe": True}, "logging": {}}
    assert advertised(mcp, "server", "ping", "initialize") == {}


def test_completions() -> None:
    assert advertised(OLDEST, "server", "complete") == {}
    assert advertised(TASKS, "server", "complete") == {"completions": {}}


@pytest.mark.parametrize("role", ROLES)
def test_tasks(role: str) -> None:
    assert advertised(TASKS, role, "get_task") == {"tasks": {}}
    found = advertised(TASKS, role, "list_tasks", "cancel_task", "get_task_payload")
    assert found == {"tasks": {"list": {}, "cancel": {}}}


def test_capabilities_of_clients(mcp: ModuleType) -> None:
    found = advertised(mcp, "client", "create_message", "list_roots")
    assert found == {"sampling": {}, "roots": {}}
    has_elicitation = "elicitation/create" in mcp.METHODS
    expected = {"elicitation": {}} if has_elicitation else {}
    assert advertised(mcp, "client", "elicit") == expected


def test_capabilities_that_are_given(mcp: ModuleType) -> None:
    class Server(mcp.ServerHandler):
        async def call_tool(self, params: Any, ctx: Any) -> Any:
            return None

    given = mcp.ServerCapabilities(prompts=mcp.ServerCapabilitiesPrompts(list_changed=True))
    server = Server(info(mcp), capabilities=given)
    assert server.capabilities is given
    assert mcp.Dispatcher(server).capabilities == {"prompts": {"listChanged": True}}


def test_capabilities_of_structural_handlers(mcp: ModuleType) -> None:
    class Given:
        capabilities: Any = {"tools": {"listChanged": True}}  # noqa: RUF012

        async def get_prompt(self, params: Any, ctx: Any) -> None: ...

    class Derived:
        call_tool = None  # no method

        def get_prompt(self, params: Any, ctx: Any) -> None: ...

    assert mcp.Dispatcher(Given()).capabilities == {"tools": {"listChanged": True}}
    assert mcp.Dispatcher(Derived()).capabilities == {"prompts": {}}


# --- what counts as overridden ------------------------------------------------------------------


async def method(self: Any, params: Any, ctx: Any) -> None:
    """A method of a handler, outside any class."""


def test_mixins_and_subclasses(mcp: ModuleType) -> None:
    class Mixin:
        call_tool = method

    class Mixed(Mixin, mcp.ServerHandler): ...

    class Below(Mixed): ...

    class Overridden(mcp.ServerHandler, Mixin): ...

    assert mcp.Dispatcher(Mixed(info(mcp))).capabilities == {"tools": {}}
    assert mcp.Dispatcher(Below(info(mcp))).capabilities == {"tools": {}}
    # The base comes first, and its default with it.
    assert mcp.Dispatcher(Overridden(info(mcp))).capabilities == {}


def test_methods_of_an_instance(mcp: ModuleType) -> None:
    server = mcp.ServerHandler(info(mcp))
    server.call_tool = lambda params, ctx: text_result(mcp)
    assert mcp.Dispatcher(server).capabilities == {"tools": {}}


def test_handler_that_does_not_call_its_base(mcp: ModuleType) -> None:
    class Server(mcp.ServerHandler):
        def __init__(self) -> None:
            self.extend("acme/op", fn=lambda params, ctx: None)

        call_tool = method

    dispatcher = mcp.Dispatcher(Server())
    assert dispatcher.info == {"name": "Server", "version": "0"}
    assert dispatcher.capabilities == {"tools": {}}


def test_class_arguments_of_other_bases_pass_through() -> None:
    class Plugin:
        def __init_subclass__(cls, *, tag: str = "", **kwargs: Any) -> None:
            super().__init_subclass__(**kwargs)
            cls.tag = tag

    class Server(TASKS.ServerHandler, Plugin, tag="x"): ...

    assert Server.tag == "x"


# --- who it is ----------------------------------------------------------------------------------


def test_info(mcp: ModuleType) -> None:
    dispatcher = mcp.Dispatcher(mcp.ServerHandler(info(mcp, "n")))
    assert dispatcher.info == {"name": "n", "version": "1.0"}

    class Server:
        info: Any = {"name": "dict", "version": "2"}  # noqa: RUF012

    assert mcp.Dispatcher(Server()).info == {"name": "dict", "version": "2"}
    assert mcp.Dispatcher(object()).info == {"name": "object", "version": "0"}


# --- vendor methods -----------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_methods_of_the_specification_are_no_extensions(mcp: ModuleType, role: str) -> None:
    handler = handler_class(mcp, role)(info(mcp))
    for place in (handler, mcp.Dispatcher(handler)):
        for name in mcp.METHODS:
            with pytest.raises(ValueError, match="specification"):
                place.extend(name, fn=lambda params, ctx: None)


@pytest.mark.parametrize("name", ["", None, 3, b"acme/op", ["acme/op"], "rpc.x", "rpc."])
def test_names_that_no_extension_can_have(mcp: ModuleType, name: Any) -> None:
    handler = mcp.ServerHandler(info(mcp))
    for place in (handler, mcp.Dispatcher(handler)):
        with pytest.raises(ValueError, match=r"expected a string that is not empty|JSON-RPC keeps"):
            place.extend(name, fn=lambda params, ctx: None)
        assert place.extensions == {}
    handler.extend("rpcs", fn=lambda params, ctx: None)


def test_extension_twice(mcp: ModuleType) -> None:
    handler = mcp.ServerHandler(info(mcp))
    handler.extend("acme/op", fn=lambda params, ctx: None)
    with pytest.raises(ValueError, match="already"):
        handler.extend("acme/op", fn=lambda params, ctx: None)


def test_extensions_belong_to_one_handler(mcp: ModuleType) -> None:
    one, other = mcp.ServerHandler(info(mcp)), mcp.ServerHandler(info(mcp))
    one.extend("acme/op", fn=lambda params, ctx: None)
    assert list(one.extensions) == ["acme/op"]
    assert other.extensions == {}
