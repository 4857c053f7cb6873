"""Styles, and folders of templates laid over them: what they can do, and what is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from mcpgen.emit.style import load_style
from mcpgen.errors import ConfigError

from .tiny import OLD, ROOT, RUFF, Outcome, run_python, snapshot, write_all

Command = Callable[..., Outcome]
TEMPLATES = ROOT / "templates"
STYLE = TEMPLATES / "dataclass"
MODULE = "v2030_01_01"


class Overlay:
    """A folder of templates in the current folder, and what comes of it."""

    def __init__(self, project: Path, generate: Command) -> None:
        self.folder = project / "mine"
        self.folder.mkdir()
        self.package = project / "generated" / "mcp_wire"
        self.generate = generate

    def put(self, name: str, content: str | bytes) -> None:
        write_all(self.folder, {name: content})

    def edit(self, name: str, old: str, new: str) -> None:
        """Puts one of the style's templates there, with something replaced."""
        origin = TEMPLATES if name.startswith("runtime/") else STYLE
        text = (origin / name).read_text(encoding="utf-8")
        assert old in text
        self.put(name, text.replace(old, new))

    def edit_style(self, section: str, line: str) -> None:
        self.edit("style.toml", f"[{section}]\n", f"[{section}]\n{line}\n")

    def emit(self) -> None:
        done = self.generate("--templates", "mine")
        assert (done.code, done.err) == (0, "")

    def text(self, name: str) -> str:
        return (self.package / name).read_text(encoding="utf-8")

    def problem(self) -> str:
        """What is wrong with it, without the folder; nothing may have been written."""
        problem = self.generate("--templates", "mine").problem()
        assert not self.package.parent.exists()
        return problem.removeprefix(str(Path("mine", "x"))[:-1])


@pytest.fixture
def overlay(project: Path, generate: Command) -> Overlay:
    return Overlay(project, generate)


# --- what can be replaced -----------------------------------------------------------------------


def test_an_empty_folder_changes_nothing(
    overlay: Overlay, project: Path, generate: Command
) -> None:
    overlay.emit()
    before = snapshot(project / "generated")
    assert "up to date" in generate().out
    assert snapshot(project / "generated") == before


def test_one_template(overlay: Overlay) -> None:
    overlay.put("methods.py.jinja", "{{ header }}\nPROTOCOL_VERSION = 'x'\nMETHODS = {}\n")
    overlay.put(".DS_Store", b"\xff")
    overlay.emit()
    assert overlay.text(f"{MODULE}/methods.py").endswith("PROTOCOL_VERSION = 'x'\nMETHODS = {}\n")
    assert "def decode_MeasureRequest" in overlay.text(f"{MODULE}/codec.py")


def test_a_copy_of_everything(overlay: Overlay, project: Path, generate: Command) -> None:
    generate("--out", "plain")
    shutil.copytree(STYLE, overlay.folder, dirs_exist_ok=True)
    shutil.copytree(TEMPLATES / "runtime", overlay.folder / "runtime")
    overlay.emit()
    assert snapshot(project / "generated").keys() == snapshot(project / "plain").keys()
    assert snapshot(overlay.package) == snapshot(project / "plain" / "mcp_wire")


def test_an_included_template_and_a_macro(overlay: Overlay) -> None:
    overlay.put(
        "parts/names.jinja", "{% macro listed(names) %}{{ names | join('+') }}{% endmacro %}"
    )
    overlay.put("parts/note.jinja", "# {{ protocol.version }}\n")
    overlay.put(
        "methods.py.jinja",
        "{% from 'parts/names.jinja' import listed %}{% include 'parts/note.jinja' %}"
        "# {{ listed(['a', 'b']) }}\n",
    )
    overlay.emit()
    assert overlay.text(f"{MODULE}/methods.py") == f"# {OLD}\n# a+b\n"


def test_style_toml_can_add_files(overlay: Overlay) -> None:
    overlay.edit_style("version", '"{package}/{module}/names.py" = "names.py.jinja"')
    overlay.put("names.py.jinja", "NAMES = {{ type_names | length }}\n")
    overlay.emit()
    assert overlay.text(f"{MODULE}/names.py") == "NAMES = 37\n"


def test_a_type_template(overlay: Overlay) -> None:
    overlay.edit("types/dataclass.jinja2", "slots=True)", "slots=True, order=False)")
    overlay.emit()
    assert "@dataclass(kw_only=True, slots=True, order=False)" in overlay.text(f"{MODULE}/types.py")
    code = f"import mcp_wire; mcp_wire.load({OLD!r}).Celsius(degrees=1)"
    assert run_python(code, overlay.package.parent) == ""


def test_a_runtime_file(overlay: Overlay) -> None:
    line = "from __future__ import annotations\n"
    overlay.edit("runtime/guards.py", line, f"{line}\nMINE = 1\n")
    overlay.emit()
    assert "\nMINE = 1\n" in overlay.text("runtime/guards.py")


def test_runtime_files_are_copied_as_they_are(project: Path, mcpgen: Command) -> None:
    write_all(project / "mine", {"runtime/__init__.py": "x = {  'a':1 }\n"})
    assert mcpgen("generate", OLD, "--templates", "mine").code == 0
    text = (project / "generated" / "mcp_wire" / "runtime" / "__init__.py").read_text()
    assert text.splitlines()[1:] == ["x = {  'a':1 }"]


@pytest.mark.parametrize(
    "name", ["methods.py.jinja", "types/dataclass.jinja2", "runtime/envelope.py", "style.toml"]
)
def test_line_ends_and_byte_order_marks(
    overlay: Overlay, project: Path, generate: Command, name: str
) -> None:
    assert generate("--out", "plain").err == ""
    origin = TEMPLATES if name.startswith("runtime/") else STYLE
    content = (origin / name).read_bytes().replace(b"\n", b"\r\n")
    overlay.put(name, b"\xef\xbb\xbf" + content)
    overlay.emit()
    assert snapshot(project / "generated") == snapshot(project / "plain")


def test_an_edited_template_is_noticed(overlay: Overlay) -> None:
    overlay.put("methods.py.jinja", "first = 1\n")
    overlay.emit()
    overlay.put("methods.py.jinja", "second = 2\n")
    overlay.emit()
    assert overlay.text(f"{MODULE}/methods.py") == "second = 2\n"


# --- what is never used -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("method.py.jinja", "methods.py.jinja"),
        ("README.md", "README.md.jinja"),
        ("dataclass/methods.py.jinja", "methods.py.jinja"),
        ("types/dataclas.jinja2", "types/dataclass.jinja2"),
        ("types/dataclass.jinja", "types/dataclass.jinja2"),
        ("types/more/dataclass.jinja2", "types/dataclass.jinja2"),
        ("runtime/codecs.py", "runtime/codec.py"),
        ("runtime/py.typed", "runtime/codec.py"),
    ],
)
def test_a_misspelt_file(overlay: Overlay, name: str, known: str) -> None:
    overlay.put(name, "x = 1\n")
    problem = overlay.problem()
    assert problem.startswith(f"{Path(name)}: this template is never used: the style has ")
    assert known in problem


def test_a_folder_that_is_not_there(project: Path, generate: Command) -> None:
    assert generate("--templates", "nowhere").problem(2) == "templates: found no folder 'nowhere'"


@pytest.mark.parametrize("name", ["", "dataclas", "..", "runtime", "../templates/dataclass", "*"])
def test_a_style_that_does_not_exist(project: Path, generate: Command, name: str) -> None:
    problem = generate("--style", name).problem(2)
    assert f"style: found no style of the name {name!r}: the styles are " in problem
    assert "dataclass" in problem


# --- templates that are wrong -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x\n{{ nope }}\n", "2: UndefinedError: 'nope' is undefined"),
        ("{% if nope %}{% endif %}", "1: UndefinedError: 'nope' is undefined"),
        ("x\n{{ nope | literal }}", "2: UndefinedError: 'nope' is undefined"),
        ("{{ [1] | fitted(nope, '') }}", "1: UndefinedError: 'nope' is undefined"),
        ("{{ [nope] | tuple }}", "1: TypeError: found a value of type StrictUndefined, expected"),
        ("\n\n{% for x in protocol.nope %}{% endfor %}", "3: UndefinedError: 'mcpgen.model"),
        ("{{ protocol.types[0].nope }}", "1: UndefinedError: 'mcpgen.model"),
        ("\n{{ {}.nope }}", "2: UndefinedError: 'dict object' has no attribute 'nope'"),
        ("x\n{% if %}", "2: Expected an expression"),
        ("x\n{{ x | nope }}", "2: No filter named 'nope'"),
        ("{% for x in y %}\n", "1: Unexpected end of template"),
        ("\n{% include 'nope.jinja' %}", "2: needs the template nope.jinja, which does not exist"),
        ("{% extends 'nope' %}", "1: needs the template nope, which does not exist"),
        ("\n{{ 1 / 0 }}", "2: ZeroDivisionError: division by zero"),
        ("\n{{ 5 | docstring }}", "2: AttributeError: "),
        ("\n\n{{ '' | docstring }}", "3: ValueError: a docstring needs text"),
        ("{% macro m() %}{{ m() }}{% endmacro %}\n{{ m() }}", "1: RecursionError: "),
    ],
)
def test_a_wrong_template(overlay: Overlay, text: str, expected: str) -> None:
    overlay.put("methods.py.jinja", text)
    assert overlay.problem().startswith(f"methods.py.jinja:{expected}")


def test_an_error_names_the_file_it_is_in(overlay: Overlay) -> None:
    overlay.put("methods.py.jinja", "{% include 'part.jinja' %}")
    overlay.put("part.jinja", "{% from 'macros.jinja' import m %}\n{{ m(5) }}\n")
    overlay.put("macros.jinja", "\n\n\n{% macro m(x) %}\n{{ x.nope }}\n{% endmacro %}")
    assert overlay.problem().startswith("macros.jinja:5: UndefinedError: 'int object' has no")
    overlay.put("macros.jinja", "{% macro m(x) %}{% endmacro %}\n{% if %}")
    assert overlay.problem().startswith("macros.jinja:2: Expected an expression")
    overlay.put("macros.jinja", "{% macro m(x) %}{% endmacro %}")
    overlay.put("part.jinja", "{% from 'macros.jinja' import m %}\n\n{{ m(5) }}{{ nope }}\n")
    assert overlay.problem() == "part.jinja:3: UndefinedError: 'nope' is undefined"


@pytest.mark.parametrize(
    "name",
    ["methods.py.jinja", "types/dataclass.jinja2", "runtime/codec.py", "style.toml"],
)
def test_text_that_is_not_utf_8(overlay: Overlay, name: str) -> None:
    overlay.put(name, b"# caf\xe9\n")
    assert overlay.problem() == f"{Path(name)}: byte 5 is not UTF-8: save the template as UTF-8"


def test_an_included_text_that_is_not_utf_8(overlay: Overlay) -> None:
    overlay.put("methods.py.jinja", "{% include 'part.jinja' %}")
    overlay.put("part.jinja", b"# caf\xe9\n")
    assert overlay.problem().startswith("part.jinja: byte 5 is not UTF-8")


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("methods.py.jinja", f"{MODULE}/methods.py"),
        ("package.py.jinja", "__init__.py"),
        ("runtime/guards.py", "runtime/guards.py"),
    ],
)
@pytest.mark.parametrize("formatter", ["none", "black", "ruff"])
def test_code_that_is_no_python(
    project: Path, mcpgen: Command, name: str, target: str, formatter: str
) -> None:
    if formatter == "ruff" and RUFF is None:
        pytest.skip("needs ruff")
    write_all(project / "mine", {name: "x = 1\n\n\nif x = 2:\n    pass\n"})
    done = mcpgen("generate", OLD, "--templates", "mine", "--formatter", formatter)
    line = 5 if name.startswith("runtime/") else 4
    problem = done.problem()
    assert problem.startswith(f"mcp_wire/{target}:{line}: the emitted code is not Python (")
    assert problem.endswith(": if x = 2:: mend the template that makes it")
    assert not (project / "generated").exists()


@pytest.mark.parametrize("text", ["x = '\0'\n", "x = " + "(" * 5000 + ")" * 5000 + "\n"])
def test_code_the_parser_chokes_on(overlay: Overlay, text: str) -> None:
    overlay.put("methods.py.jinja", text)
    assert "the emitted code is not Python" in overlay.problem()


def test_a_type_template_that_makes_no_python(overlay: Overlay) -> None:
    overlay.edit("types/dataclass.jinja2", "@dataclass(", "@wrong(\n@dataclass(")
    problem = overlay.problem()
    assert problem.startswith(f"emitted types of {OLD}, line ")
    assert ": not valid Python: invalid syntax: @dataclass(kw_only=True, slots=True): " in problem


def test_a_type_template_that_uses_another_name(overlay: Overlay) -> None:
    overlay.edit("types/dataclass.jinja2", "@dataclass(", "@final\n@dataclass(")
    overlay.edit_style("imports", 'final = "typing"\nnever = "never.used"')
    overlay.emit()
    code = f"from mcp_wire.{MODULE} import Celsius; print(Celsius.__final__)"
    assert run_python(code, overlay.package.parent) == "True"
    assert "never" not in overlay.text(f"{MODULE}/types.py")


@pytest.mark.parametrize(
    "entry", ["final = 5", 'final = "no module"', '"a b" = "typing"', 'x = ""']
)
def test_imports_that_make_no_sense(overlay: Overlay, entry: str) -> None:
    overlay.edit_style("imports", entry)
    assert "expected a name and the module it is in" in overlay.problem()


def test_a_type_template_that_loses_a_field(overlay: Overlay) -> None:
    overlay.edit("types/dataclass.jinja2", "for field in fields", "for field in fields[1:]")
    assert "differ from the Model" in overlay.problem()


def test_a_type_template_with_an_unknown_variable(overlay: Overlay) -> None:
    overlay.put("types/dataclass.jinja2", "{{ nope }}")
    problem = overlay.problem()
    assert problem.startswith("types/dataclass.jinja2: there is no variable nope: known: ")


# --- style.toml ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("[package]", "[packages]", "found the unknown key 'packages': known are name, desc"),
        ("[package]", "[package", "found text that is not TOML: "),
        ('name = "dataclass"', "name = 5", "found name = 5, expected a string"),
        ('name = "dataclass"', "", "found name = None, expected a string"),
        ('= "methods.py.jinja"', '= "nope.jinja"', "is made from 'nope.jinja', which does not"),
        ('= "methods.py.jinja"', "= 5", "is made from 5, which does not exist"),
    ],
)
def test_a_malformed_style(overlay: Overlay, old: str, new: str, expected: str) -> None:
    overlay.edit("style.toml", old, new)
    problem = overlay.problem()
    assert problem.startswith("style.toml: ")
    assert expected in problem


def test_a_style_without_a_table(overlay: Overlay) -> None:
    overlay.put("style.toml", 'name = "dataclass"\ndescription = "y"\npackage = 5\n')
    assert overlay.problem() == "style.toml: found no table [package]"


@pytest.mark.parametrize(
    ("section", "target"),
    [
        ("package", "../x.py"),
        ("package", "/x.py"),
        ("package", ""),
        ("package", "."),
        ("package", "./x.py"),
        ("package", "x//y.py"),
        ("package", "x/"),
        ("package", "x\\\\y.py"),
        ("package", "{package}/../../x.py"),
        ("package", "{module}/x.py"),
        ("package", "{nope}/x.py"),
        ("package", "{package.__class__}/x.py"),
        ("package", "{0}/x.py"),
        ("package", "{{x}}/x.py"),
        ("package", "{package"),
        ("version", "{package}/x.py"),
        ("version", "{package}/{module!r}/x.py"),
        ("version", "{package}/{module}/{nope}.py"),
    ],
)
def test_a_file_name_that_will_not_do(overlay: Overlay, section: str, target: str) -> None:
    overlay.edit_style(section, f'"{target}" = "methods.py.jinja"')
    problem = overlay.problem()
    assert problem.startswith(f"style.toml [{section}]: ")
    assert repr(target.replace("\\\\", "\\")) in problem


@pytest.mark.parametrize(
    ("section", "target"),
    [
        ("package", "{package}/runtime/codec.py"),
        ("package", "{package}/py.typed"),
        ("package", "manifest.json"),
        ("version", "{package}/{module}/types.py"),
        ("version", "{package}/{module}/schema.json"),
    ],
)
def test_a_file_that_is_made_anyway(overlay: Overlay, section: str, target: str) -> None:
    overlay.edit_style(section, f'"{target}" = "names.jinja"')
    overlay.put("names.jinja", "x = 1\n")
    name = target.format(package="mcp_wire", module=MODULE)
    assert (
        overlay.generate("--templates", "mine")
        .problem()
        .startswith(f"style.toml: {name} is made twice, ")
    )


def test_every_style_can_be_read() -> None:
    names = [path.parent.name for path in TEMPLATES.glob("*/style.toml")]
    assert "dataclass" in names
    for name in names:
        style = load_style(TEMPLATES, name)
        assert style.name == name
        assert style.description
        assert "runtime/codec.py" in dict(style.runtime_files())


def test_a_style_is_found_by_its_folder_only(tmp_path: Path) -> None:
    write_all(tmp_path, {"style.toml": 'name = "x"'})
    with pytest.raises(ConfigError, match="found no style of the name ''"):
        load_style(tmp_path, "")
