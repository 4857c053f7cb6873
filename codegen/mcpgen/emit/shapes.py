"""Questions about types that decoders and encoders both ask."""

from __future__ import annotations

from ..model.model import (
    AliasType,
    AnyValue,
    Array,
    Map,
    ObjectType,
    Protocol,
    Ref,
    Scalar,
    TypeExpr,
    UnionOf,
)

# A union of these is an identifier: compared by type and value, so never a float.
_IDENTIFIER = (Scalar("string"), Scalar("integer"))


class Shapes:
    """Looks through the aliases of one version."""

    def __init__(self, protocol: Protocol) -> None:
        self._types = {declared.name: declared for declared in protocol.types}
        self._universal: dict[str, bool] = {}

    def alias_of(self, name: str) -> TypeExpr | None:
        """What a named type is an alias of; None for a class."""
        declared = self._types[name]
        return declared.type if isinstance(declared, AliasType) else None

    def simplified(self, expr: TypeExpr) -> TypeExpr:
        """A reference to a simple alias as what it stands for; anything else as it is.

        References to classes, and to aliases that need a decoder of their own, stay.
        """
        while isinstance(expr, Ref):
            target = self._types[expr.name]
            if isinstance(target, ObjectType):
                return expr
            if isinstance(target.type, UnionOf) and not (
                self.is_universal(target.type) or self.is_identifier(target.type)
            ):
                return expr
            if isinstance(target.type, Array | Map) and not self._holds_any(target.type):
                return expr
            expr = target.type
        return expr

    def _holds_any(self, expr: Array | Map) -> bool:
        return self.is_universal(expr.item if isinstance(expr, Array) else expr.value)

    def is_identifier(self, expr: TypeExpr) -> bool:
        """Whether a type is a string or a whole number, as ids and progress tokens are."""
        return (
            isinstance(expr, UnionOf)
            and len(expr.members) == len(_IDENTIFIER)
            and all(member in expr.members for member in _IDENTIFIER)
        )

    def is_universal(self, expr: TypeExpr) -> bool:
        """Whether every JSON value is one of a type, so that there is nothing to check."""
        match expr:
            case AnyValue():
                return True
            case Ref(name):
                return self._named_is_universal(name)
            case UnionOf(_, plan):
                scalars = set(plan.scalars)
                kinds = {item.kind for item in scalars if isinstance(item, Scalar)}
                return AnyValue() in scalars or (
                    {"string", "number", "boolean", "null"} <= kinds
                    and any(self._element_is_universal(item) for item in plan.arrays)
                    and any(self._element_is_universal(item) for item in plan.maps)
                )
            case _:
                return False

    def _named_is_universal(self, name: str) -> bool:
        """Whether a named type is; inside its own definition it is what it turns out to be.

        So it is taken to be until it turns out not to; what was concluded meanwhile is then
        taken back.
        """
        if name not in self._universal:
            count = len(self._universal)
            self._universal[name] = True
            target = self._types[name]
            if not (isinstance(target, AliasType) and self.is_universal(target.type)):
                for later in list(self._universal)[count:]:
                    if self._universal[later]:
                        del self._universal[later]
                self._universal[name] = False
        return self._universal[name]

    def _element_is_universal(self, expr: TypeExpr) -> bool:
        match expr:
            case Array(inner) | Map(inner):
                return self.is_universal(inner)
            case _:
                return False

    def holds_objects(self, expr: TypeExpr) -> bool:
        """Whether values of a type contain instances of classes, which have to be encoded."""
        return self._holds_objects(expr, set())

    def _holds_objects(self, expr: TypeExpr, seen: set[str]) -> bool:
        """The same, apart from aliases in `seen`, which are being looked at or hold none."""
        match expr:
            case Ref(name) if name in seen:
                return False
            case Ref(name):
                seen.add(name)
                target = self._types[name]
                return isinstance(target, ObjectType) or self._holds_objects(target.type, seen)
            case Array(inner) | Map(inner):
                return self._holds_objects(inner, seen)
            case UnionOf(members):
                return any(self._holds_objects(member, seen) for member in members)
            case _:
                return False
