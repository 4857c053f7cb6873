"""Clients over stdio: sessions with servers that are child processes, and other uses of them."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from functools import partial
from typing import TypedDict, TypeVar, Unpack

from .asyncio_session import Session
from .child_transport import ChildTransport, StderrSink
from .limits import Limits
from .sync_session import Connect, SyncSession
from .transport import Transport

__all__ = [
    "ChildOptions",
    "child_session",
    "child_session_sync",
    "child_transport",
    "connect_stdio",
    "connect_stdio_sync",
]

S = TypeVar("S", bound=Session)
T = TypeVar("T", bound=SyncSession)


class ChildOptions(TypedDict, total=False):
    """How a server is run as a child process.

    `env` is its whole environment, this process's own unless given, and `cwd` its folder.
    What it writes to standard error goes to this process's own, or line by line to the
    function or logger `stderr`. Closing the session closes its input, and ends it with
    SIGTERM after `grace` seconds, with SIGKILL after twice as many: 5 unless given. A message
    may have `max_bytes`, 64 MiB unless given.
    """

    env: Mapping[str, str] | None
    cwd: str | os.PathLike[str] | None
    stderr: StderrSink
    grace: float
    max_bytes: int


def connect_stdio(
    argv: Sequence[str],
    handler: object = None,
    *,
    versions: Sequence[str] | None = None,
    limits: Limits | None = None,
    **options: Unpack[ChildOptions],
) -> AbstractAsyncContextManager[Session]:
    """Start the server `argv` as a child process, and return the session with it.

        async with connect_stdio(["my-server", "--quiet"]) as session:
            result = await session.server.call_tool(name="add", arguments={"a": 1, "b": 2})

    `handler` serves what the server asks for: a `ClientHandler`, a function that makes a
    handler from a version's module, or None for nothing. `versions` are those to offer, all
    released ones unless given; see `ChildOptions` for the rest. The server is ended with the
    session. Entering raises `OSError` when the command cannot be started, `ConnectionClosed`
    when it ends early, `ProtocolError` when there is no version that both speak or it is no MCP
    server, `RpcError` when it refuses the handshake, and `RequestTimeout` when it says nothing:
    after `Limits.timeout`, and `Limits.probe_timeout` before that where it is to be found out
    whether the server has a handshake; ending it may take `grace` as well.
    """

    def make(transport: Transport) -> Session:
        return Session(transport, handler, role="client", versions=versions, limits=limits)

    return child_session(make, argv, **options)


def connect_stdio_sync(
    argv: Sequence[str],
    handler: object = None,
    *,
    versions: Sequence[str] | None = None,
    limits: Limits | None = None,
    **options: Unpack[ChildOptions],
) -> AbstractContextManager[SyncSession]:
    """Do what `connect_stdio` does, with a session whose calls block.

    with connect_stdio_sync(["my-server", "--quiet"]) as session:
        result = session.server.call_tool(name="add", arguments={"a": 1, "b": 2})
    """

    def make(connect: Connect) -> SyncSession:
        return SyncSession(connect, handler, versions=versions, limits=limits)

    return child_session_sync(make, argv, **options)


@asynccontextmanager
async def child_session(
    make: Callable[[Transport], S],
    argv: Sequence[str],
    **options: Unpack[ChildOptions],
) -> AsyncGenerator[S]:
    """Do what `connect_stdio` does, with the session that `make` makes over a transport."""
    # Not by `child_transport`: an event loop that ends closes nested generators in any order.
    transport = await _start(argv, options)
    try:
        async with make(transport) as session:
            yield session
    finally:
        await transport.close()


@contextmanager
def child_session_sync(
    make: Callable[[Connect], T],
    argv: Sequence[str],
    **options: Unpack[ChildOptions],
) -> Generator[T]:
    """Do what `connect_stdio_sync` does, with the session that `make` makes."""
    with make(partial(_start, argv, options)) as session:
        yield session


@asynccontextmanager
async def child_transport(
    argv: Sequence[str], **options: Unpack[ChildOptions]
) -> AsyncGenerator[ChildTransport]:
    """Start `argv` as a child process, and give the transport to it; it is ended afterwards.

    For messages as they are, as in a proxy: `connect_stdio` makes a session of it. In place of
    one over `max_bytes` comes a short text that says so, and is no JSON. Raises `OSError` when
    the command cannot be started.
    """
    transport = await _start(argv, options)
    try:
        yield transport
    finally:
        await transport.close()


async def _start(argv: Sequence[str], options: ChildOptions) -> ChildTransport:
    """Start a child; what is no option is refused by the name that the caller knows."""
    known = ChildOptions.__annotations__
    for name in options.keys() - known.keys():
        raise TypeError(f"no option {name!r}; those for the process are {', '.join(known)}")
    return await ChildTransport.start(argv, **options)
