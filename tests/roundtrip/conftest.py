"""Fixtures of several modules: every version, and both kinds of stub."""

from __future__ import annotations

from types import ModuleType

import pytest

from .stubbing import Calls
from .wire import MODULES, version_id


@pytest.fixture(params=MODULES.values(), ids=version_id)
def mcp(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


@pytest.fixture(params=[False, True], ids=["async", "sync"])
def calls(request: pytest.FixtureRequest) -> Calls:
    return Calls(request.param)
