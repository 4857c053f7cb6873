"""What the tests of the codec share: the versions, the documents, and how JSON is compared."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import mcp_wire
import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "samples"
UPSTREAM = ROOT.parent / "shared" / "upstream"
EXAMPLES = UPSTREAM / "2026-07-28" / "examples"

MODULES: dict[str, ModuleType] = {version: mcp_wire.load(version) for version in mcp_wire.VERSIONS}
BATCHES = "2025-03-26"
RESULT_TYPES = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": RESULT_TYPES,
    "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

every_version = pytest.mark.parametrize(
    "module", [pytest.param(module, id=version) for version, module in MODULES.items()]
)


def samples(*names: str) -> list[Path]:
    """The sample files, of the named types alone where any are named."""
    found = sorted(SAMPLES.glob("????-??-??/*.json"))
    return [path for path in found if not names or type_of(path) in names]


def type_of(path: Path) -> str:
    """The type a sample file is a sample of; `Response` stands for a response frame."""
    return path.name.partition(".")[0]


def sample_id(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def load(path: Path) -> Any:
    return json.loads(path.read_bytes())


def text(value: Any) -> str:
    """A JSON value as text that is equal for equal values: 1, 1.0 and true are three."""
    return json.dumps(value, sort_keys=True)


def named_types() -> Iterator[tuple[str, str]]:
    """Every version and named type, as the published schema lists them."""
    for version, module in MODULES.items():
        folder = Path(str(module.__file__)).parent
        for name in json.loads((folder / "schema.json").read_bytes())["$defs"]:
            yield version, name


def is_class(module: ModuleType, name: str) -> bool:
    """Whether a type's instances are instances of an emitted class of that name."""
    return isinstance(getattr(module, name), type) and hasattr(getattr(module, name), "from_dict")


def codec(module: ModuleType) -> Any:
    """The codec of a version, which has functions that the version's module does not export."""
    return import_module(f"{module.__name__}.codec").CODEC


def classes(module: ModuleType) -> list[Any]:
    """Every class of a version."""
    found = (getattr(module, name) for name in module.__all__)
    return [item for item in found if isinstance(item, type) and hasattr(item, "from_dict")]


def call(module: ModuleType, **params: Any) -> dict[str, Any]:
    """A `tools/call` request, with the metadata that the version requires."""
    if module.PROTOCOL_VERSION == RESULT_TYPES:
        params = {"_meta": META, **params}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", **params}}
