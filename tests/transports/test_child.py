"""Child processes: talking to them, and ending them whatever they do."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import mcp_wire
import pytest
from mcp_wire import ConnectionClosed
from mcp_wire.runtime.child_transport import ChildTransport

from .raw import ECHO_SERVER, SECONDS, is_gone_soon, is_running

T = TypeVar("T")

ECHO = "import os, sys\nfor line in sys.stdin.buffer: os.write(1, line)"
STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("deaf", flush=True)
while True: time.sleep(1)
"""
# Its own child keeps the pipes open.
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
{then}
"""


def run(test: Callable[[], Awaitable[T]], seconds: float = 20) -> T:
    async def limited() -> T:
        async with asyncio.timeout(seconds):
            return await test()

    return asyncio.run(limited())


async def start(program: str, **options: Any) -> ChildTransport:
    return await ChildTransport.start([sys.executable, "-c", program], **options)


async def refused(child: ChildTransport) -> str:
    """Send until it is not possible any more, and return why."""
    while True:
        try:
            await child.send(b"x")
        except ConnectionClosed as error:
            return error.reason
        await asyncio.sleep(0.01)


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_echo() -> None:
    async def test() -> tuple[bytes | None, str]:
        child = await start(ECHO)
        await child.send(b"hello")
        received = await child.receive()
        await child.close()
        return received, child.exit_description

    received, ended = run(test)
    assert received == b"hello"
    assert ended == f"{sys.executable!r} exited with status 0"


def test_environment_and_folder(tmp_path: Path) -> None:
    program = "import os; print(os.environ.get('A'), os.environ.get('HOME'), os.getcwd())"

    async def test() -> bytes | None:
        child = await start(program, env={"A": "1"}, cwd=tmp_path)
        received = await child.receive()
        await child.close()
        return received

    assert run(test) == f"1 None {tmp_path}".encode()


@pytest.mark.parametrize(
    ("argv", "error", "text"),
    [
        ("python -c pass", TypeError, "expected a list of arguments, found the string"),
        ([], ValueError, "expected a command"),
        (["/nowhere/at/all"], FileNotFoundError, "/nowhere/at/all"),
        (["/"], PermissionError, "/"),
    ],
)
def test_what_cannot_be_started(argv: Any, error: type[Exception], text: str) -> None:
    async def test() -> None:
        with pytest.raises(error, match=text):
            await ChildTransport.start(argv)

    run(test)


def test_standard_error_goes_to_a_function() -> None:
    program = "import sys; sys.stderr.write('one\\ntwo \\udcff\\n'); sys.stderr.write('three')"
    lines: list[str] = []

    def take(line: str) -> None:
        lines.append(line)
        raise ValueError("a fault of the function does not stop it")

    async def test() -> None:
        child = await start(program, stderr=take)
        assert await child.receive() is None
        await child.close()

    run(test)
    assert lines == ["one", "two \\udcff", "three"]


def test_standard_error_is_drained() -> None:
    """A child that writes more than a pipe holds, and nobody waits for."""
    program = "import sys; sys.stderr.write(('x' * 999 + '\\n') * 1000); print('done')"
    sizes: list[int] = []

    async def test() -> bytes | None:
        child = await start(program, stderr=lambda line: sizes.append(len(line)))
        received = await child.receive()
        await child.close()
        return received

    assert run(test) == b"done"
    assert sizes == [999] * 1000


def test_standard_error_goes_to_a_logger(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        with caplog.at_level(logging.INFO):
            child = await start("import sys; sys.stderr.write('50% %s\\n')", stderr=logger)
            await child.receive()
            await child.close()

    logger = logging.getLogger("a.server")
    run(test)
    assert ("a.server", logging.INFO, "50% %s") in caplog.record_tuples


def test_child_that_exits_early() -> None:
    async def test() -> str:
        child = await start("print('last'); raise SystemExit(3)", stderr=print)
        assert await child.receive() == b"last"
        assert await child.receive() is None
        await asyncio.sleep(0.05)
        with pytest.raises(ConnectionClosed):
            await child.send(b"x")
        await child.close()
        return child.exit_description

    assert run(test).endswith("exited with status 3")


@pytest.mark.parametrize("then", ["raise SystemExit(1)", "sys.stdin.read()"])
def test_what_a_child_leaves_is_killed(then: str) -> None:
    async def test() -> int:
        child = await start(PARENT.format(then=then))
        pid = int(await child.receive() or b"0")
        if "exit" in then.lower():
            assert await child.receive() is None
        await child.close()
        return pid

    assert is_gone_soon(run(test))


def test_child_that_reads_nothing_and_ignores_sigterm(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> tuple[float, str]:
        child = await start(STUBBORN, grace=0.2)
        assert await child.receive() == b"deaf"
        sending = asyncio.create_task(child.send(b"x" * 10_000_000))
        started = time.monotonic()
        await child.close()
        with pytest.raises(ConnectionClosed):
            await sending
        return time.monotonic() - started, child.exit_description

    seconds, ended = run(test)
    assert 0.4 <= seconds < 5
    assert ended.endswith("was still running, and was ended with SIGKILL")
    assert caplog.records == []


def test_sigterm_comes_before_sigkill() -> None:
    async def test() -> str:
        child = await start("import time\nprint(1, flush=True)\ntime.sleep(600)", grace=0.2)
        await child.receive()
        await child.close()
        return child.exit_description

    assert run(test).endswith("was still running, and was ended with SIGTERM")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 5), (signal.SIGKILL, None)])
def test_how_a_child_ends_when_it_is_asked_to(number: signal.Signals, status: int | None) -> None:
    """Whoever sends the signal: one from elsewhere is not one of ours."""
    program = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
print(1, flush=True)
time.sleep(600)
"""

    async def test(by_us: bool) -> str:
        child = await start(program, grace=0.2)
        await child.receive()
        if not by_us:
            os.kill(child.pid, number)
            assert await child.receive() is None
        await child.close()
        return child.exit_description

    theirs, ours = run(lambda: test(by_us=False)), run(lambda: test(by_us=True))
    assert ours.endswith("exited with status 5 after it was sent SIGTERM")
    if status is None:
        assert theirs.endswith("was ended by SIGKILL")
    else:
        assert theirs.endswith(f"exited with status {status}")


@pytest.mark.parametrize(
    ("by", "program", "reason"),
    [
        (
            "receiving",
            "exec 1>&-; sleep 60",
            "'sh' closed its standard output, and was still running",
        ),
        (
            "receiving",
            "exec 0<&-; sleep 60",
            "'sh' closed its standard input, and was still running",
        ),
        ("receiving", "exec 1>&-; sleep 0.2; exit 7", "'sh' exited with status 7"),
        ("receiving", "exec 0<&-; sleep 0.2; exit 7", "'sh' exited with status 7"),
        ("receiving", "kill -TERM $$", "'sh' was ended by SIGTERM"),
        ("receiving", "sleep 60 & exit 3", "'sh' exited with status 3"),
        ("sending", "exec 0<&-; sleep 60", "'sh' closed its standard input, and was still running"),
        ("sending", "exec 0<&-; sleep 0.2; exit 7", "'sh' exited with status 7"),
        ("sending", "kill -TERM $$", "'sh' was ended by SIGTERM"),
    ],
)
def test_why_there_are_no_more_messages(
    by: str, program: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    async def test() -> str:
        child = await ChildTransport.start(["sh", "-c", program], grace=0.2)
        if by == "receiving":
            assert await child.receive() is None
            found = child.end_reason
        else:
            found = await refused(child)
        await child.close()
        assert child.end_reason == "the connection is closed"
        return found

    assert run(test) == f"the connection is closed: {reason}"
    assert capfd.readouterr().err == ""


def test_pipes_that_somebody_else_holds(caplog: pytest.LogCaptureFixture) -> None:
    """The child is gone, and its own child, in a session of its own, keeps the pipes."""
    program = "import subprocess\n" + PARENT.format(then="").replace(
        '600)"]', '3)"], start_new_session=True'
    )

    async def test() -> int:
        child = await start(program)
        pid = int(await child.receive() or b"0")
        assert await child.receive() is None
        await child.close()
        return pid

    pid = run(test)
    assert caplog.records == []
    assert is_gone_soon(pid)


def test_stopped_child() -> None:
    async def test() -> str:
        child = await start(ECHO, grace=0.2)
        await child.send(b"x")
        await child.receive()
        os.kill(child.pid, signal.SIGSTOP)
        await child.close()
        return child.exit_description

    assert run(test).endswith("was still running, and was ended with SIGKILL")


def test_child_that_has_much_to_write_before_it_ends() -> None:
    program = "import sys\nsys.stdin.read()\nsys.stdout.write('x\\n' * 5_000_000)"

    async def test() -> str:
        child = await start(program, grace=10)
        await child.close()
        return child.exit_description

    assert run(test).endswith("exited with status 0")


def test_closing_is_done_once() -> None:
    async def test() -> None:
        child = await start(ECHO)
        await asyncio.gather(child.close(), child.close())
        await child.close()
        assert await child.receive() is None
        with pytest.raises(ConnectionClosed):
            await child.send(b"x")

    run(test)


def test_what_an_exited_child_has_written_is_received_late() -> None:
    """More than is read ahead, and all of it before the child's exit is known."""
    count = 1110
    program = f"import os\nfor i in range({count}): os.write(1, b'%06d' % i + b'x' * 993 + b'\\n')"

    async def test() -> int:
        child = await start(program)
        await asyncio.sleep(2)
        found = 0
        while await child.receive() is not None:
            found += 1
        await child.close()
        return found

    assert run(test) == count


def test_impossible_limit_leaves_nothing(tmp_path: Path) -> None:
    sign = tmp_path / "sign"

    async def test() -> tuple[int, int]:
        await (await start(ECHO)).close()
        before = open_descriptors()
        with pytest.raises(ValueError, match="max_bytes: expected at least 1"):
            await ChildTransport.start(
                ["sh", "-c", f"sleep 0.5; echo here > {sign}"], max_bytes=0, stderr=print
            )
        after = open_descriptors()
        await asyncio.sleep(1)
        return before, after

    before, after = run(test)
    assert after == before
    assert not sign.exists()


def test_cancelled_closing_goes_on() -> None:
    async def test() -> tuple[int, bool]:
        child = await start(STUBBORN, grace=0.3)
        await child.receive()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await child.close()
        was_running = is_running(child.pid)
        await child.close()
        return child.pid, was_running

    pid, was_running = run(test)
    assert was_running
    assert not is_running(pid)


@pytest.mark.parametrize("after", [0, 0.05])
def test_closing_that_was_cancelled_is_over(after: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """As at the end of a program, or by somebody who cancels all tasks: also before it begins."""
    # With it, whoever watches would see the end too soon to be left.
    monkeypatch.delattr(os, "pidfd_open", raising=False)

    async def test() -> tuple[int, str]:
        child = await start(STUBBORN, grace=5)
        await child.receive()
        closing = asyncio.create_task(child.close())
        await asyncio.sleep(after)
        assert child._stopping is not None
        child._stopping.cancel()
        await asyncio.wait((closing,))
        await child.close()
        for _ in range(3):
            await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return child.pid, child.end_reason

    pid, reason = run(test)
    assert not is_running(pid)
    assert reason == "the connection is closed"


@pytest.mark.parametrize("end", ["abort", "finish_writing"])
def test_an_end_of_our_own_making_needs_no_more_words(end: str) -> None:
    async def test() -> str:
        child = await start(STUBBORN, grace=0.1)
        await child.receive()
        getattr(child, end)()
        reason = child.end_reason
        await child.close()
        return reason

    assert run(test) == "the connection is closed"


@pytest.mark.parametrize("is_left", [False, True])
def test_event_loop_that_ends_with_a_session(
    is_left: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """All tasks are cancelled at once, those of the transport too, and then the session closes."""
    kept: list[object] = []

    async def test() -> None:
        async def hold() -> None:
            async with mcp_wire.connect_stdio(ECHO_SERVER):
                is_open.set()
                await asyncio.sleep(SECONDS)

        is_open = asyncio.Event()
        if is_left:
            context = mcp_wire.connect_stdio(ECHO_SERVER)
            await context.__aenter__()
            kept.append(context)
        else:
            kept.append(asyncio.create_task(hold()))
            await is_open.wait()

    asyncio.run(test())
    # It says so when a child has to be killed; this one ends as soon as it is asked to.
    assert caplog.messages == []


def test_event_loop_that_ends_kills_the_child() -> None:
    async def test() -> int:
        child = await start(STUBBORN)
        await child.receive()
        closing = asyncio.create_task(child.close())
        await asyncio.sleep(0.1)
        assert not closing.done()
        return child.pid

    started = time.monotonic()
    assert not is_running(run(test))
    assert time.monotonic() - started < 2


def test_without_help_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where neither the exit of a process is an event nor can be seen without collecting it."""
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    monkeypatch.delattr(os, "waitid", raising=False)

    async def test() -> tuple[int, str]:
        child = await start(PARENT.format(then="raise SystemExit(1)"))
        pid = int(await child.receive() or b"0")
        assert await child.receive() is None
        await child.close()
        return pid, child.exit_description

    pid, ended = run(test)
    assert is_gone_soon(pid)
    assert ended.endswith("exited with status 1")


def test_many_children_leave_nothing_open() -> None:
    async def test() -> tuple[int, int]:
        async def once() -> None:
            child = await start(ECHO, stderr=print)
            await child.close()

        await once()
        before = open_descriptors()
        await asyncio.gather(*(once() for _ in range(5)))
        return before, open_descriptors()

    before, after = run(test)
    assert after == before


def test_long_lines_of_standard_error_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    program = "import sys; sys.stderr.write('x' * 3_000_000 + '\\nnext\\n')"
    lines: list[str] = []

    async def test() -> None:
        child = await start(program, stderr=lines.append)
        assert await child.receive() is None
        await child.close()

    run(test)
    assert lines == ["next"]
    assert "a line of more than 1048576 bytes" in caplog.text


@pytest.mark.parametrize(("kind", "position"), [("read", 0), ("read", 1), ("write", 0)])
def test_pipes_that_cannot_be_opened_leave_nothing(
    kind: str, position: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the three it is that the event loop has no more room for."""

    async def test() -> tuple[int, int]:
        await (await start(ECHO, stderr=print)).close()
        before = open_descriptors()
        loop = asyncio.get_running_loop()
        connect = getattr(loop, f"connect_{kind}_pipe")
        for _ in range(3):
            left = position

            async def fail(*given: Any) -> Any:
                nonlocal left
                left -= 1
                if left < 0:
                    raise OSError("no more room")
                return await connect(*given)

            monkeypatch.setattr(loop, f"connect_{kind}_pipe", fail)
            with pytest.raises(OSError, match="no more room"):
                await start(ECHO, stderr=print)
        await asyncio.sleep(0.1)
        return before, open_descriptors()

    before, after = run(test)
    assert after == before
