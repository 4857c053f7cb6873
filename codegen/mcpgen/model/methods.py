"""Builds the method table of the Model from the facts of a spec document."""

from __future__ import annotations

from collections.abc import Mapping
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

    Raises `SchemaError` when a method refers to a type that does not exist, or when two
    methods of one kind would have the same Python name.
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
        result_plan=_result_plan(results, types, hoisted),
        capability=entry.get("capability"),
        pagination=_pagination(results, types),
        deprecated=message.deprecated,
        docs=Docs(descriptions.method_text(version, method), message.docs.spec_url),
    )


def resolve_object(name: str, types: Mapping[str, TypeDef]) -> ObjectType:
    """The object type a name stands for, through aliases; `SchemaError` when it is none."""
    found = types[name]
    while isinstance(found, AliasType) and isinstance(found.type, Ref):
        found = types[found.type.name]
    if not isinstance(found, ObjectType):
        raise SchemaError(name, "found a type that is no object, expected one")
    return found


def _result_plan(
    results: tuple[str, ...], types: Mapping[str, TypeDef], hoisted: Hoisted
) -> UnionPlan:
    objects = [resolve_object(name, types) for name in results]
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


def _pagination(results: tuple[str, ...], types: Mapping[str, TypeDef]) -> Pagination | None:
    """How to walk a result's pages: it has `nextCursor` and one required list."""
    if not results:
        return None
    result = resolve_object(results[0], types)
    lists = [item for item in result.fields if item.required and isinstance(item.type, Array)]
    if result.field("nextCursor") is None or len(lists) != 1:
        return None
    (items,) = lists
    return (
        Pagination(items.name, items.wire_name, items.type.item)
        if isinstance(items.type, Array)
        else None
    )
