"""The page: one section per figure or table, behind a table of all verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from reproduction.items import HOLDS, IN_PART, NOT, Finding, Item

INTRODUCTION = """# Reproduction: the five papers, claim by claim

Written by `make reproduce`; do not edit. Every figure and table of the five papers, measured anew with this
package. The papers' own data are not public except where said, so each row names what stands in. Numbers
are held-out perplexity by document completion (lower is better; a higher likelihood is a lower perplexity)
unless said otherwise.

**Holds** means that every part of the claim came out the same way, by a rule on the numbers that the code
states; **holds in part** that some parts did, or that only the repaired variant (`sound`) shows it; **does
not hold** that none did. The *honest epsilon* is what can be proved of the paper's own setting, with its
relation; where nothing can be, the row says so. CALM, the default method of this package, is run at that
epsilon, or where there is none at the paper's nominal epsilon, meant honestly (word add/remove).
"""


def page(found: Sequence[tuple[Item, Finding, str]], seconds: float) -> str:
    """Markdown of all items with their findings and the address of their chart, where there is one."""
    counts = {v: sum(finding.verdict == v for _, finding, _ in found) for v in (HOLDS, IN_PART, NOT)}
    total = ", ".join(f"{number} {name}" for name, number in counts.items())
    lines = [INTRODUCTION, f"{len(found)} rows: {total}. Measuring took {seconds / 60:.0f} minutes.", ""]
    lines += ["| paper | | verdict |", "|---|---|---|"]
    lines += [f"| {item.paper} | [{item.title}](#{_anchor(item)}) | {f.verdict} |" for item, f, _ in found]
    for item, finding, chart in found:
        lines += ["", f"({_anchor(item)})=", f"## {item.paper}, {item.title}", ""]
        lines += ["| | |", "|---|---|"]
        rows = {
            "claim": item.claim,
            "data here": item.data,
            "measured": finding.measured,
            "verdict": f"**{finding.verdict}**",
            "why": finding.why,
            "honest epsilon": finding.honest,
            "CALM there": finding.calm,
        }
        lines += [f"| {name} | {_cell(text)} |" for name, text in rows.items()]
        if chart:
            lines += ["", f"![{item.paper}, {item.title}]({chart})"]
    return "\n".join(lines) + "\n"


def _anchor(item: Item) -> str:
    return f"reproduction-{item.key}"


def _cell(text: str) -> str:
    if not text.strip():
        raise ValueError("a row of the page is empty")
    return " ".join(text.split()).replace("|", "\\|")
