"""Renders a style's templates; an undefined name is an error, and templates stay dumb."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from types import CodeType
from typing import ClassVar

from jinja2 import (
    BaseLoader,
    BytecodeCache,
    Environment,
    StrictUndefined,
    TemplateNotFound,
    TemplateSyntaxError,
)
from jinja2.bccache import Bucket

from ..errors import McpgenError, TemplateError
from ..model.model import JsonScalar
from .format import fitted
from .hints import field_hint, python_hint
from .literals import docstring_literal, python_literal
from .style import Style, read_template


def _tuple(values: Iterable[JsonScalar]) -> str:
    """The Python literal of a tuple."""
    parts = [python_literal(value) for value in values]
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


FILTERS: dict[str, Callable[..., str]] = {
    "literal": python_literal,
    "tuple": _tuple,
    "docstring": docstring_literal,
    "hint": python_hint,
    "field_hint": field_hint,
    "fitted": fitted,
}
"""The filters of templates beside Jinja's own."""


def _of_defined(function: Callable[..., str]) -> Callable[..., str]:
    """The same filter, failing for an undefined name as everything else in a template does."""

    def filtered(*values: object) -> str:
        for value in values:
            if isinstance(value, StrictUndefined):
                str(value)  # Raises `UndefinedError`, which says what is not defined.
        return function(*values)

    return filtered


class Renderer:
    """Renders templates of one style and remembers which it used."""

    def __init__(self, style: Style) -> None:
        self.used: set[str] = set()
        self._style = style
        self._environment = Environment(
            loader=_StyleLoader(style, self.used),
            bytecode_cache=_Compiled(),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            # What is emitted is Python, Markdown and TOML, never HTML.
            autoescape=False,
        )
        filters = {name: _of_defined(function) for name, function in FILTERS.items()}
        self._environment.filters.update(filters)

    def render(self, template: str, context: Mapping[str, object]) -> str:
        """The text of a template. Raises `TemplateError` with file and line."""
        try:
            return self._environment.get_template(template).render(context)
        except TemplateSyntaxError as error:
            where = f"{self._path(error.name or template)}:{error.lineno}"
            raise TemplateError(where, error.message or "found a syntax error") from None
        except TemplateNotFound as error:
            what = f"needs the template {error.name}, which does not exist"
            raise TemplateError(self._place(error, template), what) from None
        except McpgenError:
            raise
        except Exception as error:
            # A template can call anything with anything; whatever comes of it is its fault.
            what = f"{type(error).__name__}: {error}"
            raise TemplateError(self._place(error, template), what) from error

    def _path(self, template: str) -> str:
        found = self._style.files.get(template)
        return str(found) if found else template

    def _place(self, error: Exception, template: str) -> str:
        """The file and line an error comes from: Jinja puts them into the traceback."""
        paths = {str(path) for path in self._style.files.values()}
        place = self._path(template)
        for frame, line in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename in paths:
                place = f"{frame.f_code.co_filename}:{line}"
        return place


class _Compiled(BytecodeCache):
    """Templates compiled once in a process, for all its versions."""

    _known: ClassVar[dict[tuple[str, str], CodeType]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Gives the code of a template whose name, path and text are the same."""
        bucket.code = self._known.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps the code of a template."""
        if bucket.code is not None:
            self._known[bucket.key, bucket.checksum] = bucket.code


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
        return read_template(path), str(path), lambda: True
