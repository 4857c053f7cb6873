"""The order of an emitted type module: imports, classes as in the Model, aliases, `__all__`.

The generator mixes them, by name and by what is evaluated first. Classes may stand in any
order, since their annotations are not evaluated; aliases are evaluated, so they come after
all classes and keep the generator's order among themselves. Imports are sorted, each name is
imported once, and only if something uses it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from operator import itemgetter

from mcpgen.emit.literals import python_literal
from mcpgen.emit.verify import alias_name, parse_types
from mcpgen.model.model import Protocol


def arrange_types(code: str, protocol: Protocol) -> str:
    """Generated code in that order, with an `__all__` of every name.

    Raises TemplateError when the code is not valid Python.
    """
    rank = {t.name: position for position, t in enumerate(protocol.objects)}
    head: list[str] = []
    imports: list[ast.ImportFrom] = []
    body: list[tuple[int, str]] = []
    module = parse_types(code, protocol.version)
    for node, text in _statements(code, module):
        if isinstance(node, ast.ImportFrom):
            imports.append(node)
        elif isinstance(node, ast.Expr) and body:  # The docstring of the alias above it.
            place, above = body[-1]
            body[-1] = (place, f"{above}\n{text}")
        elif isinstance(node, ast.ClassDef):
            body.append((rank.get(node.name, len(rank)), text))
        elif alias_name(node):
            body.append((len(rank), text))
        else:
            head.append(text)
    exports = ", ".join(python_literal(t.name) for t in protocol.types)
    types = [text for _, text in sorted(body, key=itemgetter(0))]
    top = "\n".join([*head, "", _imports(imports, _used(module))])
    return "\n\n\n".join([top, *types, f"__all__ = [{exports}]\n"])


def _statements(code: str, module: ast.Module) -> Iterator[tuple[ast.stmt, str]]:
    """Each statement with its lines, comments above it included."""
    lines = code.split("\n")
    start = 0
    for node in module.body:
        end = node.end_lineno or node.lineno
        yield node, "\n".join(lines[start:end]).strip("\n")
        start = end


def _used(module: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}


def _imports(nodes: Iterable[ast.ImportFrom], used: set[str]) -> str:
    """Import statements in the usual order: the language, the library, the package."""
    names: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for node in nodes:
        source = (node.level, "." * node.level + (node.module or ""))
        needed = (item for item in node.names if item.name in used or node.module == "__future__")
        if imported := {ast.unparse(alias) for alias in needed}:
            names[source] |= imported
    groups: defaultdict[int, list[str]] = defaultdict(list)
    for (level, module), imported in sorted(names.items()):
        group = -1 if module == "__future__" else level
        groups[group].append(f"from {module} import {', '.join(sorted(imported))}")
    return "\n\n".join("\n".join(groups[group]) for group in sorted(groups))
