"""Every member of every type made wrong in every way, one at a time.

The documents are the samples, and the objects inside of them by their own types. Whether a
change is a fault is asked of the independent validator; where it is, and what the error has to
expect there, follows from the Model. So a decoder that lacks a single check fails here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from mcp_wire import UNSET, DecodeError
from mcp_wire.runtime.errors import format_path
from mcpgen.model.model import Field, ObjectType, Ref, Scalar, TypeExpr

from .documents import MODULES, text
from .faults import changed, expectations, replacements
from .oracle import oracle, whole
from .walk import PROTOCOLS, Path, Step, sample_documents, walk

TYPES = [
    pytest.param(version, declared, id=f"{version}-{declared.name}")
    for version, protocol in PROTOCOLS.items()
    for declared in protocol.objects
]


@cache
def objects(version: str) -> dict[str, list[Any]]:
    """The objects of each type in the samples, by the types that they extend as well."""
    found: dict[str, list[Any]] = {item.name: [] for item in PROTOCOLS[version].objects}
    for name, document in sample_documents(version):
        for step in walk(version).steps(name, document):
            for seen in _with_bases(version, step):
                if step.document not in found[seen]:
                    found[seen].append(step.document)
    return found


def _with_bases(version: str, step: Step) -> Iterator[str]:
    names = [step.type.name] if isinstance(step.type, Ref) else []
    for name in names:
        declared = walk(version).types[name]
        if isinstance(declared, ObjectType) and oracle(version).accepts(name, step.document):
            yield name
            names += declared.extends


def example(version: str, declared: ObjectType, field: Field) -> Any:
    """The smallest object of a type that has a field, with a value that is not empty if any is."""
    key = field.wire_name
    having = [item for item in objects(version)[declared.name] if item.get(key) is not None]
    return min(having, key=lambda item: (item[key] in ([], {}, ""), len(text(item))))


def places(version: str, declared: ObjectType, field: Field, document: Any) -> dict[Path, Step]:
    """Where the value of a field can be wrong: itself, and elements that are no objects' own."""
    found: dict[Path, Step] = {}
    inside: list[Path] = []
    for step in walk(version).steps(declared.name, document):
        if step.path[:1] != (field.wire_name,) or step.path[:-1] in inside:
            continue
        # The index only tells apart what may differ: the first element stands for all.
        if 0 not in step.path and any(isinstance(part, int) for part in step.path):
            continue
        if isinstance(step.type, Ref) and isinstance(
            walk(version).types[step.type.name], ObjectType
        ):
            inside.append(step.path)
        if not any(step.path[: len(above)] == above and step.path != above for above in inside):
            found.setdefault(step.path, step)
    return found


def written(version: str, resolved: TypeExpr, value: Any) -> Any:
    """What an accepted value is written as: with the members that are read as their default."""
    declared = walk(version).types.get(resolved.name) if isinstance(resolved, Ref) else None
    if not isinstance(declared, ObjectType) or not isinstance(value, dict):
        return value
    return {item.wire_name: item.default for item in declared.fields if item.lenient} | value


def decoded(version: str, name: str, document: Any, wanted: Any) -> Any:
    """The value of a document that has to be accepted and written as the wanted one."""
    module = MODULES[version]
    value = module.decode_as(name, document)
    encoded = module.encode_as(name, value)
    assert text(whole(encoded)) == text(whole(wanted))
    return value


def refused(version: str, name: str, document: Any) -> DecodeError:
    """The error of a document that must not be accepted, true of the document."""
    with pytest.raises(DecodeError) as caught:
        MODULES[version].decode_as(name, document)
    oracle(version).require_true(caught.value, document)
    return caught.value


@pytest.mark.parametrize(("version", "declared"), TYPES)
def test_a_member_of_another_value(version: str, declared: ObjectType) -> None:
    for field in declared.fields:
        document = example(version, declared, field)
        for place, step in places(version, declared, field, document).items():
            resolved = expectations(version).resolved(step.type)
            for value in replacements(resolved, step.document):
                item = changed(document, place, value)
                key = field.wire_name
                if not oracle(version).accepts_member(declared.name, key, item[key]):
                    require_refusal(version, declared.name, field, step, item, value)
                    continue
                dropped = value is None and place == (key,) and not field.nullable
                wanted = changed(
                    document, place, UNSET if dropped else written(version, resolved, value)
                )
                kept = getattr(decoded(version, declared.name, item, wanted), field.name)
                if place == (key,) and not isinstance(value, dict | list):
                    assert text(whole(kept)) == text(whole(value))
                    # A whole float is read as the integer that it is.
                    assert resolved != Scalar("integer") or type(kept) in (int, type(None))


def require_refusal(
    version: str, name: str, field: Field, step: Step, document: Any, value: Any
) -> None:
    """A value that was put in the place of a step is refused, and the error says just that."""
    error, place = refused(version, name, document), format_path(step.path)
    say = expectations(version)
    is_member = step.path == (field.wire_name,)
    expected = say.of_member(field, value) if is_member else say.of(step.type, value)
    if expected is None:
        assert error.path.startswith(place)
    else:
        assert (error.path, error.expected) == (place, expected)


@pytest.mark.parametrize(("version", "declared"), TYPES)
def test_a_member_left_out(version: str, declared: ObjectType) -> None:
    for field in declared.fields:
        document = example(version, declared, field)
        item = changed(document, (field.wire_name,), UNSET)
        if field.lenient:
            wanted = {**item, field.wire_name: field.default}
            value = decoded(version, declared.name, item, wanted)
            assert getattr(value, field.name) == field.default
        elif not field.required:
            value = decoded(version, declared.name, item, item)
            assert getattr(value, field.name) is (UNSET if field.nullable else None)
        else:
            error = refused(version, declared.name, item)
            place = format_path([field.wire_name])
            expected = expectations(version).of_member(field, UNSET)
            assert (error.path, error.expected, error.found) == (place, expected, "nothing")


@pytest.mark.parametrize(("version", "declared"), TYPES)
def test_unknown_members_are_kept(version: str, declared: ObjectType) -> None:
    """Those that are called as a field is in Python, too."""
    known = {field.wire_name for field in declared.fields}
    unknown = {"example.org/x", "extra", *(field.name for field in declared.fields)} - known
    for document in objects(version)[declared.name]:
        own = {key: item for key, item in document.items() if key in known}
        for added in (document, {"example.org/x": {"a": None}}, dict.fromkeys(sorted(unknown), 0)):
            item = {**own, **added}
            value = decoded(version, declared.name, item, item)
            assert value.extra == {key: inner for key, inner in item.items() if key not in known}


@pytest.mark.parametrize(("version", "declared"), TYPES)
def test_what_is_no_object(version: str, declared: ObjectType) -> None:
    for value in (None, True, 7, 2.5, "mast", [], [{}], [["type", "text"]]):
        error = refused(version, declared.name, value)
        assert (error.path, error.expected) == ("$", "an object")
