"""How long a session waits, and how much it does at once."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import describe

__all__ = ["MOST_WAITING", "Limits", "require_seconds"]

MOST_WAITING = 1 << 25
"""Bytes of requests, and of notifications, that may wait for others to be served."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The settings of a session; times are in seconds, and None means without limit.

    `requests` is how many requests of the peer run at once, and how many notifications; the
    others wait in their order, and when these take up 32 MiB, more requests are refused, and the
    oldest notifications left out.
    `timeout` is for requests that are made without one; those that stay open until something
    happens, `subscriptions/listen` and `tasks/result`, have none then. With
    `progress_restarts` each progress of a request starts its time anew, up to `total_timeout`
    since it was made, which is required then; it too is not for requests that stay open, nor
    for pings and the handshake. `ping_timeout` and `probe_timeout` are for the answer to a
    ping, and to the question which versions a server speaks. After `keepalive` without a
    message in either direction a ping is sent. `stall` is how long a peer that asks for much
    may leave the answers unread. `grace` is what running handlers have at the end.
    """

    requests: int = 128
    timeout: float | None = 300.0
    total_timeout: float | None = None
    progress_restarts: bool = False
    ping_timeout: float = 5.0
    probe_timeout: float = 5.0
    keepalive: float | None = None
    stall: float | None = 60.0
    grace: float = 2.0

    def __post_init__(self) -> None:
        """Raises `ValueError` for a value that makes no sense, such as a keepalive under 1 s.

        `TypeError` for one that is no number.
        """
        for name in ("requests", "grace"):
            _require_number(name, getattr(self, name))
        if self.keepalive is not None:
            _require_number("keepalive", self.keepalive)
        if not self.requests >= 1:
            raise ValueError(f"requests: expected at least 1, found {self.requests}")
        if self.keepalive is not None and not self.keepalive >= 1:
            raise ValueError(f"keepalive: expected at least 1 s, found {self.keepalive}")
        for name in ("timeout", "total_timeout", "ping_timeout", "probe_timeout", "stall"):
            require_seconds(name, getattr(self, name))
        if self.progress_restarts and self.total_timeout is None:
            raise ValueError("total_timeout: expected one with progress_restarts, found None")
        if not self.grace >= 0:
            raise ValueError(f"grace: expected at least 0 s, found {self.grace}")


def require_seconds(name: str, value: float | None) -> None:
    """Raise `ValueError` for a time limit over from the start, `TypeError` for no number."""
    if value is None:
        return
    _require_number(name, value)
    if not value > 0:
        raise ValueError(f"{name}: expected more than 0 s, found {value}")


def _require_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name}: expected a number, found {describe(value)}")
