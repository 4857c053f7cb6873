"""JSON documents made from a JSON Schema, and made wrong; the same every time."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

REF = "#/$defs/"
STRINGS = ("", "text", "2.0", "complete", "input_required", "url", "object", "é\u2028", "0")
INTEGERS = (0, 1, -1, 3, 3.0, 100, 2**70)
NUMBERS = (*INTEGERS, 0.5, -0.25, 1e300)
SCALARS = (None, True, False, 0, 1, 1.0, 2.5, -1, 10**400, "", "text", "image", "1", "null")
KEYS = ("type", "name", "_meta", "content", "id", "resultType", "x-other", "", "extra", "toString")


class Instances:
    """Makes documents from the definitions of one version."""

    def __init__(self, definitions: Schema, seed: str) -> None:
        self._definitions = definitions
        self._random = random.Random(seed)

    def make(self, schema: Schema, depth: int = 0) -> Any:
        """A document that the schema accepts, or nearly."""
        pick = self._random
        if "$ref" in schema:
            return self.make(self._definitions[schema["$ref"].removeprefix(REF)], depth)
        if "anyOf" in schema:
            return self._one_of(schema["anyOf"], depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return pick.choice(schema["enum"])
        kind = schema.get("type")
        match pick.choice(kind) if isinstance(kind, list) else kind:
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, depth)
            case "string":
                return pick.choice(STRINGS)
            case "integer":
                return self._number(schema, INTEGERS)
            case "number":
                return self._number(schema, NUMBERS)
            case "boolean":
                return pick.choice((True, False))
            case "null":
                return None
            case _:
                return self.anything(depth)

    def anything(self, depth: int = 0) -> Any:
        """Any JSON value."""
        pick = self._random
        roll = pick.random()
        if depth > 4 or roll < 0.6:
            return pick.choice(SCALARS)
        if roll < 0.8:
            return [self.anything(depth + 1) for _ in range(pick.randrange(3))]
        return {pick.choice(KEYS): self.anything(depth + 1) for _ in range(pick.randrange(3))}

    def broken(self, document: Any) -> Any:
        """A copy of a document with one to three changes somewhere in it."""
        changed = copy.deepcopy(document)
        for _ in range(self._random.choice((1, 1, 1, 2, 3))):
            places = list(_places(changed))
            if not places:
                return self.anything()
            self._change(*self._random.choice(places))
        return changed

    def _one_of(self, members: list[Schema], depth: int) -> Any:
        made = self.make(self._random.choice(members), depth)
        if self._random.random() < 0.15:
            # Members of two alternatives in one object: which one it is has to be decided.
            other = self.make(self._random.choice(members), depth)
            if isinstance(made, dict) and isinstance(other, dict):
                return {**made, **other}
        return made

    def _object(self, schema: Schema, depth: int) -> Schema:
        pick = self._random
        required = schema.get("required", ())
        chance = pick.choice((0.0, 0.5, 1.0)) if depth < 5 else 0.0
        made = {
            key: self.make(item, depth + 1)
            for key, item in schema.get("properties", {}).items()
            if key in required or pick.random() < chance
        }
        others = schema.get("additionalProperties", {})
        if depth < 5 and pick.random() < (0.3 if "properties" in schema else 0.7):
            made.setdefault(pick.choice(KEYS), self.make(others, depth + 1))
        return made

    def _array(self, schema: Schema, depth: int) -> list[Any]:
        least, most = schema.get("minItems", 0), schema.get("maxItems", 3)
        count = self._random.choice((least, most, most + 1, least + 1)) if depth < 5 else least
        return [self.make(schema.get("items", {}), depth + 1) for _ in range(count)]

    def _number(self, schema: Schema, values: tuple[float, ...]) -> float:
        limits = [schema[key] for key in ("minimum", "maximum") if key in schema]
        near = [limit + step for limit in limits for step in (-1, -0.5, 0, 0.5, 1)]
        return self._random.choice((*values, *near))

    def _change(self, holder: Any, key: Any) -> None:
        pick = self._random
        value = holder[key]
        match pick.randrange(7):
            case 0:
                del holder[key]
            case 1:
                holder[key] = None
            case 2:
                holder[key] = [value]
            case 3 if isinstance(holder, dict):
                holder[pick.choice(KEYS)] = holder.pop(key)
            case 4 if isinstance(value, int | float) and abs(value) < 1e9:
                holder[key] = pick.choice((bool(value), float(value), value + 0.5, str(value)))
            case 5 if isinstance(value, str):
                holder[key] = pick.choice((*STRINGS, value + "x", value.upper()))
            case 5 if isinstance(value, dict):
                value[pick.choice(KEYS)] = self.anything()
            case _:
                holder[key] = self.anything()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every member and element of a document, with what holds it."""
    items: Any = ()
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, item in items:
        yield value, key
        yield from _places(item)
