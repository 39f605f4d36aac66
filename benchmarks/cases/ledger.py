"""Time of the privacy ledger as it grows: charging n releases of one party, and checking a budget.

"charged": in memory. "released": at a party with its files, where the check, the release and its line are on
the disk before they count; the median of 20 by the clock, after n others (written without waiting for the
disk).
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from unittest.mock import patch

import numpy as np

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.markdown_tables import table
from fedtopics.network import party
from fedtopics.network.party.store import PartyStore
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price import ledger as ledgers
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.ledger import Ledger

SIZES = (200, 400, 800, 10_000)  # entries
BUDGET = Budget("word add/remove", 1e6, 1e-6)
COST = Histogram(0.01, 1000).price()
TIMES = 20


def charged(n_entries: int) -> dict[str, float]:
    """CPU seconds to charge all of them, each checked against the budget, and for one more check of it."""
    ledger = Ledger(budgets=(BUDGET,))
    began = process_time()
    for number in range(n_entries):
        ledger.charge("party", number, COST, content=str(number))
    between = process_time()
    ledger.require("party", [COST])
    return {"cpu_seconds_to_charge": between - began, "cpu_seconds_of_a_check": process_time() - between}


def released(n_entries: int) -> dict[str, float]:
    """Seconds of a check of the budget, and of one more release, at a party that has made n."""
    memory = {"counts": np.zeros(1000)}
    with TemporaryDirectory() as folder, PartyStore(Path(folder) / "store", "party", [BUDGET]) as store:
        with patch.object(os, "fsync", lambda descriptor: None):
            for number in range(n_entries):
                store.commit(f"run-{number // 100}", number, "contribute", COST, b"payload", memory)
        checks, releases, working = [], [], process_time()
        for number in range(n_entries, n_entries + TIMES):
            began = perf_counter()
            store.require([COST])
            checks.append(perf_counter() - began)
            store.commit("newest", number, "contribute", COST, b"payload", memory)
            releases.append(perf_counter() - began)
        working = process_time() - working
    return {
        "seconds_of_a_check": median(checks),
        "seconds_of_check_and_release": median(releases),
        "cpu_seconds_of_check_and_release": working / TIMES,
    }


def shown() -> str:
    """What a check and a release take as a ledger grows."""
    found = stored.values("ledger").get("released", {})
    rows = [
        [
            f"{n_entries:,}",
            f"{1e3 * found[name]['seconds_of_a_check']:.2f} ms",
            f"{1e3 * found[name]['cpu_seconds_of_check_and_release']:.1f} ms",
            f"{1e3 * found[name]['seconds_of_check_and_release']:.1f} ms",
        ]
        for n_entries in SIZES
        for name in [f"{n_entries} entries"]
        if name in found
    ]
    return table(
        ["entries of the ledger", "check of the budget", "check and release: processor", "on the disk"], rows
    )


@case(
    "ledger",
    measures=(ledgers, accounting, party),
    minutes=1,
    timed=True,
    pages=("docs/operate/cluster.md",),
    shows={"ledger": shown},
    summary=shown,
)
def steps() -> Steps:
    """Seconds to charge releases, to check a budget and to make one more release, as a ledger grows."""
    return {
        **{f"charged/{n_entries} entries": partial(charged, n_entries) for n_entries in SIZES},
        **{f"released/{n_entries} entries": partial(released, n_entries) for n_entries in SIZES},
    }
