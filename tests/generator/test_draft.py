"""A draft beside the released versions: it is spoken only when it is asked for."""

from __future__ import annotations

from pathlib import Path

import mcpgen
import pytest

from .tiny import OLD, run_python, schema, write_source

OWN_NAME = "DRAFT-2032"

BEGIN = f"""
import asyncio, sys
from mcp_wire import LATEST_VERSION, Session, VERSIONS, load, memory_pair

old, draft = load("{OLD}"), load("draft")

class Weather:
    def __init__(self, mcp):
        self.mcp = mcp

    async def measure(self, params, ctx):
        return self.mcp.MeasureResult(temperatures=[])

def handler_of(mcp):
    class Own(mcp.ServerHandler):
        async def measure(self, params, ctx):
            return mcp.MeasureResult(temperatures=[])
    return Own(mcp.Implementation(name="own", version="1"))

async def met(handler=Weather, versions=None, make=None):
    near, far = memory_pair()
    server = Session(far, handler, role="server", versions=versions)
    await server.start()
    async with make(near) if make else Session(near, role="client") as session:
        result = await session.server.measure(place="Oslo")
        print(session.version, type(result).__module__, type(server.handler).__name__)
    await server.close()
"""


@pytest.fixture(scope="module", params=[OLD, OWN_NAME])
def package(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with a draft, which is sent as a released version or as itself."""
    folder = tmp_path_factory.mktemp("draft")
    root = write_source(folder, OLD)
    place = root / "schema" / "draft" / "schema.ts"
    place.parent.mkdir()
    text = schema(OLD).replace("place: string;", "place: string; roof?: string;")
    place.write_text(text.replace(f'"{OLD}"', f'"{request.param}"'), encoding="utf-8")
    spec, out = folder / "spec", folder / request.param
    mcpgen.pull((OLD, "draft"), source=str(root), spec_dir=spec)
    (spec / "overrides.toml").touch()
    (spec / "descriptions.toml").touch()
    mcpgen.generate(mcpgen.GenerateOptions(spec_dir=spec, out=out, formatter="none"))
    return out


def run(package: Path, code: str) -> list[str]:
    return run_python(f"{BEGIN}\n{code}", package).splitlines()


def test_the_draft_is_there_and_not_the_latest(package: Path) -> None:
    found = run(package, "print(VERSIONS, LATEST_VERSION, draft.PROTOCOL_VERSION)")
    assert found == [f"('{OLD}', 'draft') {OLD} {package.name}"]


def test_it_is_not_spoken_unless_it_is_asked_for(package: Path) -> None:
    assert run(package, "asyncio.run(met())") == [f"{OLD} mcp_wire.v2030_01_01.types Weather"]


def test_it_is_spoken_when_it_is_asked_for(package: Path) -> None:
    code = "asyncio.run(met(versions=['draft'], make=draft.ClientSession))"
    assert run(package, code) == [f"{package.name} mcp_wire.vdraft.types Weather"]


def test_a_handler_is_of_its_own_version(package: Path) -> None:
    code = """
asyncio.run(met(handler_of(old), make=old.ClientSession))
asyncio.run(met(handler_of(draft), make=draft.ClientSession))
for handler, other in ((handler_of(old), "draft"), (handler_of(draft), old.PROTOCOL_VERSION)):
    try:
        asyncio.run(met(handler, [other]))
    except ValueError as error:
        print(error)
"""
    assert run(package, code) == [
        f"{OLD} mcp_wire.v2030_01_01.types Own",
        f"{package.name} mcp_wire.vdraft.types Own",
        f"versions: expected only the handler's, which is {OLD}",
        "versions: expected only the handler's, which is draft",
    ]


def test_versions_that_are_sent_alike_are_not_spoken_together(package: Path) -> None:
    code = f"""
try:
    asyncio.run(met(versions=["{OLD}", "draft"], make=old.ClientSession))
except ValueError as error:
    print(error)
"""
    alike = f"versions: expected {OLD} or draft, which are sent alike"
    met = f"{OLD} mcp_wire.v2030_01_01.types Weather"
    assert run(package, code) == [alike if package.name == OLD else met]


def test_it_is_served_over_stdio(package: Path) -> None:
    code = f"""
server = '''{BEGIN}
asyncio.run(draft.serve_stdio(handler_of(draft)))
'''
with draft.connect_stdio_sync([sys.executable, "-c", server]) as session:
    print(session.version, type(session.server.measure(place="Oslo")).__module__)
"""
    assert run(package, code) == [f"{package.name} mcp_wire.vdraft.types"]
