"""The programs of others that ours are tried with: which, where, and how they get there.

`python -m tests.interop.peers` installs what is missing into the folder `.peers`, npm packages
in one place and each release of the Python SDK in an environment of its own.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / ".peers"
NPM = FOLDER / "npm"

SERVERS = {
    f"@modelcontextprotocol/server-{name}": "2026.8.31"
    for name in ("everything", "memory", "filesystem", "sequential-thinking")
}
"""npm packages and their versions."""


@dataclass(frozen=True)
class Official:
    """A release of the Python SDK, the protocol version it speaks, and how it is told to."""

    release: str
    version: str
    mode: str = "legacy"
    beside: tuple[str, ...] = ()

    @property
    def python(self) -> Path:
        """The interpreter of its environment."""
        return FOLDER / f"mcp-{self.release}" / "bin" / "python"


_OLD_PYDANTIC = ("pydantic==2.11.7",)
OFFICIAL = (
    Official("2.3.0", "2026-07-28", mode="auto"),
    Official("2.3.0", "2025-11-25"),
    Official("1.30.0", "2025-11-25"),
    Official("1.12.4", "2025-06-18", beside=_OLD_PYDANTIC),
    Official("1.9.4", "2025-03-26", beside=_OLD_PYDANTIC),
    Official("1.8.1", "2024-11-05", beside=_OLD_PYDANTIC),
)
"""Together they speak every version there is."""


def npm_server(name: str, *arguments: str) -> list[str]:
    """Return the command of one of `SERVERS`, such as `everything`."""
    entry = NPM / "node_modules" / "@modelcontextprotocol" / f"server-{name}" / "dist" / "index.js"
    return ["node", str(entry), *arguments]


def is_installed(command: Sequence[str]) -> bool:
    """Tell whether a command of `npm_server`, or the interpreter of an `Official`, is there."""
    return shutil.which(command[0]) is not None and all(
        Path(part).exists() for part in command if part.startswith(str(FOLDER))
    )


def install() -> None:
    """Install what is missing. Raises `CalledProcessError` for what cannot be."""
    if not all(is_installed(npm_server(name.partition("server-")[2])) for name in SERVERS):
        NPM.mkdir(parents=True, exist_ok=True)
        packages = [f"{name}@{version}" for name, version in SERVERS.items()]
        options = ["--prefix", str(NPM), "--no-audit", "--no-fund", "--ignore-scripts"]
        _run("npm", "install", *options, *packages)
    for official in OFFICIAL:
        if not official.python.exists():
            venv.create(official.python.parents[1], with_pip=True)
            package = f"mcp=={official.release}"
            _run(str(official.python), "-m", "pip", "install", "-q", package, *official.beside)


def _run(*command: str) -> None:
    print("installing:", *command[-2:], file=sys.stderr)
    subprocess.run(command, check=True, stdout=sys.stderr)


if __name__ == "__main__":
    install()
