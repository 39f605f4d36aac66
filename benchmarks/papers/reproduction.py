"""Measure every figure and table of the five papers and write docs/reproduction.md.

    python benchmarks/reproduce.py                everything; what is stored already is not measured again
    python benchmarks/reproduce.py ftm-figure-4   some items, without the page
    python benchmarks/reproduce.py --workers 1    one process in place of one for each core
    python benchmarks/reproduce.py --list         the items
    python benchmarks/reproduce.py --page         only write the page from what is stored

Results are kept in runs/reproduce, part by part, so that a run can be stopped (Ctrl-C) and resumed. Charts go
to docs/reproduction/*.svg, numbers to docs/reproduction/numbers.json. FEDTOPICS_DATA names the data folder.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reproduction import all_parts, items
from reproduction.items import Item
from reproduction.measuring import measure
from reproduction.page import Row, page
from reproduction.results import Results

from fedtopics.errors import InputError

ROOT = Path(__file__).parents[1]
KEPT = Path(os.environ.get("FEDTOPICS_REPRODUCTION", ROOT / "runs" / "reproduce"))
DOCS = ROOT / "docs"
NUMBERS = Path("reproduction", "numbers.json")


def row(item: Item, results: Results, docs: Path) -> Row:
    """What came out for one item, its chart drawn."""
    numbers = results.values(item.parts)
    seconds = sum(results.measured[name].seconds for name in item.parts)
    if item.chart is None:
        return Row(item, item.judge(numbers), "", seconds)
    chart = Path("reproduction", f"{item.key}.svg")
    (docs / chart).parent.mkdir(exist_ok=True)
    (docs / chart).write_text(item.chart(numbers) + "\n", encoding="utf-8")
    return Row(item, item.judge(numbers), chart.as_posix(), seconds)


def write(rows: Sequence[Row], results: Results, n_items: int, docs: Path) -> None:
    """The page and the numbers behind it."""
    names = {name: None for row in rows for name in row.item.parts}
    parts = {name: vars(results.measured[name]) for name in names}
    seconds = sum(part["seconds"] for part in parts.values())
    verdicts = {
        row.item.key: {
            "verdict": row.finding.verdict,
            "checks": row.finding.checks,
            "parts": [*row.item.parts],
        }
        for row in rows
    }
    text = page(rows, n_items, seconds)
    (docs / NUMBERS).parent.mkdir(exist_ok=True)
    (docs / NUMBERS).write_text(json.dumps({"items": verdicts, "parts": parts}) + "\n", encoding="utf-8")
    (docs / "reproduction.md").write_text(text, encoding="utf-8")


def known_seconds(docs: Path) -> dict[str, float]:
    """What each part took when the page was last written, to say how long it will take now."""
    if not (docs / NUMBERS).exists():
        return {}
    stored: dict[str, Any] = json.loads((docs / NUMBERS).read_text(encoding="utf-8"))
    return {name: part["seconds"] for name, part in stored["parts"].items()}


def run(chosen: Sequence[Item], results: Results, n_workers: int, docs: Path) -> int:
    """Measure what these items lack and say how they come out; the exit status."""
    names = [name for name in all_parts(chosen) if name not in results.measured]
    print(f"{len(names)} parts to measure by {n_workers} processes", flush=True)
    failed = measure(names, results, n_workers, known_seconds(docs)) if names else {}
    for item in chosen:
        if lacking := [name for name in item.parts if name not in results.measured]:
            print(f"{item.key}: not finished, {len(lacking)} of {len(item.parts)} parts are missing")
        else:
            print(f"{item.key}: {item.judge(results.values(item.parts)).verdict}")
    for name, message in failed.items():
        print(f"failed: {name}: {message}", file=sys.stderr)
    return 1 if failed else 0


def written(known: Sequence[Item], results: Results, docs: Path) -> str:
    """The page of all items whose parts are stored; what to say about it."""
    whole = [item for item in known if not item.parts.keys() - results.measured.keys()]
    write([row(item, results, docs) for item in whole], results, len(known), docs)
    return f"wrote {docs / 'reproduction.md'}: {len(whole)} of {len(known)} rows"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("keys", nargs="*", help="items; all of them where none is named")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument("--list", action="store_true", help="only list the items")
    parser.add_argument("--page", action="store_true", help="only write the page from what is stored")
    options = parser.parse_args()
    known = {item.key: item for item in items()}
    if options.list:
        print("\n".join(f"{key:20} {item.paper}, {item.title}" for key, item in known.items()))
        return 0
    if options.workers < 1:
        raise InputError(f"expected at least 1 worker, got {options.workers}")
    if unknown := set(options.keys) - set(known):
        raise InputError(f"expected items that --list shows, got {', '.join(sorted(unknown))}")
    chosen = [known[key] for key in options.keys] or list(known.values())
    results = Results(KEPT, all_parts(list(known.values())))
    status = 0 if options.page else run(chosen, results, options.workers, DOCS)
    if options.page or (status == 0 and len(chosen) == len(known)):
        print(written(list(known.values()), results, DOCS))
    return status


if __name__ == "__main__":
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    try:
        sys.exit(main())
    except InputError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("stopped; what was measured is stored, run again to go on")
