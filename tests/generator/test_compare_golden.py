"""What changed between neighbouring versions of the protocol, as checked by hand.

`python -m tests.generator.test_compare_golden`, run at the root with `codegen` on the path,
writes the files anew; read the difference before committing it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from mcpgen.compare import Comparison, compare, render
from mcpgen.compare.side import Side
from mcpgen.compare.spelling import identity
from mcpgen.model.model import Field, Protocol
from mcpgen.specs import load_protocols

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).parent / "golden" / "diff"
ENDINGS = {"txt": "text", "md": "markdown", "json": "json"}


def comparisons() -> list[Comparison]:
    """Each version with the one after it."""
    return [compare(old, new) for old, new in pairwise(load_protocols(ROOT / "spec"))]


def contents() -> dict[str, str]:
    """The golden files by their names."""
    return {
        f"{comparison.old}..{comparison.new}.{ending}": render(comparison, format)
        for comparison in comparisons()
        for ending, format in ENDINGS.items()
    }


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    return contents()


def test_there_is_a_golden_file_for_every_pair_and_no_other(expected: dict[str, str]) -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(expected)


@pytest.mark.parametrize("path", sorted(GOLDEN.iterdir()), ids=lambda path: path.name)
def test_what_changed_is_what_was_checked(path: Path, expected: dict[str, str]) -> None:
    assert path.read_text(encoding="utf-8") == expected[path.name]


def test_text_keeps_to_a_hundred_columns(expected: dict[str, str]) -> None:
    texts = [text for name, text in expected.items() if name.endswith(".txt")]
    assert not [line for text in texts for line in text.splitlines() if len(line) > 100]


def test_a_version_does_not_differ_from_itself() -> None:
    for protocol in load_protocols(ROOT / "spec"):
        assert compare(protocol, protocol).changes == ()


def test_every_field_that_differs_is_told() -> None:
    untold: list[str] = []
    for old, new in pairwise(load_protocols(ROOT / "spec")):
        told = {
            path
            for change in compare(old, new).changes
            for path in (change.path, *change.covered_paths)
        }
        for field in differing_fields(old, new):
            parts = (f"{field}[", f"{field}{{")
            if not any(path == field or path.startswith(parts) for path in told):
                untold.append(f"{new.version} {field}")
    assert untold == [
        # A renamed type is told where it is declared.
        "2025-06-18 CompleteRequestParams.ref",
    ]


def written(field: Field) -> tuple[str, bool, bool]:
    """What of a field is on the wire."""
    return identity(field.type, {}), field.required, field.nullable


def differing_fields(old: Protocol, new: Protocol) -> Iterator[str]:
    """The fields of types both versions have that are not the same, whole messages apart."""
    messages = {method.message for method in new.methods}
    before, after = Side.of(old), Side.of(new)
    for found in new.objects:
        was = before.object(found.name)
        # What nothing uses but types that extend it is told of those.
        if was is None or found.name in messages or after.is_mere_base(found.name):
            continue
        for name in {field.wire_name for field in (*was.fields, *found.fields)}:
            pair = was.field(name), found.field(name)
            if len({field and written(field) for field in pair}) > 1:
                yield f"{found.name}.{name}"


def write() -> None:
    """Writes every golden file anew, and removes those that are none any more."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    files = contents()
    for path in GOLDEN.iterdir():
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        (GOLDEN / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write()
