"""`pull`: what it reads, what it compares, what it writes, and when it refuses to."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcpgen.errors import ConfigError, LockError, McpgenError, SchemaError, SourceError
from mcpgen.ingest import document
from mcpgen.ingest.document import Derived, to_bytes
from mcpgen.ingest.lock import Lock, digest, verify_document
from mcpgen.ingest.pull import PullResult, pull
from mcpgen.ingest.reconcile import ReconcileReport
from mcpgen.ingest.sources import SourceFiles

OLD, NEW = "2025-06-18", "2025-11-25"


class Deriver:
    """A small stand-in for the derivation; like it, it records where the sources were read."""

    def __init__(self) -> None:
        self.edition = 1
        self.calls: list[str] = []

    def __call__(self, files: SourceFiles, *, descriptions: bool) -> Derived:
        self.calls.append(files.version)
        if files.typescript == b"nonsense":
            raise SchemaError(f"schema/{files.version}/schema.ts:1", "nonsense")
        document: dict[str, Any] = {
            "text": files.typescript.decode(),
            "edition": self.edition,
            "descriptions": descriptions,
            "source": [files.repository, files.ref, files.commit],
        }
        return Derived(document, ReconcileReport(files.version, files.json is not None))


class World:
    """A checkout to pull from, and a folder to pull into."""

    def __init__(self, root: Path, derive: Deriver) -> None:
        self.upstream = root / "upstream"
        self.spec = root / "spec"
        self.derive = derive
        self.put(OLD, b"old")
        self.put(NEW, b"new")
        self.put("draft", b"draft")
        self.git("init", "--quiet", "--initial-branch=main")
        self.first = self.commit()

    def put(self, version: str, typescript: bytes, published: bytes = b"{}") -> None:
        folder = self.upstream / "schema" / version
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "schema.ts").write_bytes(typescript)
        (folder / "schema.json").write_bytes(published)

    def git(self, *arguments: str) -> str:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            ["git", "-c", "user.name=Some One", "-c", "user.email=one@example.org", *arguments],
            cwd=self.upstream,
            env=kept | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(self) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=change")
        return self.git("rev-parse", "HEAD")

    def pull(self, *versions: str, **settings: Any) -> PullResult:
        settings = {"source": str(self.upstream), "ref": "main"} | settings
        return pull(versions, spec_dir=self.spec, **settings)

    def lock(self) -> Lock:
        return Lock.load(self.spec / "lock.json")

    def files(self) -> dict[str, tuple[bytes, int]]:
        """Every file of the spec folder with its content and time of modification."""
        if not self.spec.exists():
            return {}
        return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in self.spec.iterdir()}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    derive = Deriver()
    monkeypatch.setattr(document, "derive", derive)
    return World(tmp_path, derive)


def statuses(result: PullResult) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {found.version: (found.status, found.changed) for found in result.versions}


# --- which versions -----------------------------------------------------------------------------


def test_a_first_pull(world: World) -> None:
    result = world.pull(NEW)
    document = world.spec / f"{NEW}.json"
    assert statuses(result) == {NEW: ("added", ())}
    assert result.changed
    assert result.written == (document, world.spec / "lock.json")
    assert result.versions[0].report == ReconcileReport(NEW, checked=True)
    entry = world.lock().versions[NEW]
    assert (entry.repository, entry.ref, entry.commit) == ("upstream", "main", world.first)
    assert (entry.schema_ts, entry.schema_json) == (digest(b"new"), digest(b"{}"))
    verify_document(entry, document.read_bytes(), str(document))


def test_named_versions_are_pulled_once_in_order(world: World) -> None:
    progress: list[str] = []
    result = world.pull("draft", NEW, OLD, NEW, progress=progress.append)
    assert list(statuses(result)) == [OLD, NEW, "draft"]
    assert progress == [f"reading {OLD}", f"reading {NEW}", "reading draft"]
    assert world.derive.calls == [OLD, NEW, "draft"]


def test_all_is_every_released_version(world: World) -> None:
    assert list(statuses(world.pull(all_versions=True))) == [OLD, NEW]
    assert list(statuses(world.pull("draft", all_versions=True))) == [OLD, NEW, "draft"]


def test_no_version_means_those_in_the_lock(world: World) -> None:
    world.pull(OLD)
    assert list(statuses(world.pull())) == [OLD]


def test_other_locked_versions_stay(world: World) -> None:
    world.pull(OLD)
    before = world.lock().versions[OLD]
    world.pull(NEW)
    assert world.lock().versions == {OLD: before, NEW: world.lock().versions[NEW]}


def test_no_version_and_no_lock(world: World) -> None:
    with pytest.raises(ConfigError, match=r"none is locked: name the versions") as caught:
        world.pull()
    assert caught.value.where == str(world.spec / "lock.json")
    assert world.files() == {}


def test_all_of_nothing(world: World) -> None:
    world.git("rm", "-r", "--quiet", "schema")
    world.commit()
    with pytest.raises(SourceError, match="holds no released version"):
        world.pull(all_versions=True)


# --- what changed -------------------------------------------------------------------------------


def test_a_second_pull_touches_nothing(world: World) -> None:
    world.pull(OLD, NEW)
    before = world.files()
    result = world.pull(OLD, NEW)
    assert statuses(result) == {OLD: ("unchanged", ()), NEW: ("unchanged", ())}
    assert not result.changed
    assert result.written == ()
    assert world.files() == before


def test_changed_content(world: World) -> None:
    world.pull(OLD, NEW)
    world.put(NEW, b"newer")
    commit = world.commit()
    before = world.files()
    result = world.pull(NEW, check=True)
    assert statuses(result) == {NEW: ("changed", ("schema.ts", "document"))}
    assert result.changed
    assert world.files() == before
    result = world.pull(NEW)
    assert statuses(result) == {NEW: ("changed", ("schema.ts", "document", "commit"))}
    assert result.written == (world.spec / f"{NEW}.json", world.spec / "lock.json")
    assert world.lock().versions[NEW].commit == commit
    assert world.lock().versions[OLD].commit == world.first


def test_a_schema_json_that_changes_alone(world: World) -> None:
    world.pull(NEW)
    world.put(NEW, b"new", b'{"a": 1}')
    world.commit()
    result = world.pull(NEW, check=True)
    assert statuses(result) == {NEW: ("changed", ("schema.json", "document"))}


def test_the_same_content_at_a_newer_commit(world: World) -> None:
    world.pull(all_versions=True)
    newer = world.commit()
    before = world.files()
    checked = world.pull(all_versions=True, check=True)
    assert statuses(checked) == {OLD: ("unchanged", ()), NEW: ("unchanged", ())}
    assert not checked.changed
    assert world.files() == before
    pulled = world.pull(all_versions=True)
    assert statuses(pulled) == {OLD: ("unchanged", ("commit",)), NEW: ("unchanged", ("commit",))}
    assert not pulled.changed
    assert {entry.commit for entry in world.lock().versions.values()} == {newer}
    assert newer in (world.spec / f"{NEW}.json").read_text()
    assert not world.pull(all_versions=True, check=True).changed


def test_the_same_content_from_a_place_that_knows_less(world: World, tmp_path: Path) -> None:
    world.pull(NEW)
    before = world.files()
    plain = tmp_path / "plain"
    (world.upstream / "schema").rename(tmp_path / "schema")
    plain.mkdir()
    (tmp_path / "schema").rename(plain / "schema")
    result = world.pull(NEW, source=str(plain), ref=None)
    assert statuses(result) == {NEW: ("unchanged", ())}
    assert world.files() == before


def test_the_same_content_from_a_place_that_knows_more(world: World) -> None:
    world.put(NEW, b"ahead")
    world.pull(NEW, ref=None)
    assert world.lock().versions[NEW].commit is None
    commit = world.commit()
    result = world.pull(NEW, ref=None)
    assert statuses(result) == {NEW: ("unchanged", ("commit",))}
    assert world.lock().versions[NEW].commit == commit


def test_a_nameless_mirror_does_not_replace_an_address(world: World) -> None:
    world.git("remote", "add", "origin", "https://example.org/spec.git")
    world.pull(NEW)
    before = world.files()
    world.git("remote", "remove", "origin")
    world.pull(NEW, ref=None)
    world.commit()
    assert statuses(world.pull(NEW)) == {NEW: ("unchanged", ())}
    assert world.files() == before


def test_an_address_replaces_a_bare_name(world: World) -> None:
    world.pull(NEW)
    world.git("remote", "add", "origin", "https://example.org/spec.git")
    world.commit()
    result = world.pull(NEW, ref=None)
    assert statuses(result) == {NEW: ("unchanged", ("repository", "ref", "commit"))}
    assert world.lock().versions[NEW].repository == "https://example.org/spec"


def test_another_derivation_of_the_same_sources(world: World) -> None:
    world.pull(NEW)
    world.derive.edition = 2
    assert statuses(world.pull(check=True)) == {NEW: ("changed", ("document",))}
    assert statuses(world.pull()) == {NEW: ("changed", ("document",))}
    assert not world.pull(check=True).changed


def test_descriptions(world: World) -> None:
    world.pull(NEW)
    assert json.loads((world.spec / f"{NEW}.json").read_text())["descriptions"] is False
    assert world.pull(NEW, descriptions=True, check=True).changed
    world.pull(NEW, descriptions=True)
    assert json.loads((world.spec / f"{NEW}.json").read_text())["descriptions"] is True


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_text("{}")])
def test_a_document_lost_or_edited_by_hand(world: World, damage: Any) -> None:
    world.pull(NEW)
    before = world.files()
    damage(world.spec / f"{NEW}.json")
    assert statuses(world.pull(check=True)) == {NEW: ("changed", ("document",))}
    result = world.pull()
    assert result.written == (world.spec / f"{NEW}.json",)
    assert {name: text for name, (text, _) in world.files().items()} == {
        name: text for name, (text, _) in before.items()
    }


def test_check_of_a_version_that_is_not_locked(world: World) -> None:
    result = world.pull(NEW, check=True)
    assert statuses(result) == {NEW: ("added", ())}
    assert result.changed
    assert result.written == ()
    assert not world.spec.exists()


def test_a_schema_json_that_is_missing(world: World) -> None:
    (world.upstream / "schema" / NEW / "schema.json").unlink()
    result = world.pull(NEW, ref=None)
    assert not result.versions[0].report.checked
    assert world.lock().versions[NEW].schema_json is None


# --- refusals -----------------------------------------------------------------------------------


def relock(world: World, **changes: object) -> None:
    """Changes the lock entry of the newest version behind the generator's back."""
    path = world.spec / "lock.json"
    lock = json.loads(path.read_bytes())
    lock["versions"][NEW] |= {name.replace("_", "."): value for name, value in changes.items()}
    path.write_text(json.dumps(lock))


@pytest.mark.parametrize("key", ["schema_ts", "schema_json"])
def test_a_locked_commit_with_other_content(world: World, key: str) -> None:
    world.pull(NEW)
    relock(world, **{key: "0" * 64})
    before = world.files()
    for check in (True, False):
        with pytest.raises(SourceError, match="a commit cannot change") as caught:
            world.pull(OLD, NEW, check=check)
        assert caught.value.where == f"upstream at {world.first}: schema/{NEW}"
        assert key.replace("_", ".") in caught.value.what
        assert world.files() == before


def test_a_locked_commit_whose_schema_json_was_not_offered_before(world: World) -> None:
    world.pull(NEW)
    relock(world, schema_json=None)
    found = statuses(world.pull(NEW))[NEW]
    assert found[0] == "changed"
    assert found[1][0] == "schema.json"


def test_nothing_is_written_when_one_version_fails(world: World) -> None:
    world.pull(OLD)
    world.put(OLD, b"older")
    world.put(NEW, b"nonsense")
    world.commit()
    before = world.files()
    with pytest.raises(SchemaError, match="nonsense"):
        world.pull(OLD, NEW)
    with pytest.raises(SourceError, match="2024-01-01"):
        world.pull(OLD, "2024-01-01")
    assert world.files() == before


def test_a_malformed_lock_is_not_overwritten(world: World) -> None:
    world.pull(NEW)
    (world.spec / "lock.json").write_text("{")
    before = world.files()
    with pytest.raises(LockError):
        world.pull(NEW)
    assert world.files() == before


def test_versions_are_checked_before_anything_is_read(world: World) -> None:
    with pytest.raises(ConfigError, match=r"'\.\./x': is not a version"):
        world.pull(NEW, "../x", source=str(world.upstream / "nowhere"))


def test_a_folder_that_cannot_be_written(world: World) -> None:
    world.spec.write_text("a file")
    with pytest.raises(McpgenError, match="not a directory"):
        world.pull(NEW)
    assert world.spec.read_text() == "a file"


def test_documents_are_written_as_the_derivation_says(world: World) -> None:
    world.pull(NEW)
    text = (world.spec / f"{NEW}.json").read_bytes()
    assert text == to_bytes(json.loads(text))
