"""The reference of the template context, read from the code that makes it.

It starts at what templates see and follows the names in annotations, from module to module,
so that it holds every class and alias a template can reach, and nothing else. It is the text
of `templates/CONTEXT.md`.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from .context import CONTEXT_VERSION
from .render import FILTERS
from .type_templates import CONTEXT, GENERATOR_FILTERS

_SOURCES = Path(__file__).parents[1]
_ROOTS = (
    ("PackageContext", "emit/context.py"),
    ("VersionContext", "emit/context.py"),
    ("TypeContext", "emit/types.py"),
)

_Definition: TypeAlias = ast.ClassDef | ast.AnnAssign

_HEAD = f"""\
# The template context

This is version {CONTEXT_VERSION}, as `mcpgen templates context` prints it: the variables and
the filters of templates, and what the variables are made of. A style.toml says with
`context = {CONTEXT_VERSION}` that its templates are written for it. The number rises when
templates may have to change.
"""


def context_reference() -> str:
    """The reference of the template context, in Markdown."""
    found: dict[str, _Definition] = {}
    for name, path in _ROOTS:
        _collect(name, _Module(_SOURCES / path), found)
    roots = [name for name, _ in _ROOTS]
    others = [name for name in found if name not in roots]
    parts = [_HEAD, "## Variables", *(_text(name, found[name]) for name in roots)]
    parts += [_generator_text(), "## Filters", _filters_text(), "## Classes and aliases"]
    parts += [_text(name, found[name]) for name in others]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


# --- what there is ------------------------------------------------------------------------------


class _Module:
    """The classes and aliases of a module, and the files of the names it imports from mcpgen."""

    def __init__(self, path: Path) -> None:
        self.definitions: dict[str, _Definition] = {}
        self.imports: dict[str, Path] = {}
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            match node:
                case ast.ClassDef(name=name):
                    self.definitions[name] = node
                case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias")):
                    self.definitions[name] = node
                case ast.ImportFrom(module=str(module), names=names):
                    if source := _source(module, node.level, path):
                        self.imports |= {alias.asname or alias.name: source for alias in names}
                case _:
                    pass


def _source(module: str, level: int, path: Path) -> Path | None:
    """The file of a module of mcpgen that another one imports from; None for any other."""
    parts = module.split(".")
    if level:
        return path.parents[level - 1].joinpath(*parts).with_suffix(".py")
    return _SOURCES.parent.joinpath(*parts).with_suffix(".py") if parts[0] == "mcpgen" else None


def _collect(name: str, module: _Module, found: dict[str, _Definition]) -> None:
    """Adds a class or alias and, below it, what its annotations name."""
    if name in found:
        return
    definition = module.definitions.get(name)
    if definition is not None:
        found[name] = definition
        for other in _names(definition):
            _collect(other, module, found)
    elif name in module.imports:
        _collect(name, _Module(module.imports[name]), found)


def _names(definition: _Definition) -> Iterator[str]:
    """The names in an alias, in the annotations of a class's fields and in its bases."""
    if isinstance(definition, ast.AnnAssign):
        parts = [definition.value]
    else:
        annotated = [node for node in definition.body if isinstance(node, ast.AnnAssign)]
        parts = [*definition.bases, *(node.annotation for node in annotated)]
    for part in parts:
        for node in ast.walk(part) if part else ():
            if isinstance(node, ast.Name):
                yield node.id


# --- how it is shown ----------------------------------------------------------------------------


def _text(name: str, definition: _Definition) -> str:
    if isinstance(definition, ast.AnnAssign):
        value = ast.unparse(definition.value) if definition.value else ""
        return f"### {name}\n\n```python\n{name} = {value}\n```"
    parts = [f"### {name}", ast.get_docstring(definition) or ""]
    fields = [node for node in definition.body if isinstance(node, ast.AnnAssign)]
    if fields:
        lines = [f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)}" for node in fields]
        parts.append("\n".join(["```python", *lines, "```"]))
    if methods := "\n".join(_methods(definition)):
        parts.append(methods)
    return "\n\n".join(filter(None, parts))


def _methods(definition: ast.ClassDef) -> Iterator[str]:
    """The properties and methods that templates may use, an item each."""
    for node in definition.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            arguments = [argument for argument in node.args.args if argument.arg != "self"]
            shown = ", ".join(map(ast.unparse, arguments))
            called = node.name if node.decorator_list else f"{node.name}({shown})"
            returned = ast.unparse(node.returns) if node.returns else "None"
            yield f"- `{called} -> {returned}`: {_one_line(ast.get_docstring(node) or '')}"


def _generator_text() -> str:
    variables = "\n".join(f"- `{name}`" for name in sorted(CONTEXT))
    filters = "\n".join(f"- `{name}`" for name in sorted(GENERATOR_FILTERS))
    return (
        "The templates in `types/` are rendered by datamodel-code-generator. They may use these\n"
        f"variables:\n\n{variables}\n\nand beside the filters of Jinja these:\n\n{filters}"
    )


def _filters_text() -> str:
    items = "\n".join(_filter_item(name, function) for name, function in FILTERS.items())
    return f"Beside those of Jinja, and not in `types/`:\n\n{items}"


def _filter_item(name: str, function: Callable[..., str]) -> str:
    first, *others = inspect.signature(function).parameters.values()
    shown = [
        item.name if item.default is item.empty else f"{item.name}={item.default!r}"
        for item in others
    ]
    arguments = f"({', '.join(shown)})" if shown else ""
    return f"- `{first.name} | {name}{arguments}`: {_one_line(inspect.getdoc(function) or '')}"


def _one_line(text: str) -> str:
    """The first paragraph of a docstring, as one line."""
    return " ".join(text.split("\n\n")[0].split())
