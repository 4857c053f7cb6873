"""The order in which the TypeScript compiler meets the types of a module.

The compiler sorts the members of a union by the moment it first made each type, and the
published schema.json shows that order. Declarations are visited as they stand in the file;
what a declaration mentions is made when it is first mentioned.
"""

from __future__ import annotations

from .declarations import (
    ArrayOf,
    Declaration,
    Interface,
    Intersection,
    Keyword,
    Literally,
    Module,
    ObjectLiteral,
    OmitFrom,
    RecordOf,
    Reference,
    TypeAliasDeclaration,
    TypeNode,
    TypeOf,
    Union,
)

# Made before any declaration is read.
_INTRINSIC = ("unknown", "string", "number", "boolean", "object")


class TypeOrder:
    """Numbers the types of one module by first mention."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._numbers: dict[str, int] = {}
        self._expanded: set[str] = set()
        for name, declaration in module.types.items():
            self._mention(name)
            self._visit_declaration(declaration)

    def sort(self, members: list[TypeNode]) -> list[TypeNode]:
        """Union members in the compiler's order; those that are equal keep theirs."""
        return sorted(members, key=self._rank)

    def _rank(self, node: TypeNode) -> tuple[int, int]:
        match node:
            case Keyword(name):
                return (0, _INTRINSIC.index(name))
            case Reference(name):
                return (1, self._numbers[name])
            case _:
                return (1, len(self._numbers))

    def _mention(self, name: str) -> None:
        if name not in self._numbers:
            self._numbers[name] = len(self._numbers)

    def _visit_declaration(self, declaration: Declaration) -> None:
        if declaration.name in self._expanded:
            return
        self._expanded.add(declaration.name)
        if isinstance(declaration, Interface):
            for base in declaration.bases:
                self._visit(base)
            self._visit(declaration.body)
        else:
            self._visit(declaration.type)

    def _visit(self, node: TypeNode | OmitFrom) -> None:
        match node:
            case Reference(name) | OmitFrom(name, _):
                self._mention(name)
                declared = self._module.types[name]
                # An alias is resolved where it is mentioned, an interface when its turn comes.
                if isinstance(declared, TypeAliasDeclaration):
                    self._visit_declaration(declared)
            case ArrayOf(inner) | RecordOf(inner):
                self._visit(inner)
            case Union(members) | Intersection(members):
                for member in members:
                    self._visit(member)
            case ObjectLiteral(properties, index, _):
                for item in properties:
                    self._visit(item.type)
                if index is not None:
                    self._visit(index)
            case Keyword() | Literally() | TypeOf():
                pass
