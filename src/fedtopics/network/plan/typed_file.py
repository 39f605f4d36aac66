"""TOML files that people write, read strictly: known keys, values of their type, or one clear line."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from fedtopics import files
from fedtopics.errors import InputError

T = TypeVar("T")
MOST_BYTES = 2**20
WORDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list of texts",
}


def read(path: str | Path, what: str, make: Callable[[dict[str, Any]], T]) -> T:
    """What `make` makes of the data of a TOML file; an error names the file."""
    return parse(content_of(path, what), path, make)


def content_of(path: str | Path, what: str) -> bytes:
    """What a file holds that is `what`."""
    try:
        return files.read(Path(path), MOST_BYTES)
    except OSError as error:
        raise InputError(f"cannot read the {what} {path}: {error.strerror}") from None


def parse(content: bytes, path: str | Path, make: Callable[[dict[str, Any]], T]) -> T:
    """What `make` makes of TOML that was read from `path`."""
    try:
        data = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not TOML: {error}") from None
    try:
        if not _fits(data):
            raise InputError("expected whole numbers of at most 64 bits, as TOML has, got a larger one")
        return make(data)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _fits(data: object) -> bool:
    """Whether every whole number has 64 bits: longer ones can neither be shown nor turned into a float."""
    left = [data]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            left += value.values()
        elif isinstance(value, list):
            left += value
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            return False
    return True


def is_text(value: object) -> bool:
    """Whether a value of JSON is a text that can be written to a file: halves of characters are none."""
    return isinstance(value, str) and not any("\ud800" <= sign <= "\udfff" for sign in value)


def build(kind: type[T], data: object, place: str = "") -> T:
    """The dataclass `kind` from a table of the file; `place` is the table's name."""
    if not isinstance(data, Mapping):
        raise InputError(f"{place or 'the file'} must be a table, got {data!r:.40}")
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    for key in data:
        if key not in known:
            raise InputError(f"unknown key {_full(place, key)}; known are {', '.join(known)}")
    for key, field in known.items():
        if key not in data and field.default is MISSING and field.default_factory is MISSING:
            raise InputError(f"{_full(place, key)} is missing")
    return kind(**{key: _value(value, hints[key], _full(place, key)) for key, value in data.items()})


def _value(value: Any, hint: Any, place: str) -> Any:
    """The value as its field wants it: whole numbers pass for numbers, lists become tuples."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    kind = next(kind for kind in kinds if kind is not type(None))
    plain = str if get_origin(kind) is Literal else get_origin(kind) or kind
    if plain is float and type(value) is int:
        return float(value)
    if plain is tuple and isinstance(value, list):
        part = get_args(kind)[0]
        return tuple(_value(each, part, f"{place}[{number}]") for number, each in enumerate(value))
    if plain is Mapping and isinstance(value, dict):
        return value
    if plain not in WORDS:
        return build(plain, value, place)
    if type(value) is not plain:
        raise InputError(f"{place} must be {WORDS[plain]}, got {value!r:.40}")
    return value


def _full(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
