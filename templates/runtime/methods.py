"""What is known of a method of the protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["MethodInfo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodInfo:
    """A row of a version's method table.

    `message`, `params` and `results` are names of types, as `decode_as` takes them; the
    ordinary result comes first, and `params` is None where the method has none at all.
    `embedded` requests travel inside a result instead of being messages of their own.
    `capability` is the dotted path of what the receiver must have advertised, None where
    nothing is needed; `deprecated` says since when, None where the method is not.
    """

    method: str
    python_name: str
    kind: Literal["request", "notification", "embedded"]
    sent_by: tuple[Literal["client", "server"], ...]
    message: str
    params: str | None
    params_required: bool
    results: tuple[str, ...]
    capability: str | None
    deprecated: str | None
