"""Parts measured by several processes, one thread each, so that their number changes no result."""

from __future__ import annotations

import io
import logging
import os
import signal
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import redirect_stdout
from multiprocessing import active_children, get_context
from time import perf_counter, process_time
from typing import Any

from reproduction.items import Part
from reproduction.results import Results

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
GUESS = 10.0  # CPU seconds of a part of which nothing is known


def measure(
    names: list[str], results: Results, n_workers: int, known_seconds: Mapping[str, float]
) -> dict[str, str]:
    """Measure and store these parts, long ones first; the messages of those that failed, by name."""
    seconds = {name: known_seconds.get(name, GUESS) for name in names}
    left = sorted(names, key=lambda name: -seconds[name])
    failed: dict[str, str] = {}
    began, done = perf_counter(), 0.0
    os.environ |= dict.fromkeys(THREADS, "1")  # read by the workers' libraries when they start
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn"), initializer=_start) as pool:
        try:
            waiting = {pool.submit(_measured, results.parts[name]): name for name in left}
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    name = waiting.pop(future)
                    outcome = _stored(name, future, results, failed)
                    done += seconds.pop(name)
                    minutes = (perf_counter() - began) / done * sum(seconds.values()) / 60
                    count = f"[{len(names) - len(waiting)}/{len(names)}]"
                    print(f"{count} {name}: {outcome}; about {minutes:.0f} min left", flush=True)
        except BaseException:
            for worker in active_children():
                worker.terminate()
            raise
    return failed


def _stored(name: str, future: Future[tuple[Any, float]], results: Results, failed: dict[str, str]) -> str:
    """Store one outcome; what is said of it."""
    if error := future.exception():
        failed[name] = f"{type(error).__name__}: {error}"
        return f"failed, {failed[name]}"
    value, seconds = future.result()
    results.keep(name, value, seconds)
    return f"{seconds:.1f} s"


def _start() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    logging.disable(logging.WARNING)


def _measured(part: Part) -> tuple[Any, float]:
    """What a part gives, and the CPU seconds it took; what it prints is dropped."""
    began = process_time()
    with redirect_stdout(io.StringIO()):
        value = part()
    return value, process_time() - began
