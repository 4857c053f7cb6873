"""Plans the straight-line encoders: a dict of the required members, then the optional ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..model.model import (
    Array,
    Candidate,
    Const,
    Field,
    Map,
    ObjectType,
    Protocol,
    Ref,
    Scalar,
    TypeExpr,
    UnionOf,
    UnionPlan,
)
from .hints import absent_value
from .literals import python_literal
from .shapes import Shapes


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an encoded object.

    `key` and `value` are source text; `absent` is what the attribute `name` holds when the
    member is left out, None for one that is always written.
    """

    key: str
    name: str
    local: str
    value: str
    absent: str | None


@dataclass(frozen=True, slots=True)
class ObjectEncoder:
    """The encoder of a class. `index` converts one unknown member; None keeps it as it is."""

    name: str
    always: tuple[Member, ...]
    sometimes: tuple[Member, ...]
    index: str | None

    @property
    def always_written(self) -> list[str]:
        """The members that are always there, as entries of a dict display."""
        return [f"{member.key}: {member.value}" for member in self.always]


@dataclass(frozen=True, slots=True)
class FunctionEncoder:
    """The encoder of a type that is no class."""

    name: str
    body: tuple[str, ...]


@dataclass(slots=True)
class Encoders:
    """Every encoder of a version.

    `tables` hold the encoders of a union's classes; `aliases` are the encoders of named types
    that are no classes, by the type's name.
    """

    objects: list[ObjectEncoder] = field(default_factory=list[ObjectEncoder])
    functions: list[FunctionEncoder] = field(default_factory=list[FunctionEncoder])
    tables: list[tuple[str, tuple[str, ...]]] = field(
        default_factory=list[tuple[str, tuple[str, ...]]]
    )
    aliases: dict[str, str] = field(default_factory=dict[str, str])


def plan_encoders(protocol: Protocol) -> Encoders:
    """The encoders of every named type of a version."""
    return _Planner(protocol).run()


class _Planner:
    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._shapes = Shapes(protocol)
        self._result = Encoders()

    def run(self) -> Encoders:
        for declared in self._protocol.types:
            if isinstance(declared, ObjectType):
                self._result.objects.append(self._object(declared))
            elif self._shapes.holds_objects(declared.type):
                name = self._function(declared.name, declared.type)
                self._result.aliases[declared.name] = name
            else:
                self._result.aliases[declared.name] = "as_it_is"
        return self._result

    def _object(self, declared: ObjectType) -> ObjectEncoder:
        members = [self._member(declared, item) for item in declared.fields]
        index = declared.index
        convert = index is not None and self._shapes.holds_objects(index)
        return ObjectEncoder(
            name=declared.name,
            always=tuple(member for member in members if member.absent is None),
            sometimes=tuple(member for member in members if member.absent is not None),
            index=self._value(index, "item", f"{declared.name}_extra")
            if index is not None and convert
            else None,
        )

    def _member(self, declared: ObjectType, item: Field) -> Member:
        absent = absent_value(item)
        local = f"o.{item.name}" if absent is None else f"v_{item.name}"
        if isinstance(item.type, Const) and item.required:
            value = python_literal(item.type.value)
        else:
            value = self._value(item.type, local, f"{declared.name}_{item.name}")
            if item.nullable and value != local:
                value = f"None if {local} is None else {value}"
        return Member(python_literal(item.wire_name), item.name, local, value, absent)

    def _value(self, expr: TypeExpr, local: str, site: str) -> str:
        if isinstance(expr, Scalar) and expr.format == "byte":
            return f"large_text({local})"
        if not self._shapes.holds_objects(expr):
            return local
        match expr:
            case Ref(name):
                alias = self._shapes.alias_of(name)
                if isinstance(alias, UnionOf) and _is_classes_only(alias.plan):
                    return self._by_class(alias.plan, local, name)
                return f"encode_{name}({local})"
            case Array(item):
                inner = self._value(item, "item", f"{site}_item")
                return f"[{inner} for item in {local}]"
            case Map(value):
                inner = self._value(value, "item", f"{site}_value")
                return f"{{key: {inner} for key, item in {local}.items()}}"
            case UnionOf(_, plan) if _is_classes_only(plan):
                return self._by_class(plan, local, site)
            case _:
                return f"{self._function(site, expr)}({local})"

    def _function(self, site: str, expr: TypeExpr) -> str:
        """Adds an encoder for a type that is no class; its name."""
        name = f"encode_{site}"
        if isinstance(expr, UnionOf):
            body = self._union(site, expr.plan)
        elif isinstance(expr, Ref):
            body = self._union(site, self._plan_of(expr))
        else:
            body = (f"return {self._value(expr, 'v', site)}",)
        self._result.functions.append(FunctionEncoder(name, body))
        return name

    def _union(self, site: str, plan: UnionPlan) -> tuple[str, ...]:
        body: list[str] = []
        plain = bool(plan.scalars)
        for kind, members in (("array", plan.arrays), ("object", plan.maps)):
            holding = [member for member in members if self._shapes.holds_objects(member)]
            plain = plain or len(holding) < len(members)
            if holding:
                value = self._value(self._merged(holding), "v", f"{site}_{kind}")
                body += [f"if is_{kind}(v):", f"    return {value}"]
        if not plan.groups:
            return (*body, "return v" if plain else "raise TypeError")
        encoded = self._by_class(plan, "v", site)
        if plain:
            return (*body, "if isinstance(v, WireObject):", f"    return {encoded}", "return v")
        return (*body, f"return {encoded}")

    def _merged(self, members: list[TypeExpr]) -> TypeExpr:
        """One array or map in place of several, which the class of each element tells apart."""
        match members:
            case [only]:
                return only
            case [Array(), *_]:
                return Array(
                    self._any_of([item.item for item in members if isinstance(item, Array)])
                )
            case _:
                return Map(self._any_of([item.value for item in members if isinstance(item, Map)]))

    def _any_of(self, members: list[TypeExpr]) -> UnionOf:
        plans = [self._plan_of(member) for member in members]
        candidates = [item for plan in plans for group in plan.groups.values() for item in group]
        plan = UnionPlan(
            scalars=tuple(item for plan in plans for item in plan.scalars),
            arrays=tuple(item for plan in plans for item in plan.arrays),
            maps=tuple(item for plan in plans for item in plan.maps),
            groups={None: tuple(candidates)} if candidates else {},
        )
        return UnionOf(tuple(members), plan)

    def _plan_of(self, expr: TypeExpr) -> UnionPlan:
        match expr:
            case UnionOf(_, plan):
                return plan
            case Ref(name):
                alias = self._shapes.alias_of(name)
                return (
                    self._plan_of(alias)
                    if alias
                    else UnionPlan(groups={None: (Candidate(name, ()),)})
                )
            case Array():
                return UnionPlan(arrays=(expr,))
            case Map():
                return UnionPlan(maps=(expr,))
            case _:
                return UnionPlan(scalars=(expr,))

    def _by_class(self, plan: UnionPlan, local: str, site: str) -> str:
        """The encoding of an instance of one of a union's classes, and of no other."""
        names = [item.type for candidates in plan.groups.values() for item in candidates]
        rows = tuple(f"t.{name}: encode_{name}" for name in dict.fromkeys(names))
        table = f"_CLASSES_{site}"
        if (table, rows) not in self._result.tables:
            self._result.tables.append((table, rows))
        return f"{table}[type({local})]({local})"


def _is_classes_only(plan: UnionPlan) -> bool:
    return not (plan.scalars or plan.arrays or plan.maps)
