"""Our echo server under the clients of the official SDK, a release for each version."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import mcp_wire
import pytest

from . import record
from .official_client import TEXT
from .peers import OFFICIAL, Official

FOLDER = Path(__file__).parent
ECHO_SERVER = [sys.executable, str(FOLDER.parent / "peers" / "echo_server.py")]
SECONDS = 120


def test_there_is_a_client_of_every_version() -> None:
    assert {official.version for official in OFFICIAL} == set(mcp_wire.VERSIONS)


@pytest.mark.parametrize(
    "official", [pytest.param(o, id=f"{o.release}-{o.version}") for o in OFFICIAL]
)
def test_client(official: Official, tmp_path: Path) -> None:
    if not official.python.exists():
        pytest.skip(f"mcp {official.release} is not installed: python -m tests.interop.peers")
    said = tmp_path / "record"
    server = [sys.executable, str(FOLDER / "tee.py"), str(said), *ECHO_SERVER]
    client = [str(official.python), str(FOLDER / "official_client.py"), official.mode]
    done = subprocess.run([*client, *server], capture_output=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) == {
        "version": official.version,
        "server": "echo",
        "tools": ["echo"],
        "text": TEXT,
        "refused": -32602,
    }
    assert b"Traceback" not in done.stderr
    found = record.read(said)
    assert {"tools/list", "tools/call"} < {one.message.get("method") for one in found}
    assert list(record.problems(found, official.version)) == []
