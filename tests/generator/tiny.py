"""An invented protocol, small enough to be pulled, emitted and imported within a moment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
# As mcpgen looks for it: beside this Python, else on the PATH.
RUFF = shutil.which("ruff", path=Path(sys.executable).parent) or shutil.which("ruff")
OLD, NEW = "2030-01-01", "2031-01-01"

_SCHEMA = """\
export const LATEST_PROTOCOL_VERSION = "<version>";
export const JSONRPC_VERSION = "2.0";
export const PARSE_ERROR = -32700;

export type JSONRPCMessage =
  | JSONRPCRequest
  | JSONRPCNotification
  | JSONRPCResponse
  | JSONRPCError;

export type ProgressToken = string | number;
export type RequestId = string | number;

export interface Request {
  method: string;
  params?: { _meta?: { [key: string]: unknown }; [key: string]: unknown };
}

export interface Notification {
  method: string;
  params?: { _meta?: { [key: string]: unknown }; [key: string]: unknown };
}

export interface Result {
  _meta?: { [key: string]: unknown };
  [key: string]: unknown;
}

export interface JSONRPCRequest extends Request {
  jsonrpc: typeof JSONRPC_VERSION;
  id: RequestId;
}

export interface JSONRPCNotification extends Notification {
  jsonrpc: typeof JSONRPC_VERSION;
}

export interface JSONRPCResponse {
  jsonrpc: typeof JSONRPC_VERSION;
  id: RequestId;
  result: Result;
}

export interface JSONRPCError {
  jsonrpc: typeof JSONRPC_VERSION;
  id: RequestId;
  error: { code: number; message: string; data?: unknown };
}

export type EmptyResult = Result;

export interface Implementation {
  name: string;
  version: string;
}

export interface ClientCapabilities {
  weather?: object;
}

export interface ServerCapabilities {
  measuring?: { often?: boolean };
}

export interface InitializeRequest extends Request {
  method: "initialize";
  params: {
    protocolVersion: string;
    capabilities: ClientCapabilities;
    clientInfo: Implementation;
  };
}

export interface InitializeResult extends Result {
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
}

export interface InitializedNotification extends Notification {
  method: "notifications/initialized";
}

export interface PingRequest extends Request {
  method: "ping";
}

export interface Celsius {
  scale: "celsius";
  degrees: number;
}

export interface Fahrenheit {
  scale: "fahrenheit";
  degrees: number;
  from?: string;
}

export type Temperature = Celsius | Fahrenheit;

export interface MeasureRequest extends Request {
  method: "weather/measure";
  params: { place: string; hours?: number[]; depth?: number | null };
}

export interface MeasureResult extends Result {
  temperatures: Temperature[];
}

export interface StormNotification extends Notification {
  method: "notifications/storm";
  params: { force: "gale" | "hurricane" };
}

export type ClientRequest = InitializeRequest | PingRequest | MeasureRequest;
export type ServerRequest = PingRequest;
export type ClientNotification = InitializedNotification;
export type ServerNotification = StormNotification;
export type ClientResult = EmptyResult;
export type ServerResult = EmptyResult | InitializeResult | MeasureResult;
"""


def schema(version: str) -> str:
    """The schema.ts of a version; the newer one has one more field."""
    text = _SCHEMA.replace("<version>", version)
    return (
        text if version == OLD else text.replace("place: string;", "place: string; roof: string;")
    )


def write_source(root: Path, *versions: str) -> Path:
    """A folder as the specification's repository has it, with these versions."""
    for version in versions:
        folder = root / "schema" / version
        folder.mkdir(parents=True)
        (folder / "schema.ts").write_text(schema(version), encoding="utf-8")
    return root


def git(folder: Path, *arguments: str) -> str:
    """Runs git in a folder, whatever the settings of the person who runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-c", "user.name=Some One", "-c", "user.email=one@example.org", *arguments],
        cwd=folder,
        env=kept | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    def problem(self, code: int = 1) -> str:
        """The one line that says what went wrong."""
        assert self.code == code, self
        assert self.out == ""
        assert self.err.startswith("error: ")
        assert self.err.count("\n") == 1
        assert self.err.endswith("\n")
        return self.err.removeprefix("error: ").rstrip("\n")


def environment(**extra: str) -> dict[str, str]:
    """The environment of a process that has mcpgen as these tests have it."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "codegen"), **extra}


def run_mcpgen(*arguments: object, cwd: Path, **extra: str) -> Outcome:
    """Runs `python -m mcpgen` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "mcpgen", *map(str, arguments)],
        cwd=cwd,
        env=environment(**extra),
        capture_output=True,
        text=True,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def run_python(code: str, *paths: Path, python: Path | None = None, cwd: Path | None = None) -> str:
    """What a piece of Python prints; whatever it warns of or raises is a failure."""
    done = subprocess.run(
        [str(python or sys.executable), "-W", "error", "-c", code],
        env=environment(PYTHONPATH=os.pathsep.join(map(str, paths))),
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content, byte code apart."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def write_all(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes files below a folder, which is given back."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder
