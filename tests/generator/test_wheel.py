"""Distributions: mcpgen as a wheel and as an editable install, and the package it emits."""

from __future__ import annotations

import importlib.util
import os
import site
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

import pytest

from .tiny import OLD, ROOT, run_python, snapshot

pytestmark = pytest.mark.skipif(
    os.name != "posix" or not all(map(importlib.util.find_spec, ("pip", "hatchling"))),
    reason="needs pip and hatchling",
)

VERSION = "2024-11-05"
IMPORT = """
import importlib.metadata as metadata
import mcp_wire
mcp = mcp_wire.load({version!r})
print(mcp.PingRequest(id=1).to_json().decode())
print(metadata.version("mcp-wire"), metadata.requires("mcp-wire"))
"""


class Environment:
    """A virtual environment that sees what this one has installed, but not this checkout."""

    def __init__(self, folder: Path, *, alone: bool = False) -> None:
        venv.create(folder, symlinks=True)
        self.scripts = folder / "bin"
        self.python = self.scripts / "python"
        (self.library,) = (folder / "lib").glob("python*/site-packages")
        if not alone:
            (self.library / "others.pth").write_text("\n".join(site.getsitepackages()))

    def run(self, *arguments: object, cwd: Path) -> str:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [*map(str, arguments)], cwd=cwd, env=kept, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def install(self, *arguments: object, cwd: Path) -> None:
        """Installs without a network, and so without anything that is not there."""
        pip = [sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check"]
        options = ["--quiet", "--no-index", "--no-build-isolation", "--no-cache-dir"]
        self.run(*pip, "install", *options, *arguments, cwd=cwd)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel."""
    environment = Environment(tmp_path_factory.mktemp("installed"))
    environment.install("--no-deps", wheel, cwd=wheel.parent)
    return environment


@pytest.fixture(scope="module")
def package(installed: Environment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What the installed command emits in an empty folder."""
    folder = tmp_path_factory.mktemp("empty")
    installed.run(
        installed.scripts / "mcpgen", "generate", VERSION, "--formatter", "none", cwd=folder
    )
    yield folder / "generated"
    assert [path.name for path in folder.iterdir()] == ["generated"]


def test_the_wheel_has_templates_and_specs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        headers = Parser().parsestr(archive.read(metadata).decode())
    for name in snapshot(ROOT / "templates"):
        assert f"mcpgen/_templates/{name}" in names
    for name in snapshot(ROOT / "spec"):
        assert f"mcpgen/_spec/{name}" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]
    assert headers["Name"] == "mcpgen"
    assert "datamodel-code-generator==0.89.0" in headers.get_all("Requires-Dist", [])


def test_an_installed_wheel_uses_its_own_files(installed: Environment, tmp_path: Path) -> None:
    code = "from mcpgen import resources as r; print(r.spec_dir()); print(r.templates_dir())"
    spec, templates = map(Path, installed.run(installed.python, "-c", code, cwd=tmp_path).split())
    assert (spec.name, templates.name) == ("_spec", "_templates")
    assert spec.is_relative_to(installed.scripts.parent.resolve())
    assert snapshot(spec) == snapshot(ROOT / "spec")


def test_an_installed_wheel_emits_in_an_empty_folder(package: Path) -> None:
    code = f"import mcp_wire; print(mcp_wire.load({VERSION!r}).PingRequest(id=1).to_dict())"
    expected = "{'jsonrpc': '2.0', 'id': 1, 'method': 'ping'}"
    assert run_python(code, package, python=Path(sys.executable)) == expected


def test_an_installed_wheel_validates_in_an_empty_folder(
    installed: Environment, tmp_path: Path
) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    message = tmp_path / "message.json"
    message.write_text('{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
    command = (installed.scripts / "mcpgen", "validate", "--version", VERSION, message)
    assert installed.run(*command, cwd=folder) == "1 message, all valid\n"
    assert list(folder.iterdir()) == []


def test_an_editable_install_emits_the_same(package: Path, tmp_path: Path) -> None:
    """Which is a line of a .pth file with the folder of the sources."""
    environment = Environment(tmp_path / "environment")
    (environment.library / "_mcpgen.pth").write_text(str(ROOT / "codegen"))
    folder = tmp_path / "empty"
    folder.mkdir()
    command = ("-m", "mcpgen", "generate", VERSION, "--formatter", "none")
    environment.run(environment.python, *command, cwd=folder)
    assert snapshot(folder / "generated") == snapshot(package)


def test_the_package_installs_nothing_else(package: Path, tmp_path: Path) -> None:
    """Built with the hatchling of this environment, then installed where nothing else is."""
    alone, wheels = Environment(tmp_path / "alone", alone=True), tmp_path / "wheels"
    before = snapshot(package)
    options = ("--no-index", "--no-build-isolation", "--quiet", "--wheel-dir", wheels)
    alone.run(sys.executable, "-m", "pip", "wheel", *options, package, cwd=tmp_path)
    assert snapshot(package) == before
    (built,) = wheels.iterdir()
    alone.install(built, cwd=tmp_path)
    first, second = alone.run(
        alone.python, "-I", "-W", "error", "-c", IMPORT.format(version=VERSION), cwd=tmp_path
    ).splitlines()
    assert first == '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    version, _, requirements = second.partition(" ")
    assert version == "0.1.0"
    assert all("extra ==" in item for item in requirements.strip("[]").split(", "))
    names = {path.name for path in alone.library.iterdir()} - {"__pycache__"}
    assert names == {"mcp_wire", "mcp_wire-0.1.0.dist-info"}


def test_the_package_under_another_name(
    installed: Environment, pulled: Path, tmp_path: Path
) -> None:
    options = ("--package", "acme_wire", "--spec-dir", pulled, "--formatter", "none")
    installed.run(installed.scripts / "mcpgen", "generate", OLD, *options, cwd=tmp_path)
    alone = Environment(tmp_path / "environment")
    alone.install("--no-deps", tmp_path / "generated", cwd=tmp_path)
    code = (
        "import acme_wire, importlib.metadata as m; print(m.version('acme-wire'),"
        "acme_wire.VERSIONS, acme_wire.load('2030-01-01').Celsius(degrees=1).to_dict())"
    )
    found = alone.run(alone.python, "-I", "-c", code, cwd=tmp_path).strip()
    assert found == "0.1.0 ('2030-01-01',) {'scale': 'celsius', 'degrees': 1}"
