"""Recognises code that black would leave as it is, in a fraction of the time black takes."""

from __future__ import annotations

import ast

# What Python's own unparser writes as black lays it out, where it fits on one line. Others are
# left to black: it takes parentheses off, spreads slices, and closes powers up.
_PLAIN = (
    ast.Module,
    ast.FunctionDef,
    ast.arguments,
    ast.arg,
    ast.If,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Expr,
    ast.Raise,
    ast.Return,
    ast.Pass,
    ast.Name,
    ast.Attribute,
    ast.Constant,
    ast.Call,
    ast.keyword,
    ast.Subscript,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.DictComp,
    ast.comprehension,
    ast.Compare,
    ast.BoolOp,
    ast.IfExp,
    ast.UnaryOp,
    ast.BinOp,
    ast.expr_context,
    ast.cmpop,
    ast.boolop,
    ast.Not,
    ast.USub,
    ast.Add,
    ast.BitOr,
)
# A stub, a docstring, and strings whose quotes or escapes the two may write differently.
_UNLIKE = ("...", '"""', "'", "\\")


def is_laid_out(code: str, line_length: int) -> bool:
    """Whether black certainly has nothing to change; False where that is not known."""
    if any(text in code for text in _UNLIKE):
        return False
    if any(len(line) > line_length for line in code.split("\n")):
        return False
    tree = ast.parse(code)
    if not all(isinstance(node, _PLAIN) for node in ast.walk(tree)):
        return False
    return ast.unparse(tree).replace("'", '"') == code.strip("\n")
