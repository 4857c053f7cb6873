"""The committed `spec/` folder: every version loads, and says what the protocol is known to be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcpgen.emit.schemas import schema_file
from mcpgen.model.model import (
    Array,
    Map,
    Method,
    ObjectType,
    Protocol,
    Ref,
    TypeDef,
    TypeExpr,
    UnionOf,
    UnionPlan,
)
from mcpgen.specs import load_protocols

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "spec"
SAMPLES = sorted((ROOT / "tests" / "samples").glob("????-??-??/*.json"))
COUNTS = {
    "2024-11-05": 24,
    "2025-03-26": 24,
    "2025-06-18": 25,
    "2025-11-25": 31,
    "2026-07-28": 21,
}
STATEFUL = tuple(version for version in COUNTS if version < "2026-07-28")
every_version = pytest.mark.parametrize("version", COUNTS)


@cache
def protocols() -> dict[str, Protocol]:
    return {protocol.version: protocol for protocol in load_protocols(SPEC)}


@cache
def document(version: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SPEC / f"{version}.json").read_text(encoding="utf-8"))
    return found


def types(version: str) -> dict[str, TypeDef]:
    return {declared.name: declared for declared in protocols()[version].types}


def methods(version: str) -> dict[str, Method]:
    return {found.method: found for found in protocols()[version].methods}


def obj(version: str, name: str) -> ObjectType:
    found = protocols()[version].type(name)
    assert isinstance(found, ObjectType)
    return found


def fields(version: str, name: str) -> list[str]:
    return [item.wire_name for item in obj(version, name).fields]


# --- the documents ------------------------------------------------------------------------------


def test_the_versions_are_those_known_in_order() -> None:
    assert list(protocols()) == list(COUNTS)


@every_version
def test_definitions_are_json_schema_without_descriptions(version: str) -> None:
    found = document(version)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(found)
    assert list(described(found["$defs"])) == []


def described(schema: Any) -> Iterator[str]:
    """Every description in a schema; a property of that name is none."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "description" and isinstance(value, str):
                yield value
            yield from described(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from described(item)


@every_version
def test_the_source_is_known(version: str) -> None:
    facts = document(version)["x-mcp"]
    assert facts["protocolVersion"] == version
    assert facts["source"]["repository"].startswith("https://")
    assert facts["source"].keys() == {"repository", "ref", "commit", "schema.ts", "schema.json"}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_definitions_accept_the_samples(path: Path) -> None:
    version, name = path.parent.name, path.name.partition(".")[0]
    sample = json.loads(path.read_text(encoding="utf-8"))
    if name == "Response":
        old = version < "2025-11-25"
        answer = (
            ("JSONRPCResponse", "JSONRPCError")
            if old
            else ("JSONRPCResultResponse", "JSONRPCErrorResponse")
        )
        name = answer["error" in sample]
    faithful = {"$ref": f"#/$defs/{name}", "$defs": document(version)["$defs"]}
    assert messages(faithful, sample) == []
    # The Model's own schemas, which have whole frames, accept them too.
    derived = {"$ref": f"#/$defs/{name}", "$defs": published(version)}
    assert messages(derived, sample) == []


@cache
def published(version: str) -> dict[str, Any]:
    """The definitions that the emitted package publishes."""
    found: dict[str, Any] = json.loads(schema_file(protocols()[version]))["$defs"]
    return found


def messages(schema: dict[str, Any], sample: Any) -> list[str]:
    errors = Draft202012Validator(schema).iter_errors(sample)
    return [f"{error.json_path}: {error.message}" for error in errors]


# --- the Model is closed and whole --------------------------------------------------------------


@every_version
def test_every_name_is_defined_once(version: str) -> None:
    protocol = protocols()[version]
    names = [declared.name for declared in protocol.types]
    assert len(names) == len(set(names))
    assert set(document(version)["$defs"]) <= set(names)
    assert set(mentioned(protocol)) <= set(names)
    for found in protocol.objects:
        python_names = [item.name for item in found.fields]
        assert len(python_names) == len(set(python_names)), found.name
        assert set(found.extends) <= set(names)


def mentioned(protocol: Protocol) -> Iterator[str]:
    for declared in protocol.types:
        if isinstance(declared, ObjectType):
            for item in declared.fields:
                yield from referred(item.type)
            if declared.index is not None:
                yield from referred(declared.index)
        else:
            yield from referred(declared.type)
    for found in protocol.methods:
        yield from (found.message, *found.results, *([found.params] if found.params else ()))
        yield from planned(found.result_plan)


def referred(expr: TypeExpr) -> Iterator[str]:
    match expr:
        case Ref(name):
            yield name
        case Array(item) | Map(item):
            yield from referred(item)
        case UnionOf(members, plan):
            for member in members:
                yield from referred(member)
            yield from planned(plan)
        case _:
            return


def planned(plan: UnionPlan) -> Iterator[str]:
    for candidates in plan.groups.values():
        yield from (candidate.type for candidate in candidates)


@every_version
def test_every_object_member_of_a_union_is_planned(version: str) -> None:
    found = types(version)
    for declared in found.values():
        expr = declared.type if not isinstance(declared, ObjectType) else None
        if isinstance(expr, UnionOf):
            objects = {name for name in leaves(expr, found) if isinstance(found[name], ObjectType)}
            assert objects == set(planned(expr.plan)), declared.name


def leaves(expr: TypeExpr, found: dict[str, TypeDef]) -> Iterator[str]:
    match expr:
        case Ref(name):
            declared = found[name]
            yield name
            if not isinstance(declared, ObjectType):
                yield from leaves(declared.type, found)
        case UnionOf(members):
            for member in members:
                yield from leaves(member, found)
        case _:
            return


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "since", "until"),
    [
        ("CallToolRequestParams", "2024-11-05", "2026-07-28"),
        ("GetPromptRequestParams", "2024-11-05", "2026-07-28"),
        ("CompleteRequestParamsArgument", "2024-11-05", "2026-07-28"),
        ("CompleteRequestParamsContext", "2025-06-18", "2026-07-28"),
        ("CompleteResultCompletion", "2024-11-05", "2026-07-28"),
        ("CreateMessageRequestParams", "2024-11-05", "2026-07-28"),
        ("ElicitRequestParams", "2025-06-18", "2026-07-28"),
        ("ProgressNotificationParams", "2024-11-05", "2026-07-28"),
        ("CancelledNotificationParams", "2024-11-05", "2026-07-28"),
        ("PaginatedRequestParams", "2024-11-05", "2026-07-28"),
        ("RequestParams", "2024-11-05", "2026-07-28"),
        ("NotificationParams", "2024-11-05", "2026-07-28"),
        ("InitializeRequestParams", "2024-11-05", "2025-11-25"),
        ("SubscribeRequestParams", "2024-11-05", "2025-11-25"),
        ("SetLevelRequestParams", "2024-11-05", "2025-11-25"),
        ("RequestParamsMeta", "2024-11-05", "2025-11-25"),
        ("GetTaskRequestParams", "2025-11-25", "2025-11-25"),
        ("ClientCapabilitiesRoots", "2024-11-05", "2026-07-28"),
        ("ClientCapabilitiesSampling", "2025-11-25", "2026-07-28"),
        ("ServerCapabilitiesTools", "2024-11-05", "2026-07-28"),
        ("ServerCapabilitiesResources", "2024-11-05", "2026-07-28"),
        ("ToolInputSchema", "2024-11-05", "2026-07-28"),
        ("ToolOutputSchema", "2025-06-18", "2026-07-28"),
        ("Annotations", "2024-11-05", "2026-07-28"),
        ("Error", "2024-11-05", "2026-07-28"),
        ("Tool", "2024-11-05", "2026-07-28"),
    ],
)
def test_the_same_thing_has_the_same_name(name: str, since: str, until: str) -> None:
    found = [version for version in COUNTS if name in types(version)]
    assert found == [version for version in COUNTS if since <= version <= until]


@every_version
def test_python_names_hold_for_every_version(version: str) -> None:
    names: dict[str, str] = {
        item.wire_name: item.name for found in protocols()[version].objects for item in found.fields
    }
    known = {
        "_meta": "meta",
        "inputSchema": "input_schema",
        "isError": "is_error",
        "mimeType": "mime_type",
        "$schema": "schema",
        "type": "type",
        "uriTemplate": "uri_template",
        "io.modelcontextprotocol/clientInfo": "client_info",
        "io.modelcontextprotocol/logLevel": "log_level",
        "list": "list_",
    }
    assert names.items() >= {key: known[key] for key in known.keys() & names.keys()}.items()


# --- methods ------------------------------------------------------------------------------------


@every_version
def test_the_number_of_methods(version: str) -> None:
    assert len(protocols()[version].methods) == COUNTS[version]


@every_version
def test_every_method_is_the_frame_of_its_message(version: str) -> None:
    for found in protocols()[version].methods:
        message = obj(version, found.message)
        assert message.method == found.method
        field = message.field("method")
        assert field is not None
        assert field.default == found.method
        envelope = {"request": {"jsonrpc", "id"}, "notification": {"jsonrpc"}, "embedded": set()}
        wire_names = set(fields(version, found.message))
        assert wire_names & {"jsonrpc", "id"} == envelope[found.kind]
        assert message.frame == (None if found.kind == "embedded" else found.kind)
        if found.params is not None:
            params = protocols()[version].type(found.params)
            assert (
                not isinstance(params, ObjectType)
                or params.field("_meta") is not None
                or (found.kind == "embedded")
            ), found.params


@pytest.mark.parametrize(
    ("method", "versions", "results"),
    [
        ("initialize", STATEFUL, ["InitializeResult"]),
        ("server/discover", ["2026-07-28"], ["DiscoverResult"]),
        ("ping", STATEFUL, ["EmptyResult"]),
        ("resources/subscribe", STATEFUL, ["EmptyResult"]),
        ("resources/unsubscribe", STATEFUL, ["EmptyResult"]),
        ("logging/setLevel", STATEFUL, ["EmptyResult"]),
        ("tools/list", COUNTS, ["ListToolsResult"]),
        ("tools/call", ["2024-11-05", "2025-03-26", "2025-06-18"], ["CallToolResult"]),
        ("tools/call", ["2025-11-25"], ["CallToolResult", "CreateTaskResult"]),
        ("tools/call", ["2026-07-28"], ["CallToolResult", "InputRequiredResult"]),
        ("prompts/get", STATEFUL, ["GetPromptResult"]),
        ("prompts/get", ["2026-07-28"], ["GetPromptResult", "InputRequiredResult"]),
        ("resources/read", ["2026-07-28"], ["ReadResourceResult", "InputRequiredResult"]),
        ("resources/templates/list", COUNTS, ["ListResourceTemplatesResult"]),
        ("completion/complete", COUNTS, ["CompleteResult"]),
        ("sampling/createMessage", ["2025-06-18", "2026-07-28"], ["CreateMessageResult"]),
        ("sampling/createMessage", ["2025-11-25"], ["CreateMessageResult", "CreateTaskResult"]),
        ("elicitation/create", ["2025-11-25"], ["ElicitResult", "CreateTaskResult"]),
        ("roots/list", COUNTS, ["ListRootsResult"]),
        ("tasks/get", ["2025-11-25"], ["GetTaskResult"]),
        (
            "tasks/result",
            ["2025-11-25"],
            ["CallToolResult", "CreateMessageResult", "ElicitResult", "GetTaskPayloadResult"],
        ),
        ("subscriptions/listen", ["2026-07-28"], ["SubscriptionsListenResult"]),
        ("notifications/progress", COUNTS, []),
    ],
)
def test_results_by_method(method: str, versions: list[str], results: list[str]) -> None:
    for version in versions:
        assert list(methods(version)[method].results) == results, version


@pytest.mark.parametrize(
    ("method", "version", "kind", "sent_by"),
    [
        ("tools/call", "2024-11-05", "request", ("client",)),
        ("ping", "2025-11-25", "request", ("client", "server")),
        ("tasks/get", "2025-11-25", "request", ("client", "server")),
        ("sampling/createMessage", "2025-11-25", "request", ("server",)),
        ("sampling/createMessage", "2026-07-28", "embedded", ("server",)),
        ("roots/list", "2026-07-28", "embedded", ("server",)),
        ("elicitation/create", "2026-07-28", "embedded", ("server",)),
        ("notifications/progress", "2025-11-25", "notification", ("client", "server")),
        ("notifications/progress", "2026-07-28", "notification", ("server",)),
        ("notifications/tools/list_changed", "2024-11-05", "notification", ("server",)),
        ("notifications/roots/list_changed", "2025-11-25", "notification", ("client",)),
    ],
)
def test_who_sends_what(method: str, version: str, kind: str, sent_by: tuple[str, ...]) -> None:
    found = methods(version)[method]
    assert (found.kind, found.sent_by) == (kind, sent_by)


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("tools/call", "call_tool"),
        ("tools/list", "list_tools"),
        ("resources/templates/list", "list_resource_templates"),
        ("logging/setLevel", "set_level"),
        ("sampling/createMessage", "create_message"),
        ("elicitation/create", "elicit"),
        ("server/discover", "discover"),
        ("subscriptions/listen", "subscriptions_listen"),
        ("notifications/progress", "progress"),
        ("notifications/tools/list_changed", "tool_list_changed"),
    ],
)
def test_names_of_methods(method: str, name: str) -> None:
    found = [methods(version)[method] for version in COUNTS if method in methods(version)]
    assert {item.python_name for item in found} == {name}


@pytest.mark.parametrize(
    ("method", "capability", "versions"),
    [
        ("initialize", None, STATEFUL),
        ("ping", None, STATEFUL),
        ("server/discover", None, ["2026-07-28"]),
        ("tools/list", "tools", COUNTS),
        ("tools/call", "tools", COUNTS),
        ("resources/list", "resources", COUNTS),
        ("resources/subscribe", "resources.subscribe", STATEFUL),
        ("prompts/get", "prompts", COUNTS),
        ("completion/complete", None, ["2024-11-05"]),
        ("completion/complete", "completions", list(COUNTS)[1:]),
        ("logging/setLevel", "logging", STATEFUL),
        ("sampling/createMessage", "sampling", COUNTS),
        ("roots/list", "roots", COUNTS),
        ("elicitation/create", "elicitation", list(COUNTS)[2:]),
        ("tasks/list", "tasks.list", ["2025-11-25"]),
        ("tasks/cancel", "tasks.cancel", ["2025-11-25"]),
    ],
)
def test_capabilities(method: str, capability: str | None, versions: list[str]) -> None:
    for version in versions:
        assert methods(version)[method].capability == capability, version


@every_version
def test_capabilities_are_paths_of_the_receivers_capabilities(version: str) -> None:
    for found in protocols()[version].methods:
        if found.capability is None:
            continue
        first, *rest = found.capability.split(".")
        owners = {"client": "ServerCapabilities", "server": "ClientCapabilities"}
        for sender in found.sent_by:
            field = obj(version, owners[sender]).field(first)
            assert field is not None, found.method
            for key in rest:
                assert isinstance(field.type, Ref)
                field = obj(version, field.type.name).field(key)
                assert field is not None, found.method


@every_version
def test_pagination(version: str) -> None:
    found = {
        item.method: (item.pagination.items_field, item.pagination.item)
        for item in protocols()[version].methods
        if item.pagination is not None
    }
    expected = {
        "tools/list": ("tools", Ref("Tool")),
        "prompts/list": ("prompts", Ref("Prompt")),
        "resources/list": ("resources", Ref("Resource")),
        "resources/templates/list": ("resource_templates", Ref("ResourceTemplate")),
    }
    if version == "2025-11-25":
        expected["tasks/list"] = ("tasks", Ref("Task"))
    assert found == expected


@every_version
def test_deprecated_methods(version: str) -> None:
    found = {item.method for item in protocols()[version].methods if item.deprecated}
    expected = {"notifications/message", "sampling/createMessage", "roots/list"}
    assert found == (expected if version == "2026-07-28" else set())


@every_version
def test_every_message_begins_with_its_envelope(version: str) -> None:
    messages = [
        declared.name
        for declared in protocols()[version].types
        if isinstance(declared, ObjectType) and declared.field("jsonrpc") is not None
    ]
    assert {"JSONRPCRequest", "JSONRPCNotification", "CallToolRequest"} <= {*messages}
    for name in messages:
        names = fields(version, name)
        envelope = [item for item in ("jsonrpc", "id", "method", "params") if item in names]
        assert names[: len(envelope)] == envelope, name


# --- derivations --------------------------------------------------------------------------------


@every_version
def test_frames_are_derived_where_the_schema_has_none(version: str) -> None:
    frames = document(version)["x-mcp"]["derived"]["frames"]
    assert len(frames) == (COUNTS[version] if version < "2025-11-25" else 0)
    for name in frames:
        assert fields(version, name)[0] == "jsonrpc"
        assert "jsonrpc" not in document(version)["$defs"][name]["properties"]


@pytest.mark.parametrize(
    ("version", "number", "some"),
    [
        ("2024-11-05", 14, "CallToolRequest.params"),
        ("2025-03-26", 14, "SetLevelRequest.params"),
        ("2025-06-18", 15, "ElicitRequest.params"),
        ("2025-11-25", 4, "ElicitationCompleteNotification.params"),
        ("2026-07-28", 0, None),
    ],
)
def test_meta_is_derived_where_params_are_declared_anew(
    version: str, number: int, some: str | None
) -> None:
    meta = document(version)["x-mcp"]["derived"]["meta"]
    assert len(meta) == number
    if some is not None:
        assert some in meta
        assert "_meta" in fields(version, some.replace(".params", "Params"))


# --- unions and fields --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "since", "tag", "default"),
    [
        ("ContentBlock", "2025-06-18", "type", None),
        ("SamplingMessageContentBlock", "2025-11-25", "type", None),
        ("ElicitRequestParams", "2025-11-25", "mode", "form"),
        ("PrimitiveSchemaDefinition", "2025-06-18", "type", None),
    ],
)
def test_tags_of_unions(name: str, since: str, tag: str, default: str | None) -> None:
    for version in COUNTS:
        declared = types(version).get(name)
        if version >= since and declared is not None and not isinstance(declared, ObjectType):
            assert isinstance(declared.type, UnionOf)
            assert (declared.type.plan.tag, declared.type.plan.default_tag) == (tag, default)


def test_names_of_choices_tell_the_legacy_schema_apart() -> None:
    declared = types("2025-11-25")["PrimitiveSchemaDefinition"]
    assert not isinstance(declared, ObjectType)
    assert isinstance(declared.type, UnionOf)
    candidates = declared.type.plan.groups["string"]
    order = [(candidate.type, candidate.keys) for candidate in candidates]
    legacy = order.index(("LegacyTitledEnumSchema", ("enum", "enumNames")))
    untitled = order.index(("UntitledSingleSelectEnumSchema", ("enum",)))
    assert legacy < untitled


@every_version
def test_tokens_and_ids_are_strings_or_whole_numbers(version: str) -> None:
    for name in ("RequestId", "ProgressToken"):
        assert published(version)[name]["type"] == ["string", "integer"]


def test_a_task_lives_for_a_time_that_may_be_null() -> None:
    ttl = obj("2025-11-25", "Task").field("ttl")
    assert ttl is not None
    assert (ttl.required, ttl.nullable) == (True, True)


@pytest.mark.parametrize(
    ("name", "default"), [("CallToolResult", "complete"), ("InputRequiredResult", "input_required")]
)
def test_results_say_what_they_are(name: str, default: str) -> None:
    found = obj("2026-07-28", name).field("resultType")
    assert found is not None
    assert found.default == default
    assert found.lenient is (default == "complete")
