"""What there is to say about a version, or about one thing of it, gathered from the Model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeAlias

from ..compare.side import Side as Index
from ..compare.side import references
from ..compare.spelling import spell_definition, spell_field_type
from ..emit.calls import handler_methods, stub_methods
from ..emit.hints import field_default, field_hint
from ..errors import McpgenError
from ..model.model import Constant, Field, Method, ObjectType, Protocol, Side, TypeDef
from .history import History, Subject, history_of
from .uses import Carrier, Use, carried_by, carriers_of, uses_of


@dataclass(frozen=True, slots=True)
class Overview:
    """A whole version."""

    protocol: Protocol


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field, and how it is written.

    `spelling` is its JSON type, inline objects written out; `hint` is its annotation in the
    emitted class, and `build_default` the source of what it is built with when it is left
    out, None when it has to be given.
    """

    field: Field
    spelling: str
    hint: str
    build_default: str | None


@dataclass(frozen=True, slots=True)
class TypeInspection:
    """A type of a version: its fields, where it is used, which methods carry it.

    `spelling` is its JSON type: what it extends and adds to that, or what it stands for.
    """

    version: str
    definition: TypeDef
    spelling: str
    fields: tuple[FieldView, ...]
    uses: tuple[Use, ...]
    carriers: tuple[Carrier, ...]
    history: History


@dataclass(frozen=True, slots=True)
class FieldInspection:
    """A field of a type of a version."""

    version: str
    type: str
    view: FieldView
    history: History


@dataclass(frozen=True, slots=True)
class MethodInspection:
    """A method of a version: what calls and serves it in Python, and its params.

    `params` is how they are written, None where there are none, and `fields` are theirs, empty
    where they are no object type. `stubs` and `handlers` are methods of the emitted classes,
    such as `ServerStub.call_tool`; a request that travels inside a result has no stub.
    """

    version: str
    method: Method
    params: str | None
    fields: tuple[FieldView, ...]
    stubs: tuple[str, ...]
    handlers: tuple[str, ...]
    history: History


@dataclass(frozen=True, slots=True)
class ConstantInspection:
    """A constant of a version."""

    version: str
    constant: Constant
    history: History


Inspection: TypeAlias = (
    Overview | TypeInspection | FieldInspection | MethodInspection | ConstantInspection
)


def inspect_name(name: str, version: str, protocols: Sequence[Protocol]) -> Inspection:
    """What there is to say of the type, `Type.field`, method or constant of that name.

    `protocols` are the versions its history goes through, oldest first; `version` is one of
    them. Fields and methods go by their wire names or by their Python names. Raises
    `McpgenError`, with the names that are near, when the version has nothing of that name.
    """
    protocol = next(found for found in protocols if found.version == version)
    for declared in protocol.types:
        if declared.name == name:
            return _inspect_type(declared, protocol, protocols)
        if isinstance(declared, ObjectType) and name.startswith(f"{declared.name}."):
            wanted = name.removeprefix(f"{declared.name}.")
            for field in declared.fields:
                if wanted in (field.wire_name, field.name):
                    return _inspect_field(declared, field, protocol, protocols)
    for method in protocol.methods:
        if name in (method.method, method.python_name):
            return _inspect_method(method, protocol, protocols)
    for constant in protocol.constants:
        if constant.name == name:
            return _inspect_constant(constant, version, protocols)
    raise _unknown(name, protocol)


# --- each kind ----------------------------------------------------------------------------------


def _inspect_type(
    declared: TypeDef, protocol: Protocol, protocols: Sequence[Protocol]
) -> TypeInspection:
    side = Index.of(protocol)
    related = set(_inline_parts(declared, protocol))
    if isinstance(declared, ObjectType) and declared.method is not None:
        # A message is compared as its method.
        related.add(declared.method)
    subject = Subject(declared.name, related=frozenset(related))
    return TypeInspection(
        version=protocol.version,
        definition=declared,
        spelling=spell_definition(declared, side),
        fields=_views(declared, side),
        uses=uses_of(declared.name, protocol),
        carriers=carriers_of(declared.name, protocol),
        history=history_of(subject, protocol.version, protocols, _has_type),
    )


def _inspect_field(
    declared: ObjectType, field: Field, protocol: Protocol, protocols: Sequence[Protocol]
) -> FieldInspection:
    inline = frozenset(_inline_in(field, protocol))
    subject = Subject(declared.name, f".{field.wire_name}", inline)

    def has(protocol: Protocol, there: Subject) -> bool:
        found = _types(protocol).get(there.type or "")
        return isinstance(found, ObjectType) and found.field(field.wire_name) is not None

    history = history_of(subject, protocol.version, protocols, has)
    view = _view(field, Index.of(protocol))
    return FieldInspection(protocol.version, declared.name, view, history)


def _inspect_method(
    method: Method, protocol: Protocol, protocols: Sequence[Protocol]
) -> MethodInspection:
    types, side = _types(protocol), Index.of(protocol)
    params = types[method.params] if method.params is not None else None
    related = carried_by(method, protocol)
    related |= {part for name in related for part in _inline_parts(types[name], protocol)}

    def has(protocol: Protocol, there: Subject) -> bool:
        return any(found.method == there.name for found in protocol.methods)

    # What changes in a type that the method carries changes the method.
    subject = Subject(None, method.method, frozenset(related))
    return MethodInspection(
        version=protocol.version,
        method=method,
        params=None if params is None else spell_definition(params, side),
        fields=() if params is None else _views(params, side),
        stubs=tuple(_stubs(method, protocol)),
        handlers=tuple(_handlers(method, protocol)),
        history=history_of(subject, protocol.version, protocols, has),
    )


def _inspect_constant(
    constant: Constant, version: str, protocols: Sequence[Protocol]
) -> ConstantInspection:
    def has(protocol: Protocol, there: Subject) -> bool:
        return any(found.name == there.name for found in protocol.constants)

    history = history_of(Subject(None, constant.name), version, protocols, has)
    return ConstantInspection(version, constant, history)


# --- parts --------------------------------------------------------------------------------------


def _types(protocol: Protocol) -> dict[str, TypeDef]:
    return {declared.name: declared for declared in protocol.types}


def _has_type(protocol: Protocol, there: Subject) -> bool:
    return there.type in _types(protocol)


def _views(declared: TypeDef, side: Index) -> tuple[FieldView, ...]:
    fields = declared.fields if isinstance(declared, ObjectType) else ()
    return tuple(_view(field, side) for field in fields)


def _view(field: Field, side: Index) -> FieldView:
    spelling = spell_field_type(field, side)
    return FieldView(field, spelling, field_hint(field), field_default(field))


def _inline_parts(declared: TypeDef, protocol: Protocol) -> Iterator[str]:
    """The types that the schema writes inline in a type."""
    for field in declared.fields if isinstance(declared, ObjectType) else ():
        yield from _inline_in(field, protocol)


def _inline_in(field: Field, protocol: Protocol) -> Iterator[str]:
    """The types that the schema writes inline in a field, those inside them included."""
    types = _types(protocol)
    for name in references(field.type):
        part = types[name]
        if isinstance(part, ObjectType) and not part.declared:
            yield name
            yield from _inline_parts(part, protocol)


def _stubs(method: Method, protocol: Protocol) -> Iterator[str]:
    owners: dict[Side, str] = {"client": "ServerStub", "server": "ClientStub"}
    for sender in method.sent_by:
        stub = stub_methods(protocol, sender)
        for call in (*stub.requests, *stub.notifications):
            if call.method == method.method:
                yield f"{owners[sender]}.{call.name}"
                if call.iteration is not None:
                    yield f"{owners[sender]}.{call.iteration.name}"


def _handlers(method: Method, protocol: Protocol) -> Iterator[str]:
    receivers: dict[Side, Side] = {"client": "server", "server": "client"}
    for sender in method.sent_by:
        side = receivers[sender]
        handler = handler_methods(protocol, side)
        for call in (*handler.requests, *handler.notifications):
            if call.method == method.method:
                yield f"{side.title()}Handler.{call.name}"


def _unknown(name: str, protocol: Protocol) -> McpgenError:
    """The error for a name that a version does not have, with those that are near."""
    known = {declared.name: declared.name for declared in protocol.types}
    known |= {constant.name: constant.name for constant in protocol.constants}
    for method in protocol.methods:
        known |= {method.python_name: method.method, method.method: method.method}
    for declared in protocol.objects:
        if name.startswith(f"{declared.name}."):
            known = {f: f for f in (f"{declared.name}.{x.wire_name}" for x in declared.fields)}
    lower = {key.lower(): value for key, value in known.items()}
    near = get_close_matches(name.lower(), lower, n=3)
    remedy = f"mcpgen inspect {protocol.version} lists what there is"
    if near:
        remedy = f"did you mean {' or '.join(dict.fromkeys(lower[key] for key in near))}?"
    what = f"found no type, field, method or constant {name!r}"
    return McpgenError(protocol.version, what, remedy)
