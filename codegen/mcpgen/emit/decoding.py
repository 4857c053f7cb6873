"""Plans the straight-line decoders: the statements that check and convert each value.

The shapes follow measurements on CPython: one test `type(x) is …` on the quick path with a
call to a slower helper when it fails, attribute stores on a bare instance, comprehensions
for arrays, a dict lookup for a union's tag. Templates only lay the statements out.
"""

from __future__ import annotations

from ..model.model import (
    Array,
    Candidate,
    Const,
    Field,
    JsonScalar,
    Literals,
    Map,
    ObjectType,
    Protocol,
    Ref,
    Scalar,
    TypeExpr,
    UnionOf,
    UnionPlan,
)
from .decoders import Decoders, FieldStep, FunctionDecoder, Lines, ObjectDecoder, Step
from .format import LINE_LENGTH
from .hints import absent_value
from .literals import python_literal
from .shapes import Shapes

_REFUSE = "    raise Mismatch"
# The quick test of each scalar, its slow helper and the hint of the checked value.
_SCALARS: dict[str, tuple[str, str, str]] = {
    "string": ("str", "as_string", "str"),
    "integer": ("int", "as_integer", "int"),
    # Floats take the slow path, which also refuses NaN and the infinities.
    "number": ("int", "as_number", "float"),
    "boolean": ("bool", "as_boolean", "bool"),
}


def plan_decoders(protocol: Protocol) -> Decoders:
    """The decoders of every named type of a version."""
    return _Planner(protocol).run()


class _Planner:
    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._shapes = Shapes(protocol)
        self._result = Decoders()

    def run(self) -> Decoders:
        for declared in self._protocol.types:
            if isinstance(declared, ObjectType):
                self._result.objects.append(self._object(declared))
            else:
                self._function(declared.name, declared.type)
        return self._result

    # --- objects --------------------------------------------------------------------------------

    def _object(self, declared: ObjectType) -> ObjectDecoder:
        steps = [(item, self._field(declared, item)) for item in declared.fields]
        sure = [item for item in declared.fields if item.required and not item.lenient]
        index = declared.index
        return ObjectDecoder(
            name=declared.name,
            keys=tuple(python_literal(item.wire_name) for item in declared.fields),
            sure=len(sure),
            required=tuple(step for _, step in steps if step.absent is None),
            optional=tuple(step for _, step in steps if step.absent is not None),
            index=None
            if index is None or self._shapes.is_universal(index)
            else self._inline(index, "item", f"{declared.name}_extra"),
        )

    def _field(self, declared: ObjectType, item: Field) -> FieldStep:
        local = f"v_{item.name}"
        step = self._step(item.type, local, f"{declared.name}_{item.name}")
        key = python_literal(item.wire_name)
        missing = None if item.required else (absent_value(item) or "None")
        if item.lenient:
            missing = python_literal(item.default)
        absent = missing and ("None" if missing == "None" else "UNSET")
        if absent is None:
            read = f"d[{key}]"
        else:
            read = f"d.get({key}, UNSET)" if absent == "UNSET" else f"d.get({key})"
        universal = self._shapes.is_universal(item.type)
        null = item.nullable and not universal
        checks = step.checks
        inline = step.result.replace(f"({local})", f"({read})") if step.result != local else read
        # What follows a test for absence or null has to be a statement.
        if step.result != local and (checks or absent is not None or null):
            checks = (*checks, f"{local} = {step.result}")
        return FieldStep(
            name=item.name,
            local=local,
            hint="Any" if universal else self._local_hint(step.hint, item, absent),
            read=read,
            absent=absent,
            missing=missing,
            null=null,
            checks=checks,
            inline=inline,
        )

    def _local_hint(self, hint: str, item: Field, absent: str | None) -> str:
        if hint == "Any":
            return hint
        none = " | None" if item.nullable or absent == "None" else ""
        return hint + none + (" | Unset" if absent == "UNSET" else "")

    # --- values ---------------------------------------------------------------------------------

    def _step(self, expr: TypeExpr, local: str, site: str) -> Step:
        expr = self._shapes.simplified(expr)
        if self._shapes.is_universal(expr):
            return Step((), local)
        match expr:
            case Scalar():
                return self._scalar(expr, local)
            case Const(value):
                return self._constant(value, local)
            case Literals(values, is_open):
                if is_open:
                    return self._scalar(Scalar("string"), local)
                # A tuple: membership of one takes values that cannot be hashed.
                return Step((f"if {local} not in {_tuple(values)}:", _REFUSE), local)
            case Array():
                return self._array(expr, local, site)
            case Map():
                return self._map(expr, local, site)
            case UnionOf() if self._shapes.is_identifier(expr):
                test = f"if type({local}) is not str and type({local}) is not int:"
                slow = f"    {local} = as_request_id({local})"
                return Step((test, slow), local, "str | int")
            case Ref(name):
                return Step((), f"decode_{name}({local})")
            case _:
                return Step((), f"{self._function(site, expr)}({local})")

    def _constant(self, value: JsonScalar, local: str) -> Step:
        literal = python_literal(value)
        if isinstance(value, str):
            return Step((f"if {local} != {literal}:", _REFUSE), local)
        if value is None or isinstance(value, bool):
            return Step((f"if {local} is not {literal}:", _REFUSE), local)
        # To Python True is 1, and 1.0 is 1 in JSON too but must come out as the constant.
        return Step((f"if {local} != {literal} or type({local}) is bool:", _REFUSE), literal)

    def _scalar(self, expr: Scalar, local: str) -> Step:
        if expr.kind == "null":
            return Step((f"if {local} is not None:", _REFUSE), local)
        quick, slow, hint = _SCALARS[expr.kind]
        checks = [f"if type({local}) is not {quick}:", f"    {local} = {slow}({local})"]
        limits = [
            f"{local} < {expr.minimum}" if expr.minimum is not None else "",
            f"{local} > {expr.maximum}" if expr.maximum is not None else "",
        ]
        if broken := " or ".join(filter(None, limits)):
            checks += [f"if {broken}:", _REFUSE]
        return Step(tuple(checks), local, hint)

    def _array(self, expr: Array, local: str, site: str) -> Step:
        checks = [f"if type({local}) is not list:", f"    {local} = as_array({local})"]
        if expr.min_items is not None:
            checks += [f"if len({local}) < {expr.min_items}:", _REFUSE]
        if expr.max_items is not None:
            checks += [f"if len({local}) > {expr.max_items}:", _REFUSE]
        if self._shapes.is_universal(expr.item):
            return Step(tuple(checks), local, "list[Any]")
        item = self._inline(expr.item, "item", f"{site}_item")
        return Step(tuple(checks), f"[{item} for item in {local}]", "list[Any]")

    def _map(self, expr: Map, local: str, site: str) -> Step:
        checks = (f"if type({local}) is not dict:", f"    {local} = as_object({local})")
        if self._shapes.is_universal(expr.value):
            return Step(checks, local, "dict[str, Any]")
        item = self._inline(expr.value, "item", f"{site}_value")
        loop = f"for key, item in {local}.items()"
        result = f"{{key: {item} {loop}}}"
        # Deepest in a decoder it stands after twelve columns and an assignment.
        if len(result) + len(local) > LINE_LENGTH - 15:
            result = f"{{\n    key: {item}\n    {loop}\n}}"
        return Step(checks, result, "dict[str, Any]")

    def _inline(self, expr: TypeExpr, local: str, site: str) -> str:
        """The decoding of a value as one expression, for use inside a comprehension."""
        expr = self._shapes.simplified(expr)
        if isinstance(expr, Scalar) and _has_no_limits(expr):
            quick, slow, _ = _SCALARS[expr.kind]
            return f"{local} if type({local}) is {quick} else {slow}({local})"
        if self._needs_statements(expr):
            return f"{self._function(site, expr)}({local})"
        return self._step(expr, local, site).result

    def _needs_statements(self, expr: TypeExpr) -> bool:
        """Whether decoding a value takes more than one expression."""
        if self._shapes.is_universal(expr) or isinstance(expr, Ref):
            return False
        return not isinstance(expr, UnionOf) or self._shapes.is_identifier(expr)

    # --- functions ------------------------------------------------------------------------------

    def _function(self, site: str, expr: TypeExpr) -> str:
        """Adds a decoder for a type that is no class; its name."""
        name = f"decode_{site}"
        if isinstance(expr, UnionOf) and not self._is_simple_union(expr):
            parameter, body = self._union(site, expr)
        else:
            step = self._step(expr, "v", site)
            parameter = f"v: {step.hint}"
            body = (*step.checks, f"return {step.result}")
        self._result.functions.append(FunctionDecoder(name, parameter, body))
        return name

    def _is_simple_union(self, expr: UnionOf) -> bool:
        return self._shapes.is_identifier(expr) or self._shapes.is_universal(expr)

    # --- unions ---------------------------------------------------------------------------------

    def _union(self, site: str, expr: UnionOf) -> tuple[str, Lines]:
        plan = expr.plan
        if plan.groups and not (plan.scalars or plan.arrays or plan.maps):
            return "v: dict[str, Any]", self._object_union(site, plan)
        return "v: Any", self._mixed_union(site, plan)

    def _object_union(self, site: str, plan: UnionPlan) -> Lines:
        start = ("if type(v) is not dict:", "    v = as_object(v)")
        if plan.tag is None:
            return (*start, f"return {self._group(site, plan.groups[None])}")
        table = f"_TAGS_{site}"
        rows: list[str] = []
        for value, candidates in plan.groups.items():
            target = f"decode_{candidates[0].type}"
            if len(candidates) > 1:
                part = f"{site}_{len(rows)}"
                body = (f"return {self._group(part, candidates)}",)
                target = f"decode_{part}"
                self._result.functions.append(FunctionDecoder(target, "v: dict[str, Any]", body))
            rows.append(f"{python_literal(value)}: {target}")
        self._result.tables.append((table, "dict[str, Decoder]", tuple(rows)))
        default = (
            ("if tag is None:", f"    tag = {python_literal(plan.default_tag)}")
            if plan.default_tag is not None
            else ()
        )
        return (
            *start,
            f"tag = v.get({python_literal(plan.tag)})",
            *default,
            f"decode = {table}.get(tag if type(tag) is str else as_string(tag))",
            "if decode is None:",
            _REFUSE,
            "return decode(v)",
        )

    def _group(self, site: str, candidates: tuple[Candidate, ...]) -> str:
        if len(candidates) == 1:
            return f"decode_{candidates[0].type}(v)"
        rows = tuple(f"({_tuple(item.keys)}, decode_{item.type})" for item in candidates)
        table = f"_MEMBERS_{site}"
        self._result.tables.append((table, "Candidates", rows))
        return f"first_of(v, {table})"

    def _mixed_union(self, site: str, plan: UnionPlan) -> Lines:
        """A decoder that goes by the kind of the value first."""
        quick: list[str] = []
        others: list[str] = []
        for number, scalar in enumerate(plan.scalars):
            if isinstance(scalar, Scalar) and _has_no_limits(scalar):
                quick.append(f"kind is {_SCALARS[scalar.kind][0]}")
                others.append(_SCALARS[scalar.kind][1])
            else:
                others.append(self._function(f"{site}_scalar{number}", scalar))
        body: list[str] = []
        if quick:
            body += [f"if {' or '.join(dict.fromkeys(quick))}:", "    return v"]
        if plan.groups:
            objects = UnionPlan(tag=plan.tag, default_tag=plan.default_tag, groups=plan.groups)
            name = f"decode_{site}_object"
            lines = self._object_union(f"{site}_object", objects)
            self._result.functions.append(FunctionDecoder(name, "v: dict[str, Any]", lines))
            body += ["if kind is dict:", f"    return {name}(v)"] if not plan.maps else []
            others.append(name)
        others += [
            self._function(f"{site}_{kind}{number}", member)
            for kind, members in (("map", plan.maps), ("array", plan.arrays))
            for number, member in enumerate(members)
        ]
        start = ("kind = v.__class__",) if body else ()
        return (*start, *body, f"return first_accepting(v, ({', '.join(others)},))")


def _has_no_limits(scalar: Scalar) -> bool:
    """Whether the test of a scalar's kind is all there is to check."""
    return scalar.kind in _SCALARS and scalar.minimum is None and scalar.maximum is None


def _tuple(keys: tuple[str, ...]) -> str:
    inner = ", ".join(map(python_literal, keys))
    return f"({inner},)" if len(keys) == 1 else f"({inner})"
