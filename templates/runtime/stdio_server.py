"""Servers over stdio: sessions, and other uses, of this process's standard streams."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from .asyncio_session import Session
from .limits import Limits
from .lines import MAX_LINE
from .pipes import PipeTransport
from .standard_streams import taken_standard_streams

__all__ = ["serve_stdio", "stdio_transport"]


async def serve_stdio(
    handler: object,
    *,
    versions: Sequence[str] | None = None,
    limits: Limits | None = None,
    max_bytes: int = MAX_LINE,
) -> None:
    """Serve over standard input and output until the client closes them.

    `handler` is a `ServerHandler`, a function that makes a handler from a version's module, or
    any other object with the right methods, for the one version given. `versions` are those
    to speak, all that the handler can unless given; `max_bytes` is how long a message may be.
    What handlers print, and what their child processes write, goes to standard error. Raises
    `ValueError` for versions the handler cannot speak, and `OSError` when the streams are not
    open.
    """
    async with stdio_transport(max_bytes=max_bytes) as transport:
        await Session(transport, handler, role="server", versions=versions, limits=limits).run()


@asynccontextmanager
async def stdio_transport(*, max_bytes: int = MAX_LINE) -> AsyncGenerator[PipeTransport]:
    """Take this process's standard input and output, and give the transport over them.

    Meanwhile nobody else can read from the one, and what is written to the other goes to
    standard error. Afterwards both are what they were. A message may have `max_bytes`. Raises
    `OSError` when they are not open.
    """
    with taken_standard_streams() as streams:
        transport = PipeTransport(*streams, max_bytes=max_bytes)
        await transport.open()
        try:
            yield transport
        finally:
            await transport.close()
