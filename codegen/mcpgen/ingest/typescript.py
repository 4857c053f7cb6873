"""Reads a schema.ts into declarations, on tree-sitter's TypeScript grammar.

It knows the constructs the specification uses: exported interfaces, type aliases and
constants, `extends` with several bases and `Omit<>`, unions, intersections, object types,
index signatures, literal types, arrays, `Array<>`, `Record<>`, `typeof CONSTANT`, quoted
property names and doc comments. Anything else raises `SchemaError` with its line: what is
not understood is never skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NoReturn

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from ..errors import SchemaError
from . import jsdoc
from .declarations import (
    ArrayOf,
    Constant,
    Declaration,
    Doc,
    Interface,
    Intersection,
    JsonScalar,
    Keyword,
    Literally,
    Module,
    ObjectLiteral,
    OmitFrom,
    Property,
    RecordOf,
    Reference,
    TypeAliasDeclaration,
    TypeNode,
    TypeOf,
    Union,
)


def read_module(source: bytes, path: str) -> Module:
    """The declarations of a schema.ts; `path` is how error messages name it.

    Raises `SchemaError` for text that is no TypeScript, for a construct the reader does not
    know, for a name declared twice and for a reference to a name that is not declared.
    """
    module = _Reader(source, path).module()
    _require_declared_names(module)
    return module


class _Reader:
    def __init__(self, source: bytes, path: str) -> None:
        self._path = path
        parser = Parser(Language(tree_sitter_typescript.language_typescript()))
        self._root = parser.parse(source).root_node
        self._types: dict[str, Declaration] = {}
        self._constants: dict[str, Constant] = {}

    def module(self) -> Module:
        self._refuse_syntax_errors(self._root)
        for node, doc in self._with_docs(self._root.named_children):
            if node.type != "export_statement":
                self._unknown(node)
            self._declaration(self._only(node.named_children, node), doc)
        return Module(self._path, self._types, self._constants)

    # --- declarations ---------------------------------------------------------------------------

    def _declaration(self, node: Node, doc: Doc) -> None:
        if node.child_by_field_name("type_parameters") is not None:
            self._fail(node, "a declaration with type parameters")
        match node.type:
            case "interface_declaration":
                name = self._text(self._part(node, "name"))
                self._declare(node, name)
                body = self._object(self._part(node, "body"))
                self._types[name] = Interface(name, self._bases(node), body, self._line(node), doc)
            case "type_alias_declaration":
                name = self._text(self._part(node, "name"))
                self._declare(node, name)
                value = self._type(self._part(node, "value"))
                self._types[name] = TypeAliasDeclaration(name, value, self._line(node), doc)
            case "lexical_declaration":
                self._constant(node, doc)
            case _:
                self._unknown(node)

    def _declare(self, node: Node, name: str) -> None:
        if name in self._types or name in self._constants:
            self._fail(node, f"a second declaration of {name}")

    def _constant(self, node: Node, doc: Doc) -> None:
        if self._text(self._part(node, "kind")) != "const":
            self._unknown(node)
        declarator = self._only(node.named_children, node)
        name = self._text(self._part(declarator, "name"))
        self._declare(node, name)
        value = self._scalar(self._part(declarator, "value"))
        self._constants[name] = Constant(name, value, self._line(node), doc)

    def _bases(self, node: Node) -> tuple[Reference | OmitFrom, ...]:
        found: list[Reference | OmitFrom] = []
        for clause in node.named_children:
            if clause.type != "extends_type_clause":
                continue
            for base in self._code(clause):
                parsed = self._type(base)
                if not isinstance(parsed, Reference | OmitFrom):
                    self._fail(base, "a base that is neither a name nor Omit<>")
                found.append(parsed)
        return tuple(found)

    # --- types ----------------------------------------------------------------------------------

    def _type(self, node: Node) -> TypeNode:
        match node.type:
            case "predefined_type":
                return self._keyword(node)
            case "type_identifier":
                return Reference(self._text(node))
            case "literal_type":
                return Literally(self._scalar(self._only(self._code(node), node)))
            case "type_query":
                return TypeOf(self._text(self._only(self._code(node), node)))
            case "array_type":
                return ArrayOf(self._type(self._only(self._code(node), node)))
            case "parenthesized_type":
                return self._type(self._only(self._code(node), node))
            case "union_type":
                return Union(self._flattened(node, "union_type"))
            case "intersection_type":
                return Intersection(self._flattened(node, "intersection_type"))
            case "object_type":
                return self._object(node)
            case "generic_type":
                return self._generic(node)
            case _:
                self._unknown(node)

    def _keyword(self, node: Node) -> Keyword:
        match self._text(node):
            case "string":
                return Keyword("string")
            case "number":
                return Keyword("number")
            case "boolean":
                return Keyword("boolean")
            case "unknown" | "any":
                return Keyword("unknown")
            case "object":
                return Keyword("object")
            case _:
                self._unknown(node)

    def _flattened(self, node: Node, kind: str) -> tuple[TypeNode, ...]:
        # tree-sitter nests `A | B | C` to the left; parentheses keep a nested union apart.
        members: list[TypeNode] = []
        for child in self._code(node):
            if child.type == kind:
                members.extend(self._flattened(child, kind))
            else:
                members.append(self._type(child))
        return tuple(members)

    def _generic(self, node: Node) -> TypeNode:
        name = self._text(self._part(node, "name"))
        arguments = self._code(self._part(node, "type_arguments"))
        match name, len(arguments):
            case "Array", 1:
                return ArrayOf(self._type(arguments[0]))
            case "Record", 2 if self._type(arguments[0]) == Keyword("string"):
                return RecordOf(self._type(arguments[1]))
            case "Omit", 2:
                return self._omit(arguments[0], arguments[1])
            case _:
                self._fail(node, f"the generic type {self._text(node)}")

    def _omit(self, base: Node, keys: Node) -> OmitFrom:
        target, named = self._type(base), self._type(keys)
        members = named.members if isinstance(named, Union) else (named,)
        if not isinstance(target, Reference):
            self._fail(base, "Omit<> of something that is not a name")
        names: list[str] = []
        for member in members:
            if not isinstance(member, Literally) or not isinstance(member.value, str):
                self._fail(keys, "Omit<> with keys that are not strings")
            names.append(member.value)
        return OmitFrom(target.name, tuple(names))

    def _object(self, node: Node) -> ObjectLiteral:
        properties: list[Property] = []
        index: TypeNode | None = None
        for member, doc in self._with_docs(node.named_children):
            match member.type:
                case "property_signature":
                    properties.append(self._property(member, doc))
                case "index_signature" if index is None:
                    index = self._index(member)
                case _:
                    self._unknown(member)
        names = [item.name for item in properties]
        if repeated := {name for name in names if names.count(name) > 1}:
            self._fail(node, f"a property declared twice: {', '.join(sorted(repeated))}")
        return ObjectLiteral(tuple(properties), index, self._line(node))

    def _property(self, node: Node, doc: Doc) -> Property:
        return Property(
            name=self._property_name(self._part(node, "name")),
            type=self._annotated(node),
            optional=any(child.type == "?" for child in node.children),
            line=self._line(node),
            doc=doc,
        )

    def _property_name(self, node: Node) -> str:
        match node.type:
            case "property_identifier":
                return self._text(node)
            case "string":
                return self._string(node)
            case _:
                self._unknown(node)

    def _index(self, node: Node) -> TypeNode:
        key = self._part(node, "index_type")
        if self._type(key) != Keyword("string"):
            self._fail(key, "an index signature whose keys are not strings")
        return self._annotated(node)

    def _annotated(self, node: Node) -> TypeNode:
        for child in node.named_children:
            if child.type == "type_annotation":
                return self._type(self._only(self._code(child), child))
        self._fail(node, "a member without a type")

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
                return -self._number(self._part(node, "argument"))
            case _:
                self._unknown(node)

    def _number(self, node: Node) -> int | float:
        text = self._text(node).replace("_", "")
        try:
            return int(text, 10)
        except ValueError:
            pass
        try:
            return float(text)
        except ValueError:
            self._fail(node, f"the number {text}")

    def _string(self, node: Node) -> str:
        parts: list[str] = []
        for child in node.named_children:
            match child.type:
                case "string_fragment":
                    parts.append(self._text(child))
                case "escape_sequence":
                    parts.append(self._escape(child))
                case _:
                    self._unknown(child)
        return "".join(parts)

    def _escape(self, node: Node) -> str:
        text = self._text(node)
        if text == "\\'":
            return "'"
        try:
            # JSON knows every escape that JavaScript and JSON share.
            return str(json.loads(f'"{text}"'))
        except ValueError:
            self._fail(node, f"the escape sequence {text}")

    # --- nodes ----------------------------------------------------------------------------------

    def _with_docs(self, nodes: list[Node]) -> Iterator[tuple[Node, Doc]]:
        """Each node that is no comment, with the doc comment that stands before it."""
        doc = Doc()
        for node in nodes:
            if node.type == "comment":
                text = self._text(node)
                if jsdoc.is_doc_comment(text):
                    doc = jsdoc.parse(text)
                continue
            yield node, doc
            doc = Doc()

    def _code(self, node: Node) -> list[Node]:
        return [child for child in node.named_children if child.type != "comment"]

    def _only(self, nodes: list[Node], parent: Node) -> Node:
        found = [node for node in nodes if node.type != "comment"]
        if len(found) != 1:
            self._unknown(parent)
        return found[0]

    def _part(self, node: Node, name: str) -> Node:
        part = node.child_by_field_name(name)
        if part is None:
            self._fail(node, f"a {node.type.replace('_', ' ')} without a {name}")
        return part

    def _text(self, node: Node) -> str:
        return (node.text or b"").decode("utf-8")

    def _line(self, node: Node) -> int:
        return node.start_point.row + 1

    def _refuse_syntax_errors(self, node: Node) -> None:
        if not node.has_error:
            return
        if node.type == "ERROR" or node.is_missing:
            self._fail(node, f"text that is not TypeScript: {_excerpt(self._text(node))}")
        for child in node.children:
            self._refuse_syntax_errors(child)

    def _unknown(self, node: Node) -> NoReturn:
        kind = node.type.replace("_", " ")
        self._fail(
            node, f"a construct the reader does not know ({kind}): {_excerpt(self._text(node))}"
        )

    def _fail(self, node: Node, what: str) -> NoReturn:
        raise SchemaError(f"{self._path}:{self._line(node)}", f"found {what}")


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


def _require_declared_names(module: Module) -> None:
    known = {*module.types, *(f"typeof {name}" for name in module.constants)}
    for declaration in module.types.values():
        for name in _names_in(declaration):
            if name not in known:
                raise SchemaError(
                    f"{module.path}:{declaration.line}",
                    f"{declaration.name} refers to {name}, which is not declared",
                )


def _names_in(node: TypeNode | Declaration) -> Iterator[str]:
    """Every name a type mentions; constants as `typeof NAME`."""
    match node:
        case Interface():
            for base in node.bases:
                yield from _names_in(base)
            yield from _names_in(node.body)
        case TypeAliasDeclaration():
            yield from _names_in(node.type)
        case Reference(name) | OmitFrom(name, _):
            yield name
        case TypeOf(name):
            yield f"typeof {name}"
        case ArrayOf(inner) | RecordOf(inner):
            yield from _names_in(inner)
        case Union(members) | Intersection(members):
            for member in members:
                yield from _names_in(member)
        case ObjectLiteral(properties, index, _):
            for item in properties:
                yield from _names_in(item.type)
            if index is not None:
                yield from _names_in(index)
        case Keyword() | Literally():
            pass
