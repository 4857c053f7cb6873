"""The styles that come with mcpgen, and copies of them to start a style of one's own from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .. import resources
from ..errors import McpgenError
from ..files import write_all
from ..version import VERSION
from .style import Style, load_style, style_names

_README = """\
# Templates of your own

A copy of the style `{name}` of mcpgen {version}.

    mcpgen generate --templates {folder}

emits with it, and as long as nothing is changed, what mcpgen emits without it. Change what
you like. `style.toml` says which template makes which file, and can make more of them.
`types/` holds the templates of a class and of an alias, `runtime/` plain Python that is copied
into the package. What templates see is listed by `mcpgen templates context`.

Remove every file you do not change: what the folder lacks comes from the style, and so follows
mcpgen when it is updated. To give the style a name of its own, set `name` in `style.toml` and
add `base = "{name}"`.
"""


@dataclass(frozen=True, slots=True)
class StyleSummary:
    """A style that comes with mcpgen; `templates` are pairs: a template, and what it makes."""

    name: str
    description: str
    templates: tuple[tuple[str, str], ...]


def styles() -> tuple[StyleSummary, ...]:
    """The styles that come with mcpgen, by name."""
    folder = resources.templates_dir()
    return tuple(_summary(load_style(folder, name)) for name in style_names(folder))


def eject(style: str, folder: Path) -> tuple[Path, ...]:
    """Writes every file of a style, and the runtime, into a new or empty folder; what was written.

    `generate` with the folder as `templates` then emits what it emits without. Raises
    `ConfigError` for an unknown style, `McpgenError` when the folder has anything in it
    or cannot be written; nothing is written then.
    """
    chosen = load_style(resources.templates_dir(), style)
    if folder.exists() and not folder.is_dir():
        raise McpgenError(str(folder), "is a file, expected a new or empty folder")
    if folder.is_dir() and any(folder.iterdir()):
        what = "the folder is not empty"
        raise McpgenError(str(folder), what, "choose a new one: eject overwrites nothing")
    files = {folder / name: path.read_bytes() for name, path in chosen.files.items()}
    readme = _README.format(name=chosen.name, version=VERSION, folder=folder.name)
    files[folder / "README.md"] = readme.encode()
    return write_all(files).written


def _summary(style: Style) -> StyleSummary:
    types = dict.fromkeys(style.type_templates(), "{package}/{module}/types.py")
    made = [(name, target) for target, name in (*style.package.items(), *style.version.items())]
    return StyleSummary(style.name, style.description, (*made, *types.items()))
