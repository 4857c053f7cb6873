"""Parses JSON and TOML; whatever is wrong with a text is a `ValueError` that says so."""

from __future__ import annotations

import json
import tomllib
from typing import Any

_TOO_DEEP = "it nests more deeply than mcpgen follows"


def parse_json(text: bytes | str) -> object:
    """The value of a JSON text."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def parse_toml(text: str | bytes) -> dict[str, Any]:
    """The table of a TOML text; bytes are UTF-8."""
    try:
        return tomllib.loads(text if isinstance(text, str) else text.decode())
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
