"""Facts that neither source states, asserted against the document they change.

`spec/overrides.toml` holds two kinds of entries. An `[[override]]` changes one value of a
spec document: `path` is a JSON pointer in which `*` stands for any part of a key, `old` the
value expected there (left out: nothing), `new` the value afterwards (left out: removed). It
changes members of objects; an array is replaced whole. A `[[name]]` gives an inline object
another name than its site would. Both hold for all versions, or for those from `since` to
`until`, and say why in `reason`; `source` names the part of the specification that says so.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from ..errors import OverrideError
from ..files import read_file
from ..jsonvalues import is_array, is_object
from ..texts import parse_toml

_MISSING = object()
_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}|draft")


@dataclass(frozen=True, slots=True)
class VersionRange:
    """Versions from `since` to `until`, both included; None leaves an end open."""

    since: str | None = None
    until: str | None = None

    def __contains__(self, version: str) -> bool:
        # Versions are dates, so they sort as text; "draft" sorts after them all.
        return (self.since is None or self.since <= version) and (
            self.until is None or version <= self.until
        )


@dataclass(frozen=True, slots=True)
class Override:
    """One asserted change of a value, why it is made, and where the specification says so."""

    path: tuple[str, ...]
    old: Any
    new: Any
    versions: VersionRange
    reason: str
    source: str


@dataclass(frozen=True, slots=True)
class NameOverride:
    """Another name for the inline object at a site such as `Annotated.annotations`."""

    site: str
    name: str
    versions: VersionRange


@dataclass(frozen=True, slots=True)
class Overrides:
    """The entries of one overrides.toml, in the order of the file.

    `lenient` is for reduced documents, which a schema.json alone was made into: it passes
    over entries that match nothing, and values that are already the new ones.
    """

    where: str = "overrides.toml"
    values: tuple[Override, ...] = ()
    names: tuple[NameOverride, ...] = ()
    lenient: bool = False

    @classmethod
    def load(cls, path: Path) -> Overrides:
        """Reads overrides.toml; a missing file is none. Raises `OverrideError` when malformed."""
        try:
            content = parse_toml(read_file(path))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError) as error:
            raise OverrideError(str(path), f"is not a readable TOML file: {error}") from None
        if unknown := sorted(content.keys() - {"override", "name"}):
            raise OverrideError(
                str(path), f"found {unknown[0]!r}, expected [[override]] or [[name]]"
            )
        return cls(
            str(path),
            tuple(_override(entry, where) for entry, where in _entries(content, "override", path)),
            tuple(_name(entry, where) for entry, where in _entries(content, "name", path)),
        )

    def leniently(self) -> Overrides:
        """The same entries, to be applied to a reduced document."""
        return replace(self, lenient=True)

    def applied(self, document: dict[str, Any], version: str) -> dict[str, Any]:
        """A copy of a spec document with every override of that version made.

        Raises `OverrideError` where the old value is another one, or where nothing matches.
        """
        changed = copy.deepcopy(document)
        for override in self.values:
            if version in override.versions:
                self._apply(override, changed, version)
        return changed

    def name_of(self, site: str, version: str) -> str | None:
        """The name asked for at a site; None when its own will do."""
        names = [e.name for e in self.names if e.site == site and version in e.versions]
        if len(names) > 1:
            raise OverrideError(self.where, f"found several names for {site} in {version}")
        return names[0] if names else None

    def unused(self, versions: Iterable[str]) -> list[str]:
        """The paths and sites of entries that hold for none of these versions."""
        known = list(versions)
        entries = [(_pointer(entry.path), entry.versions) for entry in self.values]
        entries += [(entry.site, entry.versions) for entry in self.names]
        return [what for what, held in entries if not any(version in held for version in known)]

    def require_names_used(self, sites: set[str], version: str) -> None:
        """Raises `OverrideError` for a name of that version whose site does not exist."""
        for entry in () if self.lenient else self.names:
            if version in entry.versions and entry.site not in sites:
                self._fail(
                    f"the name for {entry.site} matches nothing in {version}", entry.versions
                )

    def _apply(self, override: Override, document: dict[str, Any], version: str) -> None:
        *parents, last = override.path
        matched = False
        for holder, path in _resolve(document, tuple(parents), ()):
            if is_array(holder):
                self._stale(
                    f"{_pointer((*path, last))} in {version} is an element of an array, "
                    "the override expects a member of an object",
                    override,
                )
            for key in _matching(holder, last):
                found = holder.get(key, _MISSING)
                if found is _MISSING and override.old is not _MISSING:
                    continue
                matched = True
                if self.lenient and _equal(found, override.new):
                    continue
                if not _equal(found, override.old):
                    self._stale(
                        f"{_pointer((*path, key))} in {version} is {_shown(found)}, "
                        f"the override expects {_shown(override.old)}",
                        override,
                    )
                if override.new is _MISSING:
                    del holder[key]
                else:
                    holder[key] = copy.deepcopy(override.new)
        if not matched and not self.lenient:
            self._stale(f"{_pointer(override.path)} matches nothing in {version}", override)

    def _stale(self, what: str, override: Override) -> NoReturn:
        source = f" ({override.source})" if override.source else ""
        self._fail(f"{what}; it was made because {override.reason}{source}", override.versions)

    def _fail(self, what: str, versions: VersionRange) -> NoReturn:
        covered = f"{versions.since or 'the first'} to {versions.until or 'the last'} version"
        raise OverrideError(self.where, what, f"correct the entry or its versions (now {covered})")


def _entries(
    content: dict[str, Any], kind: str, path: Path
) -> Iterator[tuple[dict[str, Any], str]]:
    entries = content.get(kind, [])
    if not is_array(entries):
        raise OverrideError(str(path), f"found a single {kind}, expected [[{kind}]]")
    for number, entry in enumerate(entries, 1):
        where = f"{path} [[{kind}]] {number}"
        if not is_object(entry):
            raise OverrideError(where, "found no table")
        yield entry, where


def _override(entry: dict[str, Any], where: str) -> Override:
    _require_keys(entry, where, {"path", "reason"}, {"old", "new", "since", "until", "source"})
    if "old" not in entry and "new" not in entry:
        raise OverrideError(where, "found neither old nor new, expected at least one")
    path = entry["path"]
    if not path.startswith("/") or path == "/":
        raise OverrideError(where, f"found the path {path!r}, expected a JSON pointer")
    parts = tuple(part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/"))
    return Override(
        path=parts,
        old=entry.get("old", _MISSING),
        new=entry.get("new", _MISSING),
        versions=_versions(entry, where),
        reason=entry["reason"],
        source=entry.get("source", ""),
    )


def _name(entry: dict[str, Any], where: str) -> NameOverride:
    _require_keys(entry, where, {"site", "name", "reason"}, {"since", "until"})
    return NameOverride(entry["site"], entry["name"], _versions(entry, where))


def _versions(entry: dict[str, Any], where: str) -> VersionRange:
    since, until = entry.get("since"), entry.get("until")
    for version in (since, until):
        if version is not None and not _VERSION.fullmatch(version):
            raise OverrideError(where, f"found the version {version!r}, expected a date or draft")
    if since and until and until < since:
        raise OverrideError(where, f"found no version, since {since} is after until {until}")
    return VersionRange(since, until)


def _require_keys(
    entry: dict[str, Any], where: str, required: set[str], optional: set[str]
) -> None:
    if missing := sorted(required - entry.keys()):
        raise OverrideError(where, f"found no {missing[0]}")
    if unknown := sorted(entry.keys() - required - optional):
        raise OverrideError(where, f"found the unknown key {unknown[0]!r}")
    for key in sorted(entry.keys() - {"old", "new"}):
        if not isinstance(entry[key], str) or not entry[key]:
            raise OverrideError(where, f"found {key} = {entry[key]!r}, expected a string")
    for key in sorted(entry.keys() & {"old", "new"}):
        try:
            json.dumps(entry[key], allow_nan=False)
        except (TypeError, ValueError):
            raise OverrideError(
                where, f"found {key} = {entry[key]!r}, expected a JSON value"
            ) from None


def _resolve(
    node: Any, path: tuple[str, ...], above: tuple[str, ...]
) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """Every object or array the pointer `path` leads to, with the keys that led there."""
    if not is_object(node) and not is_array(node):
        return
    if not path:
        yield node, above
        return
    head, *rest = path
    items = node if is_object(node) else {str(index): item for index, item in enumerate(node)}
    for key in _matching(items, head):
        if key in items:
            yield from _resolve(items[key], tuple(rest), (*above, key))


def _matching(keys: Iterable[str], pattern: str) -> list[str]:
    """The keys a part of a path means; one without a star is itself, there or not."""
    if "*" not in pattern:
        return [pattern]
    expression = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
    return [key for key in keys if expression.fullmatch(key)]


def _equal(found: object, expected: object) -> bool:
    return found is expected or (
        type(found) is type(expected) and found is not _MISSING and found == expected
    )


def _pointer(path: tuple[str, ...]) -> str:
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)


def _shown(value: object) -> str:
    return "absent" if value is _MISSING else repr(value)
