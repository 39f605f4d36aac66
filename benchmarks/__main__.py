"""The benchmarks as a suite.

Corpora are read from FEDTOPICS_DATA (default: ../shared/data), results go to benchmarks/results. Each step is
stored as soon as it is measured, so that a run can be stopped and goes on where it was.
"""

from __future__ import annotations

import os
import signal
import sys
from argparse import ArgumentParser, Namespace

from benchmarks import ROOT, registry, runner, stale, tables
from fedtopics.errors import InputError

SHOWN = 3  # changed definitions that are named


def show(options: Namespace) -> int:
    """the cases, and what is stored of them"""
    for case in registry.cases().values():
        reads = f"reads {', '.join(case.corpora)}" if case.corpora else "reads no corpus"
        print(f"{case.name}: {case.about}")
        print(f"    {reads}; about {case.minutes:g} CPU min; stored: {stale.state(case)}")
    return 0


def run(options: Namespace) -> int:
    """measure the steps of cases that are not stored"""
    if options.workers < 1:
        raise InputError(f"expected at least 1 worker, got {options.workers}")
    chosen = [registry.find(name) for name in options.cases]
    if options.only:
        chosen = [case for case in chosen if any(options.only in name for name in case.steps())]
        if not chosen:
            named = ", ".join(options.cases)
            raise InputError(f"expected a part of the name of a step of {named}, got --only {options.only!r}")
    else:
        registry.check_needs(chosen)
    failed: dict[str, str] = {}
    for case in chosen:
        failed |= runner.run(case, n_workers=options.workers, fresh=options.fresh, only=options.only)
    for name, message in failed.items():
        print(f"failed: {name}: {message}", file=sys.stderr)
    return 1 if failed else 0


def show_stale(options: Namespace) -> int:
    """numbers in the docs that are older than the code they measure; exit status 1 where there are some"""
    rows = [("page", "result", "of the definitions that it measures have changed")]
    for case, why in sorted(stale.stale(registry.cases().values()).items(), key=lambda found: len(found[1])):
        shown = [name.removeprefix("src/fedtopics/") for name in why[:SHOWN]]
        named = ", ".join(shown) + (" ..." if len(why) > SHOWN else "")
        if why != (stale.UNKNOWN,):
            named = f"{len(why)} of {stale.measured(case)}: {named}"
        rows += [(page, f"{case.name}.json", named) for page in case.pages]
    if len(rows) == 1:
        return 0
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for page, result, named in rows:
        print(f"{page:{widths[0]}}  {result:{widths[1]}}  {named}")
    return 1


def write_tables(options: Namespace) -> int:
    """write the tables and pictures of the docs from what is stored"""
    for file in tables.write_all():
        print(f"wrote {file.relative_to(ROOT)}")
    return 0


def parser() -> ArgumentParser:
    made = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = made.add_subparsers(required=True)
    for name, do in {"list": show, "run": run, "stale": show_stale, "tables": write_tables}.items():
        command = commands.add_parser(name, help=do.__doc__, description=do.__doc__)
        command.set_defaults(do=do)
    running = commands.choices["run"]
    running.add_argument("cases", nargs="+", metavar="CASE")
    running.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes at a time")
    running.add_argument("--fresh", action="store_true", help="measure anew; the stored stay till then")
    running.add_argument("--only", default="", metavar="TEXT", help="steps whose names contain this")
    return made


def main() -> int:
    options = parser().parse_args()
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    try:
        status = int(options.do(options))
        sys.stdout.flush()
        return status
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # who reads has seen enough, like `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print("stopped; what was measured is stored, run again to go on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
