"""The five papers, claim by claim. A file placed here whose name ends in `_paper` exports ITEMS."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules

from benchmarks.case import call
from benchmarks.papers.items import Item, Parts

ORDER = ("ftm_paper", "iftm_paper", "fedlda_paper", "lplda_paper", "pctd_paper")


def items() -> list[Item]:
    """Every figure and table, paper by paper."""
    names = sorted((m.name for m in iter_modules(__path__) if m.name.endswith("_paper")), key=ORDER.index)
    return [item for name in names for item in import_module(f"{__name__}.{name}").ITEMS]


def all_parts(items: Sequence[Item]) -> Parts:
    """The parts of all items, each once."""
    parts: Parts = {}
    for item in items:
        for name, part in item.parts.items():
            if call(parts.setdefault(name, part)) != call(part):
                raise ValueError(f"two different parts have the name {name!r}")
    return parts
