"""The runtime of emitted packages, imported by mcpgen itself as it stands in the templates."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from . import resources

_PACKAGE = "mcpgen_runtime"


def runtime_module(name: str) -> ModuleType:
    """A module of the runtime, such as `codec`; ImportError where there is none of that name."""
    if _PACKAGE not in sys.modules:
        _import_package()
    return import_module(f"{_PACKAGE}.{name}")


def _import_package() -> None:
    """Makes the folder of the runtime a package, under a name that nothing else has."""
    folder = resources.templates_dir() / "runtime"
    spec = spec_from_file_location(
        _PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} is no package", name=_PACKAGE, path=str(folder))
    package = sys.modules[_PACKAGE] = module_from_spec(spec)
    spec.loader.exec_module(package)
