"""The README's Python examples run and print what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = EXAMPLE.findall((ROOT / "README.md").read_text(encoding="utf-8"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_example(code: str, output: str) -> None:
    assert printed(code) == output


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
