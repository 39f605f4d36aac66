"""The benchmarks as a suite.

    python -m benchmarks list              the cases, and what is stored of them
    python -m benchmarks run CASE...       measures the steps that are not stored
    python -m benchmarks stale             numbers in the docs that are older than the code they measure
    python -m benchmarks tables            tables and pictures of the docs, from what is stored

Corpora are read from FEDTOPICS_DATA (default: ../shared/data); results go to benchmarks/results. Each step is
stored as soon as it is measured, so that a run can be stopped and goes on where it was.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys

from benchmarks import ROOT, registry, runner, stale, tables
from fedtopics.errors import InputError

SHOWN = 3  # files that are named; of the others the number


def show(options: argparse.Namespace) -> int:
    """Every case."""
    for case in registry.cases().values():
        print(f"{case.name}: {case.about}")
        reads = f"reads {', '.join(case.corpora)}" if case.corpora else "reads no corpus"
        print(f"    {reads}; about {case.minutes:g} min; stored: {stale.state(case)}")
    return 0


def run(options: argparse.Namespace) -> int:
    """Measure the cases that are named."""
    if options.workers < 1:
        raise InputError(f"expected at least 1 worker, got {options.workers}")
    chosen = [registry.find(name) for name in options.cases]
    if not options.only:
        registry.check_needs(chosen)
    failed: dict[str, str] = {}
    for case in chosen:
        failed |= runner.run(case, n_workers=options.workers, fresh=options.fresh, only=options.only)
    for name, message in failed.items():
        print(f"failed: {name}: {message}", file=sys.stderr)
    return 1 if failed else 0


def show_stale(options: argparse.Namespace) -> int:
    """Pages whose numbers are old, the results behind them and the files that changed."""
    rows = [("page", "result", "changed since it was measured")]
    for old in stale.stale(registry.cases().values()):
        more = f" and {len(old.why) - SHOWN} more" if len(old.why) > SHOWN else ""
        rows += [
            (page, f"{old.case.name}.json", ", ".join(old.why[:SHOWN]) + more) for page in old.case.pages
        ]
    if len(rows) == 1:
        return 0
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for page, result, why in rows:
        print(f"{page:{widths[0]}}  {result:{widths[1]}}  {why}")
    return 1


def write_tables(options: argparse.Namespace) -> int:
    """Tables and pictures."""
    for file in tables.write_all():
        print(f"wrote {file.relative_to(ROOT)}")
    return 0


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = made.add_subparsers(required=True)
    commands.add_parser("list", help="the cases, and what is stored of them").set_defaults(do=show)
    running = commands.add_parser("run", help="measure what is not stored")
    running.add_argument("cases", nargs="+", metavar="CASE")
    running.add_argument(
        "--workers",
        type=int,
        default=os.cpu_count() or 1,
        help="processes; one where time is measured",
    )
    running.add_argument(
        "--fresh",
        action="store_true",
        help="measure all anew; the stored stay until the end",
    )
    running.add_argument("--only", default="", metavar="TEXT", help="steps whose names contain this")
    running.set_defaults(do=run)
    commands.add_parser("stale", help="numbers older than their code").set_defaults(do=show_stale)
    commands.add_parser("tables", help="tables and pictures of the docs").set_defaults(do=write_tables)
    return made


def main() -> int:
    options = parser().parse_args()
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    try:
        return int(options.do(options))
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; what was measured is stored, run again to go on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
