"""What a session has to know of the versions it speaks before it loads one of them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["VersionFacts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionFacts:
    """The traits of a version that no type of it shows.

    `version` is its name as it is sent. `stateless` says that there is no handshake: each
    request carries version and capabilities, and only clients send requests. `has_ping` and
    `batches` say whether the version has these, `null_id` whether an error carries a null id
    when the request's cannot be read, instead of none.
    """

    version: str
    stateless: bool
    has_ping: bool
    batches: bool
    null_id: bool
