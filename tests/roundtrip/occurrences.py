"""What of the Model occurs in a document, as the decoder reads it: fields, members, literals.

An occurrence is a name for people, and so is what a version has in all:

    Tool.title              a field with a value; `absent` and `null` where it may be that
    ClientRequest → PingRequest
                            a member of a union
    CompleteResultCompletion.values[]
                            an element of an array; `{}` instead, a value of a map
    LoggingLevel = "alert"  one of the literals of an enumeration
    Result.*                a member with a name that the schema does not give
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from mcp_wire import DecodeError
from mcpgen.model.model import (
    AliasType,
    Array,
    Const,
    Literals,
    Map,
    ObjectType,
    Protocol,
    Ref,
    Scalar,
    TypeExpr,
    UnionOf,
)

from .walk import Walk


def type_text(expr: TypeExpr) -> str:
    """A type as a person writes it."""
    match expr:
        case Ref(name):
            return name
        case Scalar(kind):
            return kind
        case Const(value):
            return json.dumps(value)
        case Literals(values):
            return " | ".join(map(json.dumps, values))
        case Array(item):
            return f"{type_text(item)}[]"
        case Map(value):
            return f"{type_text(value)}{{}}"
        case UnionOf(members):
            return " | ".join(map(type_text, members))
        case _:
            return "any"


def every_occurrence(protocol: Protocol) -> set[str]:
    """All that can occur in the documents of a version."""
    found: set[str] = set()
    for declared in protocol.types:
        if isinstance(declared, AliasType):
            found |= {declared.name, *_in_type(declared.type, declared.name)}
            continue
        found |= {declared.name, *([f"{declared.name}.*"] if declared.index else [])}
        for field in declared.fields:
            site = f"{declared.name}.{field.wire_name}"
            found |= {site, *_in_type(field.type, site)}
            found |= set() if field.required else {f"{site} absent"}
            found |= {f"{site} null"} if field.nullable else set()
    return found


def _in_type(expr: TypeExpr, site: str) -> Iterator[str]:
    match expr:
        case Array(item):
            yield f"{site}[]"
            yield from _in_type(item, f"{site}[]")
        case Map(value):
            yield f"{site}{{}}"
            yield from _in_type(value, f"{site}{{}}")
        case Literals(values, is_open):
            yield from (f"{site} = {json.dumps(value)}" for value in values)
            if is_open:
                yield f"{site} = …"
        case UnionOf(members):
            for member in members:
                yield f"{site} → {type_text(member)}"
                yield from _in_type(member, site)
        case _:
            pass


def occurrences(walk: Walk, name: str, document: Any) -> Iterator[str]:
    """What occurs in a document of the type called `name`.

    Since an object of a type is one of the types that it extends, too, these read it as well.
    """
    for step in walk.steps(name, document):
        match step.type:
            case Ref(seen):
                yield seen
                declared = walk.types[seen]
                if isinstance(declared, ObjectType):
                    yield from _in_object(walk, declared, step.document)
            case Array() if step.document:
                yield f"{step.site}[]"
            case Map() if step.document:
                yield f"{step.site}{{}}"
            case Literals(values):
                shown = json.dumps(step.document) if step.document in values else "…"
                yield f"{step.site} = {shown}"
            case UnionOf():
                assert step.chosen is not None
                yield f"{step.site} → {type_text(step.chosen)}"
            case _:
                pass


def _in_object(walk: Walk, declared: ObjectType, document: Any) -> Iterator[str]:
    for field in declared.fields:
        site = f"{declared.name}.{field.wire_name}"
        if field.wire_name not in document:
            yield f"{site} absent"
        else:
            is_null = document[field.wire_name] is None and field.nullable
            yield f"{site} null" if is_null else site
    if document.keys() - {field.wire_name for field in declared.fields}:
        yield f"{declared.name}.*"
    for base in declared.extends:
        # One that is extended without some of its members need not take the document.
        with suppress(DecodeError):
            yield from occurrences(walk, base, document)
