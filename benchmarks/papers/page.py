"""The page: one section per figure or table, behind a table of all verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.papers.items import HOLDS, IN_PART, NOT, Finding, Item

INTRODUCTION = """# Reproduction: the five papers, claim by claim

Written by `make reproduce`; do not edit. Every figure and table of the five papers, measured anew with this
package. The papers' own data are not public except where said, so each row names what stands in. Numbers
are held-out perplexity by document completion (lower is better; a higher likelihood is a lower perplexity)
unless said otherwise; the spread is from the lowest to the highest of the seeds.

**Holds** means that every part of the claim came out the same way, by a rule on the numbers that the row
states; **holds in part** that some parts did, or that only the repaired variant (`sound`) shows it; **does
not hold** that none did. The *honest epsilon* is what can be proved of the paper's own setting, with its
relation; where nothing can be, the row says so. CALM, the default method of this package, is run at that
epsilon, or where there is none at the paper's nominal epsilon, meant honestly (word add/remove).
"""


@dataclass(frozen=True)
class Row:
    """An item, what came out, the address of its chart (or nothing) and the CPU seconds of its parts."""

    item: Item
    finding: Finding
    chart: str
    seconds: float


def page(rows: Sequence[Row], n_items: int, seconds: float) -> str:
    """Markdown of the rows; `seconds` counts a part that several rows share once."""
    counts = {v: sum(row.finding.verdict == v for row in rows) for v in (HOLDS, IN_PART, NOT)}
    total = ", ".join(f"{number} {name}" for name, number in counts.items())
    missing = "" if len(rows) == n_items else f" {n_items - len(rows)} are not measured yet."
    lines = [
        INTRODUCTION,
        f"{len(rows)} rows: {total}.{missing} Measuring took {seconds / 60:.0f} CPU minutes.",
        "",
    ]
    lines += ["| paper | | verdict | CPU seconds |", "|---|---|---|---|"]
    for row in rows:
        link = f"[{row.item.title}](#{_anchor(row.item)})"
        lines.append(f"| {row.item.paper} | {link} | {row.finding.verdict} | {row.seconds:.0f} |")
    lines += ["", "Rows that share a measurement each count its seconds."]
    for row in rows:
        lines += _section(row)
    return "\n".join(lines) + "\n"


def _section(row: Row) -> list[str]:
    item, finding = row.item, row.finding
    cells = {
        "claim": item.claim,
        "data here": item.data,
        "measured": finding.measured,
        "verdict": finding.judged,
        "why": finding.why,
        "honest epsilon": finding.honest,
        "CALM there": finding.calm,
    }
    lines = ["", f"({_anchor(item)})=", f"## {item.paper}, {item.title}", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {_cell(text)} |" for name, text in cells.items()]
    return lines + (["", f"![{item.paper}, {item.title}]({row.chart})"] if row.chart else [])


def _anchor(item: Item) -> str:
    return f"reproduction-{item.key}"


def _cell(text: str) -> str:
    if not text.strip():
        raise ValueError("a row of the page is empty")
    return " ".join(text.split()).replace("|", "\\|")
