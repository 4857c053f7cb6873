"""The map of the runtime names each of its modules, once."""

from __future__ import annotations

import re
from pathlib import Path

import runtime


def test_every_module_is_on_the_map() -> None:
    assert runtime.__doc__ is not None
    assert runtime.__file__ is not None
    rows = [line[17:] for line in runtime.__doc__.splitlines() if line.startswith("    ")]
    named = re.findall(r"\w+", " ".join(rows))
    found = [path.stem for path in Path(runtime.__file__).parent.glob("*.py")]
    assert sorted(named) == sorted(set(found) - {"__init__"})
