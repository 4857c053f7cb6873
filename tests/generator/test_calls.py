"""The views that templates of stubs and handlers get of the method table."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from mcp_wire.runtime.calling import StubCore
from mcp_wire.runtime.handlers import HandlerBase
from mcp_wire.runtime.stubs import StubBase
from mcp_wire.runtime.stubs_sync import StubBaseSync
from mcpgen.emit.calls import handler_methods, plan_calls, stub_methods
from mcpgen.emit.facts import version_facts
from mcpgen.emit.render import Renderer
from mcpgen.emit.style import load_style
from mcpgen.errors import SchemaError
from mcpgen.model.model import AliasType, AnyValue, Map, Method, Protocol
from mcpgen.model.naming import method_name
from mcpgen.specs import load_protocols

ROOT = Path(__file__).parents[2]


@cache
def protocols() -> dict[str, Protocol]:
    return {protocol.version: protocol for protocol in load_protocols(ROOT / "spec")}


VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")


def method_of(version: str, name: str) -> Method:
    return next(method for method in protocols()[version].methods if method.method == name)


def with_methods(protocol: Protocol, *methods: Method) -> Protocol:
    """The protocol with these methods in place of those of the same name."""
    table = {method.method: method for method in (*protocol.methods, *methods)}
    return replace(protocol, methods=tuple(table.values()))


def rendered(protocol: Protocol, name: str) -> ast.Module:
    """A module of stubs or handlers as its template makes it, which has to be Python."""
    renderer = Renderer(load_style(ROOT / "templates", "dataclass"))
    context = {
        "protocol": protocol,
        "package": "mcp_wire",
        "header": "# A header.",
        "calls": plan_calls(protocol),
    }
    text = renderer.render(f"{name}.py.jinja", context)
    return ast.parse(text, name)


def test_versions() -> None:
    assert tuple(protocols()) == VERSIONS


@pytest.mark.parametrize(
    ("version", "batches", "null_id", "message"),
    [
        ("2024-11-05", False, True, False),
        ("2025-03-26", True, True, True),
        ("2025-06-18", False, True, True),
        ("2025-11-25", False, False, True),
        ("2026-07-28", False, False, True),
    ],
)
def test_rules(version: str, batches: bool, null_id: bool, message: bool) -> None:
    facts = version_facts(protocols()[version])
    assert facts.batches is batches
    assert facts.null_id is null_id
    assert facts.stateless is (version == "2026-07-28")
    assert facts.has_ping is not facts.stateless
    assert plan_calls(protocols()[version]).progress_has_message is message


@pytest.mark.parametrize("version", VERSIONS)
def test_stubs_and_handlers_mirror_each_other(version: str) -> None:
    calls = plan_calls(protocols()[version])
    for stub, handler in (
        (calls.server_stub, calls.server_handler),
        (calls.client_stub, calls.client_handler),
    ):
        assert stub.side != handler.side
        sent = [item.method for item in (*stub.requests, *stub.notifications)]
        received = [item.method for item in (*handler.requests, *handler.notifications)]
        embedded = {m.method for m in protocols()[version].methods if m.kind == "embedded"}
        assert sent == [method for method in received if method not in embedded]


def test_overloads_of_a_request() -> None:
    (call,) = [
        m
        for m in stub_methods(protocols()["2025-06-18"], "client").requests
        if m.name == "call_tool"
    ]
    by_object, by_keywords = call.overloads
    assert (by_object.params, by_object.keywords) == ("CallToolRequestParams", ())
    assert by_keywords.params is None
    assert [(k.name, k.hint, k.default) for k in by_keywords.keywords] == [
        ("name", "str", None),
        ("arguments", "dict[str, Any] | None", "None"),
        ("meta", "RequestParamsMeta | Mapping[str, Any] | None", "None"),
    ]
    assert by_keywords.result == call.result == "CallToolResult"


def test_overloads_of_a_union_that_may_be_a_task() -> None:
    stub = stub_methods(protocols()["2025-11-25"], "server")
    (elicit,) = [method for method in stub.requests if method.name == "elicit"]
    assert elicit.params == "ElicitRequestParams"
    assert [overload.result for overload in elicit.overloads] == [
        "ElicitResult | CreateTaskResult",
        *["ElicitResult", "CreateTaskResult"] * 2,
    ]
    tasks = [{k.name: k for k in way.keywords}["task"] for way in elicit.overloads[1:]]
    assert [(task.hint, task.default) for task in tasks] == [
        ("None", "None"),
        ("TaskMetadata", None),
    ] * 2


def test_requests_for_input_are_not_results_of_a_call() -> None:
    stub = stub_methods(protocols()["2026-07-28"], "client")
    (call,) = [method for method in stub.requests if method.name == "call_tool"]
    assert call.result == "CallToolResult"
    (once,) = [item for item in stub.once if item.method == "tools/call"]
    assert once.result == "CallToolResult | InputRequiredResult"
    handler = handler_methods(protocols()["2026-07-28"], "server")
    (served,) = [method for method in handler.requests if method.name == "call_tool"]
    assert served.result == "CallToolResult | InputRequiredResult"


def test_iterators() -> None:
    stub = stub_methods(protocols()["2025-11-25"], "client")
    found = {m.iteration.name: m.iteration for m in stub.requests if m.iteration is not None}
    assert set(found) == {
        "iter_prompts",
        "iter_resource_templates",
        "iter_resources",
        "iter_tasks",
        "iter_tools",
    }
    templates = found["iter_resource_templates"]
    assert (templates.items, templates.item) == ("resourceTemplates", "ResourceTemplate")


@pytest.mark.parametrize("base", [StubBase, StubBaseSync, HandlerBase])
def test_methods_hide_nothing_of_their_base_class(base: type) -> None:
    state = inspect.getsource(base) + inspect.getsource(StubCore)
    assigned = set(re.findall(r"self\.([a-z]\w*)(?:: \w+)? =", state))
    names = {name for name in {*dir(base), *base.__annotations__, *assigned} if name[0] != "_"}
    assert len(names) >= 5
    for name in names:
        message = "".join(word.title() for word in name.split("_")) + "Request"
        assert method_name(message) == f"{name}_"


@pytest.mark.parametrize(
    ("version", "method", "name", "clash"),
    [
        ("2025-11-25", "tools/call", "iter_tools", "tools/list"),
        ("2025-11-25", "tools/call", "notify_progress", "notifications/progress"),
        ("2025-11-25", "tools/call", "on_progress", "notifications/progress"),
    ],
)
def test_methods_of_one_name_stop(version: str, method: str, name: str, clash: str) -> None:
    renamed = replace(method_of(version, method), python_name=name)
    with pytest.raises(SchemaError) as caught:
        plan_calls(with_methods(protocols()[version], renamed))
    assert caught.value.where == f"methods of {version}"
    assert {method, clash} < set(caught.value.what.split())
    assert caught.value.what.endswith(f" both become {name}")


@pytest.mark.parametrize(
    ("params", "required", "hint"),
    [
        ("ListToolsRequestParams", False, "ListToolsRequestParams"),
        ("CallToolRequestParams", True, "CallToolRequestParams"),
        ("CallToolRequestParams", False, "CallToolRequestParams | None"),
        ("ElicitRequestParams", False, "ElicitRequestParams | None"),
    ],
)
def test_handlers_get_none_for_params_that_may_not_be_empty(
    params: str, required: bool, hint: str
) -> None:
    method = method_of("2025-11-25", "ping")
    changed = replace(method, params=params, params_required=required)
    handler = handler_methods(with_methods(protocols()["2025-11-25"], changed), "server")
    (found,) = (item for item in handler.requests if item.method == "ping")
    assert found.params == hint


@pytest.mark.parametrize("name", ["stubs", "handlers"])
@pytest.mark.parametrize("version", VERSIONS)
def test_rendered_modules_are_python(version: str, name: str) -> None:
    tree = rendered(protocols()[version], name)
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    expected = {
        "stubs": [
            "ServerContext",
            "ClientContext",
            "ServerStub",
            "ClientStub",
            "ServerStubSync",
            "ClientStubSync",
        ],
        "handlers": ["ServerHandler", "ClientHandler", "Dispatcher"],
    }
    assert classes == expected[name]


def overloads(tree: ast.Module, class_name: str, method: str) -> int:
    """How many overloads a method of an emitted class has."""
    (found,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == class_name]
    functions = [n for n in found.body if isinstance(n, ast.AsyncFunctionDef) and n.name == method]
    return len(functions) - 1


def test_method_without_any_params() -> None:
    bare = replace(method_of("2025-11-25", "ping"), params=None, params_required=False)
    tree = rendered(with_methods(protocols()["2025-11-25"], bare), "stubs")
    assert overloads(tree, "ServerStub", "ping") == 2
    rendered(with_methods(protocols()["2025-11-25"], bare), "handlers")


@pytest.mark.parametrize("required", [False, True])
def test_method_with_params_of_open_keys(required: bool) -> None:
    protocol = protocols()["2025-11-25"]
    opened = AliasType("OpenParams", Map(AnyValue()))
    protocol = replace(protocol, types=(*protocol.types, opened))
    method = replace(method_of("2025-11-25", "ping"), params="OpenParams", params_required=required)
    tree = rendered(with_methods(protocol, method), "stubs")
    # One overload alone is not allowed.
    assert overloads(tree, "ServerStub", "ping") == (0 if required else 2)


def test_documentation_cannot_end_its_literal() -> None:
    method = method_of("2025-11-25", "ping")
    text = 'Ends """ here \\ and "'
    hostile = replace(method, docs=replace(method.docs, text=text))
    tree = rendered(with_methods(protocols()["2025-11-25"], hostile), "handlers")
    (handler,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "ServerHandler"]
    (ping,) = [n for n in handler.body if isinstance(n, ast.AsyncFunctionDef) and n.name == "ping"]
    assert (ast.get_docstring(ping) or "").startswith(text)
