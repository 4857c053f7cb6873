"""Functions in threads: what they give and raise, how many, and that nobody waits for them."""

from __future__ import annotations

import asyncio
import contextvars
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import mcp_wire
import pytest
from mcp_wire.runtime import threads
from mcp_wire.runtime.threads import Jobs, in_thread


def fail() -> None:
    raise LookupError("no")


def test_results_and_errors() -> None:
    async def test() -> None:
        assert await in_thread(divmod, 7, 2) == (3, 1)
        with pytest.raises(LookupError, match="no"):
            await in_thread(fail)
        with pytest.raises(SystemExit):
            await in_thread(sys.exit, 3)
        # A future cannot hold this one.
        with pytest.raises(RuntimeError, match="StopIteration"):
            await in_thread(next, iter(()))

    asyncio.run(test())


def test_where_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are done even so: whoever waits for them must not wait for ever."""

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def test() -> list[str]:
        done: list[str] = []
        jobs = Jobs()
        monkeypatch.setattr(threads, "_idle", [])
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", refuse)
            with pytest.raises(RuntimeError, match="can't start"):
                await in_thread(fail, jobs=jobs)
        jobs.when_done(lambda: done.append("at once"))
        with pytest.raises(LookupError):
            await in_thread(fail, jobs=jobs)
        jobs.when_done(lambda: done.append("and later"))
        return done

    assert asyncio.run(test()) == ["at once", "and later"]


def test_context_is_the_callers() -> None:
    variable = contextvars.ContextVar("variable", default="outside")

    async def test() -> str:
        variable.set("inside")
        return await in_thread(variable.get)

    assert asyncio.run(test()) == "inside"


def test_there_is_a_thread_for_each() -> None:
    together = threading.Barrier(60, timeout=10)

    async def test() -> None:
        await asyncio.gather(*(in_thread(together.wait) for _ in range(60)))

    asyncio.run(test())


def test_threads_are_used_again() -> None:
    async def test() -> set[int]:
        return {await in_thread(threading.get_ident) for _ in range(10)}

    assert len(asyncio.run(test())) <= 2


def test_cancelled_caller_does_not_wait() -> None:
    release = threading.Event()

    async def test() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(in_thread(release.wait, 10), 0.05)
        release.set()
        await asyncio.sleep(0.05)

    started = time.monotonic()
    asyncio.run(test())
    assert time.monotonic() - started < 5


def test_process_ends_without_them() -> None:
    code = """
import asyncio, time
from mcp_wire.runtime.threads import in_thread
async def main():
    asyncio.create_task(in_thread(time.sleep, 600))
    await asyncio.sleep(0.1)
asyncio.run(main())
"""
    folder = Path(mcp_wire.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, timeout=20, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_forked_process_has_threads_of_its_own() -> None:
    asyncio.run(in_thread(int))
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(5)
            status = asyncio.run(in_thread(int))
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert status == 0
