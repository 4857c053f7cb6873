"""The decoders against an independent validator: both accept the same documents.

The documents are the same in every run, unless `FUZZ_SEED` is set; `FUZZ_DOCUMENTS` is how many
there are of each type. `make fuzz` sets both.
"""

from __future__ import annotations

import dataclasses
import os
from functools import cache
from typing import Any

import pytest
from mcp_wire import DecodeError

from .documents import MODULES, codec, named_types, text
from .oracle import is_kept, oracle

SEED = os.environ.get("FUZZ_SEED", "")
DOCUMENTS = int(os.environ.get("FUZZ_DOCUMENTS", "6"))
"""Documents a type, each followed by two broken copies."""

CASES = [pytest.param(version, name, id=f"{version}-{name}") for version, name in named_types()]


@pytest.mark.parametrize(("version", "name"), CASES)
def test_decoder_accepts_what_the_schema_accepts(version: str, name: str) -> None:
    judge = oracle(version).judge
    accepted = [judge(name, item) for item in oracle(version).documents(name, DOCUMENTS, SEED)]
    assert any(accepted)


RESULTS = [
    pytest.param(version, method, id=f"{version}-{method}")
    for version, module in MODULES.items()
    for method, info in module.METHODS.items()
    if info.results
]


@cache
def result_type(version: str, name: str) -> str | None:
    """The `resultType` of a result by its class; None where it has none."""
    fields = dataclasses.fields(getattr(MODULES[version], name))
    return next((str(field.default) for field in fields if field.name == "result_type"), None)


def may_answer(version: str, method: str, document: Any) -> bool:
    """Whether one of a method's results fits, and is of the kind that `resultType` says."""
    kind = document.get("resultType", "complete") if isinstance(document, dict) else None
    return any(
        result_type(version, name) in (None, kind) and oracle(version).accepts(name, document)
        for name in MODULES[version].METHODS[method].results
    )


@pytest.mark.parametrize(("version", "method"), RESULTS)
def test_results_of_a_method(version: str, method: str) -> None:
    module = MODULES[version]
    for name in module.METHODS[method].results:
        for document in oracle(version).documents(name, DOCUMENTS, SEED):
            try:
                result = module.decode_result(method, document)
            except DecodeError as error:
                assert not may_answer(version, method, document), f"{error}\n{text(document)}"
                oracle(version).require_true(error, document)
            else:
                assert may_answer(version, method, document), text(document)
                assert is_kept(document, codec(module).encode_result(method, result))


FRAMES = [
    pytest.param(version, info, id=f"{version}-{info.message}")
    for version, module in MODULES.items()
    for info in module.METHODS.values()
    if info.kind != "embedded"
]


@pytest.mark.parametrize(("version", "info"), FRAMES)
def test_messages_of_a_method(version: str, info: Any) -> None:
    module = MODULES[version]
    documents = oracle(version).documents(info.message, DOCUMENTS, SEED)
    for document in [item for item in documents if isinstance(item, dict)]:
        same = document.get("method") == info.method
        same = same and ("id" in document) == (info.kind == "request")
        try:
            message = module.decode_message(document)
        except DecodeError as error:
            assert not (same and oracle(version).accepts(info.message, document)), str(error)
            oracle(version).require_true(error, document)
        else:
            assert is_kept(document, message.to_dict())
            if same:
                assert type(message) is getattr(module, info.message)
                assert oracle(version).accepts(info.message, document)
