"""Proves that our reading of a schema.ts agrees with the schema.json published beside it.

The published file is rebuilt from the TypeScript by the named distortions of
`schema_from_typescript`, and has to come out equal. What no distortion explains stops the
pull, with its path.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import ReconcileError
from ..jsonvalues import is_array, is_object
from ..texts import parse_json
from .declarations import Module
from .distortions import DISTORTIONS, Recorder
from .schema_from_typescript import build_definitions

_INDENTED = textwrap.TextWrapper(
    width=96,
    initial_indent="    ",
    subsequent_indent="    ",
    break_long_words=False,
    break_on_hyphens=False,
)


@dataclass(frozen=True, slots=True)
class ReconcileReport:
    """Every distortion with the sites where the published schema shows it.

    `checked` is False when there was nothing to compare: no schema.json, or no schema.ts. In
    the latter case the document is a reduced one, and `missing` says which facts it lacks.
    """

    version: str
    checked: bool
    sites: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    missing: tuple[str, ...] = ()

    @property
    def reduced(self) -> bool:
        """Whether the document was made without a schema.ts."""
        return bool(self.missing)

    def lines(self) -> list[str]:
        """The report as text: what was found, then each distortion with its sites."""
        if self.reduced:
            head = f"{self.version}: warning: reduced, made without schema.ts; not known are"
            return [head, *(f"  {fact}" for fact in self.missing)]
        if not self.checked:
            return [f"{self.version}: no schema.json to compare with"]
        total = sum(map(len, self.sites.values()))
        found = [f"{self.version}: schema.json explained by {total} distortions, none unexplained"]
        for name, sites in self.sites.items():
            found.append(f"  {name} ({len(sites)}): {DISTORTIONS[name]}")
            found += _INDENTED.wrap(", ".join(sites))
        return found


def reconcile(module: Module, published: bytes | None, version: str) -> ReconcileReport:
    """Compares a module with the published schema.json; None when there is none.

    Raises `ReconcileError` with the path of each difference that no distortion explains.
    """
    if published is None:
        return ReconcileReport(version, checked=False)
    where = f"schema/{version}/schema.json"
    recorder = Recorder()
    expected = build_definitions(module, recorder=recorder)
    actual = _without_descriptions(published_definitions(published, where))
    if unexplained := list(_differences(expected, actual, "$defs")):
        shown = "; ".join(unexplained[:10])
        more = f" (and {len(unexplained) - 10} more)" if len(unexplained) > 10 else ""
        raise ReconcileError(
            where,
            f"differs from schema.ts in ways no known distortion explains: {shown}{more}",
            "read both files there; a new distortion is named in ingest/distortions.py and made in "
            "ingest/schema_from_typescript.py",
        )
    sites = {name: tuple(recorder.sites[name]) for name in DISTORTIONS if name in recorder.sites}
    return ReconcileReport(version, checked=True, sites=sites)


def published_definitions(published: bytes, where: str) -> dict[str, Any]:
    """The definitions of a published schema.json by name, their references under `$defs`.

    Raises `ReconcileError` for what is not a JSON Schema with definitions.
    """
    try:
        # The older files say `definitions`, the newer ones `$defs`.
        document = parse_json(published.replace(b"#/definitions/", b"#/$defs/"))
    except ValueError as error:
        raise ReconcileError(where, f"found text that is not JSON ({error})") from None
    keywords = document if is_object(document) else {}
    found = keywords.get("$defs", keywords.get("definitions"))
    if not is_object(found):
        raise ReconcileError(where, "found neither $defs nor definitions, expected a JSON Schema")
    return found


def _without_descriptions(definitions: dict[str, Any]) -> dict[str, Any]:
    return {name: _bare(schema) for name, schema in definitions.items()}


def _bare(schema: Any) -> Any:
    if is_array(schema):
        return [_bare(item) for item in schema]
    if not is_object(schema):
        return schema
    bare: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties" and is_object(value):
            bare[key] = {name: _bare(inner) for name, inner in value.items()}
        elif key != "description":
            bare[key] = _bare(value)
    return bare


def _differences(expected: Any, actual: Any, path: str) -> Iterator[str]:
    if is_object(expected) and is_object(actual):
        for key in [*expected, *(key for key in actual if key not in expected)]:
            here = f"{path}.{key}"
            if key not in actual:
                yield f"{here}: schema.ts gives {_short(expected[key])}, schema.json has nothing"
            elif key not in expected:
                yield f"{here}: schema.json has {_short(actual[key])}, schema.ts gives nothing"
            else:
                yield from _differences(expected[key], actual[key], here)
    elif is_array(expected) and is_array(actual) and len(expected) == len(actual):
        for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
            yield from _differences(left, right, f"{path}[{index}]")
    # Compared as text: to Python 1 == True, to JSON they differ.
    elif json.dumps(expected) != json.dumps(actual):
        yield f"{path}: schema.ts gives {_short(expected)}, schema.json has {_short(actual)}"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
