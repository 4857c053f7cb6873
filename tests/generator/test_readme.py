"""The README's Python examples run and print what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = r"^```python\n((?:(?!```).*\n)*)```\n"
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(BLOCK, README, re.MULTILINE)
EXAMPLES = re.findall(BLOCK + r"\n```text\n((?:(?!```).*\n)*)```", README, re.MULTILINE)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_example(code: str, output: str) -> None:
    assert printed(code) == output


def test_the_echo_server_is_the_one_of_the_peers() -> None:
    peer = (ROOT / "tests" / "peers" / "echo_server.py").read_text(encoding="utf-8")
    # In a checkout that one finds the package by itself.
    peer = peer.replace('import sys\n\nsys.path.insert(0, f"{sys.path[0]}/../../generated")', "")
    (shown,) = [block for block in BLOCKS if "serve_stdio(Echo)" in block]
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


def test_the_example_of_the_package() -> None:
    text = (ROOT / "generated" / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert printed(f"{code}\nprint(tool.extra)") == "{'x': 1}\n"


def printed(code: str) -> str:
    """What a program prints, which has nothing to complain of."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "generated")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    return done.stdout
