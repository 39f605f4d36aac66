"""A case: what is measured, step by step, and what the numbers are for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import Any, TypeAlias

from benchmarks import ROOT

Step: TypeAlias = Callable[[], Any]  # one measurement: a `functools.partial`, which another process can run
Steps: TypeAlias = dict[str, Step]  # by name; `results/CASE.json` nests them at each slash
Values: TypeAlias = dict[str, Any]  # what the steps gave, nested


@dataclass(frozen=True, eq=False)
class Case:
    """One benchmark. Its results are in `results/NAME.json`.

    about      what it measures, in one line
    steps      gives the steps; what is stored of them is not measured again
    measures   modules, classes or functions of fedtopics whose code the numbers depend on
    minutes    of processor time, roughly
    corpora    names in `corpora.PATHS` that it reads
    needs      modules beyond the dependencies, by the extra that brings them
    timed      it measures time: one step at a time, in this process, with all threads
    pages      documents that show its numbers
    shows      what the pages show, made from what is stored: tables by name, files by path below docs
    summary    what to say at the end, from what is stored
    """

    name: str
    about: str
    steps: Callable[[], Steps]
    measures: tuple[object, ...]
    minutes: float
    seeds: tuple[int, ...] = (0,)
    corpora: tuple[str, ...] = ()
    needs: Mapping[str, str] = field(default_factory=dict)
    timed: bool = False
    pages: tuple[str, ...] = ()
    shows: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    summary: Callable[[], str] | None = None

    @property
    def sources(self) -> list[str]:
        """Files and folders of what it measures, below the root of the repository."""
        return sorted({_source(measured) for measured in self.measures})


def case(name: str, **declared: Any) -> Callable[[Callable[[], Steps]], Case]:
    """Makes a case of the function that gives its steps; its docstring says what is measured."""

    def made(steps: Callable[[], Steps]) -> Case:
        about = (steps.__doc__ or "").splitlines()[0].removesuffix(".")
        return Case(name, about, steps, **declared)

    return made


def _source(measured: Any) -> str:
    """Where a module, class or function stands; a package is a folder.

    >>> _source(partial(print))
    'src/functools.py'
    """
    name = measured.__name__ if isinstance(measured, ModuleType) else measured.__module__
    place = f"src/{name.replace('.', '/')}"
    return place if (ROOT / place).is_dir() else f"{place}.py"


def call(step: Step) -> str:
    """How a step is called, as text: another call is another measurement.

    >>> call(partial(print, 1, end=""))
    "print(1, end='')"
    """
    if not isinstance(step, partial):
        return f"{step.__qualname__}()"
    given = [call(value) if callable(value) else repr(value) for value in step.args]
    given += [f"{name}={value!r}" for name, value in sorted(step.keywords.items())]
    return f"{step.func.__qualname__}({', '.join(given)})"
