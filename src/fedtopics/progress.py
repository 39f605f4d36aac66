"""Progress on the terminal and in notebooks: one bar, whatever is being counted.

Bars go to standard error, and only when it is a terminal, so a program that reads the output never sees one.
In a notebook they are part of the output of the cell.
"""

import sys
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape as escape_html
from time import monotonic
from typing import Protocol, TypeVar

from fedtopics.notebook import Output, is_notebook

Item = TypeVar("Item")
_part: ContextVar[str] = ContextVar("part", default="")
REFRESH = 0.2  # seconds between two drawings in a notebook


class Bar(Protocol):
    """What the body of a `bar(...)` block is handed."""

    def advance(self, steps: float = 1, **extra: object) -> None:
        """Move on by that many steps; `extra` (such as perplexity=812.3) is shown beside the bar."""

    def call(self, description: str) -> None:
        """Say something else before the bar from now on."""


class _Hidden:
    def advance(self, steps: float = 1, **extra: object) -> None:
        """Show nothing."""

    def call(self, description: str) -> None:
        """Show nothing."""


@contextmanager
def part(number: int, of: int, name: str = "run") -> Iterator[None]:
    """Let the bars of a `with` block say that this is one of several: "run 2 of 4"; nothing for one alone.

    >>> with part(2, of=4), bar("Training calm", shown=False) as progress:
    ...     progress.advance()
    """
    before = _part.set(f"{name} {number} of {of}: " if of > 1 else "")
    try:
        yield
    finally:
        _part.reset(before)


@contextmanager
def bar(description: str, total: float | None = None, *, shown: bool | None = None) -> Iterator[Bar]:
    """A progress bar for the length of a `with` block.

    total   how many steps there will be; None where nobody knows
    shown   True or False to decide; None shows it on a terminal and in a notebook

    >>> with bar("Training", total=2, shown=False) as progress:
    ...     progress.advance(perplexity=812.3)
    """
    if shown is None:
        shown = sys.stderr.isatty() or is_notebook()
    description = _part.get() + description
    if not shown:
        yield _Hidden()
    elif is_notebook():
        visible = _NotebookBar(description, total)
        yield visible
        visible.show()
    else:
        with _rich_bar(description, total) as rich:
            yield rich


def track(
    items: Iterable[Item], description: str, total: float | None = None, *, shown: bool | None = None
) -> Iterator[Item]:
    """The same items, with a bar that moves as they are taken.

    >>> sum(track([1, 2, 3], "Adding", shown=False))
    6
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    with bar(description, total, shown=shown) as progress:
        for item in items:
            yield item
            progress.advance()


@contextmanager
def _rich_bar(description: str, total: float | None) -> Iterator[Bar]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(24),
        TaskProgressColumn(show_speed=False),
        *([TimeElapsedColumn()] if total is None else [TimeRemainingColumn(elapsed_when_finished=True)]),
        TextColumn("{task.fields[extra]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as display:
        task = display.add_task(escape(description), total=total, extra="")

        class Visible:
            def advance(self, steps: float = 1, **extra: object) -> None:
                display.advance(task, steps)
                if extra:
                    display.update(task, extra=escape(_line(extra)))

            def call(self, description: str) -> None:
                display.update(task, description=escape(description))

        yield Visible()
        if total is None:  # what had no number is done now
            display.update(task, total=1, completed=1)


class _NotebookBar:
    """A bar in the output of a cell, drawn anew a few times a second."""

    def __init__(self, description: str, total: float | None) -> None:
        self.description, self.total, self.done = description, total, 0.0
        self.extra: dict[str, object] = {}
        self.began = self.drawn = monotonic()
        self.output = Output(self._html())

    def advance(self, steps: float = 1, **extra: object) -> None:
        """Move on by that many steps."""
        self.done += steps
        self.extra |= extra
        if monotonic() - self.drawn > REFRESH:
            self.show()

    def call(self, description: str) -> None:
        """Say something else before the bar."""
        self.description = description

    def show(self) -> None:
        """Draw the bar as it is now."""
        self.drawn = monotonic()
        self.output.update(self._html())

    def _html(self) -> str:
        share = f' value="{self.done:g}" max="{self.total:g}"' if self.total else ""
        told = [self.description, *self._times(), _line(self.extra)]
        return f"<div><progress{share}></progress> {escape_html('  '.join(filter(None, told)))}</div>"

    def _times(self) -> list[str]:
        passed = monotonic() - self.began
        if not self.total or not self.done:
            return [_clock(passed)]
        if self.done >= self.total:
            return ["100%", _clock(passed)]
        left = passed / self.done * (self.total - self.done)
        return [f"{self.done / self.total:.0%}", f"{_clock(left)} left"]


def _clock(seconds: float) -> str:
    """Minutes and seconds.

    >>> _clock(75.4)
    '1:15'
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _line(extra: dict[str, object]) -> str:
    shown = {
        name: f"{value:.4g}" if isinstance(value, float) else str(value) for name, value in extra.items()
    }
    return "  ".join(f"{name} {value}" for name, value in shown.items())
