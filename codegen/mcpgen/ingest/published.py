"""The reduced mode: a spec document made from a published schema.json, without its TypeScript.

What the published file does not state is not guessed: it is left out and named in the report.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn, TypeAlias

from ..errors import SchemaError
from ..jsonvalues import is_array, is_object
from .facts import ROLES
from .published_facts import REF, method_of, published_facts
from .reconcile import ReconcileReport, published_definitions
from .sources_common import SourceFiles
from .spec_document import Derived, spec_document

Schema: TypeAlias = dict[str, Any]

MISSING_FACTS = (
    "constants: only LATEST_PROTOCOL_VERSION (the folder's name) and JSONRPC_VERSION are known",
    "results: taken from the names of requests where no response type tells them",
    "extends: no type is known to build on another, so inline objects have more names",
    "deprecations, categories and internal types: none is known",
    "null in unions: dropped from most fields that allow it",
    "open literals: a string with some known values is any string",
    "numbers: those without a mark of their own are integers, whether they are whole or not",
    "maps: the types of values are lost, and so are index signatures of bases",
    "aliases: simple types and arrays are written out where they are used",
    "unions: those inside others are flattened, members are in another order",
)
# How the publishing tool writes `object`.
_NOISE: Schema = {"type": "object", "properties": {}, "additionalProperties": True}
_SCHEMAS = ("items", "additionalProperties")
_LISTS_OF_SCHEMAS = ("anyOf", "allOf")
_LISTS = ("required", "enum")


def derive_reduced(files: SourceFiles, *, descriptions: bool = False) -> Derived:
    """The reduced spec document of a version whose source has no schema.ts.

    Its `x-mcp` says `"reduced": true`. Draft-07 `definitions` and 2020-12 `$defs` are both
    read. `descriptions` keeps the specification's own prose.

    Raises `SchemaError` for a file that is not a schema in the form that is published, and
    for methods, roles and results that do not fit together.
    """
    where = files.where or f"schema/{files.version}/schema.json"
    found = published_definitions(files.json or b"", where)
    try:
        definitions = _Reader(where, found, descriptions).definitions()
    except RecursionError:
        raise SchemaError(where, "found schemas nested too deeply") from None
    facts = {"reduced": True, **published_facts(definitions, files.version, where)}
    document = spec_document(files, facts, definitions)
    return Derived(document, ReconcileReport(files.version, checked=False, missing=MISSING_FACTS))


class _Reader:
    """Checks the published definitions, and undoes what their publication surely changed."""

    def __init__(self, where: str, found: Mapping[str, Any], descriptions: bool) -> None:
        self._where = where
        self._found = found
        self._dropped = () if descriptions else ("description",)

    def definitions(self) -> dict[str, Schema]:
        clean = {name: self._schema(value, name) for name, value in self._found.items()}
        for role in ROLES:
            if role in clean and method_of(clean[role]) is not None:
                clean[role] = {"$ref": REF + self._copied(role, clean)}
        return clean

    def _copied(self, role: str, definitions: Mapping[str, Schema]) -> str:
        """The message that a role holds alone: the role is published as a copy of it."""
        for name, schema in definitions.items():
            if name not in ROLES and _undescribed(schema) == _undescribed(definitions[role]):
                return name
        self._fail(role, "a message, expected a union of declared types or a copy of one")

    def _schema(self, schema: object, site: str) -> Schema:
        if not is_object(schema):
            self._fail(site, f"{_short(schema)}, expected a schema object")
        if _undescribed(schema) == _NOISE:
            schema = {key: value for key, value in schema.items() if key not in _NOISE}
            schema["type"] = "object"
        return {
            key: self._keyword(key, value, site)
            for key, value in schema.items()
            if key not in self._dropped
        }

    def _keyword(self, key: str, value: object, site: str) -> object:
        if key == "properties":
            return self._properties(value, site)
        if key == "additionalProperties" and value is True:
            return {}
        if key in _SCHEMAS:
            return self._schema(value, f"{site}{'[]' if key == 'items' else '{}'}")
        if key in _LISTS_OF_SCHEMAS:
            members = [self._schema(item, site) for item in self._list(key, value, site)]
            return _apart(members) if key == "anyOf" else members
        if key in _LISTS:
            return self._list(key, value, site)
        if key == "$ref":
            self._require_known(value, site)
        return value

    def _properties(self, value: object, site: str) -> dict[str, Schema]:
        if not is_object(value):
            self._fail(site, f"properties = {_short(value)}, expected an object of schemas")
        return {name: self._schema(item, f"{site}.{name}") for name, item in value.items()}

    def _list(self, key: str, value: object, site: str) -> list[Any]:
        if not is_array(value):
            self._fail(site, f"{key} = {_short(value)}, expected an array")
        return value

    def _require_known(self, value: object, site: str) -> None:
        name = value.removeprefix(REF) if isinstance(value, str) else None
        if name not in self._found:
            self._fail(site, f"the reference {_short(value)}, expected one to a definition")

    def _fail(self, site: str, what: str) -> NoReturn:
        raise SchemaError(f"{self._where}: {site}", f"found {what}")


def _apart(members: list[Schema]) -> list[Schema]:
    """The members of a union; simple types, published as one list of types, are members each."""
    found: list[Schema] = []
    for member in members:
        kinds = member.get("type")
        if len(member) == 1 and is_array(kinds):
            found += [{"type": kind} for kind in kinds]
        else:
            found.append(member)
    return found


def _undescribed(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "description"}


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
