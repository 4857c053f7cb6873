"""Proof that emitted type code has the names of the Model, all of them and no others.

datamodel-code-generator renames what it thinks it must, and a template can drop or repeat a
field; neither may go unnoticed.
"""

from __future__ import annotations

import ast
import builtins
import keyword
from collections import Counter
from collections.abc import Iterable, Sequence

from mcpgen.errors import TemplateError
from mcpgen.model.model import Protocol

EXTRA_FIELD = "extra"
"""The last field of every class: what a message has beside the fields of its type."""

_IMPORTED = frozenset({"Any", "Literal", "Optional", "TypeAlias", "Union", "annotations"})
"""What the generator imports, and so no type can be called."""


def verify_names(protocol: Protocol, imports: Iterable[str]) -> None:
    """Check before emitting that each type of the Model has a name the module can define.

    Raises TemplateError for a name that is no Python name, that hides something the module
    imports, as it does `imports` for its templates, or a builtin other than an exception, or
    that two types have.
    """
    taken = _IMPORTED.union(imports)
    where = f"types of {protocol.version}"
    for name, count in Counter(t.name for t in protocol.types).items():
        if not name.isidentifier() or keyword.iskeyword(name):
            raise TemplateError(where, f"{name!r} is not a Python name")
        if name in taken or _is_used_builtin(name):
            raise TemplateError(
                where,
                f"a type cannot be called {name}: the emitted module uses that name itself",
                "an inline object takes another name from a [[name]] entry in overrides.toml",
            )
        if count > 1:
            raise TemplateError(where, f"{count} types are called {name}")


def _is_used_builtin(name: str) -> bool:
    """Whether a name is a builtin that emitted modules may use; they raise one exception."""
    found = getattr(builtins, name, None)
    is_exception = isinstance(found, type) and issubclass(found, BaseException)
    return hasattr(builtins, name) and (not is_exception or found is AttributeError)


def parse_types(code: str, version: str) -> ast.Module:
    """The syntax tree of emitted code; TemplateError when it is not valid Python."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        text = (getattr(error, "text", None) or "").strip()
        raise TemplateError(
            f"emitted types of {version}" + (f", line {line}" if line else ""),
            f"not valid Python: {error.args[0]}" + (f": {text}" if text else ""),
            "correct the type templates",
        ) from error


def verify_types(code: str, protocol: Protocol) -> None:
    """Check that `code` defines the classes, fields in order and aliases of the Model.

    Raises TemplateError that names what differs, and for any statement at the top that is
    none of these.
    """
    where = f"emitted types of {protocol.version}"
    classes: list[ast.ClassDef] = []
    aliases: list[str] = []
    for node in parse_types(code, protocol.version).body:
        if isinstance(node, ast.ClassDef):
            classes.append(node)
        elif alias := alias_name(node):
            aliases.append(alias)
        elif not _is_expected(node):
            raise TemplateError(
                f"{where}, line {node.lineno}",
                f"unexpected statement: {ast.unparse(node)[:80]}",
                "a type template makes one class or one alias",
            )
    _compare(where, "classes", [c.name for c in classes], [t.name for t in protocol.objects])
    _compare(where, "aliases", aliases, [t.name for t in protocol.aliases])
    expected = {t.name: [f.name for f in t.fields] for t in protocol.objects}
    for node in classes:
        _compare_fields(where, node, [*expected[node.name], EXTRA_FIELD])


def alias_name(node: ast.stmt) -> str | None:
    """The name a `Name: TypeAlias = …` statement defines, None for any other statement."""
    match node:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias")):
            return name
        case _:
            return None


def _is_expected(node: ast.stmt) -> bool:
    """Whether a statement is an import under its own name, a docstring or `__all__`."""
    match node:
        case ast.ImportFrom(names=names):
            return all(name.asname is None for name in names)
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case _:
            return False


def _compare_fields(where: str, node: ast.ClassDef, expected: Sequence[str]) -> None:
    """Raise TemplateError unless a class has these fields, and its hints mean what they say."""
    found: list[str] = []
    used: set[str] = set()
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            found.append(statement.target.id)
            parts = ast.walk(statement.annotation)
            used.update(part.id for part in parts if isinstance(part, ast.Name))
    _compare(where, f"fields of {node.name}", found, expected)
    if found != list(expected):
        raise TemplateError(
            where,
            f"the fields of {node.name} are in the order {', '.join(found)}",
            f"expected {', '.join(expected)}",
        )
    if hidden := used.intersection(found):
        raise TemplateError(
            where,
            f"hints of {node.name} use {', '.join(sorted(hidden))}, which a field hides",
            "give the field another name in the normaliser",
        )


def _compare(where: str, what: str, found: Iterable[str], expected: Iterable[str]) -> None:
    """Raise TemplateError unless both have the same names, each as often."""
    surplus, lacking = Counter(found), Counter(expected)
    surplus, lacking = surplus - lacking, lacking - surplus
    if surplus or lacking:
        parts = ((lacking, "missing"), (surplus, "unexpected or repeated"))
        differences = [f"{', '.join(sorted(n))} {verdict}" for n, verdict in parts if n]
        raise TemplateError(where, f"{what} differ from the Model: {'; '.join(differences)}")
