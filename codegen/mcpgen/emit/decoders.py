"""What templates read of the decoders: their statements, laid out by field and by type."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

Lines: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """How one value is decoded: statements that check it, then the expression to keep."""

    checks: Lines
    result: str
    hint: str = "Any"


@dataclass(frozen=True, slots=True)
class FieldStep:
    """How one field is decoded into the attribute `name`.

    `read` fetches the value into `local`, where `absent` stands for a missing one and the
    attribute gets `missing`; both are None for a field that must be there. `null` says that
    null is kept as None. The checks leave the decoded value in `local`; without any, `inline`
    is the decoding of what was read as one expression.
    """

    name: str
    local: str
    hint: str
    read: str
    absent: str | None
    missing: str | None
    null: bool
    checks: Lines
    inline: str


@dataclass(frozen=True, slots=True)
class ObjectDecoder:
    """The decoder of a class. `sure` counts the members that are always there."""

    name: str
    keys: Lines
    sure: int
    required: tuple[FieldStep, ...]
    optional: tuple[FieldStep, ...]
    index: str | None


@dataclass(frozen=True, slots=True)
class FunctionDecoder:
    """A decoder that is no class's: of an alias, or of a union or element inside a field."""

    name: str
    parameter: str
    body: Lines


@dataclass(slots=True)
class Decoders:
    """Every decoder of a version, and the tables the union decoders look up."""

    objects: list[ObjectDecoder] = field(default_factory=list[ObjectDecoder])
    functions: list[FunctionDecoder] = field(default_factory=list[FunctionDecoder])
    tables: list[tuple[str, str, Lines]] = field(default_factory=list[tuple[str, str, Lines]])
