"""The README's Python examples run and print what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import mcp_wire
import pytest

ROOT = Path(__file__).parents[2]
BLOCK = r"^```python\n((?:(?!```).*\n)*)```\n"
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(BLOCK, README, re.MULTILINE)
EXAMPLES = re.findall(BLOCK + r"\n```text\n((?:(?!```).*\n)*)```", README, re.MULTILINE)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 7


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_example(code: str, output: str) -> None:
    assert printed(code) == output


@pytest.mark.parametrize(
    ("name", "mark", "unused"),
    [
        ("echo_server", "serve_stdio(Echo)", "import sys\n"),
        ("proxy", "child_transport(command)", ""),
    ],
)
def test_programs_are_those_of_the_peers(name: str, mark: str, unused: str) -> None:
    peer = (ROOT / "tests" / "peers" / f"{name}.py").read_text(encoding="utf-8")
    # In a checkout they find the package by themselves.
    peer = peer.replace('sys.path.insert(0, f"{sys.path[0]}/../../generated")\n', "")
    peer = peer.replace(unused, "")
    (shown,) = [block for block in BLOCKS if mark in block]
    assert shown == peer.partition("\n\n")[2]


ASKED = """
import asyncio
from mcp_wire import DispatcherSession

class Person(mcp.ClientHandler):
    async def elicit(self, params, ctx):
        return mcp.ElicitResult(action="accept", content={"seats": 2})

async def main():
    info = mcp.Implementation(name="x", version="1")
    session = DispatcherSession(mcp.Dispatcher(Theatre(info)), mcp.Dispatcher(Person(info)))
    print((await mcp.ServerStub(session).call_tool(name="book")).content[0].text)

asyncio.run(main())
"""


def test_the_server_that_asks_by_its_result() -> None:
    (code,) = [block for block in BLOCKS if "InputRequiredResult(" in block]
    assert printed(code + ASKED) == "{'seats': 2}\n"


def test_the_examples_of_the_package(tmp_path: Path) -> None:
    text = (ROOT / "generated" / "README.md").read_text(encoding="utf-8")
    codec, stdio = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert printed(f"{codec}\nprint(tool.extra)") == "{'x': 1}\n"
    program = tmp_path / "program.py"
    program.write_text(stdio)
    assert printed(program) == f"{mcp_wire.LATEST_VERSION} hello\n"


def printed(program: str | Path) -> str:
    """What a program prints, which has nothing to complain of."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "generated")}
    how = ["-c", program] if isinstance(program, str) else [program]
    done = subprocess.run(
        [sys.executable, "-W", "error", *how],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    return done.stdout
