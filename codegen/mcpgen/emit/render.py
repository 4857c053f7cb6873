"""Renders a style's templates; an undefined name is an error, and templates stay dumb."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound, TemplateSyntaxError
from jinja2 import TemplateError as JinjaError

from ..errors import McpgenError, TemplateError
from .format import fitted
from .hints import field_hint, python_hint
from .literals import docstring_literal, python_literal
from .style import Style

_FILTERS: dict[str, Any] = {
    "literal": python_literal,
    "docstring": docstring_literal,
    "hint": python_hint,
    "field_hint": field_hint,
    "fitted": fitted,
}


class Renderer:
    """Renders templates of one style and remembers which it used."""

    def __init__(self, style: Style) -> None:
        self.used: set[str] = set()
        self._style = style
        self._environment = Environment(
            loader=_StyleLoader(style, self.used),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            # What is emitted is Python, Markdown and TOML, never HTML.
            autoescape=False,
        )
        self._environment.filters.update(_FILTERS)

    def render(self, template: str, context: dict[str, Any]) -> str:
        """The text of a template. Raises `TemplateError` with file and line."""
        try:
            return self._environment.get_template(template).render(context)
        except TemplateSyntaxError as error:
            where = f"{self._path(error.name or template)}:{error.lineno}"
            raise TemplateError(where, error.message or "found a syntax error") from None
        except TemplateNotFound as error:
            raise TemplateError(
                self._path(template), f"includes {error.name}, which is missing"
            ) from None
        except JinjaError as error:
            where = f"{self._path(template)}{_line(error)}"
            raise TemplateError(where, f"{type(error).__name__}: {error.message}") from None
        except McpgenError:
            raise
        except Exception as error:
            # A template can call anything with anything; whatever comes of it is its fault.
            where = f"{self._path(template)}{_line(error)}"
            raise TemplateError(where, f"{type(error).__name__}: {error}") from error

    def _path(self, template: str) -> str:
        found = self._style.files.get(template)
        return str(found) if found else template


class _StyleLoader(BaseLoader):
    def __init__(self, style: Style, used: set[str]) -> None:
        self._style = style
        self._used = used

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        path = self._style.files.get(template)
        if path is None:
            raise TemplateNotFound(template)
        self._used.add(template)
        return path.read_text(encoding="utf-8"), str(path), lambda: True


def _line(error: BaseException) -> str:
    """The line of the template that an error comes from, as `:7`; empty when unknown."""
    trace, line = error.__traceback__, ""
    while trace is not None:
        if trace.tb_frame.f_globals.get("__jinja_template__") is not None:
            line = f":{trace.tb_lineno}"
        trace = trace.tb_next
    return line
