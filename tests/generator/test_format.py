"""Formatting: by pieces as if it were the whole, by ruff, or not at all, and always Python."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from black import Mode, TargetVersion, format_str
from hypothesis import given, settings
from hypothesis import strategies as st
from mcpgen.emit.format import (
    LINE_LENGTH,
    Formatter,
    fitted,
    format_files,
    formatter_named,
    ruff_version,
)
from mcpgen.emit.laid_out import is_laid_out
from mcpgen.emit.package import emit_shared, emit_version
from mcpgen.emit.pieces import take_apart
from mcpgen.emit.style import load_style
from mcpgen.errors import ConfigError, TemplateError
from mcpgen.specs import load_protocols

from .tiny import NEW, ROOT, RUFF

MODE = Mode(target_versions={TargetVersion.PY311}, line_length=LINE_LENGTH)
FORMATTERS: tuple[Formatter, ...] = ("black", "ruff", "none")


def formatted(code: str, formatter: Formatter = "black") -> str:
    return format_files({"a.py": code}, formatter)["a.py"]


def texts(spec_dir: Path, version: str) -> dict[str, str]:
    """Every file of a version as its templates make it."""
    protocols = load_protocols(spec_dir, (version,))
    style = load_style(ROOT / "templates", "dataclass")
    shared = emit_shared(protocols, style, "mcp_wire")
    return {**shared.files, **emit_version(protocols[0], style, "mcp_wire").files}


# --- by pieces ----------------------------------------------------------------------------------


def test_emitted_files_by_pieces_are_as_the_whole_would_be(pulled: Path) -> None:
    files = texts(pulled, NEW)
    done = format_files(files, "black")
    assert done.keys() == files.keys()
    for name, text in files.items():
        expected = format_str(text, mode=MODE) if name.endswith(".py") else text
        assert done[name] == expected, name


def test_emitted_files_fall_into_many_pieces() -> None:
    for name, text in texts(ROOT / "spec", "2024-11-05").items():
        if name.endswith(("codec.py", "types.py", "stubs.py", "handlers.py")):
            pieces = take_apart(text)
            longest = max(len(piece.code) for piece in pieces)
            assert longest < 8000, name
            assert len(pieces) > 20, name


CHUNKS = [
    '"""Docstring."""',
    '"""A docstring\n\n\nof several lines."""',
    "# A comment.",
    "# A comment.\n\n# And another.",
    "import os\nimport sys",
    "from a import (b, c)",
    "if TYPE_CHECKING:\n    from a import b",
    "X = {'a': 1,\n     'b': [1, 2, 3,]}",
    'A: TypeAlias = int\n"""What it is."""\nB = 1\n\nC = 2',
    "a = 1; b = 2",
    "@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str): ...\ndef f(a): return a",
    "def f( a,b ):\n    a = ( 1 )\n    if a:\n        return {1:2}\n    for x in y: pass\n    b()",
    "def f(\n    a, b,\n):\n    '''Docstring.'''\n    return a",
    "def f():\n\n    x = 1\n\n    return x",
    "def f():\n    x = 1  # why\n    # because\n    return x",
    "def f():\n    def g(): pass\n    return g",
    "def f():\n    import a\n    return a",
    "async def f(x):\n    async with x as y: await y\n    return (yield)",
    "def f(): return 1",
    "@cached(1)\n@other\ndef f():\n    x = '''a\n  b'''\n    return x",
    "class A: pass",
    "class A: x = 1",
    "class A:\n    '''Doc.'''",
    "class A(B,\n        C):\n    '''Doc.'''\n\n    x: int = 1\n    '''What x is.'''\n    y: str",
    "class A:\n    '''Doc.'''\n\n    def f(self): pass\n\n    def g(self): pass",
    "class A:\n    x = 1\n    def f(self): pass\n    y = 2",
    "class A:\n\n    x = 1\n\n\n    y = 2",
    "class A:\n    # A comment.\n    x = 1\n    # Another.\n    y = 2",
    "class A:\n    '''Doc.'''\n    x = 1",
    "class A:\n    def f(self): ...\n    @overload\n    def g(self): ...\n    def g(self, a): ...",
    "class A:\n    def f(self): ...\n\n    class B:\n        z = 1",
    "class A:\n    @a\n    def f(self):\n        '''Doc.'''\n\n    @f.set\n    def f(self, x): x",
    "if x:\n    pass\n\n\nelse:\n    pass",
    "try:\n    a\nexcept B:\n    c\n\n\nfinally:\n    d",
    "x = '''\n\n\ny = 1\n\n\n'''",
    "# fmt: off\nx = {  1:2 }\n# fmt: on",
    "x = [  1 ]  # fmt: skip",
    "DATES = {'2025-11-25':1, '2024-11-05':2}",
    "x = 2025-11-25",
    "@dec\n# comment\ndef f(): pass",
    "def f(x): # trailing\n    return x",
    "x = 1\\\n  + 2",
    "ü = 'ä'; ö = {'é':1}",
    "class Ä:\n    ö: int = 1\n    'ü'\n    é: int = 2",
    "match x:\n    case 1: pass\n    case _:\n        pass",
]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(CHUNKS), min_size=1, max_size=4),
    st.lists(st.sampled_from(["\n", "\n\n", "\n\n\n", "\n\n\n\n"]), min_size=4, max_size=4),
)
def test_any_code_by_pieces_is_as_the_whole_would_be(chunks: list[str], gaps: list[str]) -> None:
    code = "".join(chunk + gap for chunk, gap in zip(chunks, gaps, strict=False))
    try:
        ast.parse(code)
    except SyntaxError:
        return
    assert formatted(code) == format_str(code, mode=MODE)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_each_chunk_alone_and_between_others(chunk: str) -> None:
    for code in (chunk, f"x = 1\n\n\n{chunk}\n\n\ny = 2\n"):
        assert formatted(code) == format_str(code, mode=MODE)


def test_pieces_are_shared_between_files() -> None:
    code = "def {}(d):\n    if d:\n        return 1\n    return   2\n"
    files = {f"{name}.py": code.format(name) for name in ("one", "two", "three")}
    pieces = [piece.source for text in files.values() for piece in take_apart(text)]
    assert (len(pieces), len(set(pieces))) == (9, 5)
    expected = code.replace("   2", " 2")
    assert format_files(files, "black") == {name: expected.format(name[:-3]) for name in files}


def test_dates_come_back_where_they_were() -> None:
    code = "A = ['2024-11-05','2025-03-26']\n\n\nB = ['2025-03-26','2024-11-05']\n"
    assert formatted(code) == (
        'A = ["2024-11-05", "2025-03-26"]\n\n\nB = ["2025-03-26", "2024-11-05"]\n'
    )
    assert formatted("x = 2024-11-10\ny = '2024-11-10'\n") == (
        'x = 2024 - 11 - 10\ny = "2024-11-10"\n'
    )


def test_an_executor_makes_no_difference() -> None:
    files = {f"{index}.py": chunk for index, chunk in enumerate(CHUNKS)}
    with ThreadPoolExecutor(2) as executor:
        assert format_files(files, "black", executor) == format_files(files, "black")


# --- formatters ---------------------------------------------------------------------------------


@pytest.mark.parametrize("formatter", FORMATTERS)
def test_other_files_are_left_alone(formatter: Formatter) -> None:
    files = {"a.json": "{ 1:2 }", "a.py.txt": "if", "b.py": ""}
    if formatter != "ruff" or RUFF:
        assert format_files(files, formatter) == files


def test_none_changes_nothing() -> None:
    code = "\n\nx = {  1:2 }\n\n\n\n\n\n\n# end"
    assert formatted(code, "none") == code


@pytest.mark.skipif(RUFF is None, reason="needs ruff")
def test_ruff() -> None:
    files = {
        "a/b.py": "x = {  1:2 }\n",
        "a/c/d.py": "def f( a ) : return '2025-11-25'\n",
        "e.md": "*",
    }
    done = format_files(files, "ruff")
    assert done == {
        "a/b.py": "x = {1: 2}\n",
        "a/c/d.py": 'def f(a):\n    return "2025-11-25"\n',
        "e.md": "*",
    }
    assert ruff_version().startswith("ruff ")


@pytest.mark.skipif(RUFF is None, reason="needs ruff")
def test_ruff_is_not_led_by_settings_nearby(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 20\nextend-exclude = ['*']\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    line = "value = function(argument, another_argument)\n"
    assert formatted(line, "ruff") == line


def test_ruff_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(TemplateError, match="formatter ruff: not found on the PATH: install ruff"):
        formatted("x = 1\n", "ruff")


def test_ruff_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "ruff"
    script.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no such thing')\n")
    script.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: str(script))
    with pytest.raises(TemplateError, match=r"formatter ruff: refuses .*: no such thing"):
        formatted("x = 1\n", "ruff")


def test_ruff_beside_this_python_needs_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    if not (Path(sys.executable).parent / "ruff").exists():
        pytest.skip("needs ruff in this environment")
    monkeypatch.setenv("PATH", "")
    assert subprocess.run([ruff_executable(), "--version"], check=False).returncode == 0


def ruff_executable() -> str:
    found = shutil.which("ruff", path=str(Path(sys.executable).parent))
    assert found is not None
    assert ruff_version()
    return found


def test_names_of_formatters() -> None:
    assert [formatter_named(name, "x") for name in FORMATTERS] == list(FORMATTERS)
    with pytest.raises(ConfigError, match="--formatter: found 'Black', expected black, ruff or"):
        formatter_named("Black", "--formatter")


# --- what is no Python --------------------------------------------------------------------------


@pytest.mark.parametrize("formatter", FORMATTERS)
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = 1\n\n\nif x = 2: pass\n", "a.py:4: the emitted code is not Python (.*): if x = 2"),
        ("'''", "a.py:1: the emitted code is not Python"),
        ("x = 1\n  y = 2\n", "a.py:2: the emitted code is not Python"),
        ("\x00", "a.py(:1)?: the emitted code is not Python"),
        ("\ufeff\ufeffx", "a.py:1: the emitted code is not Python"),
        ("def f(a, a=1, b): pass\n", "a.py:1: the emitted code is not Python"),
    ],
)
def test_code_that_is_no_python(code: str, expected: str, formatter: Formatter) -> None:
    with pytest.raises(TemplateError, match=expected):
        formatted(code, formatter)


# --- fitted -------------------------------------------------------------------------------------


@given(
    st.lists(st.from_regex(r"\A[a-z]{1,30}\Z"), max_size=8),
    st.sampled_from(["x = [", "call(", "value: dict[str, int] = {", "def f("]),
)
def test_fitted_is_as_black_would_lay_it_out(items: list[str], start: str) -> None:
    end = {"[": "]", "(": ")", "{": "}"}[start[-1]]
    body = ":\n    pass\n" if start.startswith("def") else "\n"
    names = sorted(set(items) - {"as", "if", "in", "is", "or"})
    code = fitted([f"{name}_" for name in names], start, f"{end}") + body
    if len(code.split("\n")[0]) <= LINE_LENGTH or "\n    " in code:
        assert format_str(code, mode=MODE).strip() == code.strip()


# --- code that needs no formatting --------------------------------------------------------------

LAID_OUT = [
    'if x is not None:\n    if type(x) is not str:\n        raise Mismatch\n    d["x"] = f(x, y=1)',
    "def f(d: Any) -> t.Tool | None:\n    pass",
    'x: dict[str, tuple[int, str]] = {"a": (1,), "b": [{1, 2}, -1]}',
    'x = [f(y) for y in z if y not in ("a", "b")]',
    "n += 1 if x else y | -z",
]
# Left to black, which changes most of these where the unparser does not.
OTHERWISE = [
    "for x in (1, 2):\n    f(x)",
    "x = y[f(1):2]",
    "def f():\n    ...",
    'def f():\n    """ Spaces. """\n    pass',
    "if (x := f()):\n    pass",
    "x = a.b ** c",
    "del (a, b)",
    "import a\nx = 1",
    "with (a as b, c as d):\n    pass",
    "class A:\n\n    def f(self):\n        pass",
    "x = 'it'",
    "x = f(a)(b, '" + "y" * 100 + "')",
]


@pytest.mark.parametrize("code", [*LAID_OUT, *OTHERWISE])
def test_what_is_taken_for_laid_out_is_what_black_leaves(code: str) -> None:
    known = is_laid_out(code + "\n", LINE_LENGTH)
    assert known == (code in LAID_OUT)
    assert not known or format_str(code, mode=MODE) == code + "\n"
