"""Works out how a decoder tells the members of a union apart.

A constant that differs from member to member decides where there is one. Else the required
keys do, the most specific member first; members with the same required keys are told apart
by an optional key that only one of them has, and at last by the order of declaration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

from .model import Candidate, Map, TypeExpr, UnionPlan

Schema: TypeAlias = dict[str, Any]


def plan_union(
    objects: Sequence[str],
    definitions: Mapping[str, Schema],
    *,
    scalars: Sequence[TypeExpr] = (),
    arrays: Sequence[TypeExpr] = (),
    maps: Sequence[Map] = (),
) -> UnionPlan:
    """The plan for a union of named object types and other members.

    `objects` are the names of the object members in declaration order, unions inside the
    union already replaced by their members; their schemas are looked up in `definitions`.
    """
    schemas = {name: definitions[name] for name in objects}
    tag = _tag(schemas)
    groups: dict[str | None, tuple[Candidate, ...]] = {}
    default: str | None = None
    if tag is None:
        if schemas:
            groups[None] = _candidates(schemas, tag)
    else:
        by_value: dict[str | None, dict[str, Schema]] = {}
        for name, schema in schemas.items():
            values = _constants(schema["properties"][tag])
            for value in values:
                by_value.setdefault(value, {})[name] = schema
            if tag not in schema.get("required", ()):
                default = values[0]
        groups = {value: _candidates(group, tag) for value, group in by_value.items()}
    return UnionPlan(tuple(scalars), tuple(arrays), tuple(maps), tag, default, groups)


def _tag(schemas: Mapping[str, Schema]) -> str | None:
    """The key whose constants tell the most members apart; None when none tells any."""
    if len(schemas) < 2:
        return None
    best: tuple[tuple[int, int], str] | None = None
    first = next(iter(schemas.values()))
    for key in first.get("properties", {}):
        found = [
            set(_constants(schema.get("properties", {}).get(key, {})))
            for schema in schemas.values()
        ]
        optional = [schema for schema in schemas.values() if key not in schema.get("required", ())]
        pairs = list(combinations(found, 2))
        apart = sum(one.isdisjoint(other) for one, other in pairs)
        different = sum(one != other for one, other in pairs)
        # One optional constant is the meaning of an absent key; with two it would be a guess.
        usable = all(found) and len(optional) <= 1 and different > 0
        if usable and (best is None or (apart, different) > best[0]):
            best = ((apart, different), key)
    return best[1] if best else None


def _constants(schema: Schema) -> list[str]:
    """The strings a property may hold; empty when it may hold anything else."""
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    return values if all(isinstance(value, str) for value in values) else []


def _candidates(schemas: Mapping[str, Schema], tag: str | None) -> tuple[Candidate, ...]:
    silent = _lenient(schemas.values()) | {tag}
    required = {
        name: tuple(
            key
            for key in schema.get("properties", {})
            if key in schema.get("required", ()) and key not in silent
        )
        for name, schema in schemas.items()
    }
    if len(schemas) == 1:
        return tuple(Candidate(name, ()) for name in schemas)
    found: list[tuple[int, Candidate]] = []
    for name in schemas:
        keys = required[name]
        rank = 2 * len(keys)
        for key in _own_optional_keys(name, schemas, required):
            found.append((rank + 1, Candidate(name, (*keys, key))))
        found.append((rank, Candidate(name, keys)))
    # Stable: members that are equally specific stay in declaration order.
    return tuple(candidate for _, candidate in sorted(found, key=lambda item: -item[0]))


def _lenient(schemas: Iterable[Schema]) -> set[str]:
    """The keys that some member is read without, so that they tell no member from another."""
    properties = (item for schema in schemas for item in schema.get("properties", {}).items())
    return {key for key, item in properties if item.get("x-lenient")}


def _own_optional_keys(
    name: str, schemas: Mapping[str, Schema], required: Mapping[str, tuple[str, ...]]
) -> list[str]:
    """Optional keys that no other member with the same required keys knows."""
    rivals = [
        schemas[other]
        for other in schemas
        if other != name and set(required[other]) == set(required[name])
    ]
    if not rivals:
        return []
    known = {key for rival in rivals for key in rival.get("properties", {})}
    return [
        key
        for key in schemas[name].get("properties", {})
        if key not in known and key not in required[name]
    ]
