"""Builds the method table of the Model from the facts of a spec document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import SchemaError
from .descriptions import Descriptions
from .hoist import Hoisted
from .model import (
    AliasType,
    Array,
    Candidate,
    Docs,
    Method,
    ObjectType,
    Pagination,
    Ref,
    TypeDef,
    UnionPlan,
)
from .naming import method_name
from .unions import plan_union

# The field by which results say what kind of result they are, where a version has it.
_RESULT_TYPE = "resultType"


def build_methods(
    facts: Mapping[str, Mapping[str, Any]],
    types: Mapping[str, TypeDef],
    hoisted: Hoisted,
    descriptions: Descriptions,
    version: str,
) -> tuple[Method, ...]:
    """The methods of a version, in the order of the schema.

    Raises `SchemaError` when a method refers to a type that does not exist or to a result
    that is no object, and when two methods of one kind would have the same Python name.
    """
    methods = tuple(
        _method(method, entry, types, hoisted, descriptions, version)
        for method, entry in facts.items()
    )
    taken: dict[tuple[bool, str], str] = {}
    for item in methods:
        key = (item.kind == "notification", item.python_name)
        if key in taken:
            raise SchemaError(
                f"{version}: {item.message}",
                f"{taken[key]} and {item.method} both become {item.python_name}",
            )
        taken[key] = item.method
    return methods


def _method(
    method: str,
    entry: Mapping[str, Any],
    types: Mapping[str, TypeDef],
    hoisted: Hoisted,
    descriptions: Descriptions,
    version: str,
) -> Method:
    params = entry["params"]
    params = hoisted.sites.get(params, params)
    for name in (entry["message"], *([params] if params else []), *entry["results"]):
        if name not in types:
            raise SchemaError(f"{version}: {method}", f"found no type {name}")
    results = tuple(entry["results"])
    objects = [_resolved(name, types, f"{version}: {method}") for name in results]
    message = types[entry["message"]]
    return Method(
        method=method,
        python_name=method_name(entry["message"]),
        kind=entry["kind"],
        sent_by=tuple(entry["sentBy"]),
        message=message.name,
        params=params,
        params_required=entry["paramsRequired"],
        results=results,
        result_plan=_result_plan(objects, hoisted),
        capability=entry.get("capability"),
        pagination=_pagination(objects[0]) if objects else None,
        deprecated=message.deprecated,
        docs=Docs(descriptions.method_text(version, method), message.docs.spec_url),
    )


def _resolved(name: str, types: Mapping[str, TypeDef], where: str) -> ObjectType:
    """The object type a name stands for, through aliases."""
    found = types[name]
    while isinstance(found, AliasType) and isinstance(found.type, Ref):
        found = types[found.type.name]
    if not isinstance(found, ObjectType):
        raise SchemaError(where, f"found the result {name}, which is no object")
    return found


def _result_plan(objects: Sequence[ObjectType], hoisted: Hoisted) -> UnionPlan:
    tags = [item.field(_RESULT_TYPE) for item in objects]
    if not objects:
        return UnionPlan()
    if all(tag is not None and tag.has_default for tag in tags):
        groups: dict[str | None, tuple[Candidate, ...]] = {}
        for item, tag in zip(objects, tags, strict=True):
            value = str(tag.default) if tag else None
            groups[value] = (*groups.get(value, ()), Candidate(item.name, ()))
        return UnionPlan(tag=_RESULT_TYPE, default_tag=next(iter(groups)), groups=groups)
    return plan_union([item.name for item in objects], hoisted.definitions)


def _pagination(result: ObjectType) -> Pagination | None:
    """How to walk a result's pages: it has `nextCursor` and one required list."""
    if result.field("nextCursor") is None:
        return None
    pages = [
        Pagination(item.name, item.wire_name, item.type.item)
        for item in result.fields
        if item.required and isinstance(item.type, Array)
    ]
    return pages[0] if len(pages) == 1 else None
