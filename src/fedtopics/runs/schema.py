"""Whether a record is what its JSON Schema says: the part of that language which our schemas use."""

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: type(value) is int and abs(value) < 2**63,
    "number": lambda value: type(value) in (int, float) and abs(value) <= sys.float_info.max,
}


def misfit(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], place: str = "") -> str | None:
    """Where a value differs from a schema with parts in `root`, None where it fits.

    >>> schema = {"type": "object", "properties": {"seed": {"type": "integer"}}}
    >>> misfit({"seed": 5}, schema, schema), misfit({"seed": "5"}, schema, schema)
    (None, '/seed')
    """
    if "$ref" in schema:
        return misfit(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, place)
    if not _is_allowed(value, schema):
        return place or "/"
    choices = schema.get("oneOf", [])
    if choices and all(misfit(value, choice, root, place) for choice in choices):
        return place
    parts: list[tuple[str, Any, Mapping[str, Any]]] = []
    if isinstance(value, list):
        parts = [(str(number), item, schema.get("items", {})) for number, item in enumerate(value)]
    elif isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        parts = [(name, item, known.get(name, others)) for name, item in value.items()]
    found = (misfit(item, inner, root, f"{place}/{name}") for name, item, inner in parts)
    return next((name for name in found if name is not None), None)


def _is_allowed(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether the value itself is allowed, whatever is inside it."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_TYPES[kind](value) for kind in kinds):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if "const" in schema and value != schema["const"]:
        return False
    if isinstance(value, dict) and not value.keys() >= set(schema.get("required", [])):
        return False
    if type(value) in (int, float):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return not isinstance(value, str) or re.search(schema.get("pattern", ""), value) is not None
