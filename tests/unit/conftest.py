"""Fixtures of several modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from .invented import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Builds Models with overrides and descriptions of its own."""
    return Folder(tmp_path)
