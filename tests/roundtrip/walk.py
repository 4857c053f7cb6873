"""The Models the emitted package was made from, and a walk of theirs along a document.

The walk yields every value of a document with the type that the decoder read it by, so that
tests can say what a document holds and what would be wrong in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from mcpgen.model.model import (
    Array,
    Const,
    Literals,
    Map,
    ObjectType,
    Protocol,
    Ref,
    Scalar,
    TypeDef,
    TypeExpr,
    UnionOf,
)
from mcpgen.specs import load_protocols

from .documents import MODULES, ROOT, load, samples, type_of

Path: TypeAlias = tuple[str | int, ...]

PROTOCOLS: dict[str, Protocol] = {
    protocol.version: protocol for protocol in load_protocols(ROOT / "spec")
}
KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


@dataclass(frozen=True, slots=True)
class Step:
    """A value in a document.

    `site` is what the schema calls the place: a field, `Tool.title`, or a named type. `type` is
    its type there, and `chosen` the member that the decoder took where that is a union. `loose`
    is the path of the outermost value above, or this one, whose member no tag decides alone.
    """

    path: Path
    site: str
    type: TypeExpr
    document: Any
    chosen: TypeExpr | None = None
    loose: Path | None = None


class Walk:
    """Walks documents of one version; `decode` reads one by the name of its type."""

    def __init__(self, protocol: Protocol, decode: Callable[[str, Any], Any]) -> None:
        self.types: dict[str, TypeDef] = {declared.name: declared for declared in protocol.types}
        self._decode = decode

    def steps(self, name: str, document: Any) -> Iterator[Step]:
        """Every value in a document of the type called `name`, outermost first."""
        yield from self._steps(Step((), "", Ref(name), document), self._decode(name, document))

    def _steps(self, step: Step, value: Any) -> Iterator[Step]:
        path, site, document, loose = step.path, step.site, step.document, step.loose
        match step.type:
            case Ref(name):
                yield step
                declared = self.types[name]
                if isinstance(declared, ObjectType):
                    yield from self._members(declared, step, value)
                else:
                    yield from self._steps(
                        Step(path, name, declared.type, document, None, loose), value
                    )
            case Array(item):
                yield step
                for index, inner in enumerate(document):
                    below = Step((*path, index), f"{site}[]", item, inner, None, loose)
                    yield from self._steps(below, value[index])
            case Map(item):
                yield step
                for key, inner in document.items():
                    below = Step((*path, key), f"{site}{{}}", item, inner, None, loose)
                    yield from self._steps(below, value[key])
            case UnionOf(members):
                chosen = next(item for item in members if self._is_one(item, document, value))
                if loose is None and self._is_loose(step.type, document):
                    loose = path
                yield Step(path, site, step.type, document, chosen, loose)
                yield from self._steps(Step(path, site, chosen, document, None, loose), value)
            case _:
                yield step

    def _members(self, declared: ObjectType, step: Step, value: Any) -> Iterator[Step]:
        for field in declared.fields:
            key = field.wire_name
            # A null that stands for itself is of no type that has anything below it.
            if step.document.get(key) is not None:
                site, inner = f"{declared.name}.{key}", step.document[key]
                below = Step((*step.path, key), site, field.type, inner, None, step.loose)
                yield from self._steps(below, getattr(value, field.name))

    def _is_loose(self, union: UnionOf, document: Any) -> bool:
        """Whether a fault in the value could be told as that of another member."""
        plan = union.plan
        if isinstance(document, list):
            return len(plan.arrays) > 1
        return isinstance(document, dict) and (
            bool(plan.maps)
            or plan.default_tag is not None
            or any(len(candidates) > 1 for candidates in plan.groups.values())
        )

    def _is_one(self, expr: TypeExpr, document: Any, value: Any) -> bool:
        """Whether the decoder made `value` of `document` by this member of a union."""
        match expr:
            case Ref(name):
                declared = self.types[name]
                if isinstance(declared, ObjectType):
                    return type(value).__name__ == name
                return self._is_one(declared.type, document, value)
            case Scalar(kind):
                return type(document) in KINDS[kind]
            case Const(constant):
                return type(document) is type(constant) and document == constant
            case Literals(values, is_open):
                return document in values or (is_open and isinstance(document, str))
            case Array(item):
                return isinstance(document, list) and all(
                    self._is_one(item, *pair) for pair in zip(document, value, strict=True)
                )
            case Map():
                return isinstance(document, dict) and isinstance(value, dict)
            case UnionOf(members):
                return any(self._is_one(member, document, value) for member in members)
            case _:
                return True


def unions_of(protocol: Protocol, name: str) -> Iterator[str]:
    """The named unions that a type is a member of, the only one or of a member included."""
    for alias in protocol.aliases:
        members = alias.type.members if isinstance(alias.type, UnionOf) else (alias.type,)
        if Ref(name) in members:
            yield alias.name
            yield from unions_of(protocol, alias.name)


def sample_documents(version: str) -> Iterator[tuple[str, Any]]:
    """The samples of a version, each by its type, the unions of it and JSON-RPC's for messages."""
    for path in samples():
        if path.parent.name == version:
            name, document = type_of(path), load(path)
            if name != "Response":
                yield from (
                    (item, document) for item in (name, *unions_of(PROTOCOLS[version], name))
                )
            if isinstance(document, dict) and "jsonrpc" in document:
                yield "JSONRPCMessage", document


@cache
def walk(version: str) -> Walk:
    """The walk of a version, by its own decoders."""
    return Walk(PROTOCOLS[version], MODULES[version].decode_as)
