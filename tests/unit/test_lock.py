"""The lock file: its text, and what is said about a malformed one or a wrong digest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.errors import LockError
from mcpgen.ingest.lock import Lock, LockEntry, digest, verify_document

DOCUMENT = b'{"$defs": {}}\n'
ENTRY = LockEntry(
    repository="https://example.org/spec",
    ref="main",
    commit="a" * 40,
    schema_ts="1" * 64,
    schema_json="2" * 64,
    document=digest(DOCUMENT),
)
REDUCED = LockEntry("spec", None, None, "3" * 64, None, "4" * 64)
ALONE = LockEntry("spec", None, None, None, "5" * 64, "6" * 64)


def entry(**changes: object) -> dict[str, object]:
    return {**ENTRY.to_dict(), **changes}


def lock(**changes: object) -> dict[str, Any]:
    return {"lockVersion": 1, "versions": {"2025-11-25": entry()}, **changes}


def test_text() -> None:
    text = Lock({"draft": REDUCED, "2025-11-25": ENTRY}).to_bytes().decode()
    assert text.startswith('{\n  "lockVersion": 1,\n  "versions": {\n    "2025-11-25": {\n')
    assert text.endswith("}\n")
    assert json.loads(text) == {
        "lockVersion": 1,
        "versions": {
            "2025-11-25": {
                "repository": "https://example.org/spec",
                "ref": "main",
                "commit": "a" * 40,
                "schema.ts": "1" * 64,
                "schema.json": "2" * 64,
                "document": digest(DOCUMENT),
            },
            "draft": {
                "repository": "spec",
                "ref": None,
                "commit": None,
                "schema.ts": "3" * 64,
                "schema.json": None,
                "document": "4" * 64,
            },
        },
    }
    assert list(json.loads(text)["versions"]) == ["2025-11-25", "draft"]


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "lock.json"
    before = Lock({"2024-11-05": ALONE, "2025-11-25": ENTRY, "draft": REDUCED})
    path.write_bytes(before.to_bytes())
    assert Lock.load(path) == before


def test_a_missing_lock_file(tmp_path: Path) -> None:
    with pytest.raises(LockError, match="there is no lock file: run mcpgen pull"):
        Lock.load(tmp_path / "lock.json")


def test_a_folder_in_place_of_the_lock_file(tmp_path: Path) -> None:
    with pytest.raises(LockError, match="cannot be read: Is a directory"):
        Lock.load(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", ":1: not JSON"),
        (b'{\n"lockVersion": 1,\n<<<<<<< ours\n', ":3: not JSON"),
        (b'{"\xff": 1}', "byte 2 is not UTF-8"),
        (b"[" * 100_000, "not a lock file"),
        (b"1" * 5_000, "not a lock file"),
        (b"[]", "expected an object, found []"),
    ],
)
def test_what_is_no_lock_file(tmp_path: Path, text: bytes, said: str) -> None:
    path = tmp_path / "lock.json"
    path.write_bytes(text)
    with pytest.raises(LockError) as caught:
        Lock.load(path)
    assert said in str(caught.value)
    assert caught.value.where.startswith(str(path))


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, "lockVersion: found null, expected 1"),
        (lock(lockVersion=2), "lockVersion: found 2, expected 1"),
        (lock(lockVersion=True), "lockVersion: found true, expected 1"),
        (lock(more=1), "the key 'more' is not known there"),
        ({"lockVersion": 1}, "the key 'versions' is missing"),
        (lock(versions=[]), "versions: expected an object, found []"),
        (lock(versions={"../x": entry()}), "versions.../x: expected a version such as 2025-11-25"),
        (lock(versions={"draft": None}), "versions.draft: expected an object, found null"),
        (lock(versions={"draft": {}}), "versions.draft: the key 'repository' is missing"),
        (lock(versions={"draft": entry(x=1)}), "versions.draft: the key 'x' is not known there"),
        (lock(versions={"draft": entry(repository=None)}), "repository: expected a string"),
        (lock(versions={"draft": entry(ref=1)}), "draft.ref: expected a string, found 1"),
        (
            lock(versions={"draft": entry(**{"schema.ts": None, "schema.json": None})}),
            "versions.draft: expected a digest of schema.ts, schema.json or both",
        ),
        (lock(versions={"draft": entry(document=None)}), "document: expected a string, found null"),
        (
            lock(versions={"draft": entry(**{"schema.ts": "A" * 64})}),
            "versions.draft.schema.ts: expected a SHA-256 of 64 hexadecimal digits",
        ),
        (
            lock(versions={"draft": entry(**{"schema.json": "1" * 200})}),
            'found "' + "1" * 76 + "...",
        ),
    ],
)
def test_a_malformed_lock_file(tmp_path: Path, document: dict[str, Any], said: str) -> None:
    path = tmp_path / "lock.json"
    path.write_text(json.dumps(document))
    with pytest.raises(LockError) as caught:
        Lock.load(path)
    assert said in str(caught.value)
    assert caught.value.remedy


def test_a_document_as_locked() -> None:
    verify_document(ENTRY, DOCUMENT, "spec/2025-11-25.json")


def test_a_document_that_was_changed() -> None:
    with pytest.raises(LockError) as caught:
        verify_document(ENTRY, DOCUMENT + b" ", "spec/2025-11-25.json")
    assert caught.value.where == "spec/2025-11-25.json"
    assert digest(DOCUMENT) in caught.value.what
    assert digest(DOCUMENT + b" ") in caught.value.what
    assert "mcpgen pull" in caught.value.remedy
