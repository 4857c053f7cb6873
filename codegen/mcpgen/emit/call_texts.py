"""The documentation of stub and handler methods as text."""

from __future__ import annotations

from ..model.model import Method

_KINDS = {"request": "Request", "notification": "Notification", "embedded": "Embedded request"}


def stub_text(method: Method) -> str:
    """What calling a method does, how to give its params, and what it needs."""
    notes = [_purpose(method), _origin(method)]
    if method.params is not None:
        notes[1] += f" Takes the fields of `{method.params}` as keywords, or one such object."
    return _joined(method, notes)


def iterator_text(method: Method, item: str) -> str:
    """What the iterator beside a paginated method yields."""
    notes = [
        f"Yield each `{item}` of every page that `{method.method}` gives.",
        "Pages are asked for as they are needed. Raises `ProtocolError` for a cursor that comes "
        "twice, and after `max_pages` pages.",
    ]
    return _joined(method, notes)


def handler_text(method: Method, *, built_in: bool) -> str:
    """What a method of a handler is asked or told."""
    notes = [_purpose(method), _origin(method)]
    if built_in:
        notes[1] += " Answered as it has to be unless overridden."
    if method.results == ("EmptyResult",):
        notes[1] += " Returning None acknowledges it."
    return _joined(method, notes)


def _purpose(method: Method) -> str:
    return method.docs.text.strip() or f"`{method.method}` of the specification."


def _origin(method: Method) -> str:
    text = f"{_KINDS[method.kind]} `{method.method}`, sent by the {' or the '.join(method.sent_by)}"
    if method.kind == "embedded":
        text += " inside an `InputRequiredResult`"
    if method.capability is None:
        return f"{text}."
    return f"{text} to a peer that advertised `{method.capability}`."


def _joined(method: Method, notes: list[str]) -> str:
    if method.deprecated is not None:
        text = method.deprecated.strip() or "Deprecated."
        notes.append(text if text.startswith("Deprecated") else f"Deprecated: {text}")
    if method.docs.spec_url:
        notes.append(f"Specification: {method.docs.spec_url}")
    return "\n\n".join(notes)
