"""Runs a server and passes everything on, while it writes down who said what.

`python tee.py RECORD COMMAND…` is the server for whoever starts it. Each line of RECORD is
`client ` or `server ` and the line that this side wrote.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import IO


def main(record: str, *command: str) -> int:
    lock = threading.Lock()
    with Path(record).open("ab", 0) as file:

        def copy(name: bytes, source: IO[bytes], target: IO[bytes]) -> None:
            for line in source:
                with lock:
                    file.write(name + b" " + line)
                target.write(line)
                target.flush()
            target.close()

        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stdout is not None
        threading.Thread(
            target=copy, args=(b"client", sys.stdin.buffer, process.stdin), daemon=True
        ).start()
        copy(b"server", process.stdout, sys.stdout.buffer)
        return process.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
