"""Plain data as YAML: tables, lists, numbers and texts, so that any reader gets back what was written.

Texts of several lines stand in blocks (`|`), others in double quotes, with what cannot be printed escaped.
"""

import math
from collections.abc import Mapping
from typing import TypeAlias

Value: TypeAlias = "Mapping[str, Value] | list[str] | str | int | float"


def yaml_text(data: Mapping[str, Value]) -> str:
    """The `data` as a YAML file.

    >>> data = {"name": "a: b", "of": {"epsilon": 6.0, "lines": "one\\ntwo"}, "by": ["me"]}
    >>> print(yaml_text(data), end="")
    name: "a: b"
    of:
      epsilon: 6.0
      lines: |-
        one
        two
    by:
      - "me"
    """
    return "".join(f"{line}\n" for line in _lines(data, ""))


def _lines(data: Mapping[str, Value], indent: str) -> list[str]:
    found = []
    for name, value in data.items():
        if isinstance(value, Mapping):
            found += [f"{indent}{name}:", *_lines(value, indent + "  ")]
        elif isinstance(value, list):
            found += [f"{indent}{name}:", *(f"{indent}  - {_quoted(item)}" for item in value)]
        elif isinstance(value, str) and _is_block(value):
            found += [f"{indent}{name}: |-", *(f"{indent}  {line}".rstrip() for line in value.split("\n"))]
        else:
            found.append(f"{indent}{name}: {_quoted(value) if isinstance(value, str) else _number(value)}")
    return found


def _is_block(text: str) -> bool:
    """Whether a text can stand as it is, line by line."""
    lines = text.split("\n")
    plain = all(line.isprintable() and line == line.rstrip() for line in lines)
    return len(lines) > 1 and plain and not text.startswith((" ", "\n")) and bool(lines[-1])


def _quoted(text: str) -> str:
    escaped = text.encode("utf-8", "replace").decode().replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'


def _number(value: float) -> str:
    """A number that every version of YAML takes for one: 1e-06 is a text in YAML 1.1, 1.0e-06 is not."""
    if not math.isfinite(value):
        raise ValueError(f"expected a finite number, got {value}")
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    return text if not e or "." in mantissa else f"{mantissa}.0e{exponent}"
