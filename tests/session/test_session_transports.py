"""Sessions over transports that fail, and over those that are full."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from mcp_wire import (
    ConnectionClosed,
    Limits,
    RequestTimeout,
    Session,
)

from .peers import LATEST, MODERN
from .pipes import Pipe, Tools, pair, run, text_of


class Broken(Pipe):
    """A transport that fails in a way it should not."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where

    async def receive(self) -> bytes | None:
        if self.where == "receive":
            raise OSError("of the pipe")
        return await super().receive()

    async def send(self, message: bytes) -> None:
        if self.where == "send":
            raise OSError("of the pipe")

    async def close(self) -> None:
        if self.where == "close":
            raise OSError("of the pipe")


@pytest.mark.parametrize("where", ["receive", "send", "close"])
def test_a_transport_that_fails_ends_the_session(
    where: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)

    async def main() -> None:
        session = Session(Broken(where), role="client", versions=[LATEST], limits=Limits(timeout=1))
        with pytest.raises((ConnectionClosed, RequestTimeout)):
            await session.start()

    run(main())
    assert "of the pipe" in caplog.text


def test_writing_waits_for_a_reader_and_reading_goes_on() -> None:
    """Both sides write far more than fits, before either answer is read."""

    class Chatty(Tools):
        capabilities: Any = {"logging": {}, "tools": {}}  # noqa: RUF012

        async def call_tool(self, params: Any, ctx: Any) -> Any:
            await ctx.log("info", "x" * 100_000)
            return self.text(params.arguments["text"])

    async def main() -> None:
        near, far = pair(limit=2)
        server = Session(far, Chatty, role="server", versions=[LATEST])
        await server.start()
        async with Session(near, role="client", versions=[LATEST]) as session:
            calls = [
                session.server.call_tool(name="x", arguments={"text": "y" * 100_000})
                for _ in range(100)
            ]
            answers = await asyncio.gather(*calls)
            assert all(len(text_of(answer)) == 100_000 for answer in answers)
        await server.wait_closed()

    run(main())


def test_notifications_wait_for_room() -> None:
    async def main() -> None:
        near, far = pair(limit=1)
        session = Session(far, Tools, role="server", versions=[MODERN], limits=Limits(grace=0.1))
        await session.start()
        sending = asyncio.ensure_future(_flood(session))
        await asyncio.sleep(0.05)
        assert not sending.done()
        for _ in range(50):
            assert (await near.hear())["method"] == "acme/x"
        await sending
        await session.close()

    async def _flood(session: Session) -> None:
        for _ in range(50):
            await session.notify("acme/x", {"text": "x" * 100_000})

    run(main())
