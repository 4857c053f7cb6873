"""Every name the emitted code uses is chosen here, by rules that do not look at the version."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata

from ..errors import SchemaError

# What emitted annotations use; a field of that name would shadow it in its class.
_USED_IN_ANNOTATIONS = {"bool", "dict", "float", "int", "list", "str"}
# Members every emitted class has, and the control arguments of stub methods.
_MEMBERS = {"extra", "to_dict", "from_dict", "to_json", "from_json"}
_CONTROL_ARGUMENTS = {"self", "timeout", "on_progress"}
# What the base classes of stubs and handlers have, and a method of that name would hide.
_BASE_MEMBERS = frozenset(
    {"codec", "context", "max_pages", "max_rounds", "notify", "request", "request_once", "side"}
    | {"built_in", "capabilities", "defaults", "extend", "extensions", "info", "instructions"}
)
_RESERVED = frozenset(_USED_IN_ANNOTATIONS | _MEMBERS | _CONTROL_ARGUMENTS)

_BOUNDARIES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def field_name(wire_name: str) -> str:
    """The Python name of a field: `_meta` → `meta`, `inputSchema` → `input_schema`.

    A prefix up to the last slash is dropped. Names that Python, the emitted class or a stub
    method needs for itself get an underscore. The same wire name gives the same name always.
    """
    words = _words(wire_name.rsplit("/", 1)[-1])
    name = "_".join(word.lower() for word in words) or "field"
    name = _normal(name if name.isidentifier() else f"n{name}")
    return f"{name}_" if keyword.iskeyword(name) or name in _RESERVED else name


def hoisted_name(owner: str, wire_name: str) -> str:
    """The type name of an inline object: its owner's name and the property's, in Pascal case."""
    return _normal(owner + "".join(word[0].upper() + word[1:] for word in _words(wire_name)))


def method_name(message: str) -> str:
    """The Python name of a method, from its message type: `CallToolRequest` → `call_tool`.

    Names that stubs and handlers need for themselves get an underscore.
    """
    stem = message.removesuffix("Request").removesuffix("Notification")
    name = field_name(stem or message)
    return f"{name}_" if name in _BASE_MEMBERS else name


def module_name(version: str) -> str:
    """The module of a protocol version: `2025-11-25` → `v2025_11_25`."""
    return "v" + re.sub(r"\W", "_", version)


def require_type_name(name: str, where: str) -> str:
    """`name` itself if Python allows it as a class name; raises `SchemaError` otherwise."""
    if not _is_public(name):
        raise SchemaError(
            where,
            f"found the type name {name!r}, expected a public Python identifier",
            "an inline object takes another name from a [[name]] entry in overrides.toml",
        )
    return name


def require_constant_name(name: str, where: str) -> str:
    """`name` itself if an emitted module can define it; raises `SchemaError` otherwise."""
    if not _is_public(name) or hasattr(builtins, name):
        raise SchemaError(
            where,
            f"found the constant name {name!r}, expected a public Python identifier, "
            "not that of a builtin",
        )
    return name


def _is_public(name: str) -> bool:
    """Whether Python reads a name exactly as it is written, and as a public one."""
    allowed = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
    return allowed and _normal(name) == name


def _words(name: str) -> list[str]:
    spaced = "".join(c if _fits_in_word(c) else " " for c in _normal(name))
    return [word for part in spaced.split() for word in _BOUNDARIES.split(part)]


def _fits_in_word(character: str) -> bool:
    return character != "_" and f"a{character}".isidentifier()


def _normal(name: str) -> str:
    """A name as Python itself reads it."""
    return unicodedata.normalize("NFKC", name)
