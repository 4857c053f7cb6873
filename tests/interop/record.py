"""What two programs said to each other, judged by the schema of the version they spoke.

That is the one that the specification publishes, where it is at hand, and else our own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import jsonschema
import mcp_wire

ROOT = Path(__file__).resolve().parents[2]
UPSTREAM = ROOT.parent / "shared" / "upstream"

Side = Literal["client", "server"]
_OTHER: dict[str, Side] = {"client": "server", "server": "client"}


@dataclass(frozen=True)
class Said:
    """One message, and which side it came from."""

    side: Side
    message: dict[str, Any]


def read(path: Path) -> list[Said]:
    """Read what `tee` wrote."""
    found: list[Said] = []
    for line in path.read_bytes().split(b"\n"):
        side, _, message = line.partition(b" ")
        if line:
            found.append(Said("client" if side == b"client" else "server", json.loads(message)))
    return found


def schemas(version: str) -> list[Path]:
    """Return the schemas of a version that there are, the one to judge by first."""
    paths = (UPSTREAM / version / "schema.json", ROOT / "spec" / f"{version}.json")
    return [path for path in paths if path.exists()]


def problems(record: list[Said], version: str, path: Path | None = None) -> Iterator[str]:
    """Yield what in a record is not as the schema of `version` says."""
    schema = json.loads((path or schemas(version)[0]).read_bytes())
    key = "$defs" if "$defs" in schema else "definitions"
    methods = mcp_wire.load(version).METHODS
    asked: dict[tuple[str, Any], str] = {}
    for said in record:
        message = said.message
        method = message.get("method")
        if method is not None:
            names = [methods[method].message] if method in methods else ["JSONRPCRequest"]
            if "id" in message:
                asked[said.side, message["id"]] = method
            instance = message
        elif "error" in message:
            names = [n for n in ("JSONRPCError", "JSONRPCErrorResponse") if n in schema[key]]
            instance = message
        else:
            method = asked.get((_OTHER[said.side], message.get("id")))
            if method is None:
                yield f"{said.side}: answers nobody's request: {message}"
                continue
            names = list(methods[method].results) if method in methods else ["Result"]
            instance = message["result"]
        faults = [_fault(schema, key, name, instance) for name in names]
        if all(faults):
            yield f"{said.side}: {method}: {faults[0]} in {json.dumps(instance)[:500]}"


def _fault(schema: dict[str, Any], key: str, name: str, instance: Any) -> str | None:
    validator = jsonschema.validators.validator_for(schema)
    error = jsonschema.exceptions.best_match(
        validator({**schema, "$ref": f"#/{key}/{name}"}).iter_errors(instance)
    )
    return None if error is None else f"{name} at {error.json_path}: {error.message[:300]}"
