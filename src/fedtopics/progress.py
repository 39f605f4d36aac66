"""Progress on the terminal: one bar, whatever is being counted.

Bars go to standard error, and only when it is a terminal, so a program that reads the output never sees one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Bar(Protocol):
    """What the body of a `bar(...)` block is handed."""

    def advance(self, steps: float = 1, **extra: object) -> None:
        """Move on by that many steps; `extra` (such as perplexity=812.3) is shown beside the bar."""


class _Hidden:
    def advance(self, steps: float = 1, **extra: object) -> None:
        """Show nothing."""


@contextmanager
def bar(description: str, total: float | None = None, *, shown: bool | None = None) -> Iterator[Bar]:
    """A progress bar for the length of a `with` block.

    total   how many steps there will be; None where nobody knows
    shown   True or False to decide; None shows it when standard error is a terminal

    >>> with bar("Training", total=2, shown=False) as progress:
    ...     progress.advance(perplexity=812.3)
    """
    if shown is None:
        shown = sys.stderr.isatty()
    if not shown:
        yield _Hidden()
        return
    with _rich_bar(description, total) as visible:
        yield visible


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
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(show_speed=False),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[extra]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as display:
        task = display.add_task(escape(description), total=total, extra="")

        class Visible:
            def advance(self, steps: float = 1, **extra: object) -> None:
                display.advance(task, steps)
                if extra:
                    display.update(task, extra=escape(_line(extra)))

        yield Visible()


def _line(extra: dict[str, object]) -> str:
    shown = {
        name: f"{value:.4g}" if isinstance(value, float) else str(value) for name, value in extra.items()
    }
    return "  ".join(f"{name} {value}" for name, value in shown.items())
