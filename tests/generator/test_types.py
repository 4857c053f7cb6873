"""A small Model by hand, emitted as `types.py`, imported and used; then what must be refused."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import black
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcpgen.emit.hints import field_hint, python_hint
from mcpgen.emit.literals import docstring_literal, python_literal
from mcpgen.emit.style import load_style
from mcpgen.emit.types import emit_types
from mcpgen.emit.verify import verify_types
from mcpgen.errors import TemplateError
from mcpgen.model.model import (
    AliasType,
    AnyValue,
    Array,
    Const,
    Docs,
    Field,
    Literals,
    Map,
    ObjectType,
    Protocol,
    Ref,
    Scalar,
    SourceFacts,
    TypeDef,
    TypeExpr,
    UnionOf,
    UnionPlan,
)

STYLE = Path(__file__).parents[2] / "templates" / "dataclass"
IMPORTS = load_style(STYLE.parent, STYLE.name).imports
HEADER = "# Generated; do not edit."
HOSTILE = 'a"""b\\ {{ x }}{% y %}{# z\n\'\\n\t\r\x00\u2028 \\"'
HOSTILE_VALUE = HOSTILE + "\ud800"
STRING, INTEGER, NULL = Scalar("string"), Scalar("integer"), Scalar("null")

RUNTIME = {
    "objects": "class WireObject:\n    __slots__ = ()\n",
    "records": "from dataclasses import dataclass as dataclass\n",
    "values": """
class Unset:
    pass

class Empty(dict):
    __hash__ = object.__hash__

UNSET, EMPTY = Unset(), Empty()
""",
}


def protocol(*types: TypeDef) -> Protocol:
    source = SourceFacts("", None, None, None, None, "")
    return Protocol("2025-11-25", "v2025_11_25", types, (), (), source)


def field(name: str, expr: TypeExpr = STRING, required: bool = True, **more: Any) -> Field:
    return Field(more.pop("wire_name", name), name, expr, required, **more)


def union(*members: TypeExpr) -> UnionOf:
    return UnionOf(members, UnionPlan())


def emit(*types: TypeDef, style: Path = STYLE) -> str:
    return emit_types(protocol(*types), templates=style, imports=IMPORTS, header=HEADER)


Importer = Callable[[str], ModuleType]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Importer:
    """Imports source as the types of a version inside a package with a runtime."""
    package = tmp_path / "emitted"
    for folder in (package, package / "runtime", package / "version"):
        folder.mkdir()
        (folder / "__init__.py").touch()
    for name, source in RUNTIME.items():
        (package / "runtime" / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)

    def load_source(source: str) -> ModuleType:
        for name in [n for n in sys.modules if n.partition(".")[0] == "emitted"]:
            del sys.modules[name]
        (package / "version" / "types.py").write_text(source, encoding="utf-8")
        importlib.invalidate_caches()
        return importlib.import_module("emitted.version.types")

    return load_source


# --- what is emitted ----------------------------------------------------------------------------

TOOL = ObjectType(
    "Tool",
    (
        field("title", required=False, docs=Docs("What people read.")),
        field("name"),
        field("input_schema", Ref("JSONObject"), wire_name="inputSchema", docs=Docs("Arguments.")),
        field("kind", Const("tool"), default="tool", has_default=True),
        field("mode", Const("form"), required=False),
        field("ttl", INTEGER, nullable=True),
        field("size", INTEGER, required=False, nullable=True),
        field("value", AnyValue(), required=False, nullable=True),
        field("meta", Map(AnyValue()), omittable=True, wire_name="_meta"),
        field("roles", Array(Ref("Role")), required=False, deprecated="use `audience`."),
        field("level", Literals(("low", "high"), open=True), required=False),
    ),
    docs=Docs("Something a server can do.", "https://example.org/tool"),
)
TYPES = (
    AliasType("JSONValue", union(STRING, Ref("JSONObject"), Array(Ref("JSONValue")), NULL)),
    AliasType("JSONObject", Map(Ref("JSONValue"))),
    AliasType("Anything", union(Ref("Tool"), Ref("Empty"))),
    AliasType("Role", Literals(("user", "assistant")), docs=Docs("Who speaks.")),
    ObjectType("Empty", ()),
    TOOL,
)

EXPECTED_TOOL = '''
@dataclass(kw_only=True, slots=True)
class Tool(WireObject):
    """Something a server can do.

    Specification: https://example.org/tool
    """

    title: str | None = None
    """What people read."""
    name: str
    input_schema: JSONObject
    """Arguments. Wire name: `inputSchema`."""
    kind: Literal["tool"] = "tool"
    mode: Literal["form"] | None = None
    ttl: int | None
    size: int | None | Unset = UNSET
    value: Any = UNSET
    meta: dict[str, Any] | None = None
    """Wire name: `_meta`."""
    roles: list[Role] | None = None
    """Deprecated: use `audience`."""
    level: Literal["low", "high"] | str | None = None
    extra: Mapping[str, Any] = EMPTY
    """What the message has beside these fields, under its wire names."""
'''


def test_a_class_reads_as_documentation() -> None:
    code = black.format_str(emit(*TYPES), mode=black.Mode())
    assert EXPECTED_TOOL in code
    assert code.startswith(f'{HEADER}\n"""The types of MCP 2025-11-25: ')


def test_the_module_works(load: Importer) -> None:
    module = load(emit(*TYPES))
    tool = module.Tool(name="add", input_schema={}, ttl=None)
    assert (tool.kind, tool.mode, tool.meta, tool.extra) == ("tool", None, None, {})
    assert isinstance(tool.size, module.Unset)
    assert tool == dataclasses.replace(tool)
    assert not hasattr(tool, "__dict__")
    assert module.Anything == module.Tool | module.Empty
    assert module.__all__ == [t.name for t in TYPES]
    assert get_type_hints(module.Tool)["roles"] == list[module.Role] | None
    with pytest.raises(TypeError, match="name"):
        module.Tool(input_schema={}, ttl=1)


def test_classes_are_in_the_order_of_the_model_and_aliases_after_them() -> None:
    tree = ast.parse(emit(*TYPES))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    aliases = [node for node in tree.body if isinstance(node, ast.AnnAssign)]
    assert [node.name for node in classes] == ["Empty", "Tool"]
    assert min(node.lineno for node in aliases) > max(node.lineno for node in classes)


def test_only_what_is_used_is_imported() -> None:
    code = emit(ObjectType("Empty", ()))
    assert "Literal" not in code
    assert "UNSET" not in code


def test_equal_classes_stay_apart(load: Importer) -> None:
    twins = [ObjectType(name, (field("x"),), docs=Docs("The same.")) for name in ("A", "B")]
    module = load(emit(*twins))
    assert module.A is not module.B


@pytest.mark.parametrize(
    "expr",
    [
        Ref("B"),
        Scalar("number"),
        Const(1),
        Const(True),
        Const(1.5),
        Const(None),
        NULL,
        Map(Map(Array(Ref("A")))),
        union(STRING, INTEGER, Scalar("number"), Scalar("boolean"), Array(STRING), Ref("B")),
        union(Ref("A"), Ref("A")),
        Literals((HOSTILE_VALUE, "x")),
    ],
)
@pytest.mark.parametrize("state", ["required", "optional", "nullable"])
def test_the_generator_and_python_hint_agree(expr: TypeExpr, state: str) -> None:
    item = field("x", expr, required=state == "required", nullable=state == "nullable")
    code = emit(ObjectType("A", (item,)), AliasType("B", STRING))
    [annotation] = [
        node.annotation
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "x"
    ]
    assert ast.unparse(annotation) == ast.unparse(ast.parse(field_hint(item)))


def test_the_hint_of_a_union_names_each_member_once() -> None:
    assert python_hint(union(STRING, Literals(("a",)), STRING)) == 'str | Literal["a"]'


# --- hostile text -------------------------------------------------------------------------------


def test_hostile_text_comes_out_intact(load: Importer) -> None:
    value = HOSTILE_VALUE
    item = field("x", Const(value), default=value, has_default=True, docs=Docs(HOSTILE))
    types = (
        ObjectType("A", (item,), docs=Docs(HOSTILE)),
        AliasType("B", Literals((value,), open=True), docs=Docs(HOSTILE)),
    )
    for code in (emit(*types), black.format_str(emit(*types), mode=black.Mode())):
        module = load(code)
        assert module.A().x == value
        assert module.B.__args__[0].__args__ == (value,)
        assert inspect.cleandoc(module.A.__doc__).strip() == inspect.cleandoc(HOSTILE)


@given(st.text())
def test_any_text_survives_as_a_literal(text: str) -> None:
    assert ast.literal_eval(python_literal(text)) == text


@given(st.text(alphabet=st.sampled_from("ab\"\\\n 'é\ud800"), min_size=1))
def test_any_text_survives_as_a_docstring(text: str) -> None:
    if not text.strip():
        with pytest.raises(ValueError, match="needs text"):
            docstring_literal(text)
        return
    source = f"class A:\n    {docstring_literal(text)}\n"
    for code in (source, black.format_str(source, mode=black.Mode())):
        [node] = ast.parse(code).body
        assert isinstance(node, ast.ClassDef)
        assert (ast.get_docstring(node) or "").split() == text.replace("\ud800", "\\ud800").split()


def test_long_lines_are_wrapped_and_paragraphs_kept() -> None:
    literal = docstring_literal("First. " + "word " * 40 + "\n\n- " + "item " * 40)
    lines = literal.split("\n")
    assert max(map(len, lines)) <= 88
    assert [lines[0][:9], lines[4][:6], lines[5][:10]] == ['"""First.', "    - ", "      item"]


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Any", "Mapping", "Literal", "dataclass", "Unset", "int", "list"])
def test_a_type_named_like_a_helper_is_refused(name: str) -> None:
    with pytest.raises(TemplateError, match=f"cannot be called {name}"):
        emit(ObjectType(name, ()))


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ((ObjectType("A-B", ()),), "'A-B' is not a Python name"),
        ((ObjectType("A", ()), AliasType("A", STRING)), "2 types are called A"),
        ((ObjectType("A", (field("class"),)),), "no `class_`: the generator renamed a field"),
        (
            (ObjectType("A", (field("list", Map(STRING)), field("x", Array(STRING)))),),
            "hints of A use list, which a field hides",
        ),
        ((ObjectType("A", (field("x", Ref("Lost")),)),), "Lost"),
    ],
)
def test_names_the_generator_would_change_are_refused(
    types: tuple[TypeDef, ...], message: str
) -> None:
    with pytest.raises(TemplateError, match=message):
        emit(*types)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("class A(", "class B(", "classes differ from the Model: A missing; B unexpected"),
        ("    x: str\n", "", "fields of A differ from the Model: x missing"),
        ("    x: str\n    y: int\n", "    y: int\n    x: str\n", "in the order y, x, extra"),
        ("C: TypeAlias = str", "D: TypeAlias = str", "aliases differ .*C missing; D unexpected"),
        ("__all__ =", "print()\n__all__ =", "unexpected statement: print()"),
        ("x: str", "x: = str", "not valid Python"),
    ],
)
def test_code_that_differs_from_the_model_is_refused(old: str, new: str, message: str) -> None:
    model = protocol(ObjectType("A", (field("x"), field("y", INTEGER))), AliasType("C", STRING))
    code = emit_types(model, templates=STYLE, imports=IMPORTS, header=HEADER)
    assert old in code
    with pytest.raises(TemplateError, match=message):
        verify_types(code.replace(old, new), model)


# --- templates ----------------------------------------------------------------------------------


@pytest.fixture
def style(tmp_path: Path) -> Path:
    """A copy of the built-in style's type templates, to change."""
    shutil.copytree(STYLE / "types", tmp_path / "style" / "types")
    return tmp_path / "style"


def change(style: Path, old: str, new: str) -> None:
    path = style / "types" / "dataclass.jinja2"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_template_may_include_another(style: Path) -> None:
    (style / "types" / "_docs.jinja2").write_text("{% macro m() %}'''{{ 1 }}'''{% endmacro %}")
    change(style, "    {{ docstring }}", "    {% import '_docs.jinja2' as d %}{{ d.m() }}")
    assert "'''1'''" in emit(TOOL, *TYPES[:-1], style=style)


def test_a_missing_template_is_refused(style: Path) -> None:
    (style / "types" / "TypeAliasAnnotation.jinja2").unlink()
    with pytest.raises(TemplateError, match=r"TypeAliasAnnotation\.jinja2: this template is miss"):
        emit(TOOL, style=style)


def test_a_misspelt_template_is_refused(style: Path) -> None:
    (style / "types" / "dataclas.jinja2").write_text("")
    with pytest.raises(TemplateError, match=r"dataclas\.jinja2: no type template has this name"):
        emit(TOOL, style=style)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{{ docstring }}", "{{ dokstring }}", "there is no variable dokstring; known|dokstring"),
        ("member.default", "member.defualt", "a member has no `defualt`"),
        ("members[", "members.nothing[", "nothing"),
        ("{% endif %}", "", "dataclass.jinja2:"),
        ("{{ field.name }}", "{{ field.nmae }}", "not valid Python"),
        ("{{ docstring }}", "{% include docstring %}", "has to be a plain string"),
        ("{{ docstring }}", "{{ docstring | nope }}", "nope"),
        ("extra:", "other:", "extra missing; other unexpected"),
    ],
)
def test_a_wrong_template_is_refused(style: Path, old: str, new: str, message: str) -> None:
    change(style, old, new)
    with pytest.raises(TemplateError, match=message):
        emit(TOOL, *TYPES[:-1], style=style)
