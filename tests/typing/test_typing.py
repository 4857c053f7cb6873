"""Programs of users pass the strict modes of the type checkers: one a version, and the README's.

What must be refused in them is marked `type: ignore` with its code, and strict checking
refuses a mark without an error. Slow, so one run of each checker judges all programs.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import mcp_wire
import pytest

FOLDER = Path(__file__).parent
GENERATED = Path(mcp_wire.__file__).parents[1]
PROGRAMS = sorted(FOLDER.glob("program_*.py"))
README = FOLDER.parents[1] / "README.md"


@pytest.fixture
def programs(tmp_path: Path) -> list[str]:
    """The programs, with the README's examples save for those that are not typed at all."""
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.M | re.S)
    typed = [code for code in blocks if "def " not in code or " -> " in code]
    assert 2 <= len(typed) < len(blocks)
    examples = [tmp_path / f"example_{number}.py" for number in range(len(typed))]
    for path, code in zip(examples, typed, strict=True):
        path.write_text(code, encoding="utf-8")
    return [str(path) for path in [*PROGRAMS, *examples]]


def checked(*command: str) -> None:
    """Run a checker, which has to find nothing."""
    environment = {**os.environ, "MYPYPATH": str(GENERATED)}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=FOLDER, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_version_has_a_program() -> None:
    expected = {f"program_{version.replace('-', '_')}.py" for version in mcp_wire.VERSIONS}
    assert {path.name for path in PROGRAMS} == expected


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy(tmp_path: Path, programs: list[str]) -> None:
    options = ["--strict", "--config-file=", f"--cache-dir={tmp_path}", "--python-version=3.11"]
    checked(sys.executable, "-m", "mypy", *options, *programs)


@pytest.mark.skipif(find_spec("basedpyright") is None, reason="basedpyright is not installed")
def test_basedpyright(tmp_path: Path, programs: list[str]) -> None:
    settings = tmp_path / "pyrightconfig.json"
    settings.write_text(
        json.dumps(
            {
                "typeCheckingMode": "strict",
                "pythonVersion": "3.11",
                "include": programs,
                "extraPaths": [str(GENERATED)],
                "enableTypeIgnoreComments": True,
            }
        )
    )
    checked(sys.executable, "-m", "basedpyright", "--project", str(settings))
