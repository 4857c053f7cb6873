"""Walks syntax nodes: their parts, their comments, their literals, and errors with a line.

Nothing of a node may be passed over, so whoever reads one says which parts it may have.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import NoReturn

from tree_sitter import Node

from ..errors import SchemaError
from . import jsdoc
from .declarations import Doc, JsonScalar

_COMMENT = "comment"


class NodeReader:
    """What every reader of a file's syntax nodes needs; `path` is how messages name the file."""

    def __init__(self, source: bytes, path: str) -> None:
        self._source = source
        self._path = path

    # --- parts ----------------------------------------------------------------------------------

    def _with_docs(self, nodes: list[Node]) -> Iterator[tuple[Node, Doc]]:
        """Each node that is no comment, with the doc comment that stands before it."""
        doc = Doc()
        for node in nodes:
            if node.type == _COMMENT:
                text = self._text(node)
                if jsdoc.is_doc_comment(text) and not _trails(node):
                    doc = jsdoc.parse(text)
                continue
            yield node, doc
            doc = Doc()

    def _code(self, node: Node) -> list[Node]:
        return [child for child in node.named_children if child.type != _COMMENT]

    def _only(self, node: Node) -> Node:
        found = self._code(node)
        if len(found) != 1:
            self._unknown(node)
        return found[0]

    def _part(self, node: Node, name: str) -> Node:
        part = node.child_by_field_name(name)
        if part is None:
            self._unknown(node)
        return part

    def _require_parts(self, node: Node, *kinds: str) -> None:
        """Stops at a node that has a part of another kind, such as a modifier."""
        for child in node.children:
            if child.type not in kinds and child.type != _COMMENT:
                self._fail(
                    child,
                    f"{_excerpt(self._text(child))!r}, which the reader does not know in "
                    f"this place: {_excerpt(self._text(node))}",
                )

    def _text(self, node: Node) -> str:
        return (node.text or b"").decode("utf-8")

    def _name(self, node: Node) -> str:
        name = self._text(node)
        if "\\" in name:
            self._fail(node, f"the name {name}, expected one without escape sequences")
        return name

    def _line(self, node: Node) -> int:
        return node.start_point.row + 1

    # --- literals -------------------------------------------------------------------------------

    def _scalar(self, node: Node) -> JsonScalar:
        match node.type:
            case "string":
                return self._string(node)
            case "number":
                return self._number(node)
            case "true":
                return True
            case "false":
                return False
            case "null":
                return None
            case "unary_expression" if self._text(node).startswith("-"):
                argument = self._part(node, "argument")
                if argument.type == "number":
                    return -self._number(argument)
                self._unknown(node)
            case _:
                self._unknown(node)

    def _number(self, node: Node) -> int | float:
        text = self._text(node)
        digits = text.replace("_", "")
        octal = len(digits) > 1 and digits.isdecimal() and digits.startswith("0")
        try:
            value = math.nan if octal else float(digits)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self._fail(node, f"the number {text}, expected a decimal one in the range of a double")
        # JavaScript writes 1.0 and 1e3 as whole numbers.
        return int(value) if value.is_integer() else value

    def _string(self, node: Node) -> str:
        parts: list[str] = []
        for child in node.named_children:
            match child.type:
                case "string_fragment":
                    parts.append(json.dumps(self._text(child))[1:-1])
                case "escape_sequence":
                    parts.append(self._escape(child))
                case _:
                    self._unknown(child)
        # Joined before they are decoded: a surrogate pair is two escape sequences.
        text = str(json.loads(f'"{"".join(parts)}"'))
        if any("\ud800" <= character <= "\udfff" for character in text):
            self._fail(node, f"half a surrogate pair in {self._text(node)}")
        return text

    def _escape(self, node: Node) -> str:
        text = self._text(node)
        if text == "\\'":
            return "'"
        try:
            # JSON knows every escape that JavaScript and JSON share.
            json.loads(f'"{text}"')
        except ValueError:
            self._fail(
                node, f"the escape sequence {_excerpt(text)}, expected one that JSON has too"
            )
        return text

    # --- errors ---------------------------------------------------------------------------------

    def _refuse_syntax_errors(self, node: Node) -> None:
        if not node.has_error:
            return
        for child in node.children:
            self._refuse_syntax_errors(child)
        found = f"no {node.type}" if node.is_missing else _excerpt(self._text(node))
        self._fail(node, f"text that is not TypeScript: {found}")

    def _unknown(self, node: Node) -> NoReturn:
        kind, excerpt = node.type.replace("_", " "), _excerpt(self._text(node))
        self._fail(node, f"a construct the reader does not know ({kind}): {excerpt}")

    def _fail(self, node: Node, what: str) -> NoReturn:
        start = node.start_byte - node.start_point.column
        before = self._source[start : node.start_byte].decode("utf-8")
        place = f"{self._path}:{self._line(node)}:{len(before) + 1}"
        raise SchemaError(place, f"found {what}")


def _trails(comment: Node) -> bool:
    """Whether a comment stands on the line of the code before it, and is about that."""
    before = comment.prev_sibling
    while before is not None and before.type == _COMMENT:
        before = before.prev_sibling
    return before is not None and before.end_point.row == comment.start_point.row


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."
