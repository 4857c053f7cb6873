"""Our documentation of the protocol: `spec/descriptions.toml`, read and looked up by version.

The file is one flat TOML table of quoted keys:

- `"Type"` describes a named type, `"Type.field"` a field by its wire name, `"method"` a method;
- a type starts with an upper-case letter and a method with a lower-case one, so that the field
  is whatever follows the first dot of a type, as in
  `"RequestMetaObject.io.modelcontextprotocol/clientInfo"`;
- `"key@VERSION"` replaces the text of `"key"` from that version on, until a later one; versions
  are dates, and `draft` comes after all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import OverrideError
from ..files import read_file
from ..texts import parse_toml

_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}|draft")
_TYPE_OR_FIELD = re.compile(r"[A-Z]\w*(\.\S+)?")
_METHOD = re.compile(r"[a-z][^\s./]*(/\S+)?")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One key of the file: its text, and the version from which it holds (None: from the first)."""

    key: str
    since: str | None
    text: str


class Descriptions:
    """The texts of one descriptions file, and which of them have been asked for.

    A text is served as paragraphs separated by a blank line, each on one line.
    """

    def __init__(self, entries: Mapping[str, Sequence[_Entry]]) -> None:
        self._entries = {
            subject: sorted(found, key=lambda entry: _rank(entry.since), reverse=True)
            for subject, found in entries.items()
        }
        self._served: set[str] = set()

    @classmethod
    def load(cls, path: Path) -> Descriptions:
        """Read the file at `path`; a missing or empty one describes nothing.

        Raises OverrideError, naming file and key, when the file cannot be read, is not TOML, or
        has a key or value that is not as the module says.
        """
        entries: dict[str, list[_Entry]] = {}
        for key, value in _read(path).items():
            where = f"{path}, key {key!r}"
            subject, since = _split_version(key, where)
            entries.setdefault(subject, []).append(_Entry(key, since, _text(value, where)))
        return cls(entries)

    def type_text(self, version: str, name: str) -> str:
        """The text of a named type in a version, "" when there is none."""
        return self._serve(version, name) or ""

    def field_text(self, version: str, owners: Sequence[str], wire_name: str) -> str:
        """The text of a field in a version, "" when there is none.

        `owners` are the types that may describe it, the first that does is taken: the type that
        has the field, then those it inherits from, nearest first.
        """
        for owner in owners:
            if text := self._serve(version, f"{owner}.{wire_name}"):
                return text
        return ""

    def method_text(self, version: str, method: str) -> str:
        """The text of a method in a version, "" when there is none."""
        return self._serve(version, method) or ""

    def unused(self) -> tuple[str, ...]:
        """The keys, as written, that no lookup has been answered with; sorted."""
        keys = {entry.key for found in self._entries.values() for entry in found}
        return tuple(sorted(keys - self._served))

    def _serve(self, version: str, subject: str) -> str | None:
        for entry in self._entries.get(subject, ()):
            if _rank(entry.since) <= _rank(version):
                self._served.add(entry.key)
                return entry.text
        return None


def _rank(version: str | None) -> tuple[bool, str]:
    """Sorts versions: None first, then the dates, then `draft`."""
    return (version == "draft", version or "")


def _read(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(read_file(path))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise OverrideError(str(path), f"is not a readable TOML file: {error}") from error


def _split_version(key: str, where: str) -> tuple[str, str | None]:
    """The subject of a key, and the version after its `@`."""
    subject, at, version = key.partition("@")
    if at and not _VERSION.fullmatch(version):
        raise OverrideError(
            where, f"found the version {version!r}, expected a date such as 2025-11-25, or draft"
        )
    if not (_TYPE_OR_FIELD.fullmatch(subject) or _METHOD.fullmatch(subject)):
        raise OverrideError(where, f"found {subject!r}, expected Type, Type.field or method")
    return subject, version or None


def _text(value: object, where: str) -> str:
    """A value as paragraphs of one line each."""
    if not isinstance(value, str):
        found = "a table" if isinstance(value, dict) else repr(value)
        raise OverrideError(
            where, f"found {found}, expected a string", "quote the whole key and give it one text"
        )
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", value))
    text = "\n\n".join(part for part in paragraphs if part)
    if not text:
        raise OverrideError(where, "found an empty text, expected at least a sentence")
    return text
