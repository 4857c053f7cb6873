"""The rules of naming, as tables of cases; and that whatever comes out is a Python name."""

from __future__ import annotations

import keyword
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcpgen.errors import SchemaError
from mcpgen.model.naming import (
    field_name,
    hoisted_name,
    method_name,
    module_name,
    require_constant_name,
    require_type_name,
)


@pytest.mark.parametrize(
    ("wire_name", "name"),
    [
        ("name", "name"),
        ("mimeType", "mime_type"),
        ("isError", "is_error"),
        ("Name", "name"),
        ("snake_case", "snake_case"),
        ("kebab-case", "kebab_case"),
        ("with space", "with_space"),
        ("dotted.name", "dotted_name"),
        # What stands around the words goes.
        ("_meta", "meta"),
        ("$schema", "schema"),
        ("__proto__", "proto"),
        ("a__b", "a_b"),
        ("trailing_", "trailing"),
        # Prefixes up to a slash.
        ("io.modelcontextprotocol/clientInfo", "client_info"),
        ("a/b/cD", "c_d"),
        ("a/", "field"),
        # Acronyms and digits.
        ("baseURL", "base_url"),
        ("URLParams", "url_params"),
        ("HTTPServer2", "http_server2"),
        ("sha256Hash", "sha256_hash"),
        ("ID", "id"),
        ("x", "x"),
        ("1st", "n1st"),
        ("2", "n2"),
        # Keywords and what emitted classes and stubs use.
        ("class", "class_"),
        ("from", "from_"),
        ("async", "async_"),
        ("None", "none"),
        ("True", "true"),
        ("match", "match"),
        ("type", "type"),
        ("id", "id"),
        ("format", "format"),
        ("list", "list_"),
        ("dict", "dict_"),
        ("str", "str_"),
        ("int", "int_"),
        ("float", "float_"),
        ("bool", "bool_"),
        ("List", "list_"),
        ("extra", "extra_"),
        ("toDict", "to_dict_"),
        ("from_dict", "from_dict_"),
        ("toJson", "to_json_"),
        ("toJSON", "to_json_"),
        ("fromJson", "from_json_"),
        ("self", "self_"),
        ("timeout", "timeout_"),
        ("onProgress", "on_progress_"),
        # Beyond ASCII.
        ("größe", "größe"),
        ("Größe", "größe"),
        ("cafe\u0301", "caf\u00e9"),
        ("\uff4e\uff41\uff4d\uff45", "name"),
        ("\u2167", "viii"),
        ("\u0bf0x", "x"),
        ("名前", "名前"),
        ("हिन्दी", "हिन्दी"),
        ("\u0300x", "ǹx"),
        ("٣", "n٣"),
        ("😀", "field"),
        # Nothing at all.
        ("", "field"),
        ("_", "field"),
        ("$", "field"),
        ("///", "field"),
    ],
)
def test_names_of_fields(wire_name: str, name: str) -> None:
    assert field_name(wire_name) == name


@pytest.mark.parametrize(
    ("owner", "wire_name", "name"),
    [
        ("CallToolRequest", "params", "CallToolRequestParams"),
        ("ClientCapabilities", "sampling", "ClientCapabilitiesSampling"),
        ("RequestParams", "_meta", "RequestParamsMeta"),
        ("Thing", "inputSchema", "ThingInputSchema"),
        ("Thing", "URLParams", "ThingURLParams"),
        ("Thing", "snake_case", "ThingSnakeCase"),
        ("Thing", "$schema", "ThingSchema"),
        ("Thing", "a.b/cD", "ThingABCD"),
        ("Thing", "2nd", "Thing2nd"),
        ("Thing", "größe", "ThingGröße"),
        ("Thing", "ßeta", "ThingSSeta"),
        ("Thing", "$", "Thing"),
    ],
)
def test_names_of_inline_objects(owner: str, wire_name: str, name: str) -> None:
    assert hoisted_name(owner, wire_name) == name


@given(st.text())
def test_every_wire_name_has_a_python_name(wire_name: str) -> None:
    name = field_name(wire_name)
    assert name.isidentifier()
    assert not keyword.iskeyword(name)
    assert not name.startswith("_")
    assert unicodedata.normalize("NFKC", name) == name
    hoisted = hoisted_name("Thing", wire_name)
    assert require_type_name(hoisted, "") == unicodedata.normalize("NFKC", hoisted)


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("CallToolRequest", "call_tool"),
        ("ListResourceTemplatesRequest", "list_resource_templates"),
        ("SetLevelRequest", "set_level"),
        ("ElicitRequest", "elicit"),
        ("PingRequest", "ping"),
        ("ProgressNotification", "progress"),
        ("ToolListChangedNotification", "tool_list_changed"),
        ("Subscribe", "subscribe"),
        ("ListRequest", "list_"),
        ("ImportRequest", "import_"),
        ("Request", "request_"),
        ("Notification", "notification"),
    ],
)
def test_names_of_methods(message: str, name: str) -> None:
    assert method_name(message) == name


@pytest.mark.parametrize(
    ("version", "name"),
    [("2025-11-25", "v2025_11_25"), ("draft", "vdraft"), ("2026.1-rc 1", "v2026_1_rc_1")],
)
def test_names_of_modules(version: str, name: str) -> None:
    assert module_name(version) == name


@pytest.mark.parametrize("name", ["Tool", "tool", "Größe", "T2", "Error"])
def test_names_of_types_are_kept(name: str) -> None:
    assert require_type_name(name, "here") == name


@pytest.mark.parametrize("name", ["", "2D", "A-B", "A.B", "A$", "_Private", "class", "None", "ﬁx"])
def test_names_python_does_not_allow_stop(name: str) -> None:
    with pytest.raises(SchemaError) as caught:
        require_type_name(name, "2030-01-01: Thing.field")
    assert caught.value.where == "2030-01-01: Thing.field"
    assert caught.value.what == f"found the type name {name!r}, expected a public Python identifier"
    assert "[[name]]" in caught.value.remedy


@pytest.mark.parametrize("name", ["PARSE_ERROR", "x", "Größe"])
def test_names_of_constants_are_kept(name: str) -> None:
    assert require_constant_name(name, "here") == name


@pytest.mark.parametrize("name", ["A$", "_A", "__all__", "class", "None", "print", "ﬁx"])
def test_names_no_constant_can_have_stop(name: str) -> None:
    with pytest.raises(SchemaError) as caught:
        require_constant_name(name, "2030-01-01")
    assert caught.value.where == "2030-01-01"
    assert caught.value.what.startswith(f"found the constant name {name!r}, expected ")
