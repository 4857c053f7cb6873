"""Reads the schema of a property or alias, everything in it named, as a type expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from ..errors import SchemaError
from ..jsonvalues import is_array
from .hoist import REF
from .model import (
    AnyValue,
    Array,
    Const,
    Literals,
    Map,
    Ref,
    Scalar,
    ScalarKind,
    TypeExpr,
    UnionOf,
    UnionPlan,
)
from .unions import plan_union

Schema: TypeAlias = dict[str, Any]

# Keywords that document a value or steer the Model, and do not change what is accepted.
_ANNOTATIONS = frozenset({"description", "default", "x-lenient", "x-omittable"})
_SCALARS: dict[str, ScalarKind] = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
# The shapes a schema may have, each with the keywords the Model has a place for.
_KEYWORDS: dict[str, frozenset[str]] = {
    "$ref": frozenset({"$ref"}),
    "const": frozenset({"const", "type"}),
    "enum": frozenset({"enum", "type"}),
    "anyOf": frozenset({"anyOf"}),
    "array": frozenset({"type", "items", "minItems", "maxItems"}),
    "object": frozenset({"type", "additionalProperties"}),
    "string": frozenset({"type", "format"}),
    "integer": frozenset({"type", "minimum", "maximum", "format"}),
    "number": frozenset({"type", "minimum", "maximum", "format"}),
    "boolean": frozenset({"type"}),
    "null": frozenset({"type"}),
}
# A union's plan repeats its members, so that every level of unions doubles the Model.
_DEEPEST = 10
_WITHOUT_TYPE = ("$ref", "const", "enum", "anyOf")


class Expressions:
    """Type expressions over one version's definitions; `where` names it in messages."""

    def __init__(self, definitions: Mapping[str, Schema], where: str) -> None:
        self._definitions = definitions
        self._where = where
        self._expanding: list[str] = []
        self._leaves: dict[str, list[TypeExpr]] = {}
        self._nullable: dict[str, bool] = {}
        self._depth = 0

    def read(self, schema: Schema, site: str) -> TypeExpr:
        """The type expression of a schema.

        Raises `SchemaError` for keywords it cannot place, and for arrays, maps and unions that
        nest more than ten deep without a name.
        """
        if self._depth > _DEEPEST:
            raise SchemaError(
                f"{self._where}: {site}",
                f"found arrays, maps or unions nested more than {_DEEPEST} deep",
                "declare an inner one under a name of its own",
            )
        self._depth += 1
        expr = self._read(schema, site)
        self._depth -= 1
        return expr

    def _read(self, schema: Schema, site: str) -> TypeExpr:
        core = {key: value for key, value in schema.items() if key not in _ANNOTATIONS}
        if not core:
            return AnyValue()
        kind = core.get("type")
        if is_array(kind):
            return self._kinds(kind, core, site)
        shape = next((keyword for keyword in _WITHOUT_TYPE if keyword in core), kind)
        self._require_placed(core, _KEYWORDS.get(str(shape), frozenset()), site)
        match shape:
            case "$ref":
                return Ref(str(core["$ref"]).removeprefix(REF))
            case "const":
                return Const(core["const"])
            case "enum":
                return self._literals(core["enum"], site)
            case "anyOf":
                return self._union(core["anyOf"], site)
            case "array":
                item = self.read(core.get("items", {}), f"{site}[]")
                return Array(item, core.get("minItems"), core.get("maxItems"))
            case "object":
                value = core.get("additionalProperties")
                return Map(self.read(value, f"{site}{{}}") if value else AnyValue())
            case _:
                return Scalar(
                    _SCALARS[str(kind)],
                    core.get("minimum"),
                    core.get("maximum"),
                    core.get("format"),
                )

    def allows_null(self, expr: TypeExpr) -> bool:
        """Whether null is one of the values of a type."""
        match expr:
            case AnyValue() | Scalar("null") | Const(None):
                return True
            case UnionOf(members):
                return any(self.allows_null(member) for member in members)
            case Ref(name):
                return self._named_allows_null(name)
            case _:
                return False

    def _named_allows_null(self, name: str) -> bool:
        if name not in self._nullable:
            schema = self._definitions[name]
            self._nullable[name] = "properties" not in schema and any(
                self._named_allows_null(member["$ref"].removeprefix(REF))
                if "$ref" in member
                else self.allows_null(self.read(member, name))
                for member in schema.get("anyOf", [schema])
            )
        return self._nullable[name]

    def _require_placed(self, core: Schema, known: frozenset[str], site: str) -> None:
        if unknown := sorted(core.keys() - known):
            raise SchemaError(
                f"{self._where}: {site}",
                f"found the keyword {unknown[0]}, which is not supported there: {core}",
            )

    def _literals(self, values: list[object], site: str) -> Literals:
        strings = tuple(value for value in values if isinstance(value, str))
        if len(strings) != len(values):
            raise SchemaError(f"{self._where}: {site}", f"found {values}, expected strings")
        return Literals(strings)

    # --- unions ---------------------------------------------------------------------------------

    def _kinds(self, kinds: list[str], core: Schema, site: str) -> TypeExpr:
        """A list of types is the union of them; a keyword belongs to those that know it."""
        known = {kind: _KEYWORDS.get(kind, frozenset[str]()) for kind in kinds}
        self._require_placed(core, frozenset({"type"}).union(*known.values()), site)
        schemas: list[Schema] = [
            {"type": kind} | {key: core[key] for key in core if key in known[kind] - {"type"}}
            for kind in kinds
        ]
        return self._union(schemas, site)

    def _union(self, schemas: list[Schema], site: str) -> TypeExpr:
        members = tuple(self.read(schema, site) for schema in schemas)
        match members:
            case (only,):
                return only
            case (Literals(values), Scalar("string", None, None, None)):
                return Literals(values, open=True)
            case ():
                raise SchemaError(f"{self._where}: {site}", "found a union without members")
            case _:
                return UnionOf(members, self._plan(members))

    def _plan(self, members: tuple[TypeExpr, ...]) -> UnionPlan:
        leaves = self.leaves(members)
        objects = [leaf.name for leaf in leaves if isinstance(leaf, Ref)]
        return plan_union(
            objects,
            self._definitions,
            scalars=[leaf for leaf in leaves if not isinstance(leaf, Ref | Array | Map)],
            arrays=[leaf for leaf in leaves if isinstance(leaf, Array)],
            maps=[leaf for leaf in leaves if isinstance(leaf, Map)],
        )

    def leaves(self, members: tuple[TypeExpr, ...]) -> list[TypeExpr]:
        """Union members with aliases and unions inside replaced by what they stand for."""
        found: list[TypeExpr] = []
        for member in members:
            for leaf in self._expanded(member):
                if leaf not in found:
                    found.append(leaf)
        return found

    def _expanded(self, member: TypeExpr) -> list[TypeExpr]:
        match member:
            case UnionOf(members):
                return self.leaves(members)
            case Ref(name) if "properties" not in self._definitions[name]:
                return self._alias_leaves(name)
            case _:
                return [member]

    def _alias_leaves(self, name: str) -> list[TypeExpr]:
        if name in self._leaves:
            return self._leaves[name]
        if name in self._expanding:
            raise SchemaError(
                f"{self._where}: {name}",
                "found a union without a name inside the very type it mentions",
                "declare the union under a name of its own",
            )
        self._expanding.append(name)
        # What has a name of its own starts at the top again.
        depth, self._depth = self._depth, 0
        leaves = self._expanded(self.read(self._definitions[name], name))
        self._depth = depth
        self._expanding.pop()
        self._leaves[name] = leaves
        return leaves
