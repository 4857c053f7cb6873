"""The judge of records finds what is wrong in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from . import record

VERSION = "2025-11-25"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a"}}
ANSWER: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}


@pytest.mark.parametrize("schema", record.schemas(VERSION), ids=lambda path: path.name)
@pytest.mark.parametrize(
    ("call", "answer", "found"),
    [
        (CALL, ANSWER, []),
        (CALL | {"params": {}}, ANSWER, ["client: tools/call: CallToolRequest at $.params"]),
        (CALL, ANSWER | {"result": {}}, ["server: tools/call: CallToolResult at $"]),
        (CALL, ANSWER | {"id": "1"}, ["server: answers nobody's request"]),
        (CALL | {"method": "acme/op"}, ANSWER, []),
        (CALL | {"method": "acme/op", "id": None}, ANSWER, ["client: acme/op", "server: answers"]),
    ],
)
def test_problems(call: Any, answer: Any, found: list[str], schema: Path) -> None:
    said = [record.Said("client", call), record.Said("server", answer)]
    problems = list(record.problems(said, VERSION, schema))
    assert len(problems) == len(found)
    for problem, beginning in zip(problems, found, strict=True):
        assert problem.startswith(beginning)
