"""A whole session with the official TypeScript server that does everything: our client, typed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import mcp_wire
import pytest
from mcp_wire import v2025_11_25 as mcp

from . import record
from .peers import is_installed, npm_server

COMMAND = npm_server("everything", "stdio")
SECONDS = 120
DOCUMENT = "demo://resource/static/document/features.md"

pytestmark = pytest.mark.skipif(
    not is_installed(COMMAND), reason="server-everything is not installed"
)


class Person(mcp.ClientHandler):
    """Answers what the server asks, and notes what it tells."""

    def __init__(self) -> None:
        super().__init__(
            mcp.Implementation(name="interop", version="1"),
            capabilities=mcp.ClientCapabilities(
                sampling=mcp.ClientCapabilitiesSampling(),
                roots=mcp.ClientCapabilitiesRoots(list_changed=True),
                elicitation=mcp.ClientCapabilitiesElicitation(form={}, url={}),
            ),
        )
        self.logged: list[Any] = []
        self.updated: asyncio.Queue[str] = asyncio.Queue()
        self.asked: list[str] = []

    async def create_message(
        self, params: mcp.CreateMessageRequestParams, ctx: mcp.ClientContext
    ) -> mcp.CreateMessageResult:
        await ctx.peer.ping()
        text = f"sampled within {params.max_tokens}"
        content = mcp.TextContent(text=text)
        return mcp.CreateMessageResult(role="assistant", model="none", content=content)

    async def elicit(
        self, params: mcp.ElicitRequestParams, ctx: mcp.ClientContext
    ) -> mcp.ElicitResult:
        assert isinstance(params, mcp.ElicitRequestFormParams)
        self.asked += params.requested_schema.properties
        return mcp.ElicitResult(action="accept", content={"name": "Ada", "check": True})

    async def list_roots(
        self, params: mcp.RequestParams, ctx: mcp.ClientContext
    ) -> mcp.ListRootsResult:
        return mcp.ListRootsResult(roots=[mcp.Root(uri="file:///interop", name="interop")])

    async def on_logging_message(
        self, params: mcp.LoggingMessageNotificationParams, ctx: mcp.ClientContext
    ) -> None:
        self.logged.append(params.data)

    async def on_resource_updated(
        self, params: mcp.ResourceUpdatedNotificationParams, ctx: mcp.ClientContext
    ) -> None:
        self.updated.put_nowait(params.uri)


Test = Callable[[mcp.ServerStub, Person, mcp_wire.Session], Coroutine[Any, Any, None]]


def run(test: Test, tmp_path: Path) -> list[record.Said]:
    """Run a test in a session of its own, and judge all that was said in it: the record."""
    said = tmp_path / "record"
    tee = [sys.executable, str(Path(__file__).parent / "tee.py"), str(said)]
    person = Person()

    async def session() -> None:
        versions = [mcp.PROTOCOL_VERSION]
        async with (
            asyncio.timeout(SECONDS),
            mcp_wire.connect_stdio([*tee, *COMMAND], person, versions=versions) as opened,
        ):
            assert opened.version == mcp.PROTOCOL_VERSION
            await test(opened.server, person, opened)

    asyncio.run(session())
    found = record.read(said)
    assert list(record.problems(found, mcp.PROTOCOL_VERSION)) == []
    return found


def text_of(result: mcp.CallToolResult) -> str:
    content = result.content[0]
    assert isinstance(content, mcp.TextContent)
    return content.text


def test_lists_and_ping(tmp_path: Path) -> None:
    async def test(server: mcp.ServerStub, person: Person, session: mcp_wire.Session) -> None:
        assert session.server_info.name == "mcp-servers/everything"
        assert session.capabilities.resources.subscribe is True
        await session.ping()
        assert await server.ping() == mcp.EmptyResult()
        assert {"echo", "get-sum"} < {tool.name async for tool in server.iter_tools()}
        assert DOCUMENT in {found.uri async for found in server.iter_resources()}
        templates = [found.uri_template async for found in server.iter_resource_templates()]
        assert "demo://resource/dynamic/text/{resourceId}" in templates
        assert "args-prompt" in {prompt.name async for prompt in server.iter_prompts()}

    run(test, tmp_path)


def test_tools(tmp_path: Path) -> None:
    async def test(server: mcp.ServerStub, person: Person, session: mcp_wire.Session) -> None:
        assert text_of(await server.call_tool(name="echo", arguments={"message": "é"})) == "Echo: é"
        total = await server.call_tool(name="get-sum", arguments={"a": 1, "b": 2.5})
        assert "3.5" in text_of(total)
        weather = await server.call_tool(
            name="get-structured-content", arguments={"location": "Chicago"}
        )
        assert set(weather.structured_content or {}) == {"temperature", "conditions", "humidity"}
        image = await server.call_tool(name="get-tiny-image")
        assert any(isinstance(part, mcp.ImageContent) for part in image.content)
        links = await server.call_tool(name="get-resource-links", arguments={"count": 2})
        assert sum(isinstance(part, mcp.ResourceLink) for part in links.content) == 2
        wrong = await server.call_tool(name="get-sum", arguments={"a": "x"})
        assert wrong.is_error is True

    run(test, tmp_path)


def test_progress_and_logging(tmp_path: Path) -> None:
    async def test(server: mcp.ServerStub, person: Person, session: mcp_wire.Session) -> None:
        steps: list[tuple[float, float | None]] = []
        await server.set_level(level="debug")
        result = await server.call_tool(
            name="trigger-long-running-operation",
            arguments={"duration": 0.3, "steps": 3},
            on_progress=lambda value, total, message: steps.append((value, total)),
        )
        assert "completed" in text_of(result)
        assert steps == [(1, 3), (2, 3), (3, 3)]
        await server.call_tool(name="toggle-simulated-logging")
        await until(lambda: len(person.logged) > 0)
        await server.call_tool(name="toggle-simulated-logging")

    run(test, tmp_path)


def test_what_the_server_asks_for(tmp_path: Path) -> None:
    async def test(server: mcp.ServerStub, person: Person, session: mcp_wire.Session) -> None:
        sampled = await server.call_tool(
            name="trigger-sampling-request", arguments={"prompt": "hi", "maxTokens": 7}
        )
        assert "sampled within 7" in text_of(sampled)
        elicited = await server.call_tool(name="trigger-elicitation-request")
        assert "name" in person.asked
        assert any("Ada" in getattr(part, "text", "") for part in elicited.content)
        roots = await server.call_tool(name="get-roots-list")
        assert "file:///interop" in text_of(roots)

    run(test, tmp_path)


def test_resources(tmp_path: Path) -> None:
    async def test(server: mcp.ServerStub, person: Person, session: mcp_wire.Session) -> None:
        read = await server.read_resource(uri=DOCUMENT)
        assert isinstance(read.contents[0], mcp.TextResourceContents)
        blob = await server.read_resource(uri="demo://resource/dynamic/blob/1")
        assert isinstance(blob.contents[0], mcp.BlobResourceContents)
        with pytest.raises(mcp_wire.RpcError):
            await server.read_resource(uri="demo://nothing")
        await server.subscribe(uri=DOCUMENT)
        await server.call_tool(name="toggle-subscriber-updates")
        assert await person.updated.get() == DOCUMENT
        await server.call_tool(name="toggle-subscriber-updates")
        await server.unsubscribe(uri=DOCUMENT)

    run(test, tmp_path)


def test_prompts_and_completion(tmp_path: Path) -> None:
    async def test(server: mcp.ServerStub, person: Person, session: mcp_wire.Session) -> None:
        prompt = await server.get_prompt(name="args-prompt", arguments={"city": "Bergen"})
        content = prompt.messages[0].content
        assert isinstance(content, mcp.TextContent)
        assert "Bergen" in content.text
        completed = await server.complete(
            ref=mcp.PromptReference(name="completable-prompt"),
            argument=mcp.CompleteRequestParamsArgument(name="department", value="S"),
        )
        assert completed.completion.values == ["Sales", "Support"]

    run(test, tmp_path)


def test_cancelling(tmp_path: Path) -> None:
    async def test(server: mcp.ServerStub, person: Person, session: mcp_wire.Session) -> None:
        call = server.call_tool(
            name="trigger-long-running-operation", arguments={"duration": 60, "steps": 60}
        )
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(call, 0.3)
        with pytest.raises(mcp_wire.RequestTimeout):
            await server.call_tool(
                name="trigger-long-running-operation",
                arguments={"duration": 60, "steps": 60},
                timeout=0.3,
            )
        assert text_of(await server.call_tool(name="echo", arguments={"message": "x"})) == "Echo: x"

    methods = [said.message.get("method") for said in run(test, tmp_path)]
    assert methods.count("notifications/cancelled") == 2


def test_tasks(tmp_path: Path) -> None:
    async def test(server: mcp.ServerStub, person: Person, session: mcp_wire.Session) -> None:
        created = await server.call_tool(
            name="simulate-research-query",
            arguments={"topic": "tides"},
            task=mcp.TaskMetadata(ttl=60_000),
        )
        task = created.task
        while task.status not in ("completed", "failed"):
            await asyncio.sleep(0.5)
            task = await server.get_task(task_id=task.task_id)
        assert task.status == "completed"
        payload = await server.get_task_payload(task_id=task.task_id)
        assert "tides" in str(payload.to_dict())

    run(test, tmp_path)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("version", [v for v in mcp_wire.VERSIONS if v != "2026-07-28"])
def test_every_version_with_a_handshake(version: str, tmp_path: Path) -> None:
    said = tmp_path / "record"
    tee = [sys.executable, str(Path(__file__).parent / "tee.py"), str(said)]

    async def session() -> None:
        async with mcp_wire.connect_stdio([*tee, *COMMAND], versions=[version]) as opened:
            assert opened.version == version
            tools = [tool.name async for tool in opened.server.iter_tools()]
            result = await opened.server.call_tool(name="echo", arguments={"message": "x"})
            assert ("echo" in tools, result.content[0].text) == (True, "Echo: x")

    asyncio.run(session())
    assert list(record.problems(record.read(said), version)) == []


def test_all_versions_offered() -> None:
    """A client of every version finds out that this server has a handshake."""

    async def session() -> None:
        async with mcp_wire.connect_stdio(COMMAND) as opened:
            assert opened.version == "2025-11-25"
            assert (await opened.server.call_tool(name="get-env")).is_error is not True

    asyncio.run(session())
