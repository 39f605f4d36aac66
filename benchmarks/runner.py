"""Measures the steps of a case that are not stored, and stores each as soon as it is there."""

from __future__ import annotations

import io
import logging
import os
import signal
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import redirect_stdout
from multiprocessing import active_children, get_context
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time
from typing import Any, TypeAlias

import fedtopics
from benchmarks import stored
from benchmarks.case import Case, Step, Steps
from benchmarks.corpora import MissingDataError
from benchmarks.provenance import origin
from benchmarks.stored import Results
from fedtopics.progress import bar

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
GUESS = 10.0  # CPU seconds of a step of which nothing is known

Outcome: TypeAlias = tuple[Any, float] | Exception  # value and CPU seconds, or what went wrong


def run(case: Case, *, n_workers: int = 1, fresh: bool = False, only: str = "") -> dict[str, str]:
    """Measure what a case lacks; the messages of the steps that failed, by name.

    fresh   measure all steps anew; they take the place of the stored ones when the last is there
    only    choose the steps whose names contain this; with `fresh`, each takes the place of the stored one
            as soon as it is there, and a fresh run of all steps that was stopped is left as it is
    """
    known, every = stored.results_of(case), case.steps()
    results = stored.draft_of(case) if fresh and not only else known
    chosen = {name: step for name, step in every.items() if only in name}
    again = fresh and only
    missing = {name: step for name, step in chosen.items() if again or not results.has(name, step)}
    if missing:
        results.refuse_other_versions(fedtopics.__version__)
    went_on = f"{len(chosen) - len(missing)} of {len(chosen)} steps are stored"
    if results is not known and results.steps:
        went_on += f" by a fresh run that was stopped ({results.file})"
    print(f"{case.name}: {went_on}, {len(missing)} to measure{' anew' if again else ''}", flush=True)
    seconds = {name: known.steps.get(name, {}).get("seconds") or GUESS for name in missing}
    failed = measure(case, missing, results, n_workers, seconds) if missing else {}
    if results is not known and not failed:
        known.steps = {name: results.steps[name] for name in every}
        known.save()
        results.file.unlink(missing_ok=True)
    if case.summary is not None and not failed and not every.keys() - known.steps.keys():
        try:
            print(case.summary(), flush=True)
        except ValueError as error:
            failed[case.name] = str(error)
    return failed


def measure(
    case: Case, steps: Steps, results: Results, n_workers: int, seconds: dict[str, float]
) -> dict[str, str]:
    """Measure and store these steps; `seconds` is how long each is likely to take."""
    failed: dict[str, str] = {}
    here = origin(case.seeds)
    outcomes = _here(steps) if case.timed else _by_workers(steps, n_workers, seconds)
    with bar(case.name, total=sum(seconds.values())) as progress:
        for number, (name, outcome) in enumerate(outcomes, start=1):
            if isinstance(outcome, MissingDataError):
                raise outcome
            if isinstance(outcome, Exception):
                failed[name] = f"{type(outcome).__name__}: {outcome}"
                said = f"failed, {failed[name]}"
            else:
                results.keep(name, steps[name], outcome[0], outcome[1], here)
                said = f"{outcome[1]:.1f} s"
            progress.advance(seconds[name])
            print(f"[{number}/{len(steps)}] {name}: {said}", flush=True)
    return failed


def _here(steps: Steps) -> Iterator[tuple[str, Outcome]]:
    for name, step in steps.items():
        try:
            yield name, _measured(step)
        except Exception as error:
            yield name, error


def _by_workers(steps: Steps, n_workers: int, seconds: dict[str, float]) -> Iterator[tuple[str, Outcome]]:
    """By several processes, long steps first; one thread each, so that their number changes no result."""
    left = sorted(steps, key=lambda name: -seconds[name])
    os.environ |= dict.fromkeys(THREADS, "1")  # read by the workers' libraries when they start
    n_workers = min(n_workers, len(steps))
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn"), initializer=_start) as pool:
        try:
            waiting = {pool.submit(_measured, steps[name]): name for name in left}
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    error = future.exception()
                    if error is not None and not isinstance(error, Exception):
                        raise error
                    yield waiting.pop(future), error or future.result()
        except BaseException:
            for worker in active_children():
                worker.terminate()
            raise


def _start() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _measured(step: Step) -> tuple[Any, float]:
    """What a step gives, and the CPU seconds it took; what it prints and warns of is dropped."""
    began = _spent()
    logging.disable(logging.WARNING)
    try:
        with redirect_stdout(io.StringIO()):
            value = step()
    finally:
        logging.disable(logging.NOTSET)
    return value, _spent() - began


def _spent() -> float:
    """CPU seconds of this process and of those that it started and that have ended."""
    children = getrusage(RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def in_own_process(step: Step) -> Any:
    """What a step gives in a process of its own: memory that others took before does not count."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(step).result()
