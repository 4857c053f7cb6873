"""Writes the Model back as JSON Schema: the `schema.json` of an emitted version.

It is what `schema()` publishes and what explains a refused value, so it carries, as `x-`
keywords that `schema()` leaves out, the decode plan of each union and which required
members are read as their default when absent.
"""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from ..model.model import (
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
    TypeDef,
    TypeExpr,
    UnionOf,
    UnionPlan,
)

Schema: TypeAlias = dict[str, Any]

# Types of a nullable field whose own schema allows null.
_ALL_NULLS = (AnyValue(), Scalar("null"), Const(None))


def schema_file(protocol: Protocol) -> str:
    """The text of `schema.json`: every type of a version under `$defs`."""
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Model Context Protocol {protocol.version}",
        "$defs": {declared.name: type_schema(declared) for declared in protocol.types},
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def type_schema(declared: TypeDef) -> Schema:
    """The JSON Schema of a named type, with our documentation."""
    match declared:
        case AliasType():
            schema = expression_schema(declared.type)
        case ObjectType():
            schema = _object_schema(declared)
    return _described(schema, declared.docs.text, declared.deprecated)


def _object_schema(declared: ObjectType) -> Schema:
    schema: Schema = {
        "type": "object",
        "properties": {item.wire_name: _field_schema(item) for item in declared.fields},
    }
    if required := [item.wire_name for item in declared.fields if item.required]:
        schema["required"] = required
    if declared.index is not None:
        schema["additionalProperties"] = expression_schema(declared.index)
    return schema


def _field_schema(item: Field) -> Schema:
    schema = expression_schema(item.type)
    if item.nullable and item.type not in _ALL_NULLS:
        schema = _with_null(schema)
    if item.lenient:
        schema["x-lenient"] = True
    return _described(schema, item.docs.text, item.deprecated)


def _with_null(schema: Schema) -> Schema:
    if set(schema) == {"type"}:
        kinds = schema["type"]
        return {"type": [*(kinds if isinstance(kinds, list) else [kinds]), "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def expression_schema(expr: TypeExpr) -> Schema:
    """The JSON Schema of a type expression."""
    match expr:
        case AnyValue():
            return {}
        case Scalar(kind, minimum, maximum, form):
            return {"type": kind, **_given(minimum=minimum, maximum=maximum, format=form)}
        case Const(value):
            return {"const": value}
        case Literals(values, is_open):
            closed: Schema = {"type": "string", "enum": list(values)}
            return {"anyOf": [closed, {"type": "string"}]} if is_open else closed
        case Ref(name):
            return {"$ref": f"#/$defs/{name}"}
        case Array(item, least, most):
            limits = _given(minItems=least, maxItems=most)
            return {"type": "array", "items": expression_schema(item), **limits}
        case Map(value):
            schema: Schema = {"type": "object"}
            if inner := expression_schema(value):
                schema["additionalProperties"] = inner
            return schema
        case UnionOf(members, plan):
            return _union_schema(members, plan)


def _given(**keywords: str | float | None) -> Schema:
    return {key: value for key, value in keywords.items() if value is not None}


def _union_schema(members: tuple[TypeExpr, ...], plan: UnionPlan) -> Schema:
    parts = [expression_schema(member) for member in members]
    if all(set(part) == {"type"} and part["type"] != "object" for part in parts):
        return {"type": [part["type"] for part in parts]}
    schema: Schema = {"anyOf": parts}
    if plan.groups:
        schema["x-plan"] = _plan_schema(plan)
    return schema


def _plan_schema(plan: UnionPlan) -> Schema:
    groups = {
        value or "": [[candidate.type, list(candidate.keys)] for candidate in candidates]
        for value, candidates in plan.groups.items()
    }
    found: Schema = {"groups": groups}
    if plan.tag is not None:
        found = {"tag": plan.tag, "default": plan.default_tag, **found}
    return found


def _described(schema: Schema, text: str, deprecated: str | None) -> Schema:
    described: Schema = {"description": text} if text else {}
    if deprecated:
        described["deprecated"] = True
    return described | schema
