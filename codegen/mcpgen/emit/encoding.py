"""Plans the straight-line encoders: a dict of the required members, then the optional ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..model.model import (
    Array,
    Const,
    Field,
    Map,
    ObjectType,
    Protocol,
    Ref,
    TypeExpr,
    UnionOf,
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
    """Every encoder of a version. `aliases` are those of named types, by the type's name."""

    objects: list[ObjectEncoder] = field(default_factory=list[ObjectEncoder])
    functions: list[FunctionEncoder] = field(default_factory=list[FunctionEncoder])
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
        if not self._shapes.holds_objects(expr):
            return local
        match expr:
            case Ref(name):
                return f"encode_{name}({local})"
            case Array(item):
                inner = self._value(item, "item", f"{site}_item")
                return f"[{inner} for item in {local}]"
            case Map(value):
                inner = self._value(value, "item", f"{site}_value")
                return f"{{key: {inner} for key, item in {local}.items()}}"
            case UnionOf(_, plan) if not (plan.scalars or plan.arrays or plan.maps):
                return f"encode_object({local})"
            case _:
                return f"{self._function(site, expr)}({local})"

    def _function(self, site: str, expr: TypeExpr) -> str:
        """Adds an encoder for a type that is no class; its name."""
        name = f"encode_{site}"
        if isinstance(expr, UnionOf):
            body = self._union(site, expr)
        else:
            body = (f"return {self._value(expr, 'v', site)}",)
        self._result.functions.append(FunctionEncoder(name, body))
        return name

    def _union(self, site: str, expr: UnionOf) -> tuple[str, ...]:
        plan = expr.plan
        body: list[str] = []
        # Only one array and one map can be told apart once their elements are classes.
        for kind, members in (("array", plan.arrays), ("object", plan.maps)):
            holding = [member for member in members if self._shapes.holds_objects(member)]
            if holding:
                value = self._value(holding[0], "v", f"{site}_{kind}")
                body += [f"if is_{kind}(v):", f"    return {value}"]
        if plan.groups:
            body += ["if isinstance(v, WireObject):", "    return encode_object(v)"]
        return (*body, "return v")
