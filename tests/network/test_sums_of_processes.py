"""Secure sums of real processes over mutual TLS: the model of the reference engine, after kill -9 too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from network import processes
from network.processes import PATIENCE

from fedtopics.network.local import HUB, LocalFederation
from fedtopics.protocol.summing import Summing
from fedtopics.runs.run import Run

NAMES = ("north", "south", "west")
N_ROUNDS = 60


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFederation]:
    with processes.founded(
        tmp_path_factory.mktemp("sums"), NAMES, settings={"n_rounds": N_ROUNDS}, secure_sum=Summing(1)
    ) as started:
        started.start()
        yield started


@pytest.mark.nightly
def test_killed_workers_cost_no_round_no_budget_and_no_second_sum(federation: LocalFederation) -> None:
    run = federation.hub.submit()
    processes.until(processes.in_round(run, 10), "round 10")
    processes.kill_worker(federation, "south")
    processes.until(processes.in_round(run, 25), "round 25")
    processes.kill_worker(federation, HUB)
    federation.wait(run, PATIENCE)
    processes.check_undisturbed(federation, run, N_ROUNDS)
    told = Run.load(run.result).record["secure_sum"]
    assert told["seen"].startswith("the coordinator sees only totals of at least 3 parties; it would take 2")
    assert Run.load(run.result).record["party_topics"] == {}
    keys = list((federation.folder / "north" / "store" / "words").glob("*.key"))
    assert keys == []  # deleted when the model had come
