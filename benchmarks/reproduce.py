"""Measure every figure and table of the five papers and write docs/reproduction.md.

    python benchmarks/reproduce.py                everything; what is stored already is not measured again
    python benchmarks/reproduce.py ftm-figure-4   some items
    python benchmarks/reproduce.py --list         the items
    python benchmarks/reproduce.py --page         only write the page from what is stored

Results are kept in runs/reproduce, part by part, so that a run can be stopped and resumed. Charts go to
docs/reproduction/*.svg, numbers to docs/reproduction/numbers.json. FEDTOPICS_DATA names the data folder.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from reproduction import items
from reproduction.items import Finding, Item
from reproduction.page import page
from reproduction.results import Kept, UnmeasuredError

from fedtopics.errors import InputError

ROOT = Path(__file__).parents[1]
KEPT = Path(os.environ.get("FEDTOPICS_REPRODUCTION", ROOT / "runs" / "reproduce"))
DOCS = ROOT / "docs"


def measured(item: Item, kept: Kept) -> tuple[Finding, str]:
    """What came out for one item, and the address of its chart."""
    numbers = item.measure(kept)
    finding = item.judge(numbers)
    if item.chart is None:
        return finding, ""
    file = DOCS / "reproduction" / f"{item.key}.svg"
    file.parent.mkdir(exist_ok=True)
    file.write_text(item.chart(numbers) + "\n", encoding="utf-8")
    return finding, f"reproduction/{item.key}.svg"


def write(found: dict[Item, tuple[Finding, str]], kept: dict[Item, Kept]) -> None:
    """The page and the numbers behind it."""
    rows = [(item, *result) for item, result in found.items()]
    seconds = sum(results.seconds for results in kept.values())
    numbers = {item.key: {"verdict": finding.verdict, "parts": kept[item].parts} for item, finding, _ in rows}
    (DOCS / "reproduction.md").write_text(page(rows, seconds), encoding="utf-8")
    (DOCS / "reproduction" / "numbers.json").write_text(json.dumps(numbers) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("keys", nargs="*", help="items; all of them where none is named")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    known = {item.key: item for item in items()}
    if options.list:
        print("\n".join(f"{key:20} {item.paper}, {item.title}" for key, item in known.items()))
        return 0
    if unknown := set(options.keys) - set(known):
        raise InputError(f"unknown items {', '.join(sorted(unknown))}; see --list")
    chosen = [known[key] for key in options.keys] or list(known.values())
    kept = {item: Kept(KEPT, item.key, measuring=not options.page) for item in known.values()}
    found: dict[Item, tuple[Finding, str]] = {}
    for number, item in enumerate(chosen, start=1):
        print(f"[{number}/{len(chosen)}] {item.paper}, {item.title}", flush=True)
        try:
            found[item] = measured(item, kept[item])
            print(f"    {found[item][0].verdict}", flush=True)
        except UnmeasuredError as missing:
            print(f"    left out: {missing} is not measured yet", flush=True)
    if len(chosen) == len(known):
        write(found, kept)
        print(f"wrote {DOCS / 'reproduction.md'}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except InputError as error:
        sys.exit(f"error: {error}")
