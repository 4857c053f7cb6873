"""Inspections as plain text for a terminal, at most 100 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from ..compare.changes import Change
from ..compare.rules import RULES
from ..compare.spelling import spell_key, spell_scalar
from ..compare.text import WIDTH
from ..compare.wording import list_title, sentence
from ..emit.hints import python_hint
from ..emit.literals import python_literal
from ..model.model import AliasType, Method, ObjectType, Protocol, TypeDef, UnionOf
from .history import History
from .inspection import (
    ConstantInspection,
    FieldInspection,
    FieldView,
    Inspection,
    MethodInspection,
    Overview,
    TypeInspection,
)
from .uses import How

Lines = Iterator[str]


def render_text(inspection: Inspection) -> str:
    """The inspection as text that ends in a line break; only over-long words pass the width."""
    match inspection:
        case Overview():
            lines = _overview(inspection.protocol)
        case TypeInspection():
            lines = _type(inspection)
        case FieldInspection():
            lines = _field_alone(inspection)
        case MethodInspection():
            lines = _method(inspection)
        case ConstantInspection():
            lines = _constant(inspection)
    return "\n".join(lines) + "\n"


# --- each kind ----------------------------------------------------------------------------------


def _overview(protocol: Protocol) -> Lines:
    objects, aliases = protocol.objects, protocol.aliases
    yield (
        f"MCP {protocol.version}: {len(protocol.methods)} methods, {len(objects)} object types, "
        f"{len(aliases)} other types, {len(protocol.constants)} constants"
    )
    source = protocol.source
    read_at = source.commit or source.ref
    place = f" at {read_at}" if read_at else ""
    yield from _wrapped(f"read from {source.repository}{place}", "")
    for title, methods in _grouped_methods(protocol):
        yield from _table(title, [_method_row(method) for method in methods])
    declared = [found.name for found in objects if found.declared and found.method is None]
    yield from _names("OBJECT TYPES", declared)
    yield from _names("MESSAGES", [found.name for found in objects if found.method is not None])
    inline = [found.name for found in objects if not found.declared and found.method is None]
    yield from _names("INLINE OBJECTS, NAMED AFTER THEIR PLACE", inline)
    unions = [found.name for found in aliases if isinstance(found.type, UnionOf)]
    yield from _names("UNIONS", unions)
    yield from _names("OTHER TYPES", [found.name for found in aliases if found.name not in unions])
    constants = [(found.name, spell_scalar(found.value)) for found in protocol.constants]
    yield from _table("CONSTANTS", constants)


def _type(found: TypeInspection) -> Lines:
    definition = found.definition
    yield f"{definition.name}: {_kind_of(definition)}, MCP {found.version}"
    yield from _paragraphs(definition.docs.text)
    facts = [("deprecated", definition.deprecated)]
    if isinstance(definition, ObjectType):
        facts += [("method", definition.method), ("extends", ", ".join(definition.extends))]
        if definition.index is not None:
            facts.append(("other keys", "are allowed by name"))
    else:
        facts += [("JSON", found.spelling), ("Python", python_hint(definition.type))]
    yield from _facts([*facts, ("schema page", definition.docs.spec_url)])
    yield from _fields("FIELDS", found.fields)
    yield from _used(found)
    yield from _history(found.history)


def _field_alone(found: FieldInspection) -> Lines:
    yield f"{found.type}.{found.view.field.wire_name}: field, MCP {found.version}"
    yield ""
    yield from _field(found.view)
    yield from _history(found.history)


def _method(found: MethodInspection) -> Lines:
    method = found.method
    yield f"{method.method}: {_sent(method)}, MCP {found.version}"
    yield from _paragraphs(method.docs.text)
    params = None
    if method.params is not None:
        params = method.params if method.params_required else f"{method.params}, may be left out"
    receiver = " or ".join("server" if side == "client" else "client" for side in method.sent_by)
    capability = None if method.kind == "notification" else "none needed"
    if method.capability is not None:
        capability = f"{method.capability}, which the {receiver} must have"
    pages = method.pagination
    facts = [
        ("deprecated", method.deprecated),
        ("message", method.message),
        ("params", params or "none"),
        ("result", " | ".join(method.results)),
        ("pages", f"of {pages.items_wire_name}" if pages else None),
        ("capability", capability),
        ("called by", ", ".join(found.stubs)),
        ("handled by", ", ".join(found.handlers)),
        ("schema page", method.docs.spec_url),
    ]
    yield from _facts(facts)
    if found.params is not None and not found.fields:
        yield from ["", "PARAMS", *_wrapped(found.params, "  ")]
    yield from _fields("PARAMS", found.fields)
    yield from _history(found.history)


def _constant(found: ConstantInspection) -> Lines:
    yield f"{found.constant.name}: constant, MCP {found.version}"
    yield from _paragraphs(found.constant.docs.text)
    yield from _facts([("value", spell_scalar(found.constant.value))])
    yield from _history(found.history)


# --- parts --------------------------------------------------------------------------------------


def _kind_of(definition: TypeDef) -> str:
    if isinstance(definition, AliasType):
        return "union" if isinstance(definition.type, UnionOf) else "named type"
    if definition.method is not None:
        return "message"
    return "object type" if definition.declared else "object type written inline"


def _sent(method: Method) -> str:
    kind = "request inside a result" if method.kind == "embedded" else method.kind
    return f"{kind} from the {' and the '.join(method.sent_by)}"


def _grouped_methods(protocol: Protocol) -> Iterator[tuple[str, list[Method]]]:
    groups: dict[str, list[Method]] = {}
    for method in protocol.methods:
        kind = {"request": "requests", "notification": "notifications"}
        title = f"{kind.get(method.kind, 'requests inside results')} from the "
        title += " and the ".join(method.sent_by)
        groups.setdefault(title.upper(), []).append(method)
    yield from groups.items()


def _method_row(method: Method) -> tuple[str, str]:
    """A method, its params and its results."""
    answer = f" -> {' | '.join(method.results)}" if method.results else ""
    note = " (deprecated)" if method.deprecated else ""
    return method.method, f"{method.params or 'no params'}{answer}{note}"


def _fields(title: str, views: Sequence[FieldView]) -> Lines:
    if views:
        yield from ["", title]
    for view in views:
        yield ""
        yield from _field(view)


def _field(view: FieldView) -> Lines:
    field = view.field
    key = f"{spell_key(field.wire_name)}{'' if field.required else '?'}"
    yield from _wrapped(f"{key}: {view.spelling}", "  ", "    ")
    built = "" if view.build_default is None else f" = {view.build_default}"
    yield from _wrapped(f"Python  {field.name}: {view.hint}{built}", "      ", "        ")
    yield from _wrapped("; ".join(_notes(view)), "      ")
    for paragraph in field.docs.text.split("\n\n"):
        yield from _wrapped(paragraph, "      ")


def _notes(view: FieldView) -> Iterator[str]:
    field = view.field
    yield "required" if field.required else "optional"
    if field.nullable:
        yield "null is a value"
    if field.lenient:
        yield f"absent is read as {python_literal(field.default)}"
    if field.omittable:
        yield "filled in when it is left out"
    if field.owner is not None:
        yield f"from {field.owner}"
    if field.deprecated is not None:
        yield field.deprecated.rstrip(".").lower()


_TITLES: dict[How, str] = {
    "field": "in fields",
    "part": "part of",
    "base": "extended by",
    "message": "message of",
    "params": "params of",
    "result": "result of",
}


def _used(found: TypeInspection) -> Lines:
    if not found.uses and not found.carriers:
        yield from ["", "USED", "  nowhere by name"]
        return
    yield from ["", "USED"]
    places = [
        (title, ", ".join(use.path for use in found.uses if use.how == how))
        for how, title in _TITLES.items()
    ]
    carried = [f"{item.method} ({', '.join(item.parts)})" for item in found.carriers]
    yield from _rows([*places, ("carried by", ", ".join(carried))])


def _history(history: History) -> Lines:
    yield from ["", "HISTORY"]
    here = history.versions[-1].name
    versions = [
        found.version if found.name == here else f"{found.version} (as {found.name})"
        for found in history.versions
    ]
    yield from _wrapped(f"in {', '.join(versions)}", "  ")
    for comparison in history.changes:
        yield from ["", f"  {comparison.old} to {comparison.new}"]
        for change in comparison.changes:
            yield from _wrapped(_words(change), "    - ", "      ")


def _words(change: Change) -> str:
    rule = RULES[change.kind]
    text = "".join(span.text for span in sentence(change))
    if rule.listed:
        text = f"{change.path}: {list_title(rule, change.new)}"
    return f"{text} ({change.severity.title})" if change.severity else text


# --- layout -------------------------------------------------------------------------------------


def _paragraphs(text: str) -> Lines:
    for paragraph in text.split("\n\n") if text else ():
        yield ""
        yield from _wrapped(paragraph, "  ")


def _facts(facts: Iterable[tuple[str, str | None]]) -> Lines:
    rows = [(title, text) for title, text in facts if text]
    if rows:
        yield ""
        yield from _rows(rows)


def _rows(rows: Iterable[tuple[str, str]]) -> Lines:
    """A title and its text on each line, those without text left out."""
    shown = [(title, text) for title, text in rows if text]
    width = max(len(title) for title, _ in shown)
    for title, text in shown:
        yield from _wrapped(text, f"  {title.ljust(width)}  ", " " * (width + 4))


def _table(title: str, rows: Sequence[tuple[str, str]]) -> Lines:
    if rows:
        yield from ["", title, *_rows(rows)]


def _names(title: str, names: Sequence[str]) -> Lines:
    if names:
        yield from ["", title, *_wrapped(", ".join(names), "  ")]


def _wrapped(text: str, first: str, later: str | None = None) -> Lines:
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=first if later is None else later,
        break_long_words=False,
        break_on_hyphens=False,
    )
