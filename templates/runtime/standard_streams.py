"""The server's end of stdio: this process's own standard streams, taken out of everyone's way."""

from __future__ import annotations

import errno
import fcntl
import os
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO

__all__ = ["taken_standard_streams"]

_INPUT, _OUTPUT, _ERROR = 0, 1, 2
_NAMES = {_INPUT: "standard input", _OUTPUT: "standard output", _ERROR: "standard error"}


@contextmanager
def taken_standard_streams() -> Generator[tuple[IO[bytes], IO[bytes]]]:
    """Give the streams of standard input and output to one user alone, as unbuffered files.

    Meanwhile standard input is empty, and what is written to standard output, by a `print` or
    by a child process, goes to standard error; both go nowhere when standard error is the same
    pipe, socket or file as standard output. Afterwards all are what they were. The user closes
    the files. Raises `OSError` when standard input or output is not open.
    """
    with ExitStack() as after:
        source, sink = _duplicate(_INPUT), _duplicate(_OUTPUT)
        after.callback(_restore, source, _INPUT, os.get_blocking(source))
        after.callback(_restore, sink, _OUTPUT, os.get_blocking(sink))
        _replace(_INPUT, os.open(os.devnull, os.O_RDONLY))
        if _is_standard_error(sink):
            error = _duplicate(_ERROR)
            after.callback(_restore, error, _ERROR, os.get_blocking(error))
            _replace(_ERROR, os.open(os.devnull, os.O_WRONLY))
        _replace(_OUTPUT, _standard_error())
        after.callback(_flush)
        yield os.fdopen(os.dup(source), "rb", 0), os.fdopen(os.dup(sink), "wb", 0)


def _duplicate(descriptor: int) -> int:
    """Duplicate a standard stream, to a number that is not another standard stream's."""
    try:
        if _was_closed(descriptor):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _ERROR + 1)
    except OSError as error:
        raise OSError(error.errno, f"{_NAMES[descriptor]} is not open") from error


def _was_closed(descriptor: int) -> bool:
    """Tell whether a standard stream was closed when the program began.

    Its number may have gone to something else since, such as the event loop's own.
    """
    return (sys.__stdin__, sys.__stdout__, sys.__stderr__)[descriptor] is None


def _is_standard_error(sink: int) -> bool:
    """Tell whether what is logged would stand between the messages; a person sees it there."""
    try:
        return os.path.sameopenfile(sink, _ERROR) and not os.isatty(sink)
    except OSError:
        return False


def _standard_error() -> int:
    with suppress(OSError):
        if not _was_closed(_ERROR):
            return os.dup(_ERROR)
    return os.open(os.devnull, os.O_WRONLY)


def _replace(descriptor: int, by: int) -> None:
    """Make a standard stream that of another descriptor, which is closed."""
    os.dup2(by, descriptor)
    os.close(by)


def _restore(saved: int, descriptor: int, blocking: bool) -> None:
    """Undo `_replace`. Whether a stream blocks is shared with the processes it came from."""
    os.set_blocking(saved, blocking)
    _replace(descriptor, saved)


def _flush() -> None:
    """Write what was printed before the stream is again the one it was not meant for."""
    with suppress(OSError, ValueError):
        if sys.stdout is not None:
            sys.stdout.flush()
