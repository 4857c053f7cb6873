"""The client's end of stdio: a child process, its pipes, and an orderly end of both."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, TypeAlias

from .child import DEFAULT_GRACE, Child
from .descriptors import DescriptorReader
from .errors import ConnectionClosed
from .lines import MAX_LINE, LineSplitter, LongLine
from .pipes import PipeTransport

__all__ = ["ChildTransport", "StderrSink"]

_log = logging.getLogger(__name__)

StderrSink: TypeAlias = Callable[[str], object] | logging.Logger | None
"""Where a child's standard error goes: each line to a function or a logger, or, for None,
all of it to this process's own."""

_EXIT_SECONDS = 0.5
"""How long the end waits for what is behind it: a process closes its pipes before it is gone."""

_POLL_SECONDS = 0.05
_STDERR_SECONDS = 0.5
_STDERR_LINE = 1 << 20

_INPUT, _OUTPUT = "standard input", "standard output"


class ChildTransport(PipeTransport):
    """Messages to and from a child process, as `start` makes it.

    When the child exits, what it has written is still received. Closing the transport closes
    the child's input, waits `grace` seconds for it to exit, sends SIGTERM, waits as long
    again, and kills it, with whatever it has started.
    """

    def __init__(self, child: Child, stderr: StderrSink, grace: float, max_bytes: int) -> None:
        super().__init__(child.stdout, child.stdin, max_bytes=max_bytes)
        self._child = child
        self._grace = grace
        self._stderr = None if child.stderr is None else _StderrReader(child.stderr, stderr)
        self._closed: list[str] = []
        self._exited = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        stderr: StderrSink = None,
        grace: float = DEFAULT_GRACE,
        max_bytes: int = MAX_LINE,
    ) -> ChildTransport:
        """Start `argv` as a child, and return the transport to it. Raises what `Child` raises."""
        child = Child(argv, env=env, cwd=cwd, capture_stderr=stderr is not None)
        try:
            transport = cls(child, stderr, grace, max_bytes)
            await transport.open()
        except BaseException:
            child.kill()
            child.close_pipes()
            raise
        return transport

    async def open(self) -> None:
        """Start reading and writing, and watching the child."""
        self._watch()
        try:
            await super().open()
            if self._stderr is not None:
                await self._stderr.open()
        except BaseException:
            self.abort()
            if self._stderr is not None:
                self._stderr.abort()
            raise

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._child.pid

    @property
    def exit_description(self) -> str:
        """How the child ended, or that it is still running, for people."""
        return self._child.describe_exit()

    @property
    def end_reason(self) -> str:
        """Why there are no more messages: how the child ended, or which of its streams it closed.

        An end of our own making needs no more words.
        """
        reason = "the connection is closed"
        if self._stopping is not None or not (self._exited.is_set() or self._closed):
            return reason
        if self._exited.is_set():
            return f"{reason}: {self.exit_description}"
        streams = " and its ".join(self._closed)
        return f"{reason}: {self._child.command!r} closed its {streams}, and was still running"

    async def send_all(self, messages: Sequence[bytes]) -> None:
        """Send messages with one write; an error says how the child ended."""
        try:
            await super().send_all(messages)
        except ConnectionClosed as error:
            if self._stopping is None:
                await self._exits_within(_EXIT_SECONDS)
            raise ConnectionClosed(self.end_reason) from error

    async def close(self) -> None:
        """End the child, and close the pipes."""
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop())
            self._stopping.add_done_callback(self._on_stopped)
        await asyncio.wait((self._stopping,))
        if not self._stopping.cancelled():
            self._stopping.result()

    async def _stop(self) -> None:
        try:
            self.finish_writing()
            for seconds in self._child.stopping(self._grace):
                if await self._exits_within(seconds):
                    break
            else:
                _log.warning("%s after it was killed", self.exit_description)
        finally:
            if self._watching is not None:
                self._watching.cancel()
            self.abort()
        if self._stderr is not None:
            await self._stderr.close()

    def _on_stopped(self, stopping: asyncio.Task[None]) -> None:
        """Leave no child where the task has been cancelled, maybe before it began."""
        if stopping.cancelled():
            self._child.kill()
            if self._watching is not None:
                self._watching.cancel()
            self.abort()

    async def _exits_within(self, seconds: float) -> bool:
        self._watch()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._exited.wait()
        return self._exited.is_set()

    def _watch(self) -> None:
        """Watch the child, anew where all tasks have been cancelled, as at the end of a program."""
        if self._watching is None or self._watching.cancelled() or self._watching.cancelling():
            self._watching = asyncio.create_task(self._note_exit())

    async def _note_exit(self) -> None:
        """Note that the child has exited: whatever it started may keep the pipes open."""
        await _wait_for_exit(self._child)
        self._exited.set()
        if _OUTPUT in self._closed:
            self._inbox.end()
        else:
            self.linger()

    def _on_source_end(self) -> None:
        self._closed.append(_OUTPUT)
        self._inbox.put(self._splitter.finish())
        if self._exited.is_set():
            self._inbox.end()
        else:
            asyncio.get_running_loop().call_later(_EXIT_SECONDS, self._inbox.end)

    def _on_sink_lost(self) -> None:
        self._closed.append(_INPUT)
        self.linger()


class _StderrReader:
    """Gives a function each line that a child writes to its standard error."""

    def __init__(self, pipe: IO[bytes], sink: StderrSink) -> None:
        self._sink = sink.info if isinstance(sink, logging.Logger) else sink
        self._splitter = LineSplitter(_STDERR_LINE)
        self._reader = DescriptorReader(pipe, self._take, self._on_end)
        self._ended = asyncio.Event()

    async def open(self) -> None:
        """Begin to read."""
        await self._reader.open()

    async def close(self) -> None:
        """Read what is left, for a short time, and close the pipe."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_STDERR_SECONDS):
                await self._ended.wait()
        self.abort()

    def abort(self) -> None:
        """Close the pipe at once."""
        self._reader.close()

    def _take(self, data: bytes) -> None:
        self._give(self._splitter.feed(data))

    def _on_end(self) -> None:
        self._give(self._splitter.finish())
        self._ended.set()

    def _give(self, lines: Sequence[bytes]) -> None:
        for line in lines:
            if isinstance(line, LongLine):
                _log.warning("left out of standard error: %s", line.decode())
                continue
            try:
                if self._sink is not None:
                    self._sink(line.decode(errors="replace"))
            except Exception:
                _log.exception("the function for lines of standard error failed")


async def _wait_for_exit(child: Child) -> None:
    """Return once a child has exited: told by the system where it can tell, else by asking."""
    try:
        descriptor = os.pidfd_open(child.pid) if hasattr(os, "pidfd_open") else None
    except OSError:
        descriptor = None
    if descriptor is not None:
        await _readable(descriptor)
    while not child.has_exited():
        await asyncio.sleep(_POLL_SECONDS)


async def _readable(descriptor: int) -> None:
    """Wait until a descriptor can be read, and close it."""
    loop = asyncio.get_running_loop()
    event = asyncio.Event()
    loop.add_reader(descriptor, event.set)
    try:
        await event.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
