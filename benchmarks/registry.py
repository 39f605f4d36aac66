"""Every case, found in `cases` and `papers`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from benchmarks import corpora
from benchmarks.case import Case
from fedtopics.errors import InputError

PLACES = ("benchmarks.cases", "benchmarks.papers")


@cache
def cases() -> dict[str, Case]:
    """The cases by name."""
    modules = [
        import_module(f"{place}.{found.name}")
        for place in PLACES
        for found in iter_modules(import_module(place).__path__)
    ]
    found = [case for module in modules for case in vars(module).values() if isinstance(case, Case)]
    return {case.name: case for case in sorted(found, key=lambda case: case.name)}


def find(name: str) -> Case:
    """The case of this name, or an error that names those like it."""
    known = cases()
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=5, cutoff=0.5) or [each for each in known if name in each]
    like = f"; near it are {', '.join(near)}" if near else ""
    raise InputError(f"expected a case that `python -m benchmarks list` shows, got {name!r}{like}")


def check_needs(chosen: Iterable[Case]) -> None:
    """Refuse before the work what cannot be measured here."""
    for case in chosen:
        corpora.check(case.corpora, case.name)
        for module, extra in case.needs.items():
            if find_spec(module) is None:
                raise InputError(
                    f"{case.name} needs {module}, which is not installed: pip install 'fedtopics[{extra}]'"
                )
