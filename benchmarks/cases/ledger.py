"""Time of the privacy ledger as it grows: charging n releases of one party, and checking a budget."""

from __future__ import annotations

from functools import partial
from time import process_time

from benchmarks.case import Steps, case
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price import ledger as ledgers
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.ledger import Ledger

SIZES = (200, 400, 800, 10_000)  # entries
BUDGET = Budget("word add/remove", 1e6, 1e-6)
COST = Histogram(0.01, 1000).price()


def charged(n_entries: int) -> dict[str, float]:
    """CPU seconds to charge all of them, each checked against the budget, and for one more check of it."""
    ledger = Ledger(budgets=(BUDGET,))
    began = process_time()
    for number in range(n_entries):
        ledger.charge("party", number, COST, content=str(number))
    between = process_time()
    ledger.require("party", [COST])
    return {"cpu_seconds_to_charge": between - began, "cpu_seconds_of_a_check": process_time() - between}


@case("ledger", measures=(ledgers, accounting), minutes=0.1, timed=True)
def steps() -> Steps:
    """CPU seconds to charge n releases to a ledger with a budget, and to check the budget once more."""
    return {f"{n_entries} entries": partial(charged, n_entries) for n_entries in SIZES}
