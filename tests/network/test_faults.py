"""What may go wrong between machines, done to real processes: the run ends with the undisturbed model.

With `min_parties` as large as the federation no round is combined without a party, so none is lost and the
model must be equal bit for bit. Where fewer are enough the others go on, and the rounds that the broken party
missed are counted. Every row of the table says whether the run survived, what was lost, and what was charged
twice (FAULT_TABLE names a JSON file for it).
"""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest
from network import processes
from network.processes import PATIENCE

from fedtopics.network.coordinator.folder import RunFolder
from fedtopics.network.local import HUB, LocalFederation

pytestmark = pytest.mark.nightly
NAMES = ("north", "south", "west")
N_ROUNDS, BROKEN_AT = 150, 10


def kill_worker_of_party(federation: LocalFederation) -> None:
    processes.kill_worker(federation, "south")


def kill_party(federation: LocalFederation) -> None:
    processes.kill_everything(federation, "south")
    sleep(2)
    federation.start("south")


def kill_worker_of_coordinator(federation: LocalFederation) -> None:
    processes.kill_worker(federation, HUB)


def kill_coordinator(federation: LocalFederation) -> None:
    processes.kill_everything(federation, HUB)
    sleep(2)
    federation.start(HUB)


def sleep_past_timeout(federation: LocalFederation) -> None:
    asleep = processes.worker(federation, "south")
    os.kill(asleep, signal.SIGSTOP)
    sleep(30)
    os.kill(asleep, signal.SIGCONT)


def fill_disk(federation: LocalFederation) -> None:
    """The party's worker can write nothing for a while, as on a full disk."""
    worker, unlimited = processes.worker(federation, "south"), resource.RLIM_INFINITY
    resource.prlimit(worker, resource.RLIMIT_FSIZE, (0, unlimited))
    sleep(8)
    resource.prlimit(worker, resource.RLIMIT_FSIZE, (unlimited, unlimited))


FAULTS: dict[str, Callable[[LocalFederation], None]] = {
    "kill -9 of a party's worker": kill_worker_of_party,
    "kill -9 of a party's whole process group": kill_party,
    "kill -9 of the coordinator's worker": kill_worker_of_coordinator,
    "kill -9 of the coordinator": kill_coordinator,
    "a party sleeps past the timeout": sleep_past_timeout,
    "a full disk at a party": fill_disk,
}
TABLE: list[dict[str, Any]] = []


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFederation]:
    """Three parties, none of which may be missing."""
    folder, settings = tmp_path_factory.mktemp("strict"), {"n_rounds": N_ROUNDS}
    with processes.founded(folder, NAMES, runs=20, settings=settings, timeout_seconds=20.0) as started:
        started.start()
        yield started
    _write_table()


@pytest.fixture(scope="module")
def lenient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFederation]:
    """Three parties, two of which are enough."""
    folder, settings = tmp_path_factory.mktemp("lenient"), {"n_rounds": 1000}
    given: dict[str, Any] = {"min_parties": 2, "timeout_seconds": 20.0, "settings": settings}
    with processes.founded(folder, NAMES, runs=20, **given) as started:
        started.start()
        yield started
    _write_table()


@pytest.mark.parametrize("fault", FAULTS)
def test_the_run_ends_with_the_undisturbed_model(strict: LocalFederation, fault: str) -> None:
    run = strict.hub.submit()
    processes.until(processes.in_round(run, BROKEN_AT), f"round {BROKEN_AT}")
    FAULTS[fault](strict)
    strict.wait(run, PATIENCE)
    row = noted(strict, run, fault)
    wanted = processes.reference(strict).topic_word
    for model in processes.delivered(strict, run):
        np.testing.assert_array_equal(model.topic_word, wanted)
    assert row["rounds lost"] == row["charged twice"] == 0


def test_others_go_on_without_a_party_and_it_returns(lenient: LocalFederation) -> None:
    run = lenient.hub.submit()
    processes.until(processes.in_round(run, BROKEN_AT), f"round {BROKEN_AT}")
    processes.kill_everything(lenient, "south")
    missing = run.status().round
    processes.until(processes.in_round(run, missing + 3), "rounds without the party")
    lenient.start("south")
    lenient.wait(run, PATIENCE)
    row = noted(lenient, run, "a party leaves, others go on, it returns")
    assert 0 < row["rounds lost"] < 999 - missing
    assert row["charged twice"] == 0
    np.testing.assert_allclose(processes.delivered(lenient, run)[0].topic_word.sum(axis=1), 1)


def noted(federation: LocalFederation, run: RunFolder, fault: str) -> dict[str, Any]:
    """The row of the table for a finished run."""
    record = json.loads((run.result / "run.json").read_text())
    made = [charge for name in NAMES for charge in processes.charges(federation, name, run.name)]
    twice = sum(len(made) - len(set(made)) for made in _by_party(federation, run))
    row = {
        "fault": fault,
        "survived": run.status().state == "finished",
        "rounds lost": sum(bool(line["missing"]) for line in record["rounds"]),
        "charged twice": twice,
        "charges": len(made),
        "attempts": run.status().n_attempts,
    }
    TABLE.append(row)
    return row


def _by_party(federation: LocalFederation, run: RunFolder) -> list[list[tuple[str, int]]]:
    return [processes.charges(federation, name, run.name) for name in NAMES]


def _write_table() -> None:
    for row in TABLE:
        print(row)
    if "FAULT_TABLE" in os.environ:
        Path(os.environ["FAULT_TABLE"]).write_text(json.dumps(TABLE, indent=1) + "\n")
