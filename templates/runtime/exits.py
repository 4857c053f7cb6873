"""What ends a program where it is raised in the main thread, and an event loop in any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import asyncio

__all__ = ["EXITS", "note_exit"]

EXITS: Final = (KeyboardInterrupt, SystemExit)


def note_exit() -> None:
    """Have the current task, which is to raise one of them, keep no second report of it.

    It leaves the event loop at once. To asyncio it is all the same an exception that nobody
    has retrieved, and so would be reported once more, at any time.
    """
    from asyncio import current_task  # Here, since connections load no event loop.

    task = current_task()
    if task is not None:
        task.add_done_callback(_retrieve)


def _retrieve(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()
