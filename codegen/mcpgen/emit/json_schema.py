"""The Model as the JSON Schema that datamodel-code-generator reads.

It is written to say exactly one thing: which Python type each name has. Each named type is
one definition, so that one class or alias comes of it. Properties have their Python names.
Every property is required, and what may be absent is written as a union with null, because
the generator moves optional fields behind required ones and widens their hints by rules of
its own. Bounds, formats, defaults and descriptions are left out: they are emitted from the
Model directly.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from mcpgen.emit.hints import needs_none
from mcpgen.model.model import (
    AliasType,
    AnyValue,
    Array,
    Const,
    Field,
    Literals,
    Map,
    ObjectType,
    Protocol,
    Ref,
    Scalar,
    TypeExpr,
    UnionOf,
)

JsonSchema: TypeAlias = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def types_schema(protocol: Protocol) -> JsonSchema:
    """The schema of every named type of a version, in the order of the Model."""
    return {"$schema": DIALECT, "$defs": {t.name: _definition(t) for t in protocol.types}}


def definition_path(name: str) -> str:
    """Where `types_schema` has a named type; the generator keys its template data by it."""
    return f"#/$defs/{name}"


def _definition(type_: ObjectType | AliasType) -> JsonSchema:
    if isinstance(type_, AliasType):
        return expression_schema(type_.type)
    return {
        "type": "object",
        "properties": {field.name: _property(field) for field in type_.fields},
        "required": [field.name for field in type_.fields],
    }


def _property(field: Field) -> JsonSchema:
    schema = expression_schema(field.type)
    return {"anyOf": [schema, {"type": "null"}]} if needs_none(field) else schema


def expression_schema(expr: TypeExpr) -> JsonSchema:
    """The schema of one type expression."""
    match expr:
        case AnyValue():
            return {}
        case Scalar():
            return {"type": expr.kind}
        case Const():
            return {"const": expr.value}
        case Literals():
            known = {"type": "string", "enum": list(expr.values)}
            return {"anyOf": [known, {"type": "string"}]} if expr.open else known
        case Ref():
            return {"$ref": definition_path(expr.name)}
        case Array():
            return {"type": "array", "items": expression_schema(expr.item)}
        case Map():
            return {"type": "object", "additionalProperties": expression_schema(expr.value)}
        case UnionOf():
            return {"anyOf": [expression_schema(member) for member in expr.members]}
