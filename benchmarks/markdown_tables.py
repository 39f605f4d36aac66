"""Tables as Markdown, and what stands in their cells."""

from collections.abc import Sequence
from statistics import fmean


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under a head."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows])


def spread(values: Sequence[float]) -> str:
    """The mean, and the range where there are several."""
    if len(values) == 1:
        return f"{values[0]:.0f}"
    return f"{fmean(values):.0f} ({min(values):.0f} to {max(values):.0f})"
