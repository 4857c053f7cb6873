"""Turns declarations into JSON Schema 2020-12: faithfully, or as the published file has it.

One builder does both, so that the faithful schema and the cross-check cannot drift apart.
Without a `Recorder` every declaration comes out as the TypeScript states it. With one, the
builder applies the distortions of the tool that made the published schema.json and records
each where it happened; `reconcile` then requires that nothing else differs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from .constraints import constraints
from .declarations import (
    ArrayOf,
    Declaration,
    Doc,
    Interface,
    Intersection,
    JsonScalar,
    Keyword,
    Literally,
    Module,
    ObjectLiteral,
    Property,
    RecordOf,
    Reference,
    TypeAliasDeclaration,
    TypeNode,
    TypeOf,
    Union,
)
from .distortions import Recorder
from .members import members_of
from .type_order import TypeOrder

Schema: TypeAlias = dict[str, Any]

_NO_DOC = Doc()


def build_definitions(
    module: Module, *, recorder: Recorder | None = None, descriptions: bool = False
) -> dict[str, Schema]:
    """JSON Schema of every type the module exports, by name, in the order of the file.

    Without a `recorder` they are faithful; with one, as the published file has them, whose
    distortions it records. Raises what `members_of` and `constraints` raise.
    """
    builder = _Builder(module, recorder, descriptions)
    return {name: builder.definition(declared) for name, declared in module.types.items()}


class _Builder:
    def __init__(self, module: Module, recorder: Recorder | None, descriptions: bool) -> None:
        self._module = module
        self._recorder = recorder
        self._descriptions = descriptions
        self._order = TypeOrder(module) if recorder else None

    # --- declarations ---------------------------------------------------------------------------

    def definition(self, declaration: Declaration) -> Schema:
        match declaration:
            case Interface():
                schema = self._interface(declaration)
            case TypeAliasDeclaration(name, target, _, _):
                schema = self._alias(name, target)
        return self._documented(schema, declaration.doc, declaration.line, declaration.name)

    def _interface(self, interface: Interface) -> Schema:
        members = members_of(self._module, interface)
        index = members.index
        if self._recorder and index is not None and not members.own_index:
            self._recorder.note("inherited-index-dropped", interface.name)
            index = None
        return self._object(members.properties, index, interface.name)

    def _alias(self, name: str, target: TypeNode) -> Schema:
        if not (self._recorder and isinstance(target, Reference)):
            return self._type(target, name)
        found = self._module.types[target.name]
        if isinstance(found, Interface) and _is_message(found):
            self._recorder.note("single-member-union-copied", name)
            return self._interface(found)
        return self._type(target, name)

    # --- types ----------------------------------------------------------------------------------

    def _type(self, node: TypeNode, site: str, doc: Doc = _NO_DOC) -> Schema:
        match node:
            case Keyword():
                return self._keyword(node, site, doc)
            case Literally(value):
                return _constant(value)
            case TypeOf(name):
                return _constant(self._module.constants[name].value)
            case Reference(name):
                return self._reference(name, site)
            case ArrayOf(item):
                return {"type": "array", "items": self._type(item, f"{site}[]")}
            case RecordOf(value):
                return self._record(value, site)
            case Union(members):
                return self._union(members, site, doc)
            case Intersection(members):
                return {"allOf": [self._type(member, site) for member in members]}
            case ObjectLiteral(properties, index, _):
                return self._object({item.name: item for item in properties}, index, site)

    def _keyword(self, node: Keyword, site: str, doc: Doc) -> Schema:
        match node.name:
            case "unknown":
                return {}
            case "object" if self._recorder:
                self._recorder.note("object-noise", site)
                return {"type": "object", "properties": {}, "additionalProperties": True}
            case "number" if self._recorder and doc.tag("TJS-type") != "number":
                self._recorder.note("number-as-integer", site)
                return {"type": "integer"}
            case name:
                return {"type": name}

    def _reference(self, name: str, site: str) -> Schema:
        if not self._recorder:
            return {"$ref": f"#/$defs/{name}"}
        target = self._module.types[name]
        if isinstance(target, TypeAliasDeclaration):
            if isinstance(target.type, Reference):
                self._recorder.note("alias-shown-as-target", site)
                return self._reference(target.type.name, site)
            if _is_simple(target.type):
                self._recorder.note("alias-lost", site)
                return self._type(target.type, site)
        return {"$ref": f"#/$defs/{name}"}

    def _record(self, value: TypeNode, site: str) -> Schema:
        if self._recorder:
            self._recorder.note("record-closed", site)
            return {"type": "object"}
        return {"type": "object", "additionalProperties": self._type(value, f"{site}{{}}")}

    def _object(self, properties: dict[str, Property], index: TypeNode | None, site: str) -> Schema:
        schema: Schema = {"type": "object"}
        if properties or index is None:
            schema["properties"] = {
                name: self._property(item, f"{site}.{name}") for name, item in properties.items()
            }
        if required := sorted(name for name, item in properties.items() if not item.optional):
            schema["required"] = required
        if index is not None:
            schema["additionalProperties"] = self._type(index, f"{site}{{}}")
        if self._recorder and not properties and index is None:
            self._recorder.note("object-noise", site)
        return schema

    def _property(self, item: Property, site: str) -> Schema:
        return self._documented(self._type(item.type, site, item.doc), item.doc, item.line, site)

    def _documented(self, schema: Schema, doc: Doc, line: int, site: str) -> Schema:
        text = {"description": doc.text} if self._descriptions and doc.text else {}
        return text | schema | constraints(doc, f"{self._module.path}:{line}", site)

    # --- unions ---------------------------------------------------------------------------------

    def _union(self, members: tuple[TypeNode, ...], site: str, doc: Doc) -> Schema:
        if self._recorder:
            return self._published_union(members, site, doc, self._recorder)
        strings = _strings(members)
        parts = [_enum(strings)] if strings else []
        for member in members:
            if not isinstance(member, Literally) or member.value not in strings:
                parts.append(self._type(member, site, doc))
        if len(parts) == 1:
            return parts[0]
        if {} in parts:
            return {}
        if all(set(part) == {"type"} for part in parts):
            return {"type": [part["type"] for part in parts]}
        return {"anyOf": parts}

    def _published_union(
        self, members: tuple[TypeNode, ...], site: str, doc: Doc, recorder: Recorder
    ) -> Schema:
        flat = list(dict.fromkeys(self._flatten(members, site, recorder)))
        nullable = Literally(None) in flat and doc.tag("nullable") is not None
        if Literally(None) in flat and not nullable:
            recorder.note("null-dropped", site)
        strings = _strings(flat)
        others: list[TypeNode] = [m for m in flat if not isinstance(m, Literally)]
        if strings and Keyword("string") in others:
            recorder.note("literals-absorbed", site)
            strings = []
        ordered = self._order.sort(others) if self._order else others
        if ordered != others or strings != sorted(strings):
            recorder.note("union-reordered", site)
        parts = [self._type(member, site, doc) for member in ordered]
        if strings:
            parts.append(_constant(strings[0]) if len(strings) == 1 else _enum(sorted(strings)))
        if nullable:
            parts.append({"type": "null"})
        return _published_parts(parts, site, recorder)

    def _flatten(
        self, members: tuple[TypeNode, ...], site: str, recorder: Recorder
    ) -> list[TypeNode]:
        flat: list[TypeNode] = []
        for member in members:
            target = self._module.types[member.name] if isinstance(member, Reference) else None
            match target:
                case TypeAliasDeclaration(type=Union(inner)):
                    recorder.note("nested-union-flattened", site)
                    flat += self._flatten(inner, site, recorder)
                case TypeAliasDeclaration(type=Reference() as other):
                    recorder.note("alias-shown-as-target", site)
                    flat += self._flatten((other,), site, recorder)
                case _:
                    flat.append(member)
        return flat


def _published_parts(parts: list[Schema], site: str, recorder: Recorder) -> Schema:
    """A union's members as published: simple types come last, in one list of types."""
    if {} in parts:
        return {}
    simple = list(dict.fromkeys(part["type"] for part in parts if _is_simple_schema(part)))
    others = [part for part in parts if not _is_simple_schema(part)]
    merged: Schema = {"type": simple if len(simple) > 1 else simple[0]} if simple else {}
    if not others:
        return merged
    if not simple:
        return others[0] if len(others) == 1 else {"anyOf": others}
    recorder.note("simple-types-merged", site)
    return {"anyOf": [*others, merged]}


def _strings(members: Iterable[TypeNode]) -> list[str]:
    """The string literals among the members of a union."""
    literals = [member.value for member in members if isinstance(member, Literally)]
    return [value for value in literals if isinstance(value, str)]


def _enum(values: list[str]) -> Schema:
    return {"type": "string", "enum": values}


def _constant(value: JsonScalar) -> Schema:
    match value:
        case None:
            return {"type": "null"}
        case bool():
            return {"type": "boolean", "const": value}
        case str():
            return {"type": "string", "const": value}
        case int():
            return {"type": "integer", "const": value}
        case float():
            return {"type": "number", "const": value}


def _is_simple_schema(schema: Schema) -> bool:
    return set(schema) == {"type"} and schema["type"] != "object"


def _is_simple(node: TypeNode) -> bool:
    """Whether the published schema writes a type out wherever an alias of it is used."""
    match node:
        case ArrayOf() | Keyword():
            return True
        case Union(members):
            literals = [member for member in members if isinstance(member, Literally)]
            return Keyword("string") in members and len(literals) == len(members) - 1 > 0
        case _:
            return False


def _is_message(interface: Interface) -> bool:
    return any(
        item.name == "method" and isinstance(item.type, Literally)
        for item in interface.body.properties
    )
