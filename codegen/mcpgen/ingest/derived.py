"""Finds the sites of the derivations, which the Model applies on top of the faithful schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..graphs import reachable
from .declarations import Interface, Module, ObjectLiteral, Property
from .members import members_of

# The messages that stand for any method.
GENERIC = ("JSONRPCRequest", "JSONRPCNotification")


def derived_facts(module: Module, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The sites of the derivations, which the Model applies on top of the faithful schema.

    *frames*: messages that declare neither `jsonrpc` nor `id`, though they are sent as whole
    JSON-RPC messages. *meta*: params objects without `_meta` in messages whose base grants
    it, each with the site that the grant is declared at. *generic*: params of the messages
    that stand for any method, where the schema names a member of theirs.
    """
    frames = [
        entry["message"]
        for entry in facts["methods"].values()
        if entry["kind"] != "embedded" and not _has(module, entry["message"], "jsonrpc")
    ]
    meta: dict[str, str] = {}
    for base in ("Request", "Notification"):
        if grant := _meta_grant(module, base):
            meta |= dict.fromkeys(_params_without_meta(module, base), grant)
    generic = [f"{name}.params" for name in GENERIC if _names_params(module, name)]
    return {"frames": frames, "meta": meta, "generic": generic}


def _names_params(module: Module, name: str) -> bool:
    """Whether the params of a message are an object with named members."""
    interface = module.interface(name)
    params = members_of(module, interface).properties.get("params") if interface else None
    node = params.type if params else None
    return isinstance(node, ObjectLiteral) and bool(node.properties)


def _has(module: Module, name: str, wire_name: str) -> bool:
    interface = module.interface(name)
    return interface is not None and wire_name in members_of(module, interface).properties


def _meta_grant(module: Module, base: str) -> str | None:
    """Where `_meta` of a request's or notification's params is declared."""
    interface = module.interface(base)
    params = _own_property(interface, "params") if interface else None
    inline = params.type.properties if params and isinstance(params.type, ObjectLiteral) else ()
    if any(item.name == "_meta" for item in inline):
        return f"{base}.params._meta"
    return f"{base}Params._meta" if _has(module, f"{base}Params", "_meta") else None


def _params_without_meta(module: Module, base: str) -> Iterator[str]:
    interfaces = [item for item in module.types.values() if isinstance(item, Interface)]
    extends = {item.name: [above.name for above in item.bases] for item in interfaces}
    for interface in interfaces:
        if base not in reachable(interface.name, extends):
            continue
        params = _own_property(interface, "params")
        if params and isinstance(params.type, ObjectLiteral):
            known = any(item.name == "_meta" for item in params.type.properties)
            # `{ [key: string]: any }` alone stands for any params, not for particular ones.
            if not known and params.type.properties:
                yield f"{interface.name}.params"


def _own_property(interface: Interface, name: str) -> Property | None:
    return next((item for item in interface.body.properties if item.name == name), None)
