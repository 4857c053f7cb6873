"""Reads from a schema.ts what JSON Schema has no word for: methods, roles, constants…

The result is the `x-mcp` object of a spec document. Names of types are those of the file;
an inline object is named by its site, such as `CallToolRequest.params`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeAlias

from ..errors import SchemaError
from .declarations import (
    ArrayOf,
    Declaration,
    Interface,
    Intersection,
    Literally,
    Module,
    ObjectLiteral,
    OmitFrom,
    RecordOf,
    Reference,
    TypeAliasDeclaration,
    TypeNode,
    Union,
)
from .members import members_of

Facts: TypeAlias = dict[str, Any]

# The unions by which the schema says who sends what. `InputRequest` holds requests that
# travel inside a result instead of being messages of their own.
SENDERS = {
    "ClientRequest": ("client", "request"),
    "ServerRequest": ("server", "request"),
    "InputRequest": ("server", "embedded"),
    "ClientNotification": ("client", "notification"),
    "ServerNotification": ("server", "notification"),
}
_ANSWERS = {
    "ClientRequest": "ServerResult",
    "ServerRequest": "ClientResult",
    "InputRequest": "InputResponse",
}
ROLES = (*SENDERS, *dict.fromkeys(_ANSWERS.values()))

_SINCE = re.compile(r"protocol\s+version\s+`?(\d{4}-\d{2}-\d{2})")


def read_facts(module: Module) -> Facts:
    """The `x-mcp` facts of a module, without `protocolVersion`, `source` and `derived`.

    Raises `SchemaError` when a message belongs to no role, a role holds a type that is no
    message, a request has no result that the answering side may send, or a result answers
    nothing.
    """
    roles = {name: _role_members(module, name) for name in ROLES if name in module.types}
    methods = _Methods(module, roles).table()
    return {
        "constants": {name: constant.value for name, constant in module.constants.items()},
        "methods": methods,
        "extends": {
            name: bases for name, declared in module.types.items() if (bases := _bases(declared))
        },
        "deprecated": dict(_deprecations(module)),
        "internal": [
            name
            for name, declared in module.types.items()
            if declared.doc.tag("internal") is not None
        ],
        "categories": {
            name: category.strip("`")
            for name, declared in module.types.items()
            if (category := declared.doc.tag("category"))
        },
        "unions": roles,
    }


def _role_members(module: Module, name: str) -> list[str]:
    declared = module.types[name]
    target = declared.type if isinstance(declared, TypeAliasDeclaration) else None
    members = target.members if isinstance(target, Union) else (target,)
    names = [member.name for member in members if isinstance(member, Reference)]
    if len(names) != len(members):
        raise SchemaError(
            f"{module.path}:{declared.line}", f"found {name}, expected a union of declared types"
        )
    return names


def _bases(declared: Declaration) -> list[str]:
    """The names a declaration builds on: its bases, or the members of an intersection."""
    if isinstance(declared, Interface):
        return [base.name for base in declared.bases]
    if isinstance(declared.type, Intersection):
        return [member.name for member in declared.type.members if isinstance(member, Reference)]
    return []


def _deprecations(module: Module) -> Iterator[tuple[str, str | None]]:
    for name, declared in module.types.items():
        if (text := declared.doc.tag("deprecated")) is not None:
            yield name, _since(text)
        body = declared.body if isinstance(declared, Interface) else declared.type
        yield from _deprecated_properties(body, name)


def _deprecated_properties(node: TypeNode, site: str) -> Iterator[tuple[str, str | None]]:
    match node:
        case ObjectLiteral(properties, index, _):
            for item in properties:
                here = f"{site}.{item.name}"
                if (text := item.doc.tag("deprecated")) is not None:
                    yield here, _since(text)
                yield from _deprecated_properties(item.type, here)
            if index is not None:
                yield from _deprecated_properties(index, f"{site}{{}}")
        case ArrayOf(item):
            yield from _deprecated_properties(item, f"{site}[]")
        case RecordOf(value):
            yield from _deprecated_properties(value, f"{site}{{}}")
        case Union(members) | Intersection(members):
            for member in members:
                yield from _deprecated_properties(member, site)
        case _:
            pass


def _since(text: str) -> str | None:
    found = _SINCE.search(text)
    return found[1] if found else None


class _Methods:
    """Builds the method table and checks that nothing is left over."""

    def __init__(self, module: Module, roles: Mapping[str, list[str]]) -> None:
        self._module = module
        self._roles = roles

    def table(self) -> dict[str, Facts]:
        table: dict[str, Facts] = {}
        for method, interface in self._messages():
            if method in table:
                self._fail(interface, f"a second message with the method {method}")
            table[method] = self._entry(interface)
        self._require_members_used(table)
        self._require_results_used(table)
        return table

    def _messages(self) -> Iterator[tuple[str, Interface]]:
        for declared in self._module.types.values():
            if isinstance(declared, Interface) and (method := _method_of(declared)) is not None:
                yield method, declared

    def _entry(self, interface: Interface) -> Facts:
        roles = [role for role in SENDERS if interface.name in self._roles.get(role, ())]
        if not roles:
            self._fail(interface, f"the message {interface.name}, which no union of roles holds")
        kinds = {SENDERS[role][1] for role in roles}
        if len(kinds) != 1:
            self._fail(interface, f"{interface.name} in unions of {' and '.join(sorted(kinds))}")
        kind = kinds.pop()
        params, required = self._params(interface)
        return {
            "kind": kind,
            "sentBy": [SENDERS[role][0] for role in roles],
            "message": interface.name,
            "params": params,
            "paramsRequired": required,
            "results": [] if kind == "notification" else self._results(interface, roles),
        }

    def _params(self, interface: Interface) -> tuple[str | None, bool]:
        owner = interface
        item = members_of(self._module, interface).properties.get("params")
        if item is None:
            return None, False
        while all(own.name != "params" for own in owner.body.properties):
            owner = self._base_with_params(owner)
        name = item.type.name if isinstance(item.type, Reference) else f"{owner.name}.params"
        return name, not item.optional

    def _base_with_params(self, interface: Interface) -> Interface:
        # The last base that has a property is the one it is taken from.
        for base in reversed(interface.bases):
            omitted = base.keys if isinstance(base, OmitFrom) else ()
            found = self._module.interface(base.name)
            if (
                found
                and "params" not in omitted
                and "params" in members_of(self._module, found).properties
            ):
                return found
        self._fail(interface, f"{interface.name} with params that no interface declares")

    def _results(self, interface: Interface, roles: list[str]) -> list[str]:
        stem = interface.name.removesuffix("Request")
        if response := self._module.interface(f"{stem}ResultResponse"):
            results = self._response_results(response)
        else:
            named = f"{stem}Result" in self._module.types
            results = [f"{stem}Result" if named else "EmptyResult"]
        for answers in (_ANSWERS[role] for role in roles):
            for result in results:
                if result not in self._roles.get(answers, ()):
                    self._fail(interface, f"{result} for {interface.name}, which {answers} lacks")
        return results

    def _response_results(self, response: Interface) -> list[str]:
        """The results a `…ResultResponse` interface names, the ordinary one first."""
        item = next((own for own in response.body.properties if own.name == "result"), None)
        node = item.type if item else None
        members = node.members if isinstance(node, Union) else (node,)
        names = [member.name for member in members if isinstance(member, Reference)]
        if len(names) != len(members):
            self._fail(response, f"{response.name} without named results")
        return names

    def _require_members_used(self, table: Mapping[str, Facts]) -> None:
        messages = {entry["message"] for entry in table.values()}
        for role in SENDERS:
            for name in self._roles.get(role, ()):
                if name not in messages:
                    declared = self._module.types[name]
                    raise SchemaError(
                        f"{self._module.path}:{declared.line}",
                        f"found {name} in {role}, expected an interface with a `method` literal",
                    )

    def _require_results_used(self, table: Mapping[str, Facts]) -> None:
        used = {name for entry in table.values() for name in entry["results"]}
        for role in dict.fromkeys(_ANSWERS.values()):
            for name in self._roles.get(role, ()):
                if name not in used and name != "EmptyResult":
                    declared = self._module.types[name]
                    raise SchemaError(
                        f"{self._module.path}:{declared.line}",
                        f"found {name} in {role}, but no request that it answers",
                    )

    def _fail(self, interface: Interface, what: str) -> NoReturn:
        raise SchemaError(f"{self._module.path}:{interface.line}", f"found {what}")


def _method_of(interface: Interface) -> str | None:
    for item in interface.body.properties:
        if item.name == "method" and isinstance(item.type, Literally):
            return item.type.value if isinstance(item.type.value, str) else None
    return None
