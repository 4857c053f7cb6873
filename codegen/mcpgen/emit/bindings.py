"""Finds names to which an emitted module gives two meanings.

A type or a constant of the schema may be called like something a template imports or defines.
The later meaning would hide the earlier one, often without any error.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from ..errors import TemplateError


def require_distinct(files: Mapping[str, str]) -> None:
    """Raises `TemplateError`, with file and line, for a module that gives a name two meanings.

    Code that is not Python is passed over: whoever formats it says where that is.
    """
    for where, code in files.items():
        if not where.endswith(".py"):
            continue
        try:
            module = ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if found := bound_twice(module):
            name, first, second = found
            raise TemplateError(
                f"{where}:{second}",
                f"the name {name} has a second meaning here, its first is on line {first}",
                "if a type or constant of the schema has that name, let the template use another",
            )


def bound_twice(module: ast.Module) -> tuple[str, int, int] | None:
    """The first name bound a second time, with the lines of both; None when there is none.

    Looks at what stands at the top, overloads apart, and at what is there for type checkers
    only, or hidden from them.
    """
    lines: dict[str, int] = {}
    for name, line in _bindings(module.body):
        if name in lines:
            return name, lines[name], line
        lines[name] = line
    return None


def _bindings(statements: Iterable[ast.stmt]) -> Iterator[tuple[str, int]]:
    for node in statements:
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                for alias in names:
                    yield alias.asname or alias.name, node.lineno
            case ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if not any(_is_named(mark, "overload") for mark in node.decorator_list):
                    yield name, node.lineno
            case ast.Assign(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Name):
                        yield target.id, node.lineno
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, node.lineno
            case ast.If(
                test=ast.Name(id="TYPE_CHECKING")
                | ast.UnaryOp(op=ast.Not(), operand=ast.Name(id="TYPE_CHECKING")),
                body=body,
            ):
                yield from _bindings(body)
            case _:
                pass


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
