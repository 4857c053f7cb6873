"""One fault deep inside a whole message, and the named types that are no classes made wrong.

The error has to be that of the place, however many unions and arrays are above it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from mcp_wire import UNSET, DecodeError
from mcp_wire.runtime.errors import format_path
from mcpgen.model.model import AliasType, Const, Literals, ObjectType, Ref, UnionOf

from .documents import MODULES, text
from .faults import changed, expectations, replacements
from .oracle import oracle
from .walk import PROTOCOLS, Path, Step, sample_documents, walk

TIMES = 2
"""How many documents the same fault is made in."""

ALIASES = [
    pytest.param(version, declared, id=f"{version}-{declared.name}")
    for version, protocol in PROTOCOLS.items()
    for declared in protocol.aliases
]


def judge(version: str, name: str, document: Any) -> DecodeError | None:
    """The error of a document where the validator finds one too; None where neither does."""
    module = MODULES[version]
    try:
        value = module.decode_as(name, document)
    except DecodeError as error:
        assert not oracle(version).accepts(name, document), f"{error}\n{text(document)}"
        oracle(version).require_true(error, document)
        return error
    assert oracle(version).accepts(name, document), text(document)
    kind = type(value).__name__
    assert not hasattr(value, "to_dict") or oracle(version).accepts(kind, document)
    return None


# --- in messages --------------------------------------------------------------------------------


def faults(version: str, step: Step) -> Iterator[tuple[Path, Any, str | None]]:
    """Where in an object something is wrong, the value there, and what is expected instead."""
    declared = walk(version).types[step.type.name] if isinstance(step.type, Ref) else None
    if not isinstance(declared, ObjectType):
        return
    say = expectations(version)
    for field in declared.fields:
        place = (*step.path, field.wire_name)
        value = step.document.get(field.wire_name)
        if value is None:
            continue
        # An object where a text is, and a number where anything else is.
        wrong = {} if isinstance(value, str) else 0.5 if isinstance(value, dict | list) else [value]
        resolved = say.resolved(field.type)
        for item in (UNSET, wrong, f"{value}x"):
            if item is UNSET and not field.required:
                continue
            if isinstance(item, str) and not isinstance(resolved, Const | Literals):
                continue
            # A constant may be the tag of a union, whose error lists the constants of them all.
            is_constant = isinstance(resolved, Const)
            yield place, item, None if is_constant else say.of_member(field, item)


def general(path: Path) -> Path:
    """A path to any element of an array."""
    return tuple("[]" if isinstance(part, int) else part for part in path)


@pytest.mark.parametrize("version", PROTOCOLS)
def test_faults_inside_of_messages(version: str) -> None:
    seen: Counter[Any] = Counter()
    refused = 0
    for name, document in sample_documents(version):
        for step in walk(version).steps(name, document):
            for place, value, expected in faults(version, step) if step.path else ():
                # Every member where it first is, and in some other surroundings.
                kind = step.type, place[-1], text(None if value is UNSET else type(value).__name__)
                if seen[kind] >= TIMES or seen[name, general(place), kind]:
                    continue
                seen.update([kind, (name, general(place), kind)])
                error = judge(version, name, changed(document, place, value))
                if error is None:
                    continue
                refused += 1
                if step.loose is not None:
                    assert error.path.startswith(format_path(step.loose))
                else:
                    assert error.path == format_path(place)
                    assert expected is None or error.expected == expected
    assert refused > 200


# --- types that are no classes ------------------------------------------------------------------


@cache
def values(version: str) -> dict[str, list[Any]]:
    """The values of each named type that is no class, in the samples."""
    found: dict[str, list[Any]] = {item.name: [] for item in PROTOCOLS[version].aliases}
    for name, document in sample_documents(version):
        for step in walk(version).steps(name, document):
            if isinstance(step.type, Ref) and step.type.name in found:
                found[step.type.name].append(step.document)
    return found


def tagged(declared: AliasType, document: Any) -> Iterator[Any]:
    """An object with other tags than its own, where a tag tells what it is."""
    tag = declared.type.plan.tag if isinstance(declared.type, UnionOf) else None
    if tag is not None and isinstance(document, dict):
        yield from ({**document, tag: value} for value in ("acme", "", None, 5, [], {}, True))
        yield {key: item for key, item in document.items() if key != tag}
        assert isinstance(declared.type, UnionOf)
        yield from ({**document, tag: value} for value in declared.type.plan.groups)


@pytest.mark.parametrize(("version", "declared"), ALIASES)
def test_values_of_a_type_that_is_no_class(version: str, declared: AliasType) -> None:
    found = {text(value): value for value in values(version)[declared.name]}
    resolved = expectations(version).resolved(declared.type)
    verdicts = set()
    for document in sorted(found.values(), key=lambda value: len(text(value)))[:TIMES]:
        for value in (document, *replacements(resolved, document), *tagged(declared, document)):
            error = judge(version, declared.name, value)
            verdicts.add(error is None)
            expected = expectations(version).of(declared.type, value)
            if error is not None and expected is not None:
                assert (error.path, error.expected) == ("$", expected)
    assert True in verdicts
