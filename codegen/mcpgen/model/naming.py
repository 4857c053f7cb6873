"""Every name the emitted code uses is chosen here, by rules that do not look at the version."""

from __future__ import annotations

import keyword
import re
import unicodedata

from ..errors import SchemaError

# What emitted annotations and classes use; a field of that name would shadow it in its class.
_USED_IN_CLASS_BODIES = {"Any", "EMPTY", "Literal", "Mapping", "UNSET", "Unset"}
_BUILTINS_IN_CLASS_BODIES = {"bool", "dict", "float", "int", "list", "str"}
# Members every emitted class has, and the control arguments of stub methods.
_MEMBERS = {"extra", "to_dict", "from_dict", "to_json", "from_json"}
_CONTROL_ARGUMENTS = {"self", "timeout", "on_progress"}
_RESERVED = frozenset(
    _USED_IN_CLASS_BODIES | _BUILTINS_IN_CLASS_BODIES | _MEMBERS | _CONTROL_ARGUMENTS
)

_BOUNDARIES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def field_name(wire_name: str) -> str:
    """The Python name of a field: `_meta` → `meta`, `inputSchema` → `input_schema`.

    A prefix up to the last slash is dropped. Names that Python, the emitted class or a stub
    method needs for itself get an underscore. The same wire name gives the same name always.
    """
    words = _words(wire_name.rsplit("/", 1)[-1])
    name = "_".join(word.lower() for word in words) or "field"
    if not (name[0].isalpha() or name[0] == "_"):
        name = f"n{name}"
    return f"{name}_" if keyword.iskeyword(name) or name in _RESERVED else name


def hoisted_name(owner: str, wire_name: str) -> str:
    """The type name of an inline object: its owner's name and the property's, in Pascal case."""
    return owner + "".join(word[0].upper() + word[1:] for word in _words(wire_name))


def method_name(message: str) -> str:
    """The Python name of a method, from its message type: `CallToolRequest` → `call_tool`."""
    stem = message.removesuffix("Request").removesuffix("Notification")
    return field_name(stem or message)


def module_name(version: str) -> str:
    """The module of a protocol version: `2025-11-25` → `v2025_11_25`."""
    return "v" + re.sub(r"\W", "_", version)


def require_type_name(name: str, where: str) -> str:
    """`name` itself if Python allows it as a class name; raises `SchemaError` otherwise."""
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        raise SchemaError(
            where,
            f"found the type name {name!r}, expected a public Python identifier",
            "give the type another name in overrides.toml",
        )
    return name


def _words(name: str) -> list[str]:
    normal = unicodedata.normalize("NFKC", name)
    spaced = "".join(c if c.isalnum() else " " for c in normal)
    return [word for part in spaced.split() for word in _BOUNDARIES.split(part)]
