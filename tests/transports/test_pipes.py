"""The transport over two streams: pipes, files, and what goes wrong with them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, TypeVar

import pytest
from mcp_wire import ConnectionClosed
from mcp_wire.runtime.memory import memory_pair
from mcp_wire.runtime.pipes import PipeTransport
from mcp_wire.runtime.transport import BatchTransport, Transport

T = TypeVar("T")

MAX_BYTES = 64 << 20


def run(test: Callable[[], Awaitable[T]], seconds: float = 20) -> T:
    async def limited() -> T:
        async with asyncio.timeout(seconds):
            return await test()

    return asyncio.run(limited())


def files(reading: int, writing: int) -> tuple[IO[bytes], IO[bytes]]:
    return open(reading, "rb", 0), open(writing, "wb", 0)


@asynccontextmanager
async def joined() -> AsyncIterator[tuple[PipeTransport, PipeTransport]]:
    """Two transports over two pipes."""
    (read_a, write_b), (read_b, write_a) = os.pipe(), os.pipe()
    one = PipeTransport(*files(read_a, write_a), max_bytes=MAX_BYTES)
    other = PipeTransport(*files(read_b, write_b), max_bytes=MAX_BYTES)
    await one.open()
    await other.open()
    yield one, other
    await one.close()
    await other.close()


def test_messages_arrive_in_order_until_the_end() -> None:
    async def test() -> list[bytes | None]:
        async with joined() as (one, other):
            await one.send(b"1")
            await one.send_all([b"2", b"3"])
            await one.close()
            return [await other.receive() for _ in range(5)]

    assert run(test) == [b"1", b"2", b"3", None, None]


def test_a_message_is_one_line() -> None:
    async def test() -> None:
        async with joined() as (one, _):
            with pytest.raises(ValueError, match="expected one line"):
                await one.send(b"a\nb")

    run(test)


def test_it_is_a_batch_transport() -> None:
    async def test() -> tuple[bool, Transport]:
        async with joined() as (one, _):
            return isinstance(one, BatchTransport), one

    assert run(test)[0]


def test_nobody_waits_when_both_write_a_lot() -> None:
    """Ten megabytes each way, while each side writes all of it before it takes anything."""
    message = b"x" * 10_000
    count = 1000

    async def exchange(transport: PipeTransport) -> int:
        async def send() -> None:
            for _ in range(count):
                await transport.send(message)

        sending = asyncio.create_task(send())
        found = 0
        while found < count:
            assert await transport.receive() == message
            found += 1
        await sending
        return found

    async def test() -> list[int]:
        async with joined() as pair:
            return await asyncio.gather(*map(exchange, pair))

    assert run(test) == [count, count]


def test_sending_waits_for_a_reader() -> None:
    async def test() -> None:
        async with joined() as (one, other):
            sending = asyncio.create_task(one.send_all([b"x" * 1_000_000] * 8))
            done, _ = await asyncio.wait([sending], timeout=0.2)
            assert not done
            for _ in range(8):
                assert await other.receive() == b"x" * 1_000_000
            await sending

    run(test)


def test_a_large_message() -> None:
    async def test() -> bytes | None:
        async with joined() as (one, other):
            sending = asyncio.create_task(one.send(b"x" * 10_000_000))
            received = await other.receive()
            await sending
            return received

    assert run(test) == b"x" * 10_000_000


def test_sending_to_nobody() -> None:
    async def test() -> None:
        async with joined() as (one, other):
            await other.close()
            assert await one.receive() is None
            with pytest.raises(ConnectionClosed):
                await one.send(b"x")

    run(test)


def test_a_sender_that_waits_learns_of_the_end() -> None:
    """The other side reads nothing, and then closes what it reads from."""

    async def test() -> None:
        (read_a, write_b), (read_b, write_a) = os.pipe(), os.pipe()
        one = PipeTransport(*files(read_a, write_a), max_bytes=MAX_BYTES)
        await one.open()
        sending = asyncio.create_task(one.send(b"x" * 10_000_000))
        await asyncio.sleep(0.05)
        assert not sending.done()
        os.close(read_b)
        with pytest.raises(ConnectionClosed):
            await sending
        os.close(write_b)
        await one.close()

    run(test)


def test_end_when_the_other_side_reads_no_more() -> None:
    """The other side closed what it reads from, and nothing else."""

    async def test() -> None:
        (read_a, write_b), (read_b, write_a) = os.pipe(), os.pipe()
        one = PipeTransport(*files(read_a, write_a), max_bytes=MAX_BYTES)
        await one.open()
        os.write(write_b, b"last\n")
        os.close(read_b)
        assert await one.receive() == b"last"
        assert await one.receive() is None
        with pytest.raises(ConnectionClosed):
            await one.send(b"x")
        os.close(write_b)
        await one.close()

    run(test)


def test_closing_does_not_wait_for_a_peer_that_reads_nothing() -> None:
    async def test() -> None:
        async with joined() as (one, _):
            sending = asyncio.create_task(one.send_all([b"x" * 1_000_000] * 8))
            await asyncio.sleep(0.05)
            await one.close()
            with pytest.raises(ConnectionClosed):
                await sending

    run(test, 5)


def test_closing_twice() -> None:
    async def test() -> None:
        async with joined() as (one, _):
            await asyncio.gather(one.close(), one.close())
            assert await one.receive() is None
            with pytest.raises(ConnectionClosed):
                await one.send(b"x")

    run(test)


def test_files(tmp_path: Path) -> None:
    requests, answers = tmp_path / "requests", tmp_path / "answers"
    requests.write_bytes(b"1\n" * 100_000 + b"2")

    async def test() -> list[bytes]:
        descriptors = os.open(requests, os.O_RDONLY), os.open(answers, os.O_WRONLY | os.O_CREAT)
        transport = PipeTransport(*files(*descriptors), max_bytes=MAX_BYTES)
        await transport.open()
        await transport.send_all([b"a", b"b"])
        found: list[bytes] = []
        while (message := await transport.receive()) is not None:
            found.append(message)
        await transport.close()
        return found

    assert run(test) == [b"1"] * 100_000 + [b"2"]
    assert answers.read_bytes() == b"a\nb\n"


def test_null_device() -> None:
    async def test() -> bytes | None:
        descriptors = os.open(os.devnull, os.O_RDONLY), os.open(os.devnull, os.O_WRONLY)
        transport = PipeTransport(*files(*descriptors), max_bytes=MAX_BYTES)
        await transport.open()
        await transport.send(b"x")
        received = await transport.receive()
        await transport.close()
        return received

    assert run(test) is None


def test_full_disk(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        reading, writing = os.pipe()
        transport = PipeTransport(
            *files(reading, os.open("/dev/full", os.O_WRONLY)), max_bytes=MAX_BYTES
        )
        await transport.open()
        for _ in range(2):
            with pytest.raises(ConnectionClosed):
                await transport.send(b"x")
        assert await transport.receive() is None
        os.close(writing)
        await transport.close()

    run(test)
    assert "No space left on device" in caplog.text


def test_memory_pair() -> None:
    async def test() -> None:
        one, other = memory_pair()
        transport: Transport = one
        await transport.send(b"1")
        receiving = asyncio.create_task(one.receive())
        await other.send(b"2")
        assert (await other.receive(), await receiving) == (b"1", b"2")
        await other.send(b"3")
        await other.close()
        assert [await one.receive(), await one.receive()] == [b"3", None]
        with pytest.raises(ConnectionClosed):
            await one.send(b"4")

    run(test)
