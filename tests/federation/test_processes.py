"""Real processes over mutual TLS: the model of the reference engine, bit for bit, also after a kill -9."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from federation import processes
from federation.processes import PATIENCE

from fedtopics.deployment.on_this_machine import LocalFederation

pytest.importorskip("nvflare")
NAMES = ("north", "south")


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFederation]:
    with processes.founded(tmp_path_factory.mktemp("real"), NAMES) as started:
        started.start()
        yield started


def test_the_model_is_that_of_the_reference_engine(federation: LocalFederation) -> None:
    run = federation.hub.submit()
    federation.wait(run, PATIENCE)
    wanted = processes.reference(federation).topic_word
    for model in processes.delivered(federation, run):
        np.testing.assert_array_equal(model.topic_word, wanted)
    for name in NAMES:
        assert len(processes.charges(federation, name, run.name)) == 40


def test_a_killed_worker_costs_no_round_and_no_budget(federation: LocalFederation) -> None:
    run = federation.hub.submit()
    processes.until(processes.in_round(run, 10), "round 10")
    processes.kill(processes.worker(federation, "south"))
    federation.wait(run, PATIENCE)
    wanted = processes.reference(federation).topic_word
    for model in processes.delivered(federation, run):
        np.testing.assert_array_equal(model.topic_word, wanted)
    for name in NAMES:
        made = processes.charges(federation, name, run.name)
        assert len(made) == len(set(made)) == 40
    assert run.status().n_jobs == 2
