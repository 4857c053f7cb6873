"""`types.py` of a version: the Model through datamodel-code-generator and a style's templates.

The generator decides the type hints, the aliases and the imports; the style's templates, in
the style's folder `types`, decide how a class and an alias look; docstrings and defaults come
from the Model as extra template data. `verify` proves that nothing was lost or renamed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, NotRequired, TypeAlias, TypedDict

from jinja2 import TemplateError as JinjaError

from mcpgen.emit.arrange import arrange_types
from mcpgen.emit.docs import field_text, type_text
from mcpgen.emit.hints import field_default, needs_unset
from mcpgen.emit.json_schema import definition_path, types_schema
from mcpgen.emit.literals import docstring_literal
from mcpgen.emit.type_templates import check_type_templates
from mcpgen.emit.verify import verify_names, verify_types
from mcpgen.errors import TemplateError
from mcpgen.model.model import Field, ObjectType, Protocol

TemplateData: TypeAlias = defaultdict[str, dict[str, Any]]

_WHERE = "type templates"
_ROOT_NAME = "SchemaDocument"
"""What the generator would call the document itself, which is no type; it keeps the name free."""


@dataclass(frozen=True, slots=True)
class MemberView:
    """What a type template knows of a field, beside the generator's own `field`.

    `default` is source text, None where the field has to be given. `unset` says that the
    hint has to allow `Unset`. `docstring` is source text, None where there is nothing to say.
    """

    default: str | None
    unset: bool
    docstring: str | None

    def __getitem__(self, name: str) -> NoReturn:
        """Refuse a name that is no attribute: Jinja looks here next, then renders nothing."""
        known = ", ".join(self.__slots__)
        raise TemplateError(_WHERE, f"a member has no `{name}`", f"it has {known}")


class Members(dict[str, MemberView]):
    """The members of one class by Python name; one the Model has not is an error."""

    def __init__(self, type_: ObjectType) -> None:
        self.owner = type_.name
        super().__init__({field.name: _member(field) for field in type_.fields})

    def __missing__(self, name: str) -> NoReturn:
        raise TemplateError(
            f"fields of {self.owner}",
            f"the Model has no `{name}`: the generator renamed a field",
            f"the Model has {', '.join(self)}; give the field another name in the normaliser",
        )


class TypeContext(TypedDict):
    """What a template in `types/` sees beside what datamodel-code-generator gives it.

    `docstring` is source text. `members` are the fields of a class; an alias has none.
    """

    docstring: str
    members: NotRequired[Members]


def emit_types(
    protocol: Protocol, *, templates: Path, imports: Mapping[str, str], header: str
) -> str:
    """The source of a version's `types.py`, before formatting.

    `templates` is the folder of a style; its folder `types` holds the type templates.
    `imports` are the names these use, each with its module; those that no type needs are left
    out. `header` is the comment the file begins with. Raises TemplateError when a template is
    missing, unknown or wrong, when a name of the Model cannot be emitted, or when the
    generated code does not have exactly the names and fields of the Model.
    """
    verify_names(protocol, imports)
    folder = templates / "types"
    check_type_templates(folder)
    code = arrange_types(_generate(protocol, folder, imports, header), protocol)
    verify_types(code, protocol)
    return code


def _generate(protocol: Protocol, folder: Path, imports: Mapping[str, str], header: str) -> str:
    """The generator's output for the Model."""
    # Imported here because it takes half a second, which commands that emit nothing save.
    from datamodel_code_generator import Error, InputFileType, LiteralType, PythonVersion, generate
    from datamodel_code_generator.enums import DataModelType

    members = {t.name: Members(t) for t in protocol.objects}
    try:
        code = generate(
            types_schema(protocol),
            input_file_type=InputFileType.JsonSchema,
            schema_version="2020-12",
            strict_refs=True,
            output_model_type=DataModelType.DataclassesDataclass,
            target_python_version=PythonVersion.PY_311,
            dataclass_arguments={"kw_only": True, "slots": True},
            enum_field_as_literal=LiteralType.All,
            class_name=_ROOT_NAME,
            # Names are final; the generator would make them all Pascal case.
            custom_class_name_generator=str,
            use_type_alias=True,
            keep_model_order=True,
            skip_root_model=True,
            custom_template_dir=folder,
            extra_template_data=_template_data(protocol, members),
            additional_imports=[f"{module.lstrip('.')}.{name}" for name, module in imports.items()],
            import_overrides=dict(imports),
            custom_file_header=f"{header}\n{_module_docstring(protocol)}".lstrip(),
            disable_timestamp=True,
            formatters=[],
        )
    except SyntaxError as error:
        what = f"what they make is not Python: {error.msg}: {(error.text or '').strip()}"
        raise TemplateError(_WHERE, what) from error
    except (Error, JinjaError) as error:
        raise TemplateError(_WHERE, f"{type(error).__name__}: {error}") from error
    if not isinstance(code, str):
        raise TemplateError(_WHERE, "the generator made several modules instead of one")
    return code


def _template_data(protocol: Protocol, members: Mapping[str, Members]) -> TemplateData:
    """The context of each type's template, beside what the generator puts there."""
    data: TemplateData = defaultdict(dict)
    for type_ in protocol.objects:
        docstring = docstring_literal(type_text(type_))
        context: TypeContext = {"docstring": docstring, "members": members[type_.name]}
        data[definition_path(type_.name)] = {**context}
    for alias in protocol.aliases:
        docstring = docstring_literal(type_text(alias), indent=0)
        context = {"docstring": docstring}
        data[definition_path(alias.name)] = {**context}
    return data


def _member(field: Field) -> MemberView:
    text = field_text(field)
    return MemberView(
        default=field_default(field),
        unset=needs_unset(field),
        docstring=docstring_literal(text) if text else None,
    )


def _module_docstring(protocol: Protocol) -> str:
    text = (
        f"The types of MCP {protocol.version}: a class for each object of the schema, and after "
        "them an alias for each union and each other named type."
    )
    return docstring_literal(text, indent=0)
