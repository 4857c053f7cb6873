"""The specification from folders and git repositories, all real and temporary."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from mcpgen.errors import ConfigError, SourceError
from mcpgen.ingest.sources import open_source
from mcpgen.ingest.sources_common import MAX_SIZE, public_address

OLD, NEW = "2025-06-18", "2025-11-25"
# A version that has a schema.json and no schema.ts.
ALONE = "2026-01-01"
UPSTREAM = "https://example.org/spec"


def git(folder: Path, *arguments: str) -> str:
    """Runs git in a folder, whatever the settings of the person who runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-c", "user.name=Some One", "-c", "user.email=one@example.org", *arguments],
        cwd=folder,
        env=kept | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def put(root: Path, version: str, **files: str) -> None:
    folder = root / "schema" / version
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"schema.{name}").write_text(text)


def commit(root: Path, message: str = "change") -> str:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", message)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two released versions, a draft, and some noise; no git."""
    root = tmp_path / "a spec"
    put(root, NEW, ts="new", json='{"new": 1}')
    put(root, OLD, ts="old", json='{"old": 1}')
    put(root, "draft", ts="draft", json="{}")
    put(root, ALONE, json="{}")
    put(root, "2026-1-1", ts="no date")
    put(root, "2026-02-02-rc", ts="no release")
    (root / "schema" / "2026-03-03").write_text("a file")
    return root


@pytest.fixture
def checkout(folder: Path) -> Path:
    """The same as a git checkout of one commit, tagged `v1`."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "first")
    git(folder, "tag", "v1")
    git(folder, "remote", "add", "origin", f"https://me:secret@{UPSTREAM[8:]}.git")
    return folder


# --- folders ------------------------------------------------------------------------------------


def test_lists_the_released_versions_of_a_folder(folder: Path) -> None:
    assert open_source(str(folder)).versions() == (OLD, NEW, ALONE)


def test_reads_a_folder_without_git(folder: Path) -> None:
    files = open_source(str(folder)).read(NEW)
    assert (files.version, files.typescript, files.json) == (NEW, b"new", b'{"new": 1}')
    assert (files.repository, files.ref, files.commit) == ("a spec", None, None)


def test_reads_the_draft_when_named(folder: Path) -> None:
    assert open_source(str(folder)).read("draft").typescript == b"draft"


def test_a_relative_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    files = open_source(".").read(NEW)
    assert (files.typescript, files.repository) == (b"new", "a spec")


def test_a_missing_schema_json_is_no_error(folder: Path) -> None:
    (folder / "schema" / NEW / "schema.json").unlink()
    assert open_source(str(folder)).read(NEW).json is None


def test_a_schema_json_alone(folder: Path) -> None:
    files = open_source(str(folder)).read(ALONE)
    assert (files.typescript, files.json) == (None, b"{}")


def test_a_schema_json_alone_in_a_commit(checkout: Path) -> None:
    files = open_source(str(checkout), "v1").read(ALONE)
    assert (files.typescript, files.json) == (None, b"{}")
    assert files.commit == open_source(str(checkout)).read(ALONE).commit


def test_a_missing_version(folder: Path) -> None:
    with pytest.raises(SourceError, match=r"is not there, nor a schema\.json") as caught:
        open_source(str(folder)).read("2020-01-01")
    assert caught.value.where == str(folder / "schema" / "2020-01-01" / "schema.ts")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff", "byte 0 is not UTF-8"),
        (b"", "is empty"),
        (b"<html>", "is a web page"),
        (b"x" * (MAX_SIZE + 1), "is larger than"),
    ],
)
def test_what_is_no_schema(folder: Path, content: bytes, said: str) -> None:
    (folder / "schema" / NEW / "schema.json").write_bytes(content)
    with pytest.raises(SourceError, match=said) as caught:
        open_source(str(folder)).read(NEW)
    assert caught.value.where.endswith("schema.json")


def test_a_folder_in_place_of_a_file(folder: Path) -> None:
    (folder / "schema" / NEW / "schema.json").unlink()
    (folder / "schema" / NEW / "schema.json").mkdir()
    with pytest.raises(SourceError, match="cannot be read: Is a directory"):
        open_source(str(folder)).read(NEW)


@pytest.mark.parametrize(
    "version", ["../2025-11-25", "2025-11-25/", "", ".", "DRAFT", "٢٠٢٥-11-25"]
)
def test_a_version_that_is_none(checkout: Path, version: str) -> None:
    for ref in (None, "v1"):
        with pytest.raises(ConfigError, match="is not a version"):
            open_source(str(checkout), ref).read(version)


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        open_source(str(tmp_path / "missing"))
    with pytest.raises(SourceError, match="does not exist"):
        open_source(str(tmp_path / "missing"), "v1")
    with pytest.raises(SourceError, match="has no folder schema"):
        open_source(str(tmp_path))
    (tmp_path / "file").touch()
    with pytest.raises(SourceError, match="has no folder schema"):
        open_source(str(tmp_path / "file"))


def test_a_ref_needs_a_repository(folder: Path) -> None:
    with pytest.raises(SourceError, match="is not a git repository, so it has no refs"):
        open_source(str(folder), "main")


# --- checkouts ----------------------------------------------------------------------------------


def test_a_clean_checkout_tells_its_commit(checkout: Path) -> None:
    (checkout / "README").write_text("changes elsewhere do not matter")
    put(checkout, OLD, ts="edited")
    files = open_source(str(checkout)).read(NEW)
    assert files.commit == git(checkout, "rev-parse", "HEAD")
    assert (files.repository, files.ref) == (UPSTREAM, None)


@pytest.mark.parametrize("name", ["ts", "json"])
def test_an_edited_checkout_is_of_no_commit(checkout: Path, name: str) -> None:
    put(checkout, NEW, **{name: "edited"})
    git(checkout, "add", "--all")
    files = open_source(str(checkout)).read(NEW)
    assert b"edited" in (files.typescript, files.json)
    assert files.commit is None


def test_an_edited_checkout_is_of_no_commit_when_a_file_is_gone(checkout: Path) -> None:
    (checkout / "schema" / NEW / "schema.json").unlink()
    assert open_source(str(checkout)).read(NEW).commit is None


def test_a_checkout_without_commits(folder: Path) -> None:
    git(folder, "init", "--quiet")
    assert open_source(str(folder)).read(NEW).commit is None
    with pytest.raises(SourceError, match="names no commit 'HEAD'"):
        open_source(str(folder), "HEAD")


def test_a_checkout_at_a_ref_ignores_the_work_tree(checkout: Path) -> None:
    shutil.rmtree(checkout / "schema")
    source = open_source(str(checkout), "v1")
    assert source.versions() == (OLD, NEW, ALONE)
    files = source.read(NEW)
    assert (files.typescript, files.json) == (b"new", b'{"new": 1}')
    assert (files.ref, files.commit) == ("v1", git(checkout, "rev-parse", "HEAD"))


def test_a_checkout_whose_work_tree_has_no_schema(checkout: Path) -> None:
    shutil.rmtree(checkout / "schema")
    with pytest.raises(SourceError, match="read its commits with --ref HEAD"):
        open_source(str(checkout))


def test_a_linked_work_tree(checkout: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(checkout, "worktree", "add", "--quiet", str(linked))
    head = git(checkout, "rev-parse", "HEAD")
    for location in (linked, linked / ".git"):
        files = open_source(str(location), "v1").read(NEW)
        assert (files.repository, files.commit) == (UPSTREAM, head)
    assert open_source(str(linked)).read(NEW).commit == head


def test_a_folder_inside_a_checkout_is_just_a_folder(checkout: Path) -> None:
    inner = checkout / "vendored"
    put(inner, NEW, ts="inner")
    commit(checkout)
    files = open_source(str(inner)).read(NEW)
    assert (files.repository, files.commit) == ("vendored", None)


# --- repositories -------------------------------------------------------------------------------


@pytest.fixture
def bare(checkout: Path, tmp_path: Path) -> Path:
    """A bare clone; its origin is a path of this machine."""
    target = tmp_path / "the mirror.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(checkout), str(target))
    return target


def test_a_bare_repository(bare: Path, checkout: Path) -> None:
    source = open_source(str(bare))
    assert source.versions() == (OLD, NEW, ALONE)
    files = source.read(NEW)
    assert (files.typescript, files.json) == (b"new", b'{"new": 1}')
    assert (files.ref, files.commit) == (None, git(checkout, "rev-parse", "HEAD"))


def test_an_origin_on_this_machine_is_not_recorded(bare: Path) -> None:
    assert open_source(str(bare)).read(NEW).repository == "the mirror"


def test_the_git_directory_of_a_checkout(checkout: Path) -> None:
    shutil.rmtree(checkout / "schema")
    files = open_source(str(checkout / ".git")).read(NEW)
    assert (files.typescript, files.repository) == (b"new", UPSTREAM)
    git(checkout, "remote", "remove", "origin")
    assert open_source(str(checkout / ".git")).read(NEW).repository == "a spec"


def test_a_git_directory_without_configuration(bare: Path) -> None:
    (bare / "config").unlink()
    assert open_source(str(bare)).read(OLD).typescript == b"old"


def test_a_ref_is_a_branch_a_tag_or_a_commit(checkout: Path) -> None:
    first = git(checkout, "rev-parse", "HEAD")
    git(checkout, "checkout", "--quiet", "-b", "next/one")
    put(checkout, NEW, ts="newer")
    second = commit(checkout)
    git(checkout, "tag", "--annotate", "--message=two", "v2")
    expected = {
        "main": (b"new", first),
        "next/one": (b"newer", second),
        "v1": (b"new", first),
        "v2": (b"newer", second),
        first: (b"new", first),
        second[:10]: (b"newer", second),
        "HEAD~1": (b"new", first),
    }
    for ref, (text, commit_id) in expected.items():
        files = open_source(str(checkout), ref).read(NEW)
        assert (files.typescript, files.ref, files.commit) == (text, ref, commit_id)


def test_all_versions_are_read_at_one_commit(checkout: Path) -> None:
    source = open_source(str(checkout), "main")
    put(checkout, NEW, ts="moved on")
    commit(checkout)
    assert source.read(NEW).typescript == b"new"


def test_a_missing_file_of_a_commit(bare: Path) -> None:
    source = open_source(str(bare), "v1")
    with pytest.raises(SourceError, match="is not there, nor a schema") as caught:
        source.read("2020-01-01")
    assert caught.value.where == f"{bare} at v1: schema/2020-01-01/schema.ts"


def test_a_link_in_a_commit(checkout: Path) -> None:
    path = checkout / "schema" / NEW / "schema.json"
    path.unlink()
    path.symlink_to("../../secret")
    commit(checkout)
    with pytest.raises(SourceError, match="is a folder, a link or a submodule, expected a file"):
        open_source(str(checkout), "HEAD").read(NEW)


@pytest.mark.parametrize("ref", ["nowhere", "HEAD:schema", "v1^{tree}", "f" * 40])
def test_a_ref_that_names_no_commit(bare: Path, ref: str) -> None:
    with pytest.raises(SourceError, match="names no commit"):
        open_source(str(bare), ref)


@pytest.mark.parametrize("ref", ["", "-h", "--output=x", "/etc", "a b", "a..b", "a\0b"])
def test_a_ref_that_is_none(bare: Path, ref: str) -> None:
    with pytest.raises(ConfigError, match="is not a ref"):
        open_source(str(bare), ref)


def test_a_broken_repository(bare: Path) -> None:
    shutil.rmtree(bare / "objects")
    (bare / "objects").mkdir()
    with pytest.raises(SourceError):
        open_source(str(bare)).read(NEW)


def test_a_repository_that_lost_a_file(bare: Path) -> None:
    blob = git(bare, "rev-parse", f"HEAD:schema/{NEW}/schema.ts")
    (bare / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(SourceError, match="git cat-file failed"):
        open_source(str(bare)).read(NEW)


# --- git's surroundings -------------------------------------------------------------------------


def test_without_git_a_folder_can_be_read_but_no_commit(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(checkout))
    files = open_source(str(checkout)).read(NEW)
    assert (files.typescript, files.repository, files.commit) == (b"new", "a spec", None)
    with pytest.raises(SourceError, match="git: is not installed or not on PATH: install git"):
        open_source(str(checkout), "v1")


def test_the_callers_git_variables_do_not_interfere(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_NAMESPACE", "other")
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    assert open_source(str(bare), "v1").read(NEW).typescript == b"new"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_a_repository_of_somebody_else(checkout: Path, bare: Path) -> None:
    for root in (checkout, bare):
        for path in (root, *root.rglob("*")):
            os.chown(path, 12345, 12345)
    assert open_source(str(bare)).read(NEW).commit
    assert open_source(str(checkout)).read(NEW).commit
    assert open_source(str(checkout), "v1").read(NEW).repository == UPSTREAM


def test_a_replaced_commit_is_not_read(checkout: Path) -> None:
    first = git(checkout, "rev-parse", "HEAD")
    put(checkout, NEW, ts="forged")
    git(checkout, "replace", first, commit(checkout))
    assert open_source(str(checkout), first).read(NEW).typescript == b"new"


@pytest.mark.parametrize(
    ("remote", "public"),
    [
        ("https://example.org/spec.git", "https://example.org/spec"),
        ("https://user:pa@ss@example.org:8443/a/spec/", "https://example.org:8443/a/spec"),
        ("https://example.org/spec?token=1#x", "https://example.org/spec"),
        ("ssh://git@example.org/a/spec.git", "ssh://example.org/a/spec"),
        ("git@example.org:a/spec.git", "example.org:a/spec"),
        ("ssh://git@[::1]/spec", "ssh://[::1]/spec"),
        ("/srv/spec.git", None),
        ("../spec", None),
        ("./a:b", None),
        ("spec", None),
        ("C:\\spec", None),
        ("C:/spec", None),
        ("\\\\server\\spec", None),
        ("file:///srv/spec", None),
        ("https:///srv/spec", None),
        ("https://[::1/spec", None),
        ("ext::ssh example.org /srv/spec", None),
        ("", None),
    ],
)
def test_public_address(remote: str, public: str | None) -> None:
    assert public_address(remote) == public
