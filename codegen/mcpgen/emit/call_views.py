"""What templates of stubs and handlers see of the method table: every name and hint is final."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.model import Side


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword argument; `default` is source text, None where it has to be given."""

    name: str
    hint: str
    default: str | None


@dataclass(frozen=True, slots=True)
class Overload:
    """One way to call a method: with a params object of that hint, or by keywords."""

    params: str | None
    keywords: tuple[Keyword, ...]
    result: str


@dataclass(frozen=True, slots=True)
class Iteration:
    """The iterator beside a paginated method; `items` is the wire name of a page's list."""

    name: str
    items: str
    item: str
    text: str


@dataclass(frozen=True, slots=True)
class StubMethod:
    """A method of a stub; `params` and `result` are hints that cover all its overloads."""

    method: str
    name: str
    params: str
    result: str
    overloads: tuple[Overload, ...]
    iteration: Iteration | None
    text: str
    deprecated: str | None


@dataclass(frozen=True, slots=True)
class OnceCall:
    """A request that has several results, for `request_once`."""

    method: str
    params: str
    result: str


@dataclass(frozen=True, slots=True)
class Stub:
    """What one side sends, `side` being the sender."""

    side: Side
    requests: tuple[StubMethod, ...]
    notifications: tuple[StubMethod, ...]
    once: tuple[OnceCall, ...]


@dataclass(frozen=True, slots=True)
class HandlerMethod:
    """A method of a handler; `built_in` says that it has an answer of its own."""

    method: str
    name: str
    params: str
    result: str
    built_in: bool
    text: str


@dataclass(frozen=True, slots=True)
class Handler:
    """What one side is asked and told, `side` being its own."""

    side: Side
    requests: tuple[HandlerMethod, ...]
    notifications: tuple[HandlerMethod, ...]


@dataclass(frozen=True, slots=True)
class StubNeeds:
    """What the module of stubs has to import: `types` by name, the rest where it is true."""

    types: tuple[str, ...]
    literals: bool
    mapping: bool
    unset: bool
    iterators: bool
    deprecated: bool


@dataclass(frozen=True, slots=True)
class Calls:
    """The stubs and handlers of a version, and what they have to know.

    `handler_types` are the types that the module of handlers imports, and
    `progress_has_message` says whether progress can come with a message.
    """

    server_stub: Stub
    client_stub: Stub
    server_handler: Handler
    client_handler: Handler
    stub_needs: StubNeeds
    handler_types: tuple[str, ...]
    progress_has_message: bool
