"""Parties that are gone, late or back: the run goes on without them, and they get the model in the end."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import numpy as np
import pytest
from network import processes
from network.processes import PATIENCE

from fedtopics.model import TopicModel
from fedtopics.network.local import LocalFederation

pytestmark = pytest.mark.nightly
NAMES = ("north", "south", "west")
N_ROUNDS, GONE_AT = 60, 20
MOST_DELAY = 15.0  # seconds, of a whole run


def stand_still(federation: LocalFederation) -> Callable[[], None]:
    """Neither answers nor closes its connection, as a machine without power; a way to bring it back."""
    number = processes.worker(federation, "south")
    os.kill(number, signal.SIGSTOP)
    return lambda: os.kill(number, signal.SIGCONT)


def die(federation: LocalFederation) -> Callable[[], None]:
    processes.kill_everything(federation, "south")
    return lambda: federation.start("south")


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFederation]:
    """Three parties of which two are enough, and so slow that rounds can be counted."""
    given: dict[str, Any] = {"min_parties": 2, "timeout_seconds": 600.0, "settings": {"n_rounds": N_ROUNDS}}
    with processes.founded(tmp_path_factory.mktemp("absent"), NAMES, runs=20, **given) as started:
        started.start()
        yield started


def seconds(federation: LocalFederation, gone: Callable[[LocalFederation], Callable[[], None]] | None) -> Any:
    """How long the rounds of a run take, the run, and a way to bring back the party that is gone."""
    processes.until(lambda: len(_connected(federation)) == 3, "all parties")
    run, began, back = federation.hub.submit(), 0.0, lambda: None
    processes.until(processes.in_round(run, 1), "round 1")
    began = monotonic()
    if gone is not None:
        processes.until(processes.in_round(run, GONE_AT), f"round {GONE_AT}")
        back = gone(federation)
        federation.processes.pop("south", None) if gone is die else None
    federation.wait(run, PATIENCE)
    return monotonic() - began, run, back


def _connected(federation: LocalFederation) -> set[str]:
    lines = [line.split(" ", 1)[1] for line in processes.logs(federation).splitlines()]
    last = {line.split()[1]: line for line in lines if line.startswith("party ") and "connected" in line}
    return {name for name, line in last.items() if line.endswith("is connected")}


@pytest.mark.parametrize("gone", [stand_still, die])
def test_one_that_is_gone_for_good_delays_a_run_by_few_seconds_and_gets_the_model_when_it_is_back(
    federation: LocalFederation, gone: Callable[[LocalFederation], Callable[[], None]]
) -> None:
    undisturbed, _, _ = seconds(federation, None)
    disturbed, run, back = seconds(federation, gone)
    print(f"{gone.__name__}: {undisturbed:.1f} s undisturbed, {disturbed:.1f} s with one gone")
    assert disturbed - undisturbed < MOST_DELAY
    assert run.status().undelivered == ["south"]
    assert list(run.status().away) == ["south"]
    back()
    processes.until(lambda: run.status().undelivered == [], "the delivery to south")
    fetched = TopicModel.load(federation.folder / "south" / "models" / run.name)
    np.testing.assert_array_equal(fetched.topic_word, TopicModel.load(run.result).topic_word)
    for name in NAMES:
        made = processes.charges(federation, name, run.name)
        assert len(made) == len(set(made))
