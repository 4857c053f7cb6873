"""Whether what one version may write fits what the other one reads, type by type.

Types that both versions have under one name, or under the two names of a renaming, count as
fitting: what changed in them is reported with them and not at every use. Everything else is
compared by its structure. Objects are open: a key that the reader does not describe is no
obstacle, and neither is an optional key that the writer does not describe.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..model.model import (
    AnyValue,
    Array,
    Const,
    Field,
    JsonScalar,
    Literals,
    Map,
    ObjectType,
    Ref,
    Scalar,
    TypeExpr,
    UnionOf,
    UnionPlan,
)
from .side import Side
from .spelling import identity

Key: TypeAlias = tuple[int, type[TypeExpr], str]
NULL = Scalar("null")
ANY = AnyValue()
_KINDS_OF_ANY: tuple[TypeExpr, ...] = (
    Scalar("string"),
    Scalar("number"),
    Scalar("boolean"),
    NULL,
    Array(ANY),
    Map(ANY),
)


@dataclass(frozen=True, eq=False)
class Typed:
    """A type expression of one of the versions."""

    expr: TypeExpr
    side: Side

    def has(self, expr: TypeExpr) -> Typed:
        """Another type expression of the same version."""
        return Typed(expr, self.side)


class Relation:
    """Compares type expressions of two versions; `renames` are old names and their new ones."""

    def __init__(self, old: Side, new: Side, renames: Mapping[str, str]) -> None:
        self.old = old
        self.new = new
        self.renames = renames
        self._back = {after: before for before, after in renames.items()}
        self._new_names = {
            name: renames.get(name, name if self.are_one(name, name) else f"old {name}")
            for name in old.types
        }
        self._assumed: dict[tuple[Key, Key], None] = {}

    def old_fits(self, old: TypeExpr, new: TypeExpr) -> bool:
        """Whether everything the old expression allows is allowed by the new one."""
        return self._fits(Typed(old, self.old), Typed(new, self.new))

    def new_fits(self, new: TypeExpr, old: TypeExpr) -> bool:
        """Whether everything the new expression allows is allowed by the old one."""
        return self._fits(Typed(new, self.new), Typed(old, self.old))

    def same(self, old: TypeExpr, new: TypeExpr) -> bool:
        """Whether both expressions are the same, up to renaming and the order of members."""
        return identity(old, self._new_names) == identity(new, {})

    def are_one(self, old: str, new: str) -> bool:
        """Whether the two names stand for one type, of another kind perhaps."""
        if old in self.renames or new in self._back:
            return self.renames.get(old) == new
        return old == new and old in self.old.types and new in self.new.types

    def old_parts(self, expr: TypeExpr) -> tuple[Typed, ...]:
        """The alternatives of an old expression; types the new version has too stay whole."""
        return tuple(self._flatten(Typed(expr, self.old)))

    def new_parts(self, expr: TypeExpr) -> tuple[Typed, ...]:
        """The alternatives of a new expression; types the old version has too stay whole."""
        return tuple(self._flatten(Typed(expr, self.new)))

    def _flatten(self, typed: Typed) -> Iterator[Typed]:
        behind = resolved(typed)
        parts = alternatives(behind)
        if parts is None or isinstance(behind.expr, AnyValue) or self.stays_whole(typed):
            yield typed
        else:
            for part in parts:
                yield from self._flatten(typed.has(part))

    def stays_whole(self, typed: Typed) -> bool:
        """Whether that is a named type the other version has too."""
        if not isinstance(typed.expr, Ref):
            return False
        name = typed.expr.name
        if typed.side is self.old:
            return self.are_one(name, self.renames.get(name, name))
        return self.are_one(self._back.get(name, name), name)

    def _fits(self, value: Typed, reader: Typed) -> bool:
        """Whether `value` fits `reader`, taking for granted what is being asked already.

        That is sound since a type refers back to itself only through the fields and items
        that are compared on the way; an answer that turns out to be no takes back what was
        concluded from it.
        """
        key = (_key(value), _key(reader))
        if key in self._assumed:
            return True
        count = len(self._assumed)
        self._assumed[key] = None
        if self._decide(value, reader):
            return True
        for later in list(self._assumed)[count:]:
            del self._assumed[later]
        return False

    def _decide(self, value: Typed, reader: Typed) -> bool:
        if self._are_one_reference(value, reader):
            return True
        reader = resolved(reader)
        if isinstance(reader.expr, AnyValue):
            return True
        members = reader.expr.members if isinstance(reader.expr, UnionOf) else ()
        if any(self._fits(value, reader.has(member)) for member in members):
            return True
        parts = alternatives(value)
        if parts is not None:
            return all(self._fits(value.has(part), reader) for part in parts)
        return not members and self._leaf_fits(value, reader)

    def _are_one_reference(self, value: Typed, reader: Typed) -> bool:
        old, new = (value, reader) if value.side is self.old else (reader, value)
        return (
            isinstance(old.expr, Ref)
            and isinstance(new.expr, Ref)
            and self.are_one(old.expr.name, new.expr.name)
        )

    def _leaf_fits(self, value: Typed, reader: Typed) -> bool:
        match value.expr, reader.expr:
            case Const(value=one), Const(value=other):
                return same_scalar(one, other)
            case Const(value=one), Literals(values=values, open=is_open):
                return isinstance(one, str) and (is_open or one in values)
            case Const(value=one), Scalar() as scalar:
                return _const_fits(one, scalar)
            case Scalar(kind="string"), Literals(open=is_open):
                return is_open
            case Scalar() as one, Scalar() as other:
                return _scalar_fits(one, other)
            case Array() as one, Array() as other:
                return _within(
                    (one.min_items, one.max_items), (other.min_items, other.max_items)
                ) and self._fits(value.has(one.item), reader.has(other.item))
            case _:
                return self._object_fits(value, reader)

    def _object_fits(self, value: Typed, reader: Typed) -> bool:
        written, read = _object(value), _object(reader)
        if written is None or read is None:
            return False
        described = all(self._field_fits(value, written, reader, wanted) for wanted in read.fields)
        return described and self._others_fit(value, written, reader, read)

    def _field_fits(self, value: Typed, written: ObjectType, reader: Typed, wanted: Field) -> bool:
        """Whether what `written` has under the key of a field is what the field wants."""
        needed = wanted.required and not wanted.lenient
        given = written.field(wanted.wire_name)
        if given is not None:
            present = given.required or not needed
            return present and self._fits(
                value.has(field_expression(given)), reader.has(field_expression(wanted))
            )
        if needed:
            return False
        index = written.index
        if index is None or self._fits(value.has(ANY), value.has(index)):
            return True
        return self._fits(value.has(index), reader.has(field_expression(wanted)))

    def _others_fit(
        self, value: Typed, written: ObjectType, reader: Typed, read: ObjectType
    ) -> bool:
        """Whether the keys that `read` does not describe hold what its index wants."""
        if read.index is None:
            return True
        index = reader.has(read.index)
        others = [field for field in written.fields if read.field(field.wire_name) is None]
        return self._fits(value.has(written.index or ANY), index) and all(
            self._fits(value.has(field_expression(field)), index) for field in others
        )


def field_expression(field: Field) -> TypeExpr:
    """What a field holds when it is there."""
    if not field.nullable or isinstance(field.type, AnyValue):
        return field.type
    return UnionOf((field.type, NULL), UnionPlan())


def alternatives(typed: Typed) -> tuple[TypeExpr, ...] | None:
    """The expressions a type is one of, one step down; None for what is not made of others."""
    match typed.expr:
        case Ref(name=name):
            alias = typed.side.alias(name)
            return None if alias is None else (alias.type,)
        case UnionOf(members=members):
            return members
        case Literals(values=values, open=is_open):
            return (*map(Const, values), *((Scalar("string"),) if is_open else ()))
        case AnyValue():
            return _KINDS_OF_ANY
        case _:
            return None


def same_scalar(one: JsonScalar, other: JsonScalar) -> bool:
    """Whether two JSON scalars are equal; `1` and `true` are not, `1` and `1.0` are."""
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _key(typed: Typed) -> Key:
    """Equal for equal expressions of one side; versions may have equal names.

    The class counts, since a step from a set of one string to that string must not look like
    a type that refers back to itself.
    """
    return id(typed.side), type(typed.expr), identity(typed.expr, {})


def resolved(typed: Typed) -> Typed:
    """The expression behind the names of aliases."""
    while isinstance(typed.expr, Ref) and (alias := typed.side.alias(typed.expr.name)):
        typed = typed.has(alias.type)
    return typed


def _object(typed: Typed) -> ObjectType | None:
    match typed.expr:
        case Ref(name=name):
            return typed.side.object(name)
        case Map(value=value):
            return ObjectType("", (), index=value)
        case _:
            return None


def _const_fits(value: JsonScalar, scalar: Scalar) -> bool:
    match value:
        case None:
            return scalar.kind == "null"
        case bool():
            return scalar.kind == "boolean"
        case str():
            return scalar.kind == "string"
        case _:
            whole = scalar.kind == "number" or (scalar.kind == "integer" and value == int(value))
            return whole and _within((value, value), (scalar.minimum, scalar.maximum))


def _scalar_fits(one: Scalar, other: Scalar) -> bool:
    kinds = one.kind == other.kind or (one.kind, other.kind) == ("integer", "number")
    limits = _within((one.minimum, one.maximum), (other.minimum, other.maximum))
    return kinds and limits and other.format in (None, one.format)


def _within(
    inner: tuple[float | None, float | None], outer: tuple[float | None, float | None]
) -> bool:
    """Whether the first pair of limits allows nothing the second one forbids."""
    (low, high), (least, most) = inner, outer
    return (least is None or (low is not None and low >= least)) and (
        most is None or (high is not None and high <= most)
    )
