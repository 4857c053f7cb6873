"""A style: the folder of templates that decides what is emitted, with an overlay on top.

`style.toml` names the style and says which template makes which file, once for the package
and once for each version. A folder given by the user is laid over it file by file: what it
lacks comes from the style. Every file of it must be used, so a misspelt name is an error.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import TemplateError
from ..jsonvalues import is_object

RUNTIME = "runtime"
_TYPES = "types"
_DESCRIPTION = "style.toml"


@dataclass(frozen=True, slots=True)
class Style:
    """A style, read: its `files` map a relative path of a template to the file it is."""

    name: str
    description: str
    package: dict[str, str]
    version: dict[str, str]
    files: dict[str, Path]
    overlay: frozenset[str]

    def runtime_files(self) -> Iterator[tuple[str, Path]]:
        """The files copied into the package as they are: name and source, in order."""
        for name, path in sorted(self.files.items()):
            if name.startswith(f"{RUNTIME}/") and name.endswith(".py"):
                yield name, path

    def require_overlay_used(self, used: set[str]) -> None:
        """Raises `TemplateError` for a file of the overlay that nothing used."""
        known = used | {_DESCRIPTION} | {name for name, _ in self.runtime_files()}
        known |= {name for name in self.files if name.startswith(f"{_TYPES}/")}
        if unused := sorted(self.overlay - known):
            names = ", ".join(sorted(name for name in self.files if name not in self.overlay))
            raise TemplateError(
                str(self.files[unused[0]]),
                "this template is never used",
                f"the style has {names}",
            )

    def copy_types_to(self, folder: Path) -> None:
        """Writes the type templates, overlay included, into one folder as their reader needs."""
        for name, path in self.files.items():
            if name.startswith(f"{_TYPES}/"):
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


def load_style(templates: Path, name: str, overlay: Path | None = None) -> Style:
    """Reads the style `name` below `templates`, with the user's folder over it.

    Raises `TemplateError` for an unknown style, a folder that does not exist, a malformed
    style.toml, and type templates in the overlay that the style does not have.
    """
    folder = templates / name
    if not (folder / _DESCRIPTION).is_file():
        known = ", ".join(sorted(path.parent.name for path in templates.glob(f"*/{_DESCRIPTION}")))
        raise TemplateError(name, "found no style of that name", f"the styles are {known}")
    files = _files(templates / RUNTIME, f"{RUNTIME}/") | _files(folder, "")
    over: dict[str, Path] = {}
    if overlay is not None:
        if not overlay.is_dir():
            raise TemplateError(str(overlay), "found no folder of templates there")
        over = _files(overlay, "")
        for item in over:
            if item.startswith((f"{_TYPES}/", f"{RUNTIME}/")) and item not in files:
                siblings = sorted(
                    known for known in files if known.split("/")[0] == item.split("/")[0]
                )
                raise TemplateError(
                    str(over[item]),
                    "this template is never used",
                    f"the style has {', '.join(siblings)}",
                )
    merged = files | over
    content = _read(merged[_DESCRIPTION])
    where = str(merged[_DESCRIPTION])
    return Style(
        name=_string(content, "name", where),
        description=_string(content, "description", where),
        package=_table(content, "package", where, merged),
        version=_table(content, "version", where, merged),
        files=merged,
        overlay=frozenset(over),
    )


def _files(folder: Path, prefix: str) -> dict[str, Path]:
    return {
        prefix + path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TemplateError(str(path), f"found text that is not TOML: {error}") from None


def _string(content: dict[str, Any], key: str, where: str) -> str:
    value = content.get(key)
    if not isinstance(value, str):
        raise TemplateError(where, f"found {key} = {value!r}, expected a string")
    return value


def _table(content: dict[str, Any], key: str, where: str, files: dict[str, Path]) -> dict[str, str]:
    table = content.get(key)
    if not is_object(table):
        raise TemplateError(where, f"found no table [{key}]")
    for target, template in table.items():
        if not isinstance(template, str) or template not in files:
            raise TemplateError(where, f"{target} is made from {template!r}, which does not exist")
    return dict(table)
