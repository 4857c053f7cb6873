"""A name that an emitted module gives two meanings is found, wherever it comes from."""

from __future__ import annotations

import ast

import pytest
from mcpgen.emit.bindings import bound_twice


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from typing import Any\nfrom .types import Any", ("Any", 1, 2)),
        ("from a import B, B", ("B", 1, 1)),
        ("import json\nfrom x import y as json", ("json", 1, 2)),
        ("from .a import CODEC\nCODEC = 1", ("CODEC", 1, 2)),
        ("A = 1\nA: int = 2", ("A", 1, 2)),
        ("def f(): ...\nclass f: ...", ("f", 1, 2)),
        ("def f(): ...\nasync def f(): ...", ("f", 1, 2)),
        ("from .types import S\nif TYPE_CHECKING:\n    from .stubs import S", ("S", 1, 3)),
        ("@overload\ndef f(): ...\n@overload\ndef f(): ...\ndef f(): ...", None),
        ("import json\nimport json.decoder", None),
        ("import a as b\nA = B = 1\nfor x in (): ...\nx.y = 1", None),
        ("if sys.platform:\n    a = 1\nelse:\n    a = 2", None),
        ("def f():\n    a = 1\ndef g():\n    a = 2", None),
    ],
)
def test_names_bound_twice(code: str, found: tuple[str, int, int] | None) -> None:
    assert bound_twice(ast.parse(code)) == found
