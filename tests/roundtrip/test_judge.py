"""The judge of `mcpgen validate` says what the emitted package says, to the letter."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import mcp_wire
import pytest
from mcp_wire import DecodeError
from mcpgen.specs import load_protocols
from mcpgen.validation.judge import Judge, Refusal

from .documents import BATCHES, MODULES, ROOT, load, named_types, samples, type_of
from .instances import REF, Instances

DOCUMENTS = 4
"""Documents a type, each followed by two broken copies."""

NESTING = 500
"""Levels that the decoders do not look into, where any value is allowed."""


@cache
def judge(version: str) -> Judge:
    return Judge(*load_protocols(ROOT / "spec", (version,)))


@cache
def instances(version: str, seed: str) -> Instances:
    return Instances(dict(definitions(version)), seed)


@cache
def definitions(version: str) -> dict[str, Any]:
    module = MODULES[version]
    folder = ROOT / "generated" / module.__name__.replace(".", "/")
    return dict(json.loads((folder / "schema.json").read_bytes())["$defs"])


def refusal(decode: Callable[..., object], *arguments: Any) -> Refusal | None:
    """Why the emitted package refuses a value; None when it does not."""
    try:
        decode(*arguments)
    except DecodeError as error:
        return Refusal(error.path, error.expected, error.found)
    return None


@pytest.mark.parametrize(("version", "name"), list(named_types()))
def test_named_types(version: str, name: str) -> None:
    made = instances(version, f"judge/{name}")
    decode = MODULES[version].decode_as
    judged = 0
    for _ in range(DOCUMENTS):
        document = made.make({"$ref": REF + name})
        for value in (document, made.broken(document), made.broken(document)):
            assert judge(version).named(name, value) == refusal(decode, name, value), value
            judged += 1
    assert judged == 3 * DOCUMENTS


@pytest.mark.parametrize("version", MODULES)
def test_messages_and_results(version: str) -> None:
    module = MODULES[version]
    of_message = {info.message: info for info in module.METHODS.values()}
    made = instances(version, "judge/messages")
    found: set[tuple[str, bool]] = set()
    for path in samples():
        if path.parent.name != version:
            continue
        name, sample = type_of(path), load(path)
        for value in (sample, made.broken(sample), made.broken(sample)):
            if name in of_message or name == "Response":
                said = judge(version).message(value)
                if isinstance(value, dict):
                    assert said == refusal(module.decode_message, value), value
                found.add(("message", said is None))
            for method, info in module.METHODS.items():
                if name in info.results and info.kind == "request":
                    said = judge(version).result(method, value)
                    assert said == refusal(module.decode_result, method, value), value
                    found.add(("result", said is None))
    assert len(found) == 4


@pytest.mark.parametrize("version", MODULES)
@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "text",
        [],
        {},
        [[]],
        [{}],
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.0, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []},
        {"jsonrpc": "2.0", "id": 1, "method": "acme/x", "params": {"a": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": 3},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}},
        {"jsonrpc": "2.0", "id": True, "result": {}},
        {"jsonrpc": "2.0", "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1.5, "message": "x"}},
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0"}],
    ],
    ids=str,
)
def test_envelopes_and_batches(version: str, value: Any) -> None:
    text = json.dumps(value)
    assert judge(version).message(value) == refusal(MODULES[version].decode_message, text)


def test_a_batch_is_a_message_where_there_are_batches() -> None:
    batch = [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    accepted = [version for version in MODULES if judge(version).message(batch) is None]
    assert accepted == [BATCHES]


@pytest.mark.parametrize("version", MODULES)
def test_what_may_be_any_value_is_not_looked_into(version: str) -> None:
    deep: Any = {}
    for _ in range(NESTING):
        deep = {"a": [deep]}
    value = {"name": "x", "inputSchema": {"type": "object", "properties": {"a": deep}}}
    assert refusal(MODULES[version].decode_as, "Tool", value) is None
    assert judge(version).named("Tool", value) is None


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"NaN", b"[1] 2", b'{"a":\n tru}', b"1e999"])
def test_broken_json(text: bytes) -> None:
    expected = refusal(mcp_wire.load(BATCHES).decode_message, text)
    assert expected is not None
    assert judge(BATCHES).parse(text) == expected


def test_values_are_left_as_they_were() -> None:
    (path, *_) = samples("CallToolResult")
    value = load(path)
    before = copy.deepcopy(value)
    judge(path.parent.name).named("CallToolResult", value)
    assert value == before
