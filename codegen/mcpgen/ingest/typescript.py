"""Reads a schema.ts into declarations, on tree-sitter's TypeScript grammar.

It knows the constructs the specification uses: exported interfaces, type aliases and
constants, `extends` with several bases and `Omit<>`, unions, intersections, object types,
index signatures, literal types, arrays, `Array<>`, `Record<>`, `typeof CONSTANT`, quoted
property names and doc comments. Anything else raises `SchemaError` with its line and column:
what is not understood is never skipped.
"""

from __future__ import annotations

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from ..errors import SchemaError, limited_depth
from .declarations import (
    ArrayOf,
    Constant,
    Declaration,
    Doc,
    Interface,
    Intersection,
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
from .nodes import NodeReader
from .references import check_references

_FEWEST_STEPS = 10_000


def read_module(source: bytes, path: str) -> Module:
    """The declarations of a schema.ts; `path` is how error messages name it.

    Raises `SchemaError` for text that is no TypeScript, for a construct the reader does not
    know, for a name declared twice, for a reference to a name that is not declared and for a
    type that is defined by itself, and for types that nest too deeply.
    """
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise SchemaError(f"{path}:{line}", "found bytes that are not UTF-8") from None
    with limited_depth(path):
        module = _Reader(source, path).module()
        check_references(module)
    return module


class _Reader(NodeReader):
    def __init__(self, source: bytes, path: str) -> None:
        super().__init__(source, path)
        self._types: dict[str, Declaration] = {}
        self._constants: dict[str, Constant] = {}

    def module(self) -> Module:
        root = self._parsed()
        self._refuse_syntax_errors(root)
        for node, doc in self._with_docs(root.named_children):
            if node.type == "empty_statement":
                continue
            if node.type != "export_statement":
                self._unknown(node)
            self._require_parts(node, "export", self._only(node).type, ";")
            self._declaration(self._only(node), doc)
        return Module(self._path, self._types, self._constants)

    def _parsed(self) -> Node:
        """The root of the syntax tree.

        Some texts that are not TypeScript make the parser's recovery go on for ever, so it is
        given a number of steps, far more than any text that can be read takes.
        """
        parser = Parser(Language(tree_sitter_typescript.language_typescript()))
        source, steps, reached = self._source, 0, 0

        def is_stuck(offset: int, _: bool) -> bool:
            nonlocal steps, reached
            steps, reached = steps + 1, offset
            return steps > _FEWEST_STEPS + len(source)

        try:
            tree = parser.parse(lambda offset, _: source[offset:], progress_callback=is_stuck)
        except ValueError:
            line = source.count(b"\n", 0, reached) + 1
            raise SchemaError(f"{self._path}:{line}", "found text that is not TypeScript") from None
        return tree.root_node

    # --- declarations ---------------------------------------------------------------------------

    def _declaration(self, node: Node, doc: Doc) -> None:
        if node.child_by_field_name("type_parameters") is not None:
            self._fail(node, "a declaration with type parameters")
        match node.type:
            case "interface_declaration":
                name = self._declared(node)
                body = self._object(self._part(node, "body"))
                self._types[name] = Interface(name, self._bases(node), body, self._line(node), doc)
            case "type_alias_declaration":
                name = self._declared(node)
                value = self._type(self._part(node, "value"))
                self._types[name] = TypeAliasDeclaration(name, value, self._line(node), doc)
            case "lexical_declaration":
                self._constant(node, doc)
            case _:
                self._unknown(node)

    def _declared(self, node: Node) -> str:
        """The name a node declares."""
        name = self._name(self._part(node, "name"))
        if name in self._types or name in self._constants:
            self._fail(node, f"a second declaration of {name}")
        return name

    def _constant(self, node: Node, doc: Doc) -> None:
        self._require_parts(node, "const", "variable_declarator", ";")
        declarator = self._only(node)
        # `typeof` of a constant with a type annotation is that type, not the value.
        if declarator.child_by_field_name("type") is not None:
            self._fail(declarator, f"a constant with a type: {self._text(declarator)}")
        name = self._declared(declarator)
        value = self._scalar(self._part(declarator, "value"))
        self._constants[name] = Constant(name, value, self._line(node), doc)

    def _bases(self, node: Node) -> tuple[Reference | OmitFrom, ...]:
        return tuple(
            self._base(base)
            for clause in node.named_children
            if clause.type == "extends_type_clause"
            for base in self._code(clause)
        )

    def _base(self, node: Node) -> Reference | OmitFrom:
        if node.type == "generic_type" and self._text(self._part(node, "name")) == "Omit":
            return self._omit(node)
        base = self._type(node)
        if not isinstance(base, Reference):
            self._fail(node, "a base that is neither a name nor Omit<>")
        return base

    def _omit(self, node: Node) -> OmitFrom:
        arguments = self._code(self._part(node, "type_arguments"))
        if len(arguments) != 2:
            self._fail(node, f"{self._text(node)}, expected Omit<> of a name and its keys")
        target, named = map(self._type, arguments)
        if not isinstance(target, Reference):
            self._fail(node, "Omit<> of something that is not a name")
        names: list[str] = []
        for member in named.members if isinstance(named, Union) else (named,):
            if not isinstance(member, Literally) or not isinstance(member.value, str):
                self._fail(node, "Omit<> with keys that are not strings")
            names.append(member.value)
        return OmitFrom(target.name, tuple(names))

    # --- types ----------------------------------------------------------------------------------

    def _type(self, node: Node) -> TypeNode:
        match node.type:
            case "predefined_type":
                return self._keyword(node)
            case "type_identifier":
                return Reference(self._name(node))
            case "literal_type":
                return Literally(self._scalar(self._only(node)))
            case "type_query":
                return TypeOf(self._name(self._only(node)))
            case "array_type":
                return ArrayOf(self._type(self._only(node)))
            case "parenthesized_type":
                return self._type(self._only(node))
            case "union_type":
                return self._union(node)
            case "intersection_type":
                return Intersection(self._flattened(node))
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

    def _union(self, node: Node) -> TypeNode:
        members = self._flattened(node)
        for member in members:
            if isinstance(member, Literally) and not isinstance(member.value, str | None):
                self._fail(node, f"a union with the literal {member.value!r}, expected strings")
        # By their text: to Python 1 and True are equal.
        distinct = list({repr(member): member for member in members}.values())
        return Union(tuple(distinct)) if len(distinct) > 1 else distinct[0]

    def _flattened(self, node: Node) -> tuple[TypeNode, ...]:
        # tree-sitter nests `A | B | C` to the left, however many there are; parentheses may
        # nest anyhow.
        members: list[TypeNode] = []
        waiting = [node]
        while waiting:
            inner = waiting.pop()
            while inner.type == "parenthesized_type":
                inner = self._only(inner)
            if inner.type == node.type:
                waiting.extend(reversed(self._code(inner)))
            else:
                members.append(self._type(inner))
        return tuple(members)

    def _generic(self, node: Node) -> TypeNode:
        name = self._text(self._part(node, "name"))
        arguments = self._code(self._part(node, "type_arguments"))
        match name, len(arguments):
            case "Array", 1:
                return ArrayOf(self._type(arguments[0]))
            case "Record", 2 if self._type(arguments[0]) == Keyword("string"):
                return RecordOf(self._type(arguments[1]))
            case "Omit", _:
                self._fail(node, f"{self._text(node)} outside an extends clause")
            case _:
                self._fail(node, f"the generic type {self._text(node)}")

    def _object(self, node: Node) -> ObjectLiteral:
        self._require_parts(node, "{", "}", ";", ",", "property_signature", "index_signature")
        properties: dict[str, Property] = {}
        index: TypeNode | None = None
        for member, doc in self._with_docs(node.named_children):
            if member.type == "property_signature":
                item = self._property(member, doc)
                if item.name in properties:
                    self._fail(member, f"a property declared twice: {item.name}")
                properties[item.name] = item
            elif index is None:
                index = self._index(member)
            else:
                self._fail(member, "a second index signature")
        return ObjectLiteral(tuple(properties.values()), index, self._line(node))

    def _property(self, node: Node, doc: Doc) -> Property:
        name = self._part(node, "name")
        self._require_parts(node, name.type, "?", "type_annotation")
        return Property(
            name=self._property_name(name),
            type=self._annotated(node),
            optional=any(child.type == "?" for child in node.children),
            line=self._line(node),
            doc=doc,
        )

    def _property_name(self, node: Node) -> str:
        match node.type:
            case "property_identifier":
                return self._name(node)
            case "string":
                return self._string(node)
            case _:
                self._unknown(node)

    def _index(self, node: Node) -> TypeNode:
        key = self._part(node, "index_type")
        self._require_parts(node, "[", "identifier", ":", key.type, "]", "type_annotation")
        if self._type(key) != Keyword("string"):
            self._fail(key, "an index signature whose keys are not strings")
        return self._annotated(node)

    def _annotated(self, node: Node) -> TypeNode:
        for child in node.named_children:
            if child.type == "type_annotation":
                return self._type(self._only(child))
        self._fail(node, f"a member without a type: {self._text(node)}")
