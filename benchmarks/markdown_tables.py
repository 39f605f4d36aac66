"""Tables as Markdown, and what stands in their cells."""

from collections.abc import Sequence
from statistics import fmean


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under a head."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows])


def spread(values: Sequence[float], digits: int = 0) -> str:
    """The mean, and the range where there are several, with so many digits after the point."""
    mean, least, most = (f"{value:.{digits}f}" for value in (fmean(values), min(values), max(values)))
    return mean if len(values) == 1 else f"{mean} ({least} to {most})"
