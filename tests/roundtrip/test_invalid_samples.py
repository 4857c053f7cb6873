"""The faults under tests/samples/invalid, each with the whole text of its error.

A file holds the faults of one kind. An entry puts a value into a sample (`put`), or takes one
out, at the path `at`; or it is a `message` of its own, or the `text` of one. `since` and `until`
name the first and last version where a fault is one; a sample's fault is one in every version
that has the sample.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from mcp_wire import UNSET, DecodeError, InvalidMessage

from .documents import MODULES, SAMPLES, load, text
from .faults import changed
from .oracle import oracle

FOLDER = SAMPLES / "invalid"
FILES = sorted(FOLDER.iterdir())
KINDS = [
    "constants",
    "envelopes",
    "identifiers",
    "limits",
    "missing",
    "no-null",
    "numbers",
    "texts",
    "types",
    "unions",
]


def cases(key: str) -> list[Any]:
    """Every fault that is given by a `sample`, `message` or `text`, in every version."""
    return [
        pytest.param(version, entry, id=f"{path.stem}-{number}-{version}")
        for path in FILES
        for number, entry in enumerate(load(path), 1)
        if key in entry
        for version in MODULES
        if entry.get("since", "") <= version <= entry.get("until", "~")
        if key != "sample" or sample(version, entry).exists()
    ]


def sample(version: str, entry: Any) -> Path:
    return SAMPLES / version / f"{entry['sample']}.json"


def error_of(module: ModuleType, message: Any) -> DecodeError:
    with pytest.raises(DecodeError) as caught:
        module.decode_message(message)
    return caught.value


@pytest.mark.parametrize(("version", "entry"), cases("sample"))
def test_a_sample_made_wrong(version: str, entry: Any) -> None:
    module, name = MODULES[version], entry["sample"].partition(".")[0]
    document = changed(load(sample(version, entry)), entry["at"], entry.get("put", UNSET))
    assert not oracle(version).accepts(name, document)
    with pytest.raises(DecodeError) as caught:
        module.decode_as(name, document)
    assert str(caught.value) == entry["error"]
    with pytest.raises(DecodeError) as caught:
        getattr(module, name).from_json(json.dumps(document))
    assert str(caught.value) == entry["error"]
    for method, info in module.METHODS.items():
        if info.results == (name,):
            with pytest.raises(DecodeError) as caught:
                module.decode_result(method, document)
            assert str(caught.value) == entry["error"]


@pytest.mark.parametrize(("version", "entry"), cases("message"))
def test_a_message(version: str, entry: Any) -> None:
    for message in (entry["message"], text(entry["message"])):
        error = error_of(MODULES[version], message)
        assert isinstance(error, InvalidMessage)
        assert str(error) == entry["error"]


@pytest.mark.parametrize(("version", "entry"), cases("text"))
def test_a_text(version: str, entry: Any) -> None:
    for message in (entry["text"], entry["text"].encode()):
        # What follows in brackets is what Python says, which differs between its versions.
        error = str(error_of(MODULES[version], message)).partition(" (")[0]
        assert error == entry["error"]


def test_every_kind_of_fault_is_there_and_every_entry_is_used() -> None:
    assert [path.name for path in FILES] == [f"{kind}.json" for kind in KINDS]
    used = [case.values[1] for key in ("sample", "message", "text") for case in cases(key)]
    for path in FILES:
        entries = load(path)
        assert all(entry in used for entry in entries)
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        assert path.read_text("utf-8") == f"[\n{lines}\n]\n"
