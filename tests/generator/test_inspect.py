"""`mcpgen inspect` and `mcpgen.inspect`: what there is to say, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import mcpgen as library
import pytest
from jsonschema import Draft202012Validator
from mcpgen.compare.text import WIDTH
from mcpgen.describe import (
    Inspection,
    MethodInspection,
    Overview,
    TypeInspection,
    document,
    document_schema,
    inspect_name,
    render_text,
)
from mcpgen.describe.history import History
from mcpgen.describe.uses import Carrier, Use
from mcpgen.model.model import Protocol

from .tiny import NEW, OLD, ROOT, Outcome

Command = Callable[..., Outcome]
VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]


@cache
def models() -> tuple[Protocol, ...]:
    return library.load_models(spec_dir=ROOT / "spec")


@cache
def inspected(name: str, version: str = "2025-11-25") -> Inspection:
    return inspect_name(name, version, models())


def type_inspected(name: str, version: str = "2025-11-25") -> TypeInspection:
    found = inspected(name, version)
    assert isinstance(found, TypeInspection)
    return found


def method_inspected(name: str, version: str = "2025-11-25") -> MethodInspection:
    found = inspected(name, version)
    assert isinstance(found, MethodInspection)
    return found


def changes(history: History) -> dict[str, list[str]]:
    """The paths of the changes in a history, by the version that brought them."""
    return {
        comparison.new: [f"{change.path} {change.kind}" for change in comparison.changes]
        for comparison in history.changes
    }


# --- as text ------------------------------------------------------------------------------------


def test_a_method_as_a_person_reads_it(project: Path, mcpgen: Command) -> None:
    done = mcpgen("inspect", NEW, "weather/measure")
    assert (done.code, done.out, done.err) == (0, METHOD_TEXT, "")


METHOD_TEXT = f"""\
weather/measure: request from the client, MCP {NEW}

  message      MeasureRequest
  params       MeasureRequestParams
  result       MeasureResult
  capability   none needed
  called by    ServerStub.measure
  handled by   ServerHandler.measure
  schema page  https://modelcontextprotocol.io/specification/{NEW}/schema#measurerequest

PARAMS

  _meta?: {{string: any}}
      Python  meta: dict[str, Any] | None = None
      optional; from RequestParams

  place: string
      Python  place: str
      required

  roof: string
      Python  roof: str
      required

  hours?: number[]
      Python  hours: list[float] | None = None
      optional

  depth?: number | null
      Python  depth: float | None | Unset = UNSET
      optional; null is a value

HISTORY
  in {OLD}, {NEW}

  {OLD} to {NEW}
    - MeasureRequestParams.roof: required field added: string (breaking for writers)
"""


def test_a_union_as_a_person_reads_it(project: Path, mcpgen: Command) -> None:
    done = mcpgen("inspect", OLD, "Temperature")
    assert (done.code, done.out, done.err) == (0, UNION_TEXT, "")


UNION_TEXT = f"""\
Temperature: union, MCP {OLD}

  JSON         Celsius | Fahrenheit
  Python       Celsius | Fahrenheit
  schema page  https://modelcontextprotocol.io/specification/{OLD}/schema#temperature

USED
  in fields   MeasureResult.temperatures
  carried by  weather/measure (result)

HISTORY
  in {OLD}, {NEW}
"""


def test_a_whole_version_as_a_person_reads_it(project: Path, mcpgen: Command) -> None:
    done = mcpgen("inspect", OLD)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"MCP {OLD}: 5 methods, ")
    assert (
        "\n\nREQUESTS FROM THE CLIENT\n"
        "  initialize       InitializeRequestParams -> InitializeResult\n"
        "  weather/measure  MeasureRequestParams -> MeasureResult\n\n"
    ) in done.out
    assert "\n\nUNIONS\n  JSONRPCMessage, ProgressToken, RequestId, Temperature, Cl" in done.out
    assert done.out.endswith(
        "\n\nCONSTANTS\n"
        f'  LATEST_PROTOCOL_VERSION  "{OLD}"\n'
        '  JSONRPC_VERSION          "2.0"\n'
        "  PARSE_ERROR              -32700\n"
    )


@pytest.mark.parametrize("name", ["MeasureRequestParams.depth", "PARSE_ERROR", "PingRequest"])
def test_anything_named_has_a_text(project: Path, mcpgen: Command, name: str) -> None:
    done = mcpgen("inspect", OLD, name)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{name}: ")
    assert f"\n\nHISTORY\n  in {OLD}, {NEW}\n" in done.out


def test_text_keeps_to_its_width_and_has_no_colours() -> None:
    names = ["Tool", "Tool.inputSchema", "tools/call", "RequestId", "ServerResult", "tasks/result"]
    texts = [render_text(inspected(name)) for name in names]
    texts += [render_text(Overview(model)) for model in models()]
    lines = [line for text in texts for line in text.splitlines() if "https://" not in line]
    assert [line for line in lines if len(line) > WIDTH] == []
    assert [line for line in lines if line != line.rstrip() or "\x1b" in line] == []


# --- what it finds ------------------------------------------------------------------------------


def test_where_a_type_is_used_and_what_carries_it() -> None:
    found = type_inspected("ContentBlock")
    assert found.uses == (
        Use("PromptMessage.content", "field"),
        Use("CallToolResult.content", "field"),
        Use("ToolResultContent.content", "field"),
    )
    assert found.carriers == (
        Carrier("prompts/get", ("result",)),
        Carrier("tools/call", ("result",)),
        Carrier("tasks/result", ("result",)),
        Carrier("sampling/createMessage", ("params", "result")),
    )
    assert Use("ContentBlock", "part") in type_inspected("TextContent").uses
    assert Use("Tool", "base") in type_inspected("BaseMetadata").uses
    # An inherited field is a use where it is declared, and not again.
    icons = [use.path for use in type_inspected("Icon").uses]
    assert icons == ["Icons.icons"]
    assert Use("tools/call", "message") in type_inspected("CallToolRequest").uses
    assert Use("tools/call", "params") in type_inspected("CallToolRequestParams").uses
    assert Carrier("ping", ("message",)) in type_inspected("RequestId").carriers


def test_what_calls_and_serves_a_method() -> None:
    listing = method_inspected("tools/list")
    assert listing.stubs == ("ServerStub.list_tools", "ServerStub.iter_tools")
    assert listing.handlers == ("ServerHandler.list_tools",)
    progress = method_inspected("notifications/progress")
    assert progress.stubs == ("ServerStub.notify_progress", "ClientStub.notify_progress")
    assert progress.handlers == ("ServerHandler.on_progress", "ClientHandler.on_progress")
    embedded = method_inspected("roots/list", "2026-07-28")
    assert (embedded.stubs, embedded.handlers) == ((), ("ClientHandler.list_roots",))


def test_a_history_follows_a_type_under_its_other_names() -> None:
    names = {"ResourceReference": VERSIONS[:2], "ResourceTemplateReference": VERSIONS[2:]}
    expected = [(version, name) for name, versions in names.items() for version in versions]
    for name, versions in names.items():
        history = type_inspected(name, versions[0]).history
        assert [(found.version, found.name) for found in history.versions] == expected
        assert changes(history) == {"2025-06-18": ["ResourceTemplateReference type-renamed"]}


def test_a_name_that_came_to_mean_another_type_is_another_type() -> None:
    response = type_inspected("JSONRPCResponse", "2025-11-25").history
    assert [found.version for found in response.versions] == ["2025-11-25", "2026-07-28"]
    older = type_inspected("JSONRPCResponse", "2025-06-18").history
    assert {found.name for found in older.versions[3:]} == {"JSONRPCResultResponse"}


def test_a_history_has_what_reaches_the_thing_under_the_thing_s_own_path() -> None:
    history = changes(type_inspected("Tool").history)
    assert history["2025-06-18"] == [
        "Tool.title optional-field-added",
        "Tool._meta optional-field-added",
        "Tool.outputSchema optional-field-added",
    ]
    assert history["2025-11-25"] == [
        "Tool.icons optional-field-added",
        "Tool.execution optional-field-added",
        "ToolInputSchema.$schema optional-field-added",
        "ToolOutputSchema.$schema optional-field-added",
    ]


def test_the_history_of_a_method_has_that_of_its_params_and_results() -> None:
    history = changes(method_inspected("tools/call").history)
    assert "CallToolResult.structuredContent optional-field-added" in history["2025-06-18"]
    assert "tools/call results result-added" in history["2025-11-25"]
    assert "CallToolRequestParams.task optional-field-added" in history["2025-11-25"]
    ended = method_inspected("tasks/get").history
    assert [found.version for found in ended.versions] == ["2025-11-25"]
    assert changes(ended)["2026-07-28"][0] == "tasks/get method-removed"
    assert changes(ended)["2025-11-25"][0] == "tasks/get method-added"


def test_the_history_of_a_field_has_nothing_of_other_fields() -> None:
    found = inspected("Tool.title")
    assert not isinstance(found, Overview)
    assert changes(found.history) == {"2025-06-18": ["Tool.title optional-field-added"]}
    assert [version.version for version in found.history.versions] == VERSIONS[2:]
    assert inspected("Tool.inputSchema") == inspected("Tool.input_schema")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Tol", "did you mean Tool?"),
        ("tool", "did you mean Tool"),
        ("tool/call", "did you mean tools/call"),
        ("tools/cal", "did you mean tools/call"),
        ("Tool.nam", "did you mean Tool.name"),
        ("URL_ELICITATION", "did you mean URL_ELICITATION_REQUIRED"),
        ("zzz", "mcpgen inspect 2025-11-25 lists what there is"),
    ],
)
def test_an_unknown_name_is_answered_by_those_near_it(name: str, expected: str) -> None:
    with pytest.raises(library.McpgenError) as caught:
        inspected(name)
    assert caught.value.where == "2025-11-25"
    assert caught.value.what == f"found no type, field, method or constant {name!r}"
    assert expected in caught.value.remedy


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        ([], 2, "Missing argument 'VERSION'"),
        (["2025-11-24"], 1, f"found no version '2025-11-24', only {OLD}, {NEW}: pull it"),
        (["newest"], 2, "'newest': is not a version: expected a date such as"),
        (["2025-11-24", "Celsius"], 1, f"found no version '2025-11-24', only {OLD}, {NEW}"),
        ([OLD, "Celcius"], 1, f"{OLD}: found no type, field, method or constant 'Celcius': did y"),
    ],
)
def test_problems(
    project: Path, mcpgen: Command, arguments: list[str], code: int, expected: str
) -> None:
    assert expected in mcpgen("inspect", *arguments).problem(code)


# --- as JSON ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = document_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_model_is_as_the_schema_says(version: str, validator: Any) -> None:
    (model,) = (found for found in models() if found.version == version)
    found = json.loads(json.dumps(document(Overview(model))))
    validator.validate(found)
    protocol = found["inspection"]["protocol"]
    assert protocol["version"] == version
    assert [item["method"] for item in protocol["methods"]] == [m.method for m in model.methods]
    assert {item["class"] for item in protocol["types"]} == {"AliasType", "ObjectType"}


@pytest.mark.parametrize(
    ("name", "version"),
    [
        *(("tools/call", version) for version in VERSIONS),
        ("Tool", "2025-11-25"),
        ("Tool.name", "2026-07-28"),
        ("JSONRPCMessage", "2025-03-26"),
    ],
)
def test_everything_inspected_is_as_the_schema_says(
    name: str, version: str, validator: Any
) -> None:
    validator.validate(json.loads(json.dumps(document(inspected(name, version)))))


def test_the_schema_refuses_what_is_otherwise(validator: Any) -> None:
    found = document(inspected("PARSE_ERROR"))
    assert validator.is_valid(found)
    inspection = found["inspection"]
    assert not validator.is_valid({**found, "inspection": {**inspection, "class": "Overview"}})
    assert not validator.is_valid({**found, "inspection": {**inspection, "more": 1}})
    del inspection["version"]
    assert not validator.is_valid(found)


def test_json_tells_the_members_of_a_union_apart() -> None:
    found: dict[str, Any] = document(inspected("ProgressToken"))["inspection"]
    assert found["definition"]["class"] == "AliasType"
    kinds = [member["kind"] for member in found["definition"]["type"]["members"]]
    assert kinds == ["string", "integer"]
    tagged: dict[str, Any] = document(inspected("PrimitiveSchemaDefinition", "2025-06-18"))
    plan = tagged["inspection"]["definition"]["type"]["plan"]
    assert plan["tag"] == "type"
    assert plan["groups"][0].keys() == {"key", "value"}


def test_a_change_names_whom_it_breaks() -> None:
    found: dict[str, Any] = document(inspected("URL_ELICITATION_REQUIRED"))["inspection"]
    added, removed = (item["changes"][0] for item in found["history"]["changes"])
    assert (added["severity"], removed["severity"]) == ([], ["writers"])


def test_json_and_its_schema_from_the_command(project: Path, mcpgen: Command) -> None:
    validator = Draft202012Validator(json.loads(mcpgen("inspect", "--schema").out))
    for arguments in ([OLD], [OLD, "Celsius"], [NEW, "weather/measure"]):
        done = mcpgen("inspect", *arguments, "--json")
        assert (done.code, done.err) == (0, "")
        found = json.loads(done.out)
        assert found["format"] == "mcpgen-inspect/1"
        validator.validate(found)


# --- the same as functions ----------------------------------------------------------------------


def test_inspect_as_a_function(pulled: Path) -> None:
    found = library.inspect(OLD, "Celsius", spec_dir=pulled)
    assert isinstance(found, TypeInspection)
    assert [view.field.wire_name for view in found.fields] == ["scale", "degrees"]
    assert found.fields[0].hint == 'Literal["celsius"]'
    assert found.fields[0].build_default == '"celsius"'
    whole = library.inspect(OLD, spec_dir=pulled)
    assert whole == Overview(library.load_models(OLD, spec_dir=pulled)[0])


def test_models_are_those_asked_for_oldest_first(pulled: Path) -> None:
    assert [model.version for model in library.load_models(spec_dir=pulled)] == [OLD, NEW]
    asked = library.load_models(NEW, OLD, NEW, spec_dir=pulled)
    assert [model.version for model in asked] == [OLD, NEW]
    assert [model.version for model in models()] == VERSIONS


def test_a_field_that_is_read_as_a_default_says_so() -> None:
    found = type_inspected("CallToolResult", "2026-07-28")
    view = next(view for view in found.fields if view.field.wire_name == "resultType")
    text = render_text(found)
    assert '\n      required; absent is read as "complete"; from Result\n' in text
    strict = replace(view, field=replace(view.field, lenient=False))
    fields = tuple(strict if item is view else item for item in found.fields)
    assert "absent is read as" not in render_text(replace(found, fields=fields))


def test_the_readme_shows_what_is_printed() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("$ mcpgen inspect 2025-11-25 Tool.icons\n")[2].partition("```")[0]
    assert shown == render_text(inspected("Tool.icons"))
