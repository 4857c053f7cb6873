"""Takes emitted Python apart into pieces that can be formatted one by one.

Formatting takes most of the time that emitting takes, and versions have most of their
statements in common, so that each distinct piece is worth formatting once only. A module is
cut where its parts cannot influence each other's layout: between top-level chunks, between
the members of a class, between the statements of a function. Where that is not certain,
because of a comment or of blank lines in an unusual place, things stay together.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

# What a member or a statement needs above it, and the head of a block below it, to be a module.
_ABOVE_MEMBER = "class _:\n"
_ABOVE_STATEMENT = "if _:\n"
_BELOW_HEAD = "    pass\n"
_INDENT = 4
# Comments that keep the formatter from code, also from what follows them.
_PRAGMAS = ("fmt:", "yapf:")

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
# Statements of a function that ask for blank lines around them.
_SPACED = (*_FUNCTIONS, ast.ClassDef, *_IMPORTS)


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of a module, which parse with what is above and below them.

    `gap` is the number of line feeds that follow the piece where it stands.
    """

    code: str
    gap: int
    above: str = ""
    below: str = ""

    @property
    def source(self) -> str:
        """What to format."""
        return f"{self.above}{self.code}\n{self.below}"

    def placed(self, formatted: str) -> str:
        """The piece out of its `source` as it was formatted, with what follows it."""
        text = formatted.strip("\n")
        text = text.removeprefix(self.above).removesuffix(self.below.rstrip("\n"))
        return text.strip("\n") + "\n" * self.gap


@dataclass(frozen=True, slots=True)
class _Unit:
    """A statement, or an assignment and the docstring after it; lines count from 1."""

    node: ast.stmt
    first: int
    last: int

    @property
    def is_function(self) -> bool:
        return isinstance(self.node, _FUNCTIONS)

    @property
    def is_assignment(self) -> bool:
        return isinstance(self.node, _ASSIGNMENTS)


def take_apart(code: str) -> list[Piece]:
    """The pieces of a module, in order. Raises `SyntaxError` for what is no Python."""
    whole = code.strip("\n")
    body = ast.parse(whole).body
    if not whole:
        return []
    if not body or "\r" in whole or any(pragma in whole for pragma in _PRAGMAS):
        return [Piece(whole, 1)]
    lines = whole.split("\n")
    pieces: list[Piece] = []
    start, nodes = 1, body[:1]
    for before, node in pairwise(body):
        cut = None if all(map(_is_string, nodes)) else _cut(before, node, lines)
        if cut is not None:
            pieces += _chunk(nodes, lines, start, cut - 1, gap=3)
            start, nodes = cut, []
        nodes.append(node)
    return pieces + _chunk(nodes, lines, start, len(lines), gap=1)


def _cut(before: ast.stmt, node: ast.stmt, lines: Sequence[str]) -> int | None:
    """The first line after two blank ones between statements; None where they stay together.

    A string does not begin a chunk, where it would look like the docstring of a module, and
    how many lines follow an import depends on what comes next.
    """
    if _is_string(node) or isinstance(before, _IMPORTS):
        return None
    blank = 0
    for number in range(_last_line(before) + 1, _first_line(node) + 1):
        line = lines[number - 1]
        if not line.strip():
            blank += 1
        elif blank >= 2 and not line[0].isspace():
            return number
        else:
            blank = 0
    return None


def _chunk(
    nodes: Sequence[ast.stmt], lines: Sequence[str], first: int, last: int, gap: int
) -> list[Piece]:
    """A chunk of a module in pieces; as one where they would not be all of it."""
    text = "\n".join(lines[first - 1 : last]).rstrip("\n")
    match nodes:
        case [ast.FunctionDef() | ast.AsyncFunctionDef() as node]:
            pieces = _function(node, lines, text)
        case [ast.ClassDef() as node]:
            pieces = _class(node, lines)
        case _:
            pieces = _assignments(nodes, lines)
    if not pieces or "".join(p.code + "\n" * p.gap for p in pieces).rstrip("\n") != text:
        return [Piece(text, gap)]
    *others, end = pieces
    return [*others, Piece(end.code, gap, end.above, end.below)]


def _function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, lines: Sequence[str], text: str
) -> list[Piece]:
    """The head of a function and its statements, where nothing but statements is in it."""
    units = _units(node.body)
    within = (inner for statement in node.body for inner in ast.walk(statement))
    unusual = "#" in text or '"""' in text or "'''" in text or "\n\n" in text
    if unusual or not units or any(isinstance(inner, _SPACED) for inner in within):
        return []
    return _block(node, units[0].first - 1, _BELOW_HEAD, units, lines, _ABOVE_STATEMENT)


def _class(node: ast.ClassDef, lines: Sequence[str]) -> list[Piece]:
    """The head of a class with its docstring, and its members."""
    documented = _is_string(node.body[0])
    units = _overloads_joined(_units(node.body[documented:]))
    if not units or not all(unit.is_function or unit.is_assignment for unit in units):
        return []
    if any(
        after.first - unit.last > 2
        or (after.first - unit.last != 2 and (unit.is_function or after.is_function))
        for unit, after in pairwise(units)
    ):
        return []
    if documented and units[0].first - _last_line(node.body[0]) != 2:
        return []
    end = _last_line(node.body[0]) if documented else units[0].first - 1
    return _block(node, end, "" if documented else _BELOW_HEAD, units, lines, _ABOVE_MEMBER)


def _block(
    node: ast.stmt, end: int, below: str, units: list[_Unit], lines: Sequence[str], above: str
) -> list[Piece]:
    """The head of a block, which ends with line `end`, and its units."""
    head = "\n".join(lines[_first_line(node) - 1 : end])
    if not head or any(unit.node.col_offset != _INDENT for unit in units):
        return []
    return [Piece(head, units[0].first - end, below=below), *_row(units, lines, above)]


def _assignments(nodes: Sequence[ast.stmt], lines: Sequence[str]) -> list[Piece]:
    """Assignments, one by one."""
    units = _units(nodes)
    close = all(after.first - unit.last <= 2 for unit, after in pairwise(units))
    if not units or not close or not all(unit.is_assignment for unit in units):
        return []
    return _row(units, lines)


def _row(units: Sequence[_Unit], lines: Sequence[str], above: str = "") -> list[Piece]:
    gaps = [after.first - unit.last for unit, after in pairwise(units)]
    return [
        Piece("\n".join(lines[unit.first - 1 : unit.last]), gap, above)
        for unit, gap in zip(units, [*gaps, 1], strict=True)
    ]


def _units(nodes: Sequence[ast.stmt]) -> list[_Unit]:
    """The statements, an assignment with its docstring; none where a string is elsewhere."""
    units: list[_Unit] = []
    for node in nodes:
        if not _is_string(node):
            units.append(_Unit(node, _first_line(node), _last_line(node)))
        elif units and units[-1].is_assignment:
            units[-1] = _Unit(units[-1].node, units[-1].first, _last_line(node))
        else:
            return []
    return units


def _overloads_joined(units: Sequence[_Unit]) -> list[_Unit]:
    """The units, functions without a blank line between them as one."""
    joined: list[_Unit] = []
    for unit in units:
        before = joined[-1] if joined else None
        if before and before.is_function and unit.is_function and unit.first - before.last == 1:
            joined[-1] = _Unit(before.node, before.first, unit.last)
        else:
            joined.append(unit)
    return joined


def _is_string(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case _:
            return False


def _first_line(node: ast.stmt) -> int:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return min([node.lineno, *(item.lineno for item in node.decorator_list)])
        case _:
            return node.lineno


def _last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
