"""The Model: what every template and emitter reads, and all they may read.

Everything here is a frozen value. Names are final (`naming` chose them), unions carry
their decode plan (`unions` made it), and nothing refers back to raw JSON Schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

ScalarKind: TypeAlias = Literal["string", "integer", "number", "boolean", "null"]
Side: TypeAlias = Literal["client", "server"]
MethodKind: TypeAlias = Literal["request", "notification", "embedded"]
JsonScalar: TypeAlias = str | int | float | bool | None


# --- type expressions ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnyValue:
    """Any JSON value at all, null included."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A JSON string, whole number, number, boolean or null."""

    kind: ScalarKind
    minimum: float | None = None
    maximum: float | None = None
    format: str | None = None


@dataclass(frozen=True, slots=True)
class Const:
    """Exactly one JSON scalar, such as the `method` of a request."""

    value: JsonScalar


@dataclass(frozen=True, slots=True)
class Literals:
    """One of several strings; `open` means that any other string is allowed too."""

    values: tuple[str, ...]
    open: bool = False


@dataclass(frozen=True, slots=True)
class Ref:
    """A named type of the same version."""

    name: str


@dataclass(frozen=True, slots=True)
class Array:
    """A JSON array."""

    item: TypeExpr
    min_items: int | None = None
    max_items: int | None = None


@dataclass(frozen=True, slots=True)
class Map:
    """A JSON object of unknown keys: `dict[str, value]`."""

    value: TypeExpr


@dataclass(frozen=True, slots=True)
class UnionOf:
    """One of several types. `members` are as declared; `plan` says how to tell them apart."""

    members: tuple[TypeExpr, ...]
    # It follows from the members, and would double what is printed at each level of nesting.
    plan: UnionPlan = field(repr=False)


TypeExpr: TypeAlias = AnyValue | Scalar | Const | Literals | Ref | Array | Map | UnionOf


# --- decode plans -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Candidate:
    """One object member of a union: it is the planned one when all `keys` are present."""

    type: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnionPlan:
    """How to tell a union's members apart.

    Values that are not JSON objects go by their kind: `scalars` and `arrays` hold those
    members in declaration order. Objects go by the constant under `tag` where there is one
    (`default_tag` is what an absent key means), then by the keys of each candidate. In each
    group the first candidate whose keys are all present is the planned one: it is tried
    first, the others after it in order, and its error is the one reported. `groups` has one
    entry, under the key None, where the union has no tag.
    """

    scalars: tuple[TypeExpr, ...] = ()
    arrays: tuple[TypeExpr, ...] = ()
    maps: tuple[TypeExpr, ...] = ()
    tag: str | None = None
    default_tag: str | None = None
    groups: Mapping[str | None, tuple[Candidate, ...]] = field(
        default_factory=dict[str | None, tuple[Candidate, ...]]
    )


# --- documentation ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Docs:
    """Our documentation of a type, field or method; `summary` is one sentence or empty."""

    text: str = ""
    spec_url: str | None = None

    @property
    def summary(self) -> str:
        """The first paragraph."""
        return self.text.split("\n\n", 1)[0]


# --- named types --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object type.

    `required` is about the wire. `nullable` means that null is a value of its own, so that
    absent has to be something else (`UNSET`). `default` is the construction default: a
    constant for `Const` types, or one given by an override. `lenient` marks a required field
    that is read as its default when it is absent. `omittable` marks a field that is required
    on the wire but that may be left out when building, because the stub or the session fills
    it in. `owner` is the declaration the field was inherited from.
    """

    wire_name: str
    name: str
    type: TypeExpr
    required: bool
    nullable: bool = False
    default: JsonScalar = None
    has_default: bool = False
    lenient: bool = False
    omittable: bool = False
    owner: str | None = None
    docs: Docs = Docs()
    deprecated: str | None = None


@dataclass(frozen=True, slots=True)
class ObjectType:
    """A JSON object with known fields: an emitted class.

    `frame` is set on the messages of JSON-RPC methods; `method` is the method a message
    belongs to. `index` is the type of the values under unknown keys where the schema says.
    """

    name: str
    fields: tuple[Field, ...]
    index: TypeExpr | None = None
    extends: tuple[str, ...] = ()
    frame: Literal["request", "notification"] | None = None
    method: str | None = None
    declared: bool = True
    internal: bool = False
    category: str | None = None
    deprecated: str | None = None
    docs: Docs = Docs()

    def field(self, wire_name: str) -> Field | None:
        """The field written under `wire_name`, or None."""
        return next((f for f in self.fields if f.wire_name == wire_name), None)


@dataclass(frozen=True, slots=True)
class AliasType:
    """A named type that is not a class of its own: a union, a set of literals, `str`, a map…"""

    name: str
    type: TypeExpr
    internal: bool = False
    category: str | None = None
    deprecated: str | None = None
    docs: Docs = Docs()


TypeDef: TypeAlias = ObjectType | AliasType


# --- methods and constants ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pagination:
    """The list a paginated result carries: its field and the type of one item."""

    items_field: str
    items_wire_name: str
    item: TypeExpr


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the protocol.

    `params` is the named type of its parameters, None where there are none at all. `results`
    are the named types that may answer it, the ordinary one first, and `result_plan` tells
    them apart; it goes by `resultType` in versions whose results carry one. `embedded` requests are
    not JSON-RPC requests: they travel inside an `InputRequiredResult`. `capability` is the
    dotted path of the capability the receiver must have advertised, None when ungated.
    """

    method: str
    python_name: str
    kind: MethodKind
    sent_by: tuple[Side, ...]
    message: str
    params: str | None
    params_required: bool
    results: tuple[str, ...] = ()
    result_plan: UnionPlan = UnionPlan()
    capability: str | None = None
    pagination: Pagination | None = None
    deprecated: str | None = None
    docs: Docs = Docs()


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant the schema exports."""

    name: str
    value: JsonScalar
    docs: Docs = Docs()


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Where a version was read from, and the digests of what was read."""

    repository: str
    ref: str | None
    commit: str | None
    schema_ts_sha256: str | None
    schema_json_sha256: str | None
    document_sha256: str


@dataclass(frozen=True, slots=True)
class Protocol:
    """One version of the protocol, complete."""

    version: str
    module: str
    types: tuple[TypeDef, ...]
    methods: tuple[Method, ...]
    constants: tuple[Constant, ...]
    source: SourceFacts

    def type(self, name: str) -> TypeDef:
        """The named type; KeyError when this version has none of that name."""
        for candidate in self.types:
            if candidate.name == name:
                return candidate
        raise KeyError(name)

    @property
    def batches(self) -> bool:
        """Whether several messages may come as one array."""
        return any(t.name == "JSONRPCBatchRequest" for t in self.types)

    @property
    def objects(self) -> tuple[ObjectType, ...]:
        """The types that become classes."""
        return tuple(t for t in self.types if isinstance(t, ObjectType))

    @property
    def aliases(self) -> tuple[AliasType, ...]:
        """The types that become type aliases."""
        return tuple(t for t in self.types if isinstance(t, AliasType))
