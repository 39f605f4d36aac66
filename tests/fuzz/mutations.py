"""Bytes made from valid ones as an attacker, a bad disk or a clumsy editor would; one seed, one case."""

from __future__ import annotations

import json
import re
import struct
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from fedtopics.network.plan.text import toml

TOKENS = [
    *(b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1", b"0", b"1e-400", b"18446744073709551616"),
    *(b"9" * 5000, b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\\ud800", b"\xed\xa0\x80", b"[" * 3000, b"{", b"}"),
    *(
        b'"',
        b"'",
        b"\r",
        b"\n",
        b"\n\n",
        b"\t",
        b",",
        b":",
        b" ",
        b"\\",
        b"null",
        b"true",
        b"<DOC>\n",
        b"\x1f\x8b",
    ),
    *(b"../", b"/dev/zero", b"%00", "\u202e\u0301İſ\u00ad".encode(), b"<script>", b"</DOC>\n", b" " * 3000),
]
VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2,
        2**31,
        2**39,
        2**63,
        2**64,
        -(2**63),
        10**400,
        0.5,
        -0.0,
        1e308,
        5e-324,
    ),
    *(
        float("nan"),
        float("inf"),
        float("-inf"),
        "",
        "\0",
        "a",
        "../a",
        "\ud800",
        "a\nb",
        "x" * 3000,
        "inf",
        "NaN",
    ),
    *([], {}, [[]], [None], ["a", "a"], [0, 2**39, 2**39, 2**39], {"": 0}, {"a": {"b": []}}, [[[[[[]]]]]]),
]
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Form:
    """How the values inside a file are taken out, and put back after one of them was changed."""

    opened: Callable[[bytes], tuple[Any, Any]]  # the value, and whatever else is needed to close it again
    closed: Callable[[Any, Any], bytes]


def framed(magic: bytes, length: str, mend: Callable[[Any], Any] = lambda value: value) -> Form:
    """A header in JSON behind its length, and a body behind that."""

    def opened(data: bytes) -> tuple[Any, bytes]:
        start = len(magic) + struct.calcsize(length)
        end = start + struct.unpack_from(length, data, len(magic))[0]
        return json.loads(data[start:end]), data[end:]

    def closed(value: Any, body: bytes) -> bytes:
        header = json.dumps(mend(value)).encode()
        return magic + struct.pack(length, len(header)) + header + body

    return Form(opened, closed)


def plain_json(mend: Callable[[Any], Any] = lambda value: value) -> Form:
    """One JSON value; `mend` makes hashes fit again, as one who edits on purpose would."""
    return Form(lambda data: (json.loads(data), None), lambda value, _: json.dumps(mend(value)).encode())


def json_lines(mend: Callable[[Any], Any] = lambda value: value) -> Form:
    """One JSON value on each line."""
    return Form(
        lambda data: ([json.loads(line) for line in data.splitlines()], None),
        lambda value, _: b"".join(json.dumps(line).encode() + b"\n" for line in _items(mend(value))),
    )


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _as_toml(value: Any, _: object) -> bytes:
    items = value.items() if isinstance(value, dict) else [("a", value)]
    text = "\n".join(f"{json.dumps(key)} = {toml(item)}" for key, item in items)
    return text.replace("NaN", "nan").replace("Infinity", "inf").encode(errors="surrogatepass")


TOML = Form(lambda data: (tomllib.loads(data.decode()), None), _as_toml)


def mutated(seeds: list[bytes], form: Form | None, random: Random) -> bytes:
    """One of the seeds after one to three changes: of its values, where they can be reached, or its bytes."""
    data = random.choice(seeds)
    for _ in range(random.choice((1, 1, 2, 3))):
        if form is not None and random.random() < 0.6:
            try:
                value, rest = form.opened(data)
                data = form.closed(_changed(value, random), rest)
                continue
            except (ValueError, struct.error, RecursionError, TypeError, LookupError, AttributeError):
                pass  # the bytes were changed before, or the hashes cannot be mended
        data = random.choice(CHANGES)(data, random, seeds)
    return data


def _changed(value: Any, random: Random) -> Any:
    """The value with something inside it changed."""
    if random.random() < 0.15 or not isinstance(value, dict | list) or not value:
        return random.choice(VALUES)
    if isinstance(value, list):
        place = random.randrange(len(value))
        kind = random.random()
        if kind < 0.15:
            return value[:place] + value[place + 1 :]
        if kind < 0.3:
            return [*value[:place], value[place], *value[place:]]
        return [*value[:place], _changed(value[place], random), *value[place + 1 :]]
    key = random.choice(list(value))
    kind = random.random()
    if kind < 0.1:
        return {name: item for name, item in value.items() if name != key}
    if kind < 0.2:
        return {**value, random.choice(["", "a", "\ud800", key + "x"]): random.choice(VALUES)}
    return {**value, key: _changed(value[key], random)}


def _flip(data: bytes, random: Random, _: list[bytes]) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(random.choice((1, 1, 2, 8))):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _cut(data: bytes, random: Random, _: list[bytes]) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _drop(data: bytes, random: Random, _: list[bytes]) -> bytes:
    start, end = _range(data, random)
    return data[:start] + data[end:]


def _repeat(data: bytes, random: Random, _: list[bytes]) -> bytes:
    start, end = _range(data, random)
    return data[:end] + data[start:end] * random.choice((1, 1, 2, 50)) + data[end:]


def _splice(data: bytes, random: Random, seeds: list[bytes]) -> bytes:
    start, end = _range(data, random)
    other = random.choice(seeds)
    begin, stop = _range(other, random)
    return data[:start] + other[begin:stop] + data[end:]


def _token(data: bytes, random: Random, _: list[bytes]) -> bytes:
    start, end = _range(data, random)
    return data[:start] + random.choice(TOKENS) + data[random.choice((start, end)) :]


def _number(data: bytes, random: Random, _: list[bytes]) -> bytes:
    found = list(NUMBER.finditer(data))
    if not found:
        return data
    chosen = random.choice(found)
    return data[: chosen.start()] + random.choice(TOKENS[:9]) + data[chosen.end() :]


def _range(data: bytes, random: Random) -> tuple[int, int]:
    start = random.randrange(len(data) + 1)
    return start, min(len(data), start + random.choice((1, 2, 4, 8, 32, 200)))


CHANGES = (_flip, _cut, _drop, _repeat, _splice, _token, _token, _number)
