"""A style: the folder of templates that decides what is emitted, with an overlay on top.

`style.toml` names the style and says which template makes which file, once for the package
and once for each version. A folder given by the user is laid over it file by file: what it
lacks comes from the style. Every file of it must be used, so a misspelt name is an error.
With a style.toml of its own the folder is a style too: that says with `base` which style it
lies over, unless it has that style's name, and a README.md beside it is for people.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import ConfigError, TemplateError
from ..jsonvalues import is_object
from ..texts import parse_toml
from .context import CONTEXT_VERSION

DEFAULT_STYLE = "dataclass"
RUNTIME = "runtime"
_TYPES = "types"
_DESCRIPTION = "style.toml"
_README = "README.md"
_KEYS = ("name", "description", "base", "context", "package", "version", "imports")
_PACKAGE_NAMES = ("{package}",)
_VERSION_NAMES = ("{package}", "{module}")


@dataclass(frozen=True, slots=True)
class Style:
    """A style, read: its `files` map a relative path of a template to the file it is.

    `imports` are the names that the type templates use, each with the module it comes from.
    """

    name: str
    description: str
    package: dict[str, str]
    version: dict[str, str]
    imports: dict[str, str]
    files: dict[str, Path]
    overlay: frozenset[str]

    def runtime_files(self) -> Iterator[tuple[str, Path]]:
        """The files copied into the package as they are: name and source, in order."""
        for name, path in sorted(self.files.items()):
            if name.startswith(f"{RUNTIME}/") and name.endswith(".py"):
                yield name, path

    def type_templates(self) -> list[str]:
        """The templates of classes and aliases, and what those include."""
        return [name for name in self.files if name.startswith(f"{_TYPES}/")]

    def require_overlay_used(self, used: set[str]) -> None:
        """Raises `TemplateError` for a file of the overlay that nothing used."""
        known = used | {_DESCRIPTION, *self.type_templates()}
        known |= {name for name, _ in self.runtime_files()}
        if unused := sorted(self.overlay - known):
            names = sorted(name for name in self.files if name not in self.overlay)
            raise _never_used(self.files[unused[0]], names)

    @contextmanager
    def types_folder(self) -> Generator[Path]:
        """The type templates, overlay included, in one folder as their reader needs them.

        A `TemplateError` that names a file of this folder comes out naming the original.
        """
        with tempfile.TemporaryDirectory(prefix="mcpgen-") as scratch:
            originals: dict[str, Path] = {}
            for name in self.type_templates():
                target = Path(scratch, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(read_template(self.files[name]), encoding="utf-8", newline="")
                originals[str(target)] = self.files[name]
            try:
                yield Path(scratch)
            except TemplateError as error:
                place, colon, line = error.where.partition(":")
                place = str(originals.get(place, place))
                raise TemplateError(f"{place}{colon}{line}", error.what, error.remedy) from error


def style_names(templates: Path) -> list[str]:
    """The names of the styles below `templates`."""
    return sorted(path.parent.name for path in templates.glob(f"*/{_DESCRIPTION}"))


def load_style(templates: Path, name: str | None = None, overlay: Path | None = None) -> Style:
    """Reads the style `name` below `templates`, with the user's folder over it.

    None for the name is the style that the folder says it lies over, else the default one.
    Raises `ConfigError` for an unknown style and a folder that does not exist, and
    `TemplateError` for a malformed style.toml, one for another style or context, and type or
    runtime files in the overlay that the style does not have.
    """
    known = style_names(templates)
    base = _base(overlay, known, name)
    if name is None:
        name = base or DEFAULT_STYLE
    if name not in known:
        what = f"found no style of the name {name!r}"
        raise ConfigError("style", what, f"the styles are {', '.join(known)}")
    files = _files(templates / RUNTIME, f"{RUNTIME}/") | _files(templates / name, "")
    over = {} if overlay is None else _overlay(overlay, files)
    merged = files | over
    where = str(merged[_DESCRIPTION])
    content = _read(merged[_DESCRIPTION])
    _check_context(content, where)
    return Style(
        name=_string(content, "name", where),
        description=_string(content, "description", where),
        package=_table(content, "package", where, merged, _PACKAGE_NAMES),
        version=_table(content, "version", where, merged, _VERSION_NAMES),
        imports=_imports(content, where),
        files=merged,
        overlay=frozenset(over),
    )


def _base(overlay: Path | None, known: list[str], asked: str | None) -> str | None:
    """The style that a folder says it lies over; None where it leaves that open."""
    path = overlay and overlay / _DESCRIPTION
    if path is None or not path.is_file():
        return None
    content = _read(path)
    named = "base" in content
    base = _string(content, "base" if named else "name", str(path))
    if base not in known:
        what = f"found base = {base!r}" if named else f"found the name {base!r} and no base"
        remedy = f"set base to the style it lies over, one of {', '.join(known)}"
        raise TemplateError(str(path), what, remedy)
    if asked not in (None, base):
        what = f"found templates that lie over the style {base!r}, not over {asked!r}"
        raise TemplateError(str(path), what, "leave the style out")
    return base


def _check_context(content: dict[str, Any], where: str) -> None:
    """Raises `TemplateError` for a style that was written for another template context."""
    written_for = content.get("context", CONTEXT_VERSION)
    if type(written_for) is not int or written_for != CONTEXT_VERSION:
        what = f"found context = {written_for!r}, expected {CONTEXT_VERSION}"
        remedy = "see mcpgen templates context, adapt the templates, then set it"
        raise TemplateError(where, what, remedy)


def read_template(path: Path) -> str:
    """The text of a template, without byte order mark and with plain line ends.

    Raises `TemplateError` for a file that cannot be read or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"byte {error.start} is not UTF-8"
        raise TemplateError(str(path), what, "save the template as UTF-8") from None
    except OSError as error:
        raise TemplateError(str(path), f"cannot be read: {error.strerror or error}") from None


def _files(folder: Path, prefix: str) -> dict[str, Path]:
    for_people = folder / _README if (folder / _DESCRIPTION).is_file() else None
    return {
        prefix + path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and "__pycache__" not in path.parts
        and not path.name.startswith(".")
        and path != for_people
    }


def _overlay(folder: Path, files: dict[str, Path]) -> dict[str, Path]:
    """The user's templates; those of types and runtime can only replace what there is."""
    if not folder.is_dir():
        raise ConfigError("templates", f"found no folder {str(folder)!r}")
    over = _files(folder, "")
    for item, path in over.items():
        kind = item.split("/")[0]
        if kind in (_TYPES, RUNTIME) and item not in files:
            raise _never_used(path, sorted(name for name in files if name.startswith(f"{kind}/")))
    return over


def _never_used(path: Path, known: list[str]) -> TemplateError:
    return TemplateError(
        str(path), "this template is never used", f"the style has {', '.join(known)}"
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        content = parse_toml(read_template(path))
    except ValueError as error:
        raise TemplateError(str(path), f"found text that is not TOML: {error}") from None
    if unknown := sorted(content.keys() - set(_KEYS)):
        what = f"found the unknown key {unknown[0]!r}"
        raise TemplateError(str(path), what, f"known are {', '.join(_KEYS)}")
    return content


def _string(content: dict[str, Any], key: str, where: str) -> str:
    value = content.get(key)
    if not isinstance(value, str):
        raise TemplateError(where, f"found {key} = {value!r}, expected a string")
    return value


def _table(
    content: dict[str, Any],
    key: str,
    where: str,
    files: dict[str, Path],
    names: tuple[str, ...],
) -> dict[str, str]:
    """A table of style.toml: what is made, under which `names` in braces, from which template."""
    table = content.get(key)
    if not is_object(table):
        raise TemplateError(where, f"found no table [{key}]")
    for target, template in table.items():
        if not isinstance(template, str) or template not in files:
            raise TemplateError(where, f"{target} is made from {template!r}, which does not exist")
        _check_target(target, f"{where} [{key}]", names)
    return dict(table)


def _imports(content: dict[str, Any], where: str) -> dict[str, str]:
    """The table of names and modules; a module of the package begins with dots."""
    table = content.get("imports", {})
    if not is_object(table):
        raise TemplateError(where, "found imports that are no table")
    for name, module in table.items():
        parts = module.lstrip(".").split(".") if isinstance(module, str) else [""]
        if not all(part.isidentifier() for part in [name, *parts]):
            what = f"found {name} = {module!r}, expected a name and the module it is in"
            raise TemplateError(f"{where} [imports]", what)
    return dict(table)


def _check_target(target: str, where: str, names: tuple[str, ...]) -> None:
    """Raises `TemplateError` for a target outside the folder, or that versions would share."""
    plain = target
    for name in names:
        plain = plain.replace(name, "x")
    if names is _VERSION_NAMES and "{module}" not in target:
        what = f"{target!r} would be the same file for every version"
        raise TemplateError(where, what, "use {module} in it, or move it to [package]")
    if "{" in plain or "}" in plain:
        what = f"found the file name {target!r}"
        raise TemplateError(where, what, f"it may use {' and '.join(names)}, and no other braces")
    path = PurePosixPath(plain)
    inside = path.parts and not path.is_absolute() and ".." not in path.parts
    if not inside or str(path) != plain or "\\" in plain or "\0" in plain:
        what = f"found the file name {target!r}"
        raise TemplateError(where, what, "expected a path inside the folder that is written")
