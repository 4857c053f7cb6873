"""What holds for all tests, however they were started."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Have children end by the signals that end programs.

    What is started in the background ignores some of them, and so would everything it starts.
    """
    for name in ("SIGINT", "SIGHUP", "SIGQUIT", "SIGTERM"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            default = signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
            signal.signal(number, default)
