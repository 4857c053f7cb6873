"""The traits of a version that sessions have to know before they load its module."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.model import Protocol
from .call_types import param_objects

__all__ = ["Facts", "protocol_version", "version_facts"]


@dataclass(frozen=True, slots=True)
class Facts:
    """A row of the table of versions; `templates/runtime/facts.py` says what each means.

    `name` is the folder's, `version` what is sent; a draft has not been released.
    """

    name: str
    version: str
    released: bool
    stateless: bool
    has_ping: bool
    batches: bool
    null_id: bool


def version_facts(protocol: Protocol) -> Facts:
    """Return the traits of a version."""
    types = {declared.name: declared for declared in protocol.types}
    requests = {method.method for method in protocol.methods if method.kind == "request"}
    return Facts(
        name=protocol.version,
        version=protocol_version(protocol),
        released=protocol.version != "draft",
        stateless="initialize" not in requests,
        has_ping="ping" in requests,
        batches=protocol.batches,
        null_id=any(
            field.wire_name == "id" and field.required
            for declared in param_objects("JSONRPCError", types)
            for field in declared.fields
        ),
    )


def protocol_version(protocol: Protocol) -> str:
    """Return the version as it is sent; the draft's is not the name of its folder."""
    for constant in protocol.constants:
        if constant.name == "LATEST_PROTOCOL_VERSION" and isinstance(constant.value, str):
            return constant.value
    return protocol.version
