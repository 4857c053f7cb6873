"""Loading the Models of a spec folder: which, in what order, and that the folder is sound."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.errors import LockError, McpgenError, OverrideError, SchemaError
from mcpgen.ingest.document import derive, to_bytes
from mcpgen.ingest.lock import LOCK_NAME, Lock, LockEntry, digest
from mcpgen.ingest.sources_common import SourceFiles
from mcpgen.specs import load_protocols

OLD, NEW = "2030-01-01", "2031-01-01"


class Specs:
    """A spec folder with two invented versions and a draft."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._entries: dict[str, LockEntry] = {}
        for version, stated in ((NEW, NEW), ("draft", "2032-01-01"), (OLD, OLD)):
            source = (
                f'export const LATEST_PROTOCOL_VERSION = "{stated}";\n'
                "export interface T { a: number }\n"
            )
            files = SourceFiles(version, source.encode(), None, "example", None, None)
            self.put(version, to_bytes(derive(files).document))
        self.overrides("")
        self.descriptions({"T": "A thing.", "T.a": "Its part."})

    def put(self, version: str, content: bytes) -> None:
        (self.folder / f"{version}.json").write_bytes(content)
        self._entries[version] = LockEntry("example", None, None, "0" * 64, None, digest(content))
        (self.folder / LOCK_NAME).write_bytes(Lock(self._entries).to_bytes())

    def overrides(self, text: str) -> None:
        (self.folder / "overrides.toml").write_text(text, encoding="utf-8")

    def descriptions(self, texts: dict[str, str]) -> None:
        lines = [f"{json.dumps(key)} = {json.dumps(text)}\n" for key, text in texts.items()]
        (self.folder / "descriptions.toml").write_text("".join(lines), encoding="utf-8")

    def versions(self, *wanted: str) -> list[str]:
        return [protocol.version for protocol in load_protocols(self.folder, wanted)]

    def fails(self, kind: type[McpgenError], name: str, *wanted: str) -> McpgenError:
        with pytest.raises(kind) as caught:
            load_protocols(self.folder, wanted)
        assert caught.value.where == str(self.folder / name)
        return caught.value


@pytest.fixture
def specs(tmp_path: Path) -> Specs:
    return Specs(tmp_path)


def test_all_versions_are_loaded_oldest_first(specs: Specs) -> None:
    assert specs.versions() == [OLD, NEW, "draft"]


def test_versions_asked_for_are_loaded_once(specs: Specs) -> None:
    assert specs.versions(NEW, OLD, NEW) == [OLD, NEW]
    assert specs.versions("draft") == ["draft"]


def test_the_model_knows_its_document(specs: Specs) -> None:
    (protocol,) = load_protocols(specs.folder, (OLD,))
    content = (specs.folder / f"{OLD}.json").read_bytes()
    assert protocol.source.document_sha256 == digest(content)
    assert protocol.type("T").docs.text == "A thing."


def test_an_unknown_version_stops(specs: Specs) -> None:
    error = specs.fails(LockError, LOCK_NAME, "2029-01-01")
    assert error.what == f"found no version '2029-01-01', only {OLD}, {NEW}, draft"


def test_a_missing_document_stops(specs: Specs) -> None:
    (specs.folder / f"{OLD}.json").unlink()
    assert specs.fails(LockError, f"{OLD}.json").remedy == "pull it again"
    assert specs.versions(NEW) == [NEW]


def test_an_edited_document_stops(specs: Specs) -> None:
    path = specs.folder / f"{OLD}.json"
    path.write_bytes(path.read_bytes() + b"\n")
    specs.fails(LockError, f"{OLD}.json")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"x-mcp": []}', b"\xff"])
def test_a_document_that_is_none_stops(specs: Specs, content: bytes) -> None:
    specs.put(OLD, content)
    specs.fails(SchemaError, f"{OLD}.json")


RANGE = "[[override]]\npath = '/$defs/T/properties/a/type'\nold = 'number'\nnew = 'integer'\n"


def test_overrides_change_their_versions(specs: Specs) -> None:
    specs.overrides(f"{RANGE}reason = 'r'\nsince = '{NEW}'\nuntil = '{NEW}'\n")
    kinds: list[Any] = [
        protocol.type("T").field("a").type.kind for protocol in load_protocols(specs.folder)
    ]
    assert kinds == ["number", "integer", "number"]


def test_an_override_for_no_version_stops(specs: Specs) -> None:
    specs.overrides(f"{RANGE}reason = 'r'\nsince = '2030-06-01'\nuntil = '2030-07-01'\n")
    error = specs.fails(OverrideError, "overrides.toml")
    assert error.what == ("found entries that no version has a use for: /$defs/T/properties/a/type")
    # Some versions alone cannot tell.
    assert specs.versions(NEW) == [NEW]


def test_a_folder_without_overrides_is_told_whose_it_uses(specs: Specs) -> None:
    (specs.folder / "overrides.toml").unlink()
    with pytest.raises(OverrideError, match="matches nothing") as caught:
        load_protocols(specs.folder)
    assert caught.value.remedy == (
        f"{specs.folder} has no overrides.toml, so mcpgen's own is used: put one there, even an "
        "empty one"
    )


def test_a_description_nothing_uses_stops(specs: Specs) -> None:
    specs.descriptions({"T": "A thing.", "U": "Another.", "T.b": "Nothing."})
    error = specs.fails(OverrideError, "descriptions.toml")
    assert error.what == "found entries that no version has a use for: T.b, U"
    assert specs.versions(OLD, NEW) == [OLD, NEW]
