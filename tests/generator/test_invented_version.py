"""A version that nobody has written yet: pulled, compared, emitted and used without an edit.

Its schema is the newest one with changes of every kind that a new version brings.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import mcpgen
import pytest
from mcpgen.compare import compare
from mcpgen.specs import load_protocols

from .declared import published, typescript
from .tiny import ROOT, git, snapshot

NEWEST, INVENTED = "2026-07-28", "2027-03-15"
PACKAGE = "future_wire"

ADDED = """
export interface ArchiveResourceRequestParams extends ResourceRequestParams {
  reason?: ArchiveReason;
}
export type ArchiveReason = "old" | "duplicate";
export interface ArchiveResourceRequest extends JSONRPCRequest {
  method: "resources/archive";
  params: ArchiveResourceRequestParams;
}
export interface ArchiveResourceResult extends Result {
  archived: boolean;
}
export interface ArchiveResourceResultResponse extends JSONRPCResultResponse {
  result: ArchiveResourceResult;
}
export interface ResourceArchivedNotification extends JSONRPCNotification {
  method: "notifications/resources/archived";
  params: { uri: string; at?: string | null };
}
export interface VideoContent {
  type: "video";
  /** @format byte */
  data: string;
  mimeType: string;
}
export const RESOURCE_ARCHIVED = -32050;
"""

# What is found in the newest schema, and what stands there in the invented one.
EDITS = (
    (f'"{NEWEST}";', f'"{INVENTED}";'),
    ("ClientRequest = ", "ClientRequest = ArchiveResourceRequest | "),
    ("ServerResult = ", "ServerResult = ArchiveResourceResult | "),
    ("ServerNotification = ", "ServerNotification = ResourceArchivedNotification | "),
    ("type ContentBlock = ", "type ContentBlock = VideoContent | "),
    ('"annotations"?: ToolAnnotations;', '"annotations"?: ToolAnnotations;\n"costs"?: number;'),
    ('"version": string;\n"description"?', '"version": string;\n"vendor": string;\n"description"?'),
    ("interface ModelHint {", "interface ModelHint {\n/** @deprecated */"),
    ('"isError"?: boolean;\n}', "}"),
)
RENAMED = ("Icon", "Picture")

CHANGES = {
    ("method-added", "resources/archive"),
    ("method-added", "notifications/resources/archived"),
    ("type-renamed", "Picture"),
    ("type-added", "ArchiveReason"),
    ("type-added", "ArchiveResourceRequestParams"),
    ("type-added", "ArchiveResourceResult"),
    ("type-added", "ArchiveResourceResultResponse"),
    ("type-added", "VideoContent"),
    ("optional-field-added", "Tool.costs"),
    ("required-field-added", "Implementation.vendor"),
    ("optional-field-removed", "CallToolResult.isError"),
    ("member-added", "ContentBlock"),
    ("constant-added", "RESOURCE_ARCHIVED"),
    ("version-changed", "LATEST_PROTOCOL_VERSION"),
    ("deprecated", "ModelHint.name"),
}

HELLO: dict[str, object] = {
    "io.modelcontextprotocol/protocolVersion": INVENTED,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def schema() -> str:
    """The schema.ts of the invented version."""
    text = typescript(json.loads((ROOT / "spec" / f"{NEWEST}.json").read_bytes()))
    for old, new in EDITS:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    old, new = RENAMED
    for before, after in ((f" {old} ", f" {new} "), (f"({old})[]", f"({new})[]")):
        assert before in text
        text = text.replace(before, after)
    return text + ADDED


@dataclass(frozen=True)
class Emitted:
    """What was pulled and emitted: the spec folder, the package, and what was done."""

    spec: Path
    out: Path
    before: dict[str, bytes]
    pulled: mcpgen.PullResult
    generated: mcpgen.GenerateResult


def _generate(spec: Path, out: Path, *versions: str) -> mcpgen.GenerateResult:
    return mcpgen.generate(
        mcpgen.GenerateOptions(
            versions=versions, spec_dir=spec, out=out, package=PACKAGE, formatter="none"
        )
    )


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> Emitted:
    folder = tmp_path_factory.mktemp("future")
    upstream = folder / "upstream"
    place = upstream / "schema" / INVENTED
    place.mkdir(parents=True)
    text = schema()
    (place / "schema.ts").write_text(text, encoding="utf-8")
    (place / "schema.json").write_text(published(text), encoding="utf-8")
    git(upstream, "init", "--quiet", "--initial-branch=main")
    git(upstream, "add", "--all")
    git(upstream, "commit", "--quiet", "--message=a new version")
    spec = shutil.copytree(ROOT / "spec", folder / "spec")
    out = folder / "out"
    _generate(spec, out, NEWEST)
    before = snapshot(out / PACKAGE / "v2026_07_28")
    pulled = mcpgen.pull(all_versions=True, source=str(upstream), ref="main", spec_dir=spec)
    return Emitted(spec, out, before, pulled, _generate(spec, out, NEWEST, INVENTED))


@pytest.fixture(scope="module")
def package(emitted: Emitted) -> Iterator[ModuleType]:
    """The emitted package, imported."""
    sys.path.insert(0, str(emitted.out))
    try:
        yield import_module(PACKAGE)
    finally:
        sys.path.remove(str(emitted.out))
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]


@pytest.fixture(scope="module")
def mcp(package: ModuleType) -> Any:
    """The module of the invented version."""
    return package.load(INVENTED)


# --- from the specification to the package ------------------------------------------------------


def test_pulled(emitted: Emitted) -> None:
    (version,) = emitted.pulled.versions
    assert (version.version, version.status) == (INVENTED, "added")
    assert version.report.checked
    again = json.loads((emitted.spec / f"{INVENTED}.json").read_bytes())
    assert again["x-mcp"]["source"]["commit"] is not None


def test_what_changed(emitted: Emitted) -> None:
    old, new = load_protocols(emitted.spec, (NEWEST, INVENTED))
    found = {(change.kind, change.path) for change in compare(old, new).changes}
    assert found == CHANGES


def test_every_version_is_emitted(emitted: Emitted) -> None:
    # Overrides and descriptions that nothing uses are looked for when every version is loaded.
    versions = [protocol.version for protocol in load_protocols(emitted.spec)]
    assert versions[-2:] == [NEWEST, INVENTED]


def test_the_old_version_is_unchanged(emitted: Emitted) -> None:
    assert snapshot(emitted.out / PACKAGE / "v2026_07_28") == emitted.before
    written = {item.version: item.written for item in emitted.generated.versions}
    assert written[NEWEST] == 0
    assert written[INVENTED] == len(emitted.before)


def test_the_root_knows_the_new_version(package: ModuleType, mcp: Any) -> None:
    assert (package.LATEST_VERSION, package.VERSIONS) == (INVENTED, (NEWEST, INVENTED))
    assert mcp.PROTOCOL_VERSION == mcp.LATEST_PROTOCOL_VERSION == INVENTED


def test_mypy(emitted: Emitted) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", f"{PACKAGE}/v2027_03_15"],
        cwd=emitted.out,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


# --- what is new in it --------------------------------------------------------------------------


def test_new_messages_make_the_round_trip(mcp: Any) -> None:
    request: dict[str, object] = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "resources/archive",
        "params": {"_meta": HELLO, "uri": "file:///a", "reason": "old", "more": [1]},
    }
    typed = mcp.decode_message(request)
    assert isinstance(typed, mcp.ArchiveResourceRequest)
    assert (typed.params.reason, typed.params.extra) == ("old", {"more": [1]})
    assert typed.to_dict() == request
    notification = {
        "jsonrpc": "2.0",
        "method": "notifications/resources/archived",
        "params": {"uri": "file:///a", "at": None},
    }
    told = mcp.decode_message(json.dumps(notification))
    assert isinstance(told.params, mcp.ResourceArchivedNotificationParams)
    assert told.to_dict() == notification
    video = {"type": "video", "data": "AAAA", "mimeType": "video/webm"}
    block = mcp.decode_as("ContentBlock", video)
    assert block == mcp.VideoContent(data="AAAA", mime_type="video/webm")
    assert mcp.encode_as("ContentBlock", block) == video
    picture = mcp.Picture(src="https://example.org/a.png")
    assert mcp.Tool(name="a", input_schema=mcp.ToolInputSchema(), icons=[picture]).costs is None
    with pytest.raises(mcp.DecodeError, match=r"\$\.vendor: expected a string, found nothing"):
        mcp.Implementation.from_dict({"name": "a", "version": "1"})
    with pytest.raises(mcp.DecodeError, match=r"\$\.reason: "):
        mcp.decode_as("ArchiveResourceRequestParams", {"_meta": HELLO, "uri": "a", "reason": "b"})


def test_what_is_gone_is_kept_as_unknown(mcp: Any) -> None:
    result = mcp.CallToolResult.from_dict(
        {"resultType": "complete", "content": [], "isError": True}
    )
    assert result.extra == {"isError": True}


def test_the_method_table(mcp: Any) -> None:
    info = mcp.METHODS["resources/archive"]
    assert (info.python_name, info.sent_by) == ("archive_resource", ("client",))
    assert (info.params, info.results) == (
        "ArchiveResourceRequestParams",
        ("ArchiveResourceResult",),
    )
    assert mcp.METHODS["notifications/resources/archived"].sent_by == ("server",)
    assert mcp.RESOURCE_ARCHIVED == -32050


def test_the_new_method_is_called_and_served(package: ModuleType, mcp: Any) -> None:
    asked: list[Any] = []

    class Server(mcp.ServerHandler):  # type: ignore[misc]
        async def archive_resource(self, params: Any, ctx: Any) -> Any:
            asked.append(params)
            await ctx.peer.notify_resource_archived(uri=params.uri)
            return mcp.ArchiveResourceResult(archived=True)

    class Client(mcp.ClientHandler):  # type: ignore[misc]
        async def on_resource_archived(self, params: Any, ctx: Any) -> None:
            asked.append(params)

    async def main() -> Any:
        info = mcp.Implementation(name="a", version="1", vendor="b")
        server, client = mcp.Dispatcher(Server(info)), mcp.Dispatcher(Client(info))
        stub = mcp.ServerStub(package.DispatcherSession(server, client))
        return await stub.archive_resource(uri="file:///a", reason="duplicate")

    assert asyncio.run(main()).archived is True
    assert [type(params).__name__ for params in asked] == [
        "ArchiveResourceRequestParams",
        "ResourceArchivedNotificationParams",
    ]
    assert {params.uri for params in asked} == {"file:///a"}
