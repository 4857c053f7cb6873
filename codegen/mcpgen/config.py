"""Settings: those of `[tool.mcpgen]` in the nearest pyproject.toml, under what was asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import resources
from .errors import ConfigError
from .files import read_file
from .ingest.lock import LOCK_NAME
from .ingest.sources_common import is_version
from .jsonvalues import is_array, is_object
from .texts import parse_toml

_PATHS = {"templates", "out", "spec-dir"}
_STRINGS = {"style", "package", "formatter", "source", "ref"}
_KNOWN = sorted(_PATHS | _STRINGS | {"versions", "jobs"})


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a project, paths made absolute by the folder they were written in."""

    where: str = ""
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def text(self, key: str, asked: str | None, default: str) -> str:
        """A string: what was asked for, else what is set, else the default."""
        return asked if asked is not None else self.values.get(key, default)

    def optional_text(self, key: str, asked: str | None) -> str | None:
        """A string that may be left out."""
        return asked if asked is not None else self.values.get(key)

    def path(self, key: str, asked: Path | None) -> Path | None:
        """A path that may be left out."""
        return asked if asked is not None else self.values.get(key)

    def versions(self, asked: list[str]) -> tuple[str, ...]:
        """The versions asked for, else those that are set; empty means all there are."""
        return tuple(asked or self.values.get("versions", ()))

    def jobs(self, asked: int | None) -> int:
        """How many processes to use: one for each processor if nothing else is set."""
        return asked if asked is not None else self.values.get("jobs", os.cpu_count() or 1)

    def place(self, key: str, asked: object) -> str:
        """Where a setting comes from, for messages: its flag, or the file it stands in."""
        if asked is None and key in self.values:
            return f"{self.where} [tool.mcpgen] {key}"
        return f"--{key}"

    def spec_dir(self, asked: Path | None) -> Path:
        """The folder to read specs from."""
        return self.path("spec-dir", asked) or default_spec_dir()


def default_spec_dir() -> Path:
    """The folder of specs where none is named: `spec` if it holds any, else the shipped one."""
    here = Path("spec")
    return here if _holds_specs(here) else resources.spec_dir()


def _holds_specs(folder: Path) -> bool:
    """Whether a folder has a lock or a spec document; it may lack either, which is an error."""
    documents = (path.stem for path in folder.glob("*.json"))
    return (folder / LOCK_NAME).exists() or any(map(is_version, documents))


def load_settings(start: Path | None = None) -> Settings:
    """Reads the nearest pyproject.toml at or above `start`, the current folder by default.

    Only a file with a table `[tool.mcpgen]` counts. Raises `ConfigError` for text that is no
    TOML and for settings that do not exist or have the wrong type.
    """
    try:
        folder = (start or Path.cwd()).resolve()
    except FileNotFoundError:
        what = "it is not there any more"
        raise ConfigError("the current folder", what, "change to one that exists") from None
    for candidate in (folder, *folder.parents):
        path = candidate / "pyproject.toml"
        if path.is_file() and (table := _table(path)) is not None:
            return Settings(str(path), _checked(table, path))
    return Settings()


def _table(path: Path) -> dict[str, Any] | None:
    try:
        content = parse_toml(read_file(path))
    except ValueError as error:
        raise ConfigError(str(path), f"found text that is not TOML: {error}") from None
    except OSError as error:
        raise ConfigError(str(path), f"cannot be read: {error.strerror}") from None
    tool = content.get("tool")
    table = tool.get("mcpgen") if is_object(tool) else None
    if table is not None and not is_object(table):
        raise ConfigError(f"{path} [tool.mcpgen]", "found no table")
    return table


def _checked(table: dict[str, Any], path: Path) -> dict[str, Any]:
    where = f"{path} [tool.mcpgen]"
    if unknown := sorted(table.keys() - set(_KNOWN)):
        what = f"found the unknown setting {unknown[0]!r}"
        raise ConfigError(where, what, f"known are {', '.join(_KNOWN)}")
    return {key: _setting(key, value, f"{where} {key}", path) for key, value in table.items()}


def _setting(key: str, value: Any, where: str, path: Path) -> Any:
    match key:
        case "versions":
            if not is_array(value) or not all(isinstance(item, str) for item in value):
                raise ConfigError(where, f"found {value!r}, expected a list of strings")
            return tuple(value)
        case "jobs":
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ConfigError(where, f"found {value!r}, expected a positive integer")
            return value
        case _:
            if not isinstance(value, str) or not value:
                raise ConfigError(where, f"found {value!r}, expected a string that is not empty")
            if "\0" in value:
                raise ConfigError(where, f"found {value!r}, expected a string without null bytes")
            return path.parent / value if key in _PATHS else value
