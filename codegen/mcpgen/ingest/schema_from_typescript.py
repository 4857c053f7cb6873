"""Turns declarations into JSON Schema 2020-12: faithfully, or as the published file has it.

One builder does both, so that the faithful schema and the cross-check cannot drift apart.
Without a `Recorder` every declaration comes out as the TypeScript states it. With one, the
builder applies the distortions of the tool that made the published schema.json and records
each where it happened; `reconcile` then requires that nothing else differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..errors import SchemaError
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
    OmitFrom,
    Property,
    RecordOf,
    Reference,
    TypeAliasDeclaration,
    TypeNode,
    TypeOf,
    Union,
)
from .type_order import TypeOrder

Schema: TypeAlias = dict[str, Any]

DISTORTIONS: Mapping[str, str] = {
    "number-as-integer": "a number without @TJS-type is published as an integer",
    "null-dropped": "null is published only where @nullable asks for it",
    "inherited-index-dropped": "an index signature of a base is not published",
    "record-closed": "Record<string, T> is published without the type of its values",
    "literals-absorbed": "literals beside string are published as string alone",
    "alias-lost": "the name of an alias of a simple type or an array is not published",
    "alias-shown-as-target": "an alias of an interface is published under the interface's name",
    "single-member-union-copied": "an alias of one message is published as a copy of it",
    "nested-union-flattened": "a union inside a union is published as its members",
    "object-noise": "`object` and `{}` are published with empty keywords",
    "union-reordered": "members are published in the compiler's order, literals sorted",
    "simple-types-merged": "simple types beside others are published as one list of types",
}


@dataclass(slots=True)
class Recorder:
    """The sites of each distortion, in the order they were met."""

    sites: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def note(self, distortion: str, site: str) -> None:
        """Records that `distortion`, one of DISTORTIONS, happened at `site`."""
        if distortion not in DISTORTIONS:
            raise KeyError(distortion)
        self.sites.setdefault(distortion, []).append(site)


@dataclass(frozen=True, slots=True)
class Members:
    """The properties of an object with those of its bases, bases first."""

    properties: dict[str, Property]
    index: TypeNode | None
    own_index: bool


def build_definitions(
    module: Module, *, recorder: Recorder | None = None, descriptions: bool = False
) -> dict[str, Schema]:
    """JSON Schema of every type the module exports, by name, in the order of the file.

    Raises `SchemaError` where the TypeScript contradicts itself (a cycle of bases, a base
    that is no object) or a constraint tag holds no number.
    """
    builder = _Builder(module, recorder, descriptions)
    return {name: builder.definition(declared) for name, declared in module.types.items()}


def members_of(module: Module, interface: Interface) -> Members:
    """The properties and the index signature of an interface, inherited ones included."""
    return _Builder(module, None, False).members(interface)


NO_DOC = Doc()

# JSDoc tags that are JSON Schema keywords with a number as value.
_NUMBER_TAGS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")


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
        return self._documented(schema, declaration.doc)

    def _interface(self, interface: Interface) -> Schema:
        members = self.members(interface)
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

    def members(self, interface: Interface, above: tuple[str, ...] = ()) -> Members:
        """The properties and index signature of an interface, inherited ones included."""
        if interface.name in above:
            chain = " extends ".join([*above, interface.name])
            raise SchemaError(f"{self._module.path}:{interface.line}", f"found a cycle: {chain}")
        properties: dict[str, Property] = {}
        index: TypeNode | None = None
        for base in interface.bases:
            inherited = self._base_members(base, interface, (*above, interface.name))
            properties.update(inherited.properties)
            index = inherited.index or index
        for item in interface.body.properties:
            properties[item.name] = item
        own = interface.body.index
        return Members(properties, own or index, own is not None)

    def _base_members(
        self, base: Reference | OmitFrom, interface: Interface, above: tuple[str, ...]
    ) -> Members:
        name = base.base if isinstance(base, OmitFrom) else base.name
        target: Declaration | TypeNode = self._module.types[name]
        while isinstance(target, TypeAliasDeclaration):
            target = target.type
            if isinstance(target, Reference):
                target = self._module.types[target.name]
        match target:
            case Interface():
                found = self.members(target, above)
            case ObjectLiteral(properties, index, _):
                found = Members({item.name: item for item in properties}, index, True)
            case RecordOf(value):
                found = Members({}, value, True)
            case _:
                raise SchemaError(
                    f"{self._module.path}:{interface.line}",
                    f"{interface.name} extends {name}, which is no object type",
                )
        omitted = base.keys if isinstance(base, OmitFrom) else ()
        if unknown := [key for key in omitted if key not in found.properties]:
            raise SchemaError(
                f"{self._module.path}:{interface.line}",
                f"Omit<{name}> names {', '.join(unknown)}, which {name} does not have",
            )
        kept = {key: item for key, item in found.properties.items() if key not in omitted}
        return Members(kept, found.index, False)

    # --- types ----------------------------------------------------------------------------------

    def _type(self, node: TypeNode, site: str, doc: Doc = NO_DOC) -> Schema:
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
            case OmitFrom():
                raise SchemaError(
                    f"{self._module.path} ({site})", "found Omit<> outside an extends clause"
                )

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
        schema = self._type(item.type, site, item.doc)
        return self._documented(schema, item.doc) | self._constraints(item, site)

    def _constraints(self, item: Property, site: str) -> Schema:
        found: Schema = {}
        if (form := item.doc.tag("format")) is not None:
            found["format"] = form
        for name in _NUMBER_TAGS:
            if (text := item.doc.tag(name)) is not None:
                found[name] = self._tag_number(name, text, item, site)
        return found

    def _tag_number(self, name: str, text: str, item: Property, site: str) -> int | float:
        try:
            return int(text) if text.lstrip("+-").isdigit() else float(text)
        except ValueError:
            raise SchemaError(
                f"{self._module.path}:{item.line}",
                f"the tag @{name} of {site} holds {text!r}, expected a number",
            ) from None

    def _documented(self, schema: Schema, doc: Doc) -> Schema:
        if self._descriptions and doc.text:
            return {"description": doc.text, **schema}
        return schema

    # --- unions ---------------------------------------------------------------------------------

    def _union(self, members: tuple[TypeNode, ...], site: str, doc: Doc) -> Schema:
        if self._recorder:
            return self._published_union(members, site, doc, self._recorder)
        literals = [m.value for m in members if isinstance(m, Literally) and m.value is not None]
        strings = [value for value in literals if isinstance(value, str)]
        others = [m for m in members if not (isinstance(m, Literally) and m.value in literals)]
        if len(strings) != len(literals):
            raise SchemaError(
                f"{self._module.path} ({site})", "found a union of literals that are not strings"
            )
        parts: list[Schema] = [{"type": "string", "enum": strings}] if strings else []
        parts += [self._type(member, site, doc) for member in others]
        if len(parts) == 1:
            return parts[0]
        if all(set(part) == {"type"} for part in parts):
            return {"type": [part["type"] for part in parts]}
        return {"anyOf": parts}

    def _published_union(
        self, members: tuple[TypeNode, ...], site: str, doc: Doc, recorder: Recorder
    ) -> Schema:
        flat = self._flatten(members, site, recorder)
        nullable = doc.tag("nullable") is not None
        if Literally(None) in flat:
            flat = [member for member in flat if member != Literally(None)]
            if not nullable:
                recorder.note("null-dropped", site)
        strings = [m.value for m in flat if isinstance(m, Literally) and isinstance(m.value, str)]
        if strings and Keyword("string") in flat:
            recorder.note("literals-absorbed", site)
            flat = [member for member in flat if getattr(member, "value", None) not in strings]
        elif strings:
            if strings != sorted(strings):
                recorder.note("union-reordered", site)
            return {"type": "string", "enum": sorted(strings)}
        return self._published_members(flat, site, doc, recorder)

    def _published_members(
        self, flat: list[TypeNode], site: str, doc: Doc, recorder: Recorder
    ) -> Schema:
        if self._order and (ordered := self._order.sort(flat)) != flat:
            recorder.note("union-reordered", site)
            flat = ordered
        parts = [self._type(member, site, doc) for member in flat]
        simple = [part["type"] for part in parts if _is_simple_schema(part)]
        others = [part for part in parts if not _is_simple_schema(part)]
        if doc.tag("nullable") is not None:
            simple.append("null")
        if not simple:
            return others[0] if len(others) == 1 else {"anyOf": others}
        merged: Schema = {"type": simple if len(simple) > 1 else simple[0]}
        if not others:
            return merged
        recorder.note("simple-types-merged", site)
        return {"anyOf": [*others, merged]}

    def _flatten(
        self, members: tuple[TypeNode, ...], site: str, recorder: Recorder
    ) -> list[TypeNode]:
        flat: list[TypeNode] = []
        for member in members:
            target = self._module.types[member.name] if isinstance(member, Reference) else None
            if isinstance(target, TypeAliasDeclaration) and isinstance(target.type, Union):
                recorder.note("nested-union-flattened", site)
                flat += self._flatten(target.type.members, site, recorder)
            elif isinstance(target, TypeAliasDeclaration) and isinstance(target.type, Reference):
                recorder.note("alias-shown-as-target", site)
                flat.append(target.type)
            else:
                flat.append(member)
        return flat


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
