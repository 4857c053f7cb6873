"""An independent validator beside the decoders, and what has to be true of both."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema

from .documents import MODULES, RESULT_TYPES, text
from .instances import REF, Instances, Schema

IDENTIFIER = ["string", "integer"]

_checker = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
    "identifier", lambda _, value: isinstance(value, str) or type(value) is int
)
_Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=_checker)
_PART = re.compile(r'\.(\w+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]')


class Oracle:
    """Judges the decoders of one version by the schemas it publishes.

    The differences that are meant are written into the schemas of the validator: null for an
    optional member, identifiers that are whole floats, and an absent `resultType` in the types
    named `lenient`.
    """

    def __init__(self, module: ModuleType, lenient: Iterable[str] = ()) -> None:
        self.module = module
        self.version = str(module.PROTOCOL_VERSION)
        folder = Path(str(module.__file__)).parent
        self.names = list(json.loads((folder / "schema.json").read_bytes())["$defs"])
        self.definitions: Schema = {}
        for name in self.names:
            self.definitions |= module.schema(name)["$defs"]
        relaxed = copy.deepcopy(self.definitions)
        for name in lenient:
            relaxed[name]["required"].remove("resultType")
        _allow_exceptions(relaxed)
        self._exact = _Validator({"$defs": self.definitions})
        self._relaxed = _Validator({"$defs": relaxed})
        package = str(module.__name__).rpartition(".")[0]
        self._describe = import_module(f"{package}.runtime.errors").describe

    def accepts(self, name: str, document: Any, *, exact: bool = False) -> bool:
        """Whether the validator accepts a document; `exact` is without the exceptions."""
        validator = self._exact if exact else self._relaxed
        return bool(validator.evolve(schema={"$ref": REF + name}).is_valid(document))

    def accepts_member(self, name: str, key: str, value: Any) -> bool:
        """Whether the validator, with the exceptions, accepts a value as a member of a type."""
        schema = self._relaxed.schema["$defs"][name]["properties"][key]
        return bool(self._relaxed.evolve(schema=schema).is_valid(value))

    def documents(self, name: str, count: int, seed: str = "") -> list[Any]:
        """Some values, and `count` documents of a type, each with two broken copies."""
        made = Instances(self.definitions, f"{seed}{self.version}/{name}")
        found = [made.anything() for _ in range(3)]
        for _ in range(count):
            document = made.make({"$ref": REF + name})
            found += [document, made.broken(document), made.broken(document)]
        return found

    def judge(self, name: str, document: Any) -> bool:
        """Decode and encode one document; whether it was accepted."""
        before = text(document)
        try:
            value = self.module.decode_as(name, document)
        except self.module.DecodeError as error:
            assert not self.accepts(name, document), f"{error}\n{before}"
            self.require_true(error, document)
            # What an explanation falls back on when it finds nothing wrong.
            assert (error.path, error.expected.split(" ", 1)[1:]) != ("$", [name]), before
            return False
        assert self.accepts(name, document), before
        encoded = self.module.encode_as(name, value)
        assert text(document) == before
        assert is_kept(document, encoded), f"{before}\n{text(encoded)}"
        again = self.module.encode_as(name, self.module.decode_as(name, encoded))
        assert text(whole(again)) == text(whole(encoded))
        if "null" not in before and self.accepts(name, document, exact=True):
            assert text(whole(encoded)) == text(whole(document))
        assert self.accepts(name, encoded, exact=True), before
        return True

    def require_true(self, error: Any, document: Any) -> None:
        """The error points at a place in the document and says what stands there."""
        found = at_path(document, error.path)
        expected = "nothing" if found is ... else self._describe(found)
        assert error.found == expected, f"{error}\n{text(document)}"


@cache
def oracle(version: str) -> Oracle:
    """The oracle of a version, lenient with the types whose `resultType` may be absent."""
    plain = Oracle(MODULES[version])
    if version != RESULT_TYPES:
        return plain
    tagged = [
        name
        for name, schema in plain.definitions.items()
        if "resultType" in schema.get("required", ()) and name != "InputRequiredResult"
    ]
    return Oracle(MODULES[version], lenient=tagged)


def at_path(document: Any, path: str) -> Any:
    """What stands at the path of an error; Ellipsis for a member that is missing."""
    for name, index, quoted in _PART.findall(path.removeprefix("$")):
        document = document[int(index)] if index else document.get(name or quoted, ...)
    return document


def is_kept(before: Any, after: Any) -> bool:
    """Whether a document came back, but for nulls and an added `resultType`."""
    if isinstance(before, dict) and isinstance(after, dict):
        wanted = {key for key, item in before.items() if item is not None}
        return (
            wanted <= after.keys()
            and after.keys() - before.keys() <= {"resultType"}
            and all(is_kept(before[key], after[key]) for key in before if key in after)
        )
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(is_kept, before, after))
    return isinstance(before, bool) == isinstance(after, bool) and bool(before == after)


def whole(value: Any) -> Any:
    """A document with whole floats as integers: they are one number to JSON."""
    if isinstance(value, dict):
        return {key: whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _allow_exceptions(schema: Any) -> None:
    if isinstance(schema, list):
        for item in schema:
            _allow_exceptions(item)
        return
    if not isinstance(schema, dict):
        return
    if schema.get("type") == IDENTIFIER:
        schema["type"] = "identifier"
    properties = schema.get("properties")
    for item in schema.values():
        # Names of properties are no keywords.
        for inner in item.values() if item is properties else (item,):
            _allow_exceptions(inner)
    if isinstance(properties, dict):
        for key in properties.keys() - set(schema.get("required", ())) - {"resultType"}:
            properties[key] = {"anyOf": [properties[key], {"type": "null"}]}
