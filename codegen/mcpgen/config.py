"""Settings: those of `[tool.mcpgen]` in the nearest pyproject.toml, under what was asked for."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import resources
from .errors import ConfigError
from .ingest.lock import LOCK_NAME
from .jsonvalues import is_array, is_object

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

    def jobs(self, asked: int | None) -> int | None:
        """How many processes to use; None means one for each processor."""
        return asked if asked is not None else self.values.get("jobs")

    def spec_dir(self, asked: Path | None) -> Path:
        """The folder to read specs from: a folder `spec` with a lock here, else the shipped one."""
        chosen = self.path("spec-dir", asked)
        if chosen is not None:
            return chosen
        here = Path("spec")
        return here if (here / LOCK_NAME).is_file() else resources.spec_dir()


def load_settings(start: Path | None = None) -> Settings:
    """Reads the nearest pyproject.toml at or above `start`, the current folder by default.

    Only a file with a table `[tool.mcpgen]` counts. Raises `ConfigError` for text that is no
    TOML and for settings that do not exist or have the wrong type.
    """
    folder = (start or Path.cwd()).resolve()
    for candidate in (folder, *folder.parents):
        path = candidate / "pyproject.toml"
        if path.is_file() and (table := _table(path)) is not None:
            return Settings(str(path), _checked(table, path))
    return Settings()


def _table(path: Path) -> dict[str, Any] | None:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
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
        raise ConfigError(
            where, f"found the unknown setting {unknown[0]!r}", f"known are {', '.join(_KNOWN)}"
        )
    checked: dict[str, Any] = {}
    for key, value in table.items():
        if key == "versions":
            if not is_array(value) or not all(isinstance(item, str) for item in value):
                raise ConfigError(where, f"found {key} = {value!r}, expected a list of strings")
            checked[key] = tuple(value)
        elif key == "jobs":
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ConfigError(where, f"found {key} = {value!r}, expected a positive integer")
            checked[key] = value
        elif not isinstance(value, str) or not value:
            raise ConfigError(where, f"found {key} = {value!r}, expected a string")
        else:
            checked[key] = path.parent / value if key in _PATHS else value
    return checked
