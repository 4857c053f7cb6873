"""A child process that serves over its standard streams: how it starts, and how it is ended.

    close its input ──▶ wait ──▶ SIGTERM ──▶ wait ──▶ SIGKILL

Nothing here waits, so that the asynchronous and the blocking transport end it alike. The
process leads a session and a process group of its own: signals reach whatever it started,
and the terminal's Ctrl-C, meant for the client, does not. For POSIX systems only.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import IO

__all__ = ["DEFAULT_GRACE", "Child"]

DEFAULT_GRACE = 5.0
"""Seconds a child is given to exit after its input was closed, and once more after SIGTERM.

A server of this package needs less: `Limits.grace` for its handlers, and a little to end them.
"""

_KILL_SECONDS = 5.0
"""How long a killed process may take to be gone: it may be inside the kernel."""


class Child:
    """A child process with a pipe to its input and one from its output.

    `stdin` and `stdout` are this side's ends, and `stderr` is, where it was asked for;
    otherwise the child writes to this process's own. Whoever uses them closes them.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        capture_stderr: bool = False,
    ) -> None:
        """Start `argv` with the environment `env`, this process's own unless given.

        Raises `OSError` when it cannot be started, `TypeError` for one string in place of a
        list of arguments, and `ValueError` for an empty list.
        """
        if isinstance(argv, str):
            raise TypeError(f"argv: expected a list of arguments, found the string {argv!r}")
        if not argv:
            raise ValueError("argv: expected a command and its arguments, found nothing")
        self.command = argv[0]
        self._process = subprocess.Popen(
            list(argv),
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if capture_stderr else None,
            env=env,
            cwd=cwd,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.stdin: IO[bytes] = self._process.stdin
        self.stdout: IO[bytes] = self._process.stdout
        self.stderr: IO[bytes] | None = self._process.stderr
        self._reaping = Lock()
        self._sent: list[signal.Signals] = []

    @property
    def pid(self) -> int:
        """The number of the process, and of its group."""
        return self._process.pid

    def has_exited(self) -> bool:
        """Tell whether the process has ended; if so, what it left running is killed.

        That comes before its exit is collected: from then on its number may be another's.
        """
        with self._reaping:
            if self._process.returncode is None and self._is_waiting_to_be_reaped():
                self._signal(signal.SIGKILL)
                self._process.wait()
            return self._process.returncode is not None

    def stopping(self, grace: float) -> Iterator[float]:
        """Ask the process to end, ever more firmly; yield how many seconds to wait after each.

        The caller has closed `stdin`, which is the first way of asking, and iterates until
        `has_exited`.
        """
        yield grace
        self._signal_if_running(signal.SIGTERM)
        yield grace
        self._signal_if_running(signal.SIGKILL)
        yield _KILL_SECONDS

    def kill(self) -> None:
        """Kill the process and its group at once, and collect its exit."""
        self._signal_if_running(signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_KILL_SECONDS)

    def close_pipes(self) -> None:
        """Close this side's ends, which nobody uses yet, or any more."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe is not None:
                pipe.close()

    def describe_exit(self) -> str:
        """Return how the process ended, and whether it was made to, for people."""
        status = self._process.returncode
        if status is None:
            return f"{self.command!r} is still running"
        if -status in self._sent:
            name = _signal_name(-status)
            return f"{self.command!r} was still running, and was ended with {name}"
        if status < 0:
            return f"{self.command!r} was ended by {_signal_name(-status)}"
        text = f"{self.command!r} exited with status {status}"
        return f"{text} after it was sent {self._sent[-1].name}" if self._sent else text

    def _is_waiting_to_be_reaped(self) -> bool:
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            return self._process.poll() is not None
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self.pid, flags) is not None
        except ChildProcessError:  # somebody else has collected it
            return True

    def _signal_if_running(self, number: signal.Signals) -> None:
        with self._reaping:
            if self._process.returncode is None:
                # One that has ended by itself is only not collected yet.
                if not self._is_waiting_to_be_reaped():
                    self._sent.append(number)
                self._signal(number)

    def _signal(self, number: signal.Signals) -> None:
        # macOS refuses to signal a group of which only the dead leader is left.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
