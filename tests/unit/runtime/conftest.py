"""Makes templates/runtime importable as the package `runtime`, which it is in emitted code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / "templates" / "runtime"


def load_runtime(name: str) -> ModuleType:
    """Import the folder as the package `name`; two names give two independent copies."""
    spec = spec_from_file_location(
        name, FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


if "runtime" not in sys.modules:
    load_runtime("runtime")


@pytest.fixture
def fresh_jsontext() -> Iterator[Callable[[], ModuleType]]:
    """A function that imports jsontext anew, so that it reads the environment again."""
    name = "runtime_copy"

    def forget() -> None:
        for module in [key for key in sys.modules if key.split(".")[0] == name]:
            del sys.modules[module]

    def load() -> ModuleType:
        forget()
        load_runtime(name)
        return import_module(f"{name}.jsontext")

    yield load
    forget()


@pytest.fixture(scope="session")
def standard_loads() -> Any:
    """`loads` of the standard library, the reference."""
    return import_module("runtime._json_standard").loads


@pytest.fixture(scope="session")
def msgspec_loads() -> Any:
    """`loads` of msgspec; the test is skipped where it is not installed."""
    if find_spec("msgspec") is None:
        pytest.skip("msgspec is not installed")
    return import_module("runtime._json_msgspec").make_loads()


@pytest.fixture(params=["standard_loads", "msgspec_loads"])
def loads(request: pytest.FixtureRequest) -> Any:
    """`loads` of one backend after the other."""
    return request.getfixturevalue(request.param)
