"""Checks on a style's `types` folder, since the generator itself reports none of these.

It falls back to a template of its own when one is missing, ignores files it does not know,
and renders undefined variables as nothing.
"""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, TemplateSyntaxError, meta
from jinja2.defaults import DEFAULT_NAMESPACE

from mcpgen.errors import TemplateError

NEEDED = ("dataclass.jinja2", "TypeAliasAnnotation.jinja2")
"""The templates of a class and of an alias, under the names the generator looks for."""

CONTEXT = frozenset(
    # The generator's:
    {"class_name", "base_class", "decorators", "dataclass_arguments"}
    | {"fields", "methods", "path"}
    # From the Model:
    | {"docstring", "members"}
)
"""Every variable a type template may use."""

GENERATOR_FILTERS = ("escape_docstring", "format_docstring", "repr")
"""The filters a type template may use beside Jinja's own."""


def check_type_templates(folder: Path) -> None:
    """Check that a folder has the type templates, whole and correct, and nothing else.

    Raises TemplateError for a missing template, for a file that no needed template includes,
    for a syntax error, and for a variable that does not exist.
    """
    used: set[str] = set()
    waiting = list(NEEDED)
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting += _check_template(folder, name)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).as_posix() not in used:
            raise TemplateError(
                str(path),
                "no type template has this name, and none includes it",
                f"the type templates are {' and '.join(NEEDED)}",
            )


def _check_template(folder: Path, name: str) -> list[str]:
    """Check one template; the names of those it includes."""
    path = folder / name
    if not path.is_file():
        raise TemplateError(
            str(path), "this template is missing", "a style has to have all of its type templates"
        )
    environment = Environment()
    environment.filters.update(dict.fromkeys(GENERATOR_FILTERS, str))
    try:
        syntax = environment.parse(path.read_text(encoding="utf-8"))
        names = meta.find_undeclared_variables(syntax)
    except TemplateSyntaxError as error:
        raise TemplateError(f"{path}:{error.lineno}", error.message or "syntax error") from error
    if unknown := names - CONTEXT - DEFAULT_NAMESPACE.keys():
        raise TemplateError(
            str(path),
            f"there is no variable {', '.join(sorted(unknown))}",
            f"known: {', '.join(sorted(CONTEXT))}",
        )
    includes = list(meta.find_referenced_templates(syntax))
    if None in includes:
        raise TemplateError(str(path), "the name of an included template has to be a plain string")
    return [include for include in includes if include is not None]
