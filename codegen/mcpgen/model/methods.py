"""Builds the method table of the Model from the facts of a spec document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import SchemaError
from .descriptions import Descriptions
from .hoist import REF, Hoisted
from .model import (
    AliasType,
    Array,
    Candidate,
    Docs,
    Map,
    Method,
    ObjectType,
    Pagination,
    Ref,
    TypeDef,
    TypeExpr,
    UnionOf,
    UnionPlan,
)
from .naming import hoisted_name, method_name
from .unions import plan_union

# The field by which results say what kind of result they are, where a version has it.
_RESULT_TYPE = "resultType"


def name_params(
    facts: Mapping[str, Mapping[str, Any]], hoisted: Hoisted, version: str
) -> dict[str, str | None]:
    """The named type of each method's params, by method.

    Inline params that are no object with members of its own, such as a map of open keys or a
    union, become an alias in `hoisted`, under the name of their message: they are often
    inherited, and a base that many messages share says nothing of any of them.

    Raises `SchemaError` when another type has that name.
    """
    return {method: _named_params(entry, hoisted, version) for method, entry in facts.items()}


def _named_params(entry: Mapping[str, Any], hoisted: Hoisted, version: str) -> str | None:
    params: str | None = entry["params"]
    message: str = entry["message"]
    if params is None or params in hoisted.definitions:
        return params
    if params in hoisted.sites:
        return hoisted.sites[params]
    properties = hoisted.definitions.get(message, {}).get("properties", {})
    if "params" not in properties:
        raise SchemaError(f"{version}: {message}", f"found no type {params}")
    name, schema = hoisted_name(message, "params"), properties["params"]
    if name in hoisted.definitions:
        raise SchemaError(
            f"{version}: {message}.params", f"would be named {name}, which is another type"
        )
    hoisted.definitions[name] = schema
    hoisted.declared_in[name] = message
    properties["params"] = {"$ref": REF + name}
    return name


def build_methods(
    facts: Mapping[str, Mapping[str, Any]],
    params: Mapping[str, str | None],
    types: Mapping[str, TypeDef],
    hoisted: Hoisted,
    descriptions: Descriptions,
    version: str,
) -> tuple[Method, ...]:
    """The methods of a version, in the order of the schema.

    `params` are the types of their params, as `name_params` gives them. Raises `SchemaError`
    when a method refers to a type that does not exist, or to params or a result that are no
    objects, and when two methods of one kind would have the same Python name.
    """
    methods = tuple(
        _method(method, entry, params[method], types, hoisted, descriptions, version)
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
    params: str | None,
    types: Mapping[str, TypeDef],
    hoisted: Hoisted,
    descriptions: Descriptions,
    version: str,
) -> Method:
    where = f"{version}: {method}"
    for name in (entry["message"], *entry["results"]):
        if name not in types:
            raise SchemaError(where, f"found no type {name}")
    if params is not None and not _is_of_objects(Ref(params), types, set()):
        raise SchemaError(where, f"found the params {params}, which are no object")
    results = tuple(entry["results"])
    objects = [_resolved(name, types, where) for name in results]
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


def _is_of_objects(expr: TypeExpr, types: Mapping[str, TypeDef], seen: set[str]) -> bool:
    """Whether every value of a type is a JSON object, as JSON-RPC asks of params by name.

    Types in `seen` were found to be before: the first that is not ends it all.
    """
    match expr:
        case Ref(name):
            found = types[name]
            if name in seen or isinstance(found, ObjectType):
                return True
            seen.add(name)
            return _is_of_objects(found.type, types, seen)
        case UnionOf(members):
            return all(_is_of_objects(member, types, seen) for member in members)
        case _:
            return isinstance(expr, Map)


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
