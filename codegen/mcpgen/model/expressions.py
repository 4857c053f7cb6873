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
_KINDS: dict[str, ScalarKind] = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}


class Expressions:
    """Type expressions over one version's definitions; `where` names it in messages."""

    def __init__(self, definitions: Mapping[str, Schema], where: str) -> None:
        self._definitions = definitions
        self._where = where

    def read(self, schema: Schema, site: str) -> TypeExpr:
        """The type expression of a schema. Raises `SchemaError` for keywords it cannot place."""
        core = {key: value for key, value in schema.items() if key not in _ANNOTATIONS}
        if not core:
            return AnyValue()
        if "$ref" in core:
            return Ref(str(core["$ref"]).removeprefix(REF))
        if "const" in core:
            return Const(core["const"])
        if "enum" in core:
            return Literals(tuple(map(str, core["enum"])))
        if "anyOf" in core:
            return self._union(core["anyOf"], site)
        kind = core.get("type")
        if is_array(kind):
            return self._union([{**core, "type": item} for item in kind], site)
        if kind == "array" and "items" in core:
            item = self.read(core["items"], f"{site}[]")
            return Array(item, core.get("minItems"), core.get("maxItems"))
        if kind == "object" and "properties" not in core:
            value = core.get("additionalProperties")
            return Map(self.read(value, f"{site}{{}}") if value else AnyValue())
        if kind in _KINDS:
            return self._scalar(_KINDS[kind], core, site)
        raise SchemaError(f"{self._where}: {site}", f"found a schema with no meaning: {core}")

    def allows_null(self, expr: TypeExpr) -> bool:
        """Whether null is one of the values of a type."""
        match expr:
            case AnyValue() | Scalar("null") | Const(None):
                return True
            case UnionOf(members):
                return any(self.allows_null(member) for member in members)
            case Ref(name):
                schema = self._definitions[name]
                return "properties" not in schema and self._schema_allows_null(schema)
            case _:
                return False

    def _schema_allows_null(self, schema: Schema) -> bool:
        # Looks no deeper than one level: a recursive alias says null itself, if at all.
        if "$ref" in schema:
            target = self._definitions[str(schema["$ref"]).removeprefix(REF)]
            return "properties" not in target and self._schema_allows_null(target)
        members: list[Schema] = schema.get("anyOf", [schema])
        return any(
            not member or member.get("type") == "null" or "null" in member.get("type", ())
            for member in members
        )

    def _scalar(self, kind: ScalarKind, core: Schema, site: str) -> Scalar:
        known = {"type", "minimum", "maximum", "format"}
        if unknown := sorted(core.keys() - known):
            raise SchemaError(
                f"{self._where}: {site}", f"found the keyword {unknown[0]}, which is not supported"
            )
        return Scalar(kind, core.get("minimum"), core.get("maximum"), core.get("format"))

    # --- unions ---------------------------------------------------------------------------------

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
        schema = self._definitions[name]
        match schema:
            case {"type": "object"}:
                # Kept by reference: the alias may be recursive.
                value = schema.get("additionalProperties")
                return [Map(self.read(value, name) if value else AnyValue())]
            case {"type": "array"}:
                return [Array(self.read(schema["items"], name))]
            case _:
                return self._expanded(self.read(schema, name))
