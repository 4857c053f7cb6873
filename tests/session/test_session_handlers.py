"""Handlers of sessions: which can serve, in which versions, and what those that cannot end in."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import mcp_wire
import pytest
from mcp_wire import (
    Limits,
    RpcError,
    Session,
)

from .peers import (
    LATEST,
    MODERN,
    OLDEST,
    initialize,
    modern,
    notification,
    request,
    stateful,
)
from .pipes import Tools, joined, pair, run


def test_a_handler_class_speaks_its_own_version() -> None:
    mcp = mcp_wire.v2025_06_18

    async def main() -> None:
        handler = mcp.ServerHandler(mcp.Implementation(name="own", version="1"))
        async with joined(handler) as (session, server):
            assert session.version == "2025-06-18"
            assert server.handler is handler
        with pytest.raises(ValueError, match="2025-06-18"):
            Session(pair()[0], handler, role="server", versions=[OLDEST])
        with pytest.raises(ValueError, match="server"):
            Session(pair()[0], handler, role="client")

    run(main())


def test_an_object_of_no_handler_class_needs_versions() -> None:
    async def main() -> None:
        with pytest.raises(ValueError, match="at least one, since the handler's class does not"):
            Session(pair()[0], object(), role="server")

    run(main())


@pytest.mark.parametrize(
    ("handler", "role", "versions", "error"),
    [
        (None, "server", None, ValueError),
        (object(), "server", None, ValueError),
        (Tools, "server", ["1999-01-01"], LookupError),
        (Tools, "server", [], ValueError),
        (None, "client", ["1999-01-01"], LookupError),
    ],
)
def test_handlers_that_cannot_be(handler: Any, role: Any, versions: Any, error: Any) -> None:
    async def main() -> None:
        with pytest.raises(error):
            Session(pair()[0], handler, role=role, versions=versions)

    run(main())


class OwnHandler(mcp_wire.v2025_11_25.ServerHandler):
    pass


async def build_later(mcp: Any) -> Any:
    return Tools(mcp)


@pytest.mark.parametrize(
    ("handler", "words"),
    [
        (OwnHandler, "expected an instance of OwnHandler, found the class itself"),
        (build_later, "expected a plain function, found build_later, which is async"),
    ],
)
@pytest.mark.parametrize("role", ["client", "server"])
def test_what_would_make_no_handler(handler: Any, words: str, role: Any) -> None:
    async def main() -> None:
        with pytest.raises(TypeError, match=f"handler: {words}"):
            Session(pair()[0], handler, role=role)

    run(main())


@pytest.mark.parametrize(
    ("versions", "error", "words"),
    [
        (LATEST, TypeError, "expected a list of versions, found the string '2025-11-25'"),
        ([], ValueError, "expected at least one, found none"),
        (None, ValueError, "expected at least one, since the handler's class does not say"),
        (["1999-01-01"], LookupError, "no protocol version '1999-01-01'; this package has 2024-11"),
    ],
)
def test_versions_that_cannot_be_spoken(versions: Any, error: type[Exception], words: str) -> None:
    async def main() -> None:
        with pytest.raises(error, match=words):
            Session(pair()[0], Tools(mcp_wire.v2025_11_25), role="server", versions=versions)

    run(main())


@pytest.mark.parametrize(
    ("build", "found"),
    [
        (lambda mcp: build_later(mcp), "coroutine"),
        (lambda _: None, "None"),
        (lambda _: int, "type"),
    ],
)
def test_a_function_that_makes_no_handler(build: Any, found: str) -> None:
    async def main() -> None:
        session = Session(pair()[0], build, role="client", versions=[LATEST])
        with pytest.raises(TypeError, match=f"v2025_11_25: expected an object, found {found}"):
            await session.start()
        await session.close()

    run(main())


@pytest.mark.parametrize("error", [RuntimeError, asyncio.CancelledError])
def test_a_handler_that_cannot_be_made(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def build(mcp: Any) -> Any:
        raise error("of the factory")

    async def main() -> None:
        near, far = pair()
        session = Session(far, build, role="server")
        await session.start()
        await near.say(initialize(LATEST, 1))
        answer = await near.hear()
        assert answer["error"] == {"code": -32603, "message": "Internal error"}
        await near.say(request("ping", 2))
        assert (await near.hear())["result"] == {}
        await session.close()

    run(main())
    assert "of the factory" in caplog.text


def test_many_requests_that_no_handler_can_be_made_for() -> None:
    """Each that is refused makes room for the next: they are refused in a row, and all of them."""

    def build(mcp: Any) -> Any:
        if mcp is mcp_wire.load(MODERN):
            raise RuntimeError("of the factory")
        return Tools(mcp)

    async def main() -> None:
        near, far = pair()
        session = Session(far, build, role="server", limits=Limits(requests=1, grace=0.1))
        await session.start()
        await near.say(initialize(LATEST, 0))
        await near.hear()
        await near.say(request("tools/call", "hangs", name="hang"))
        for id in range(1, 2001):
            await near.say(modern("tools/call", id, name="x"))
        await near.say(notification("notifications/cancelled", requestId="hangs"))
        answers = [await near.hear() for _ in range(2000)]
        assert {answer["error"]["code"] for answer in answers} == {-32603}
        await near.say(request("tools/call", "next", name="echo", arguments={"text": "x"}))
        assert (await near.hear())["id"] == "next"
        await session.close()

    logging.disable(logging.ERROR)
    try:
        run(main())
    finally:
        logging.disable(logging.NOTSET)


@stateful
def test_a_client_without_a_handler_serves_nothing(version: str) -> None:
    async def main() -> None:
        async with joined(Tools, versions=[version]) as (session, server):
            assert session.handler is None
            with pytest.raises(mcp_wire.CapabilityError):
                await server.client.list_roots()
            with pytest.raises(RpcError) as caught:
                await server.request("roots/list", None)
            assert caught.value.code == -32601

    run(main())


def test_stubs_are_those_of_the_other_side() -> None:
    async def main() -> None:
        near, far = pair()
        serving = Session(far, Tools, role="server", versions=[LATEST])
        with pytest.raises(RuntimeError, match="version"):
            _ = serving.client
        await serving.start()
        async with Session(near, role="client", versions=[LATEST]) as session:
            assert session.server is session.server
            with pytest.raises(RuntimeError, match="client"):
                _ = session.client
            with pytest.raises(RuntimeError, match="server"):
                _ = serving.server
        await serving.wait_closed()

    run(main())
