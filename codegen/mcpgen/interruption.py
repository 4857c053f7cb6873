"""The signals that ask a run to end: it takes back what it began, as if interrupted."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

ENDING = tuple(number for number in signal.Signals if number.name in ("SIGTERM", "SIGHUP"))
"""The signals; a closed terminal sends the second, which Windows does not know."""


def end_like_interruptions() -> None:
    """Turns each of the signals into a `KeyboardInterrupt`, unless it is ignored already.

    `nohup`, for one, has a run ignore that its terminal was closed.
    """
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)


def leave_to_parent() -> None:
    """Ignores them, and the interruption itself, in a process whose parent answers them."""
    for number in (signal.SIGINT, *ENDING):
        signal.signal(number, signal.SIG_IGN)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    # They often come in numbers, and the way back must not be interrupted.
    for other in ENDING:
        signal.signal(other, signal.SIG_IGN)
    raise KeyboardInterrupt
