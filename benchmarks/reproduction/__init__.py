"""The five papers, claim by claim. A file placed here that exports ITEMS is found by `reproduce.py`."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from reproduction.items import Item

ORDER = ("ftm_paper", "iftm_paper", "fedlda_paper", "lplda_paper", "pctd_paper")


def items() -> list[Item]:
    """Every figure and table, paper by paper."""
    names = sorted((m.name for m in iter_modules(__path__) if m.name.endswith("_paper")), key=ORDER.index)
    return [item for name in names for item in import_module(f"{__name__}.{name}").ITEMS]
