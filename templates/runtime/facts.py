"""What a session has to know of its side, and of the versions it speaks before it loads one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Side", "VersionFacts"]

Side: TypeAlias = Literal["client", "server"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionFacts:
    """The traits of a version that no type of it shows.

    `version` is its name as it is sent, which a draft may share with a version. One that is
    not `released` is spoken only when it is asked for. `stateless` says that there is no
    handshake: each request carries version and capabilities, and only clients send requests.
    `has_ping` and `batches` say whether the version has these, `null_id` whether an error
    carries a null id when the request's cannot be read, instead of none.
    """

    version: str
    released: bool
    stateless: bool
    has_ping: bool
    batches: bool
    null_id: bool
