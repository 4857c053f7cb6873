"""The decoders against an independent validator: both accept the same documents.

The differences that are meant are written into the schema that the validator gets: null for
an optional member, identifiers that are whole floats, and results without a `resultType`.
"""

from __future__ import annotations

import copy
import dataclasses
import re
from functools import cache
from typing import Any

import jsonschema
import pytest
from mcp_wire import DecodeError

from .documents import MODULES, RESULT_TYPES, named_types, text
from .instances import REF, Instances, Schema

DOCUMENTS = 14
"""Documents a type, each followed by two broken copies."""

TYPES = list(named_types())
CASES = [pytest.param(version, name, id=f"{version}-{name}") for version, name in TYPES]
IDENTIFIER = ["string", "integer"]

checker = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
    "identifier",
    lambda _, value: isinstance(value, str) or (type(value) is int),
)
Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=checker)


@cache
def definitions(version: str) -> Schema:
    """The published schemas of every type of a version."""
    module = MODULES[version]
    found: Schema = {}
    for named_version, name in TYPES:
        if named_version == version:
            found |= module.schema(name)["$defs"]
    return found


@cache
def lenient(version: str) -> Schema:
    """The definitions with the documented exceptions written into them."""
    found = copy.deepcopy(definitions(version))
    for name, schema in found.items():
        if version == RESULT_TYPES and name != "InputRequiredResult":
            schema["required"] = [k for k in schema.get("required", ()) if k != "resultType"]
        _allow_exceptions(schema)
    return found


def _allow_exceptions(schema: Any) -> None:
    if isinstance(schema, list):
        for item in schema:
            _allow_exceptions(item)
        return
    if not isinstance(schema, dict):
        return
    if schema.get("type") == IDENTIFIER:
        schema["type"] = "identifier"
    for key, item in schema.items():
        # Names of properties are no keywords.
        for inner in item.values() if key == "properties" else (item,):
            _allow_exceptions(inner)
    properties = schema.get("properties", {})
    for key in properties.keys() - set(schema.get("required", ())) - {"resultType"}:
        properties[key] = {"anyOf": [properties[key], {"type": "null"}]}


@cache
def validator(version: str, exact: bool = False) -> Any:
    known = definitions(version) if exact else lenient(version)
    return Validator({"$defs": known})


def accepts(version: str, name: str, document: Any, *, exact: bool = False) -> bool:
    return validator(version, exact).evolve(schema={"$ref": REF + name}).is_valid(document)


def documents(version: str, name: str) -> list[Any]:
    made = Instances(definitions(version), f"{version}/{name}")
    found: list[Any] = [made.anything() for _ in range(3)]
    for _ in range(DOCUMENTS):
        document = made.make({"$ref": REF + name})
        found += [document, made.broken(document), made.broken(document)]
    return found


@pytest.mark.parametrize(("version", "name"), CASES)
def test_decoder_accepts_what_the_schema_accepts(version: str, name: str) -> None:
    module = MODULES[version]
    accepted = 0
    for document in documents(version, name):
        before = text(document)
        try:
            value = module.decode_as(name, document)
        except DecodeError as error:
            assert not accepts(version, name, document), f"{error}\n{before}"
            require_true(error, document, name)
        else:
            assert accepts(version, name, document), before
            require_kept(module.encode_as(name, value), version, name, document)
            accepted += 1
        assert text(document) == before
    assert accepted


def require_kept(encoded: Any, version: str, name: str, document: Any) -> None:
    """Nothing is lost, nothing is added, and what comes out decodes to the same."""
    module = MODULES[version]
    shown = text(document)
    assert is_kept(document, encoded), f"{shown}\n{text(encoded)}"
    again = module.encode_as(name, module.decode_as(name, encoded))
    assert text(again) == text(encoded)
    if "null" not in shown and accepts(version, name, document, exact=True):
        assert text(whole(encoded)) == text(whole(document))
    assert accepts(version, name, encoded, exact=True), shown


def is_kept(before: Any, after: Any) -> bool:
    """Whether a document came back, but for nulls and an added `resultType`."""
    if isinstance(before, dict) and isinstance(after, dict):
        wanted = {key for key, item in before.items() if item is not None}
        return (
            wanted <= after.keys()
            and after.keys() - before.keys() <= {"resultType"}
            and all(is_kept(before[key], after[key]) for key in before if key in after)
        )
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(is_kept, before, after))
    return isinstance(before, bool) == isinstance(after, bool) and bool(before == after)


def whole(value: Any) -> Any:
    """A document with whole floats as integers: they are one number to JSON."""
    if isinstance(value, dict):
        return {key: whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


# --- errors -------------------------------------------------------------------------------------

PART = re.compile(r'\.(\w+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]')


def at_path(document: Any, path: str) -> Any:
    """What stands at the path of an error; Ellipsis for a member that is missing."""
    for name, index, quoted in PART.findall(path.removeprefix("$")):
        if index:
            document = document[int(index)]
        else:
            document = document.get(name or quoted, ...)
    return document


def require_true(error: DecodeError, document: Any, name: str) -> None:
    """The error points at a member, says what stands there, and is no mere excuse."""
    found = at_path(document, error.path)
    assert error.found == ("nothing" if found is ... else described(found)), text(document)
    assert (error.path, error.expected) != ("$", f"a {name}"), text(document)


def described(value: Any) -> str:
    from mcp_wire.runtime.errors import describe

    return describe(value)


# --- results and messages -----------------------------------------------------------------------

RESULTS = [
    pytest.param(version, method, id=f"{version}-{method}")
    for version, module in MODULES.items()
    for method, info in module.METHODS.items()
    if info.results
]


def may_answer(version: str, method: str, document: Any) -> bool:
    """Whether one of a method's results fits, and is of the kind that `resultType` says."""
    module = MODULES[version]
    for name in module.METHODS[method].results:
        kind = document.get("resultType", "complete") if isinstance(document, dict) else None
        cls = type(module.decode_as(name, {"resultType": "complete"})) if name == "EmptyResult" else getattr(module, name)
        defaults = {field.name: field.default for field in dataclasses.fields(cls)}
        if defaults.get("result_type", kind) == kind and accepts(version, name, document):
            return True
    return False


@pytest.mark.parametrize(("version", "method"), RESULTS)
def test_results_of_a_method(version: str, method: str) -> None:
    module = MODULES[version]
    for name in module.METHODS[method].results:
        for document in documents(version, name):
            try:
                result = module.decode_result(method, document)
            except DecodeError as error:
                assert not may_answer(version, method, document), f"{error}\n{text(document)}"
                assert error.found == described_or_nothing(at_path(document, error.path))
            else:
                assert may_answer(version, method, document), text(document)
                encoded = module.decode_message.__self__.encode_result(method, result)
                assert is_kept(document, encoded)


def described_or_nothing(found: Any) -> str:
    return "nothing" if found is ... else described(found)


FRAMES = [
    pytest.param(version, info, id=f"{version}-{info.message}")
    for version, module in MODULES.items()
    for info in module.METHODS.values()
    if info.kind != "embedded"
]


@pytest.mark.parametrize(("version", "info"), FRAMES)
def test_messages_of_a_method(version: str, info: Any) -> None:
    module = MODULES[version]
    for document in documents(version, info.message):
        if not isinstance(document, dict):
            continue
        same = document.get("method") == info.method
        same = same and ("id" in document) == (info.kind == "request")
        try:
            message = module.decode_message(document)
        except DecodeError as error:
            assert not (same and accepts(version, info.message, document)), str(error)
            assert error.found == described_or_nothing(at_path(document, error.path))
        else:
            assert is_kept(document, message.to_dict())
            if same:
                assert type(message) is getattr(module, info.message)
                assert accepts(version, info.message, document)
