"""Every document there is, decoded and encoded in every way there is, stays the same JSON."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from mcp_wire import UNSET, ErrorResponse, ResultResponse

from .documents import EXAMPLES, MODULES, codec, is_class, load, sample_id, samples, text, type_of

MESSAGES = [path for path in samples() if type_of(path) != "Response"]


def frames(module: ModuleType) -> dict[str, Any]:
    """The method of each type that is a whole JSON-RPC message."""
    methods = module.METHODS.values()
    return {info.message: info for info in methods if info.kind != "embedded"}


def answered(module: ModuleType, name: str) -> list[str]:
    """The methods that a result of this type may answer."""
    return [method for method, info in module.METHODS.items() if name in info.results]


def require_round_trip(module: ModuleType, name: str, document: Any) -> Any:
    """Decode and encode by the type's name; the document must come back and be left alone."""
    untouched = copy.deepcopy(document)
    value = module.decode_as(name, document)
    encoded = module.encode_as(name, value)
    assert text(encoded) == text(untouched)
    assert text(document) == text(untouched)
    again = module.decode_as(name, encoded)
    assert again == value
    return value


@pytest.mark.parametrize("path", MESSAGES, ids=sample_id)
def test_by_name(path: Path) -> None:
    require_round_trip(MODULES[path.parent.name], type_of(path), load(path))


@pytest.mark.parametrize(
    "path",
    [path for path in MESSAGES if "Batch" not in type_of(path)],
    ids=sample_id,
)
def test_by_class(path: Path) -> None:
    module, document = MODULES[path.parent.name], load(path)
    value = module.decode_as(type_of(path), document)
    cls = type(value)
    assert cls.from_dict(document) == value
    assert text(cls.from_dict(document).to_dict()) == text(document)
    for data in (path.read_bytes(), path.read_text("utf-8"), bytearray(path.read_bytes())):
        assert cls.from_json(data) == value
    assert isinstance(value.to_json(), bytes)
    assert text(json.loads(value.to_json())) == text(document)
    if is_class(module, type_of(path)):
        assert cls is getattr(module, type_of(path))


@pytest.mark.parametrize(
    "path",
    [path for path in MESSAGES if type_of(path) in frames(MODULES[path.parent.name])],
    ids=sample_id,
)
def test_as_a_message(path: Path) -> None:
    module, document = MODULES[path.parent.name], load(path)
    info = frames(module)[type_of(path)]
    for data in (path.read_bytes(), path.read_text("utf-8"), document):
        message = module.decode_message(data)
        assert type(message).__name__ == type_of(path)
        assert text(message.to_dict()) == text(document)
        assert text(json.loads(message.to_json())) == text(document)
    params = codec(module).decode_params(info.method, document.get("params", UNSET))
    if "params" in document:
        assert message.params == params
        assert text(codec(module).encode_params(info.method, params)) == text(document["params"])
    else:
        assert params is None
        assert codec(module).encode_params(info.method, params) is None


@pytest.mark.parametrize(
    "path",
    [path for path in MESSAGES if answered(MODULES[path.parent.name], type_of(path))],
    ids=sample_id,
)
def test_as_a_result(path: Path) -> None:
    module, document = MODULES[path.parent.name], load(path)
    named = module.decode_as(type_of(path), document)
    for method in answered(module, type_of(path)):
        result = module.decode_result(method, document)
        assert text(codec(module).encode_result(method, result)) == text(document)
        if module.METHODS[method].results == (type_of(path),):
            assert type(result) is type(named)
        response = module.decode_message({"jsonrpc": "2.0", "id": 1, "result": document})
        assert module.decode_result(method, response.result) == result


@pytest.mark.parametrize("path", samples("Response"), ids=sample_id)
def test_response(path: Path) -> None:
    module, document = MODULES[path.parent.name], load(path)
    cls = ResultResponse if "result" in document else ErrorResponse
    for data in (path.read_bytes(), path.read_text("utf-8"), document):
        response = module.decode_message(data)
        assert type(response) is cls
        assert text(response.to_dict()) == text(document)
        assert text(json.loads(response.to_json())) == text(document)


# --- the specification's own examples -----------------------------------------------------------

EXAMPLE_FILES = sorted(EXAMPLES.glob("*/*.json"))


def test_official_examples_are_all_there() -> None:
    if not EXAMPLES.is_dir():
        pytest.skip("the official examples are not beside this checkout")
    assert len(EXAMPLE_FILES) == 129


@pytest.mark.parametrize("path", EXAMPLE_FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_official_example(path: Path) -> None:
    module, document = MODULES["2026-07-28"], load(path)
    value = require_round_trip(module, path.parent.name, document)
    if is_class(module, path.parent.name):
        assert text(type(value).from_json(path.read_bytes()).to_dict()) == text(document)
    if path.parent.name in frames(module):
        assert module.decode_message(path.read_bytes()) == value


def test_every_method_has_samples() -> None:
    for version, module in MODULES.items():
        sampled = {type_of(path) for path in samples() if path.parent.name == version}
        for info in module.METHODS.values():
            assert info.message in sampled
            assert set(info.results) <= sampled
