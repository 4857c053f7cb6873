"""Builds the Model of one version from its spec document, overrides and descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from ..errors import SchemaError
from .derivations import apply_derivations
from .descriptions import Descriptions
from .document import check_document
from .expressions import Expressions
from .hoist import Hoisted, ancestors, hoist
from .methods import build_methods, name_params
from .model import (
    AliasType,
    Const,
    Constant,
    Docs,
    Field,
    Literals,
    ObjectType,
    Protocol,
    Scalar,
    SourceFacts,
    TypeDef,
    TypeExpr,
    UnionOf,
)
from .naming import field_name, module_name, require_constant_name, require_type_name
from .overrides import Overrides

Schema: TypeAlias = dict[str, Any]

_SITE = "https://modelcontextprotocol.io/specification"
# The first version whose site has a page for each type of the schema.
_FIRST_SCHEMA_PAGE = "2025-06-18"
# The bases of the two kinds of message, whatever their declarations say.
_BASES = {"request": "Request", "notification": "Notification"}
_ENVELOPE = ("jsonrpc", "id", "method", "params")


def normalise(
    document: Mapping[str, Any],
    overrides: Overrides,
    descriptions: Descriptions,
    *,
    version: str | None = None,
    digest: str = "",
    where: str | None = None,
) -> Protocol:
    """The Model of the version a spec document describes; `digest` is the document's SHA-256.

    `version` is the name it goes by, by default the one it states; a draft states the
    version it may become. `where` names the document in messages about what is in it, by
    default by its version.

    Raises `OverrideError` for an override that does not fit, and `SchemaError` for names that
    clash or that Python does not allow, for schemas the Model has no place for, and whatever
    `check_document` raises.
    """
    check_document(document, where or version or "the spec document")
    name: str = version or document["x-mcp"]["protocolVersion"]
    if document["x-mcp"].get("reduced", False):
        overrides = overrides.leniently()
    changed = overrides.applied(dict(document), name)
    check_document(changed, f"{overrides.where} in {name}")
    return _Normaliser(changed, overrides, descriptions, name).protocol(digest)


class _Normaliser:
    def __init__(
        self,
        document: dict[str, Any],
        overrides: Overrides,
        descriptions: Descriptions,
        version: str,
    ) -> None:
        self._facts: dict[str, Any] = document["x-mcp"]
        self._version = version
        self._descriptions = descriptions
        self._hoisted: Hoisted = hoist(
            document["$defs"], self._facts["extends"], overrides, version
        )
        self._extends = self._hoisted.extends
        apply_derivations(self._hoisted, self._facts, version)
        self._params = name_params(self._facts["methods"], self._hoisted, version)
        self._site_of = {name: site for site, name in self._hoisted.sites.items()}
        self._expressions = Expressions(self._hoisted.definitions, version)
        self._message_of = {
            entry["message"]: (method, entry["kind"])
            for method, entry in self._facts["methods"].items()
        }

    def protocol(self, digest: str) -> Protocol:
        types = tuple(
            self._type(name, schema) for name, schema in self._hoisted.definitions.items()
        )
        methods = build_methods(
            self._facts["methods"],
            self._params,
            {declared.name: declared for declared in types},
            self._hoisted,
            self._descriptions,
            self._version,
        )
        constants = tuple(
            Constant(require_constant_name(name, self._version), value)
            for name, value in self._facts["constants"].items()
        )
        return Protocol(
            self._version,
            module_name(self._version),
            types,
            methods,
            constants,
            self._source(digest),
        )

    def _source(self, digest: str) -> SourceFacts:
        source = self._facts["source"]
        return SourceFacts(
            repository=source["repository"],
            ref=source["ref"],
            commit=source["commit"],
            schema_ts_sha256=source["schema.ts"],
            schema_json_sha256=source["schema.json"],
            document_sha256=digest,
        )

    # --- types ----------------------------------------------------------------------------------

    def _type(self, name: str, schema: Schema) -> TypeDef:
        require_type_name(name, f"{self._version}: {self._site_of.get(name, name)}")
        if "properties" in schema:
            return self._object(name, schema)
        return AliasType(
            name=name,
            type=self._expressions.read(schema, name),
            internal=name in self._facts["internal"],
            category=self._facts["categories"].get(name),
            deprecated=self._deprecated(name),
            docs=self._docs(name, schema),
        )

    def _object(self, name: str, schema: Schema) -> ObjectType:
        owners = self._owners(name)
        required = set(schema.get("required", ()))
        fields = tuple(
            self._field(wire_name, item, wire_name in required, owners)
            for wire_name, item in _envelope_first(schema["properties"]).items()
        )
        self._require_distinct(name, fields)
        method, kind = self._message_of.get(name, (None, None))
        index = schema.get("additionalProperties")
        return ObjectType(
            name=name,
            fields=fields,
            index=self._expressions.read(index, f"{name}{{}}") if index is not None else None,
            extends=tuple(self._extends.get(name, ())),
            frame=None if kind == "embedded" else kind,
            method=method,
            declared=name not in self._hoisted.declared_in,
            internal=name in self._facts["internal"],
            category=self._facts["categories"].get(name),
            deprecated=self._deprecated(name),
            docs=self._docs(name, schema),
        )

    def _field(self, wire_name: str, schema: Schema, required: bool, owners: list[str]) -> Field:
        site = f"{owners[0]}.{wire_name}"
        expr = self._expressions.read(schema, site)
        nullable = self._expressions.allows_null(expr)
        is_constant = required and (isinstance(expr, Const) or expr == Scalar("null"))
        constant = expr.value if is_constant and isinstance(expr, Const) else None
        text = self._descriptions.field_text(self._version, owners, wire_name)
        return Field(
            wire_name=wire_name,
            name=field_name(wire_name),
            type=_without_null(expr) if nullable else expr,
            required=required,
            nullable=nullable,
            default=schema.get("default", constant),
            has_default=is_constant or "default" in schema,
            lenient=schema.get("x-lenient", False),
            omittable=schema.get("x-omittable", False),
            owner=self._owner(owners, wire_name),
            docs=Docs(text or schema.get("description", "")),
            deprecated=self._deprecated(
                *(f"{self._site_of.get(owner, owner)}.{wire_name}" for owner in owners)
            ),
        )

    def _require_distinct(self, name: str, fields: tuple[Field, ...]) -> None:
        taken: dict[str, str] = {}
        for item in fields:
            if item.name in taken:
                raise SchemaError(
                    f"{self._version}: {name}",
                    f"{taken[item.name]!r} and {item.wire_name!r} both become {item.name}",
                )
            taken[item.name] = item.wire_name

    # --- documentation --------------------------------------------------------------------------

    def _owners(self, name: str) -> list[str]:
        """The types whose documentation of a field serves `name`: itself, then its bases."""
        owners = [name, *ancestors(name, self._extends)]
        kind = self._message_of.get(name, (None, None))[1]
        if kind in _BASES:
            owners += [f"JSONRPC{_BASES[kind]}", _BASES[kind]]
        message = self._hoisted.declared_in.get(name)
        if message is not None and name == f"{message}Params":
            bases = [base for base in _BASES.values() if base in self._owners(message)]
            owners += [f"{base}Params" for base in bases]
        return list(dict.fromkeys(owners))

    def _owner(self, owners: list[str], wire_name: str) -> str | None:
        """The farthest base that has a field of that name; None when it is the type's own."""
        definitions = self._hoisted.definitions
        holders = [
            owner
            for owner in owners
            if wire_name in definitions.get(owner, {}).get("properties", {})
        ]
        return holders[-1] if len(holders) > 1 else None

    def _docs(self, name: str, schema: Schema) -> Docs:
        text = self._descriptions.type_text(self._version, name) or schema.get("description", "")
        if self._version < _FIRST_SCHEMA_PAGE:
            return Docs(text, f"{_SITE}/{self._version}")
        anchor = self._hoisted.declared_in.get(name, name).lower()
        return Docs(text, f"{_SITE}/{self._version}/schema#{anchor}")

    def _deprecated(self, *sites: str) -> str | None:
        for site in sites:
            if site in self._facts["deprecated"]:
                since = self._facts["deprecated"][site]
                return f"Deprecated since {since}." if since else "Deprecated."
        return None


def _envelope_first(properties: Schema) -> Schema:
    """The members of a message in the same order in every version; those of others as they are."""
    if "jsonrpc" not in properties:
        return properties
    return {name: properties[name] for name in _ENVELOPE if name in properties} | properties


def _without_null(expr: TypeExpr) -> TypeExpr:
    """The type of a nullable field apart from null, which `Field.nullable` stands for."""
    if not isinstance(expr, UnionOf):
        return expr
    rest = tuple(member for member in expr.members if member != Scalar("null"))
    match rest:
        case (only,):
            return only
        case (Literals(values), Scalar("string", None, None, None)):
            return Literals(values, open=True)
        case _:
            pass
    scalars = tuple(item for item in expr.plan.scalars if item != Scalar("null"))
    plan = expr.plan
    return UnionOf(
        rest, type(plan)(scalars, plan.arrays, plan.maps, plan.tag, plan.default_tag, plan.groups)
    )
