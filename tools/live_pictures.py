"""Live pages of a federation of three processes, of which one is killed and returns, for pictures.py."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import sleep

from fedtopics.network import local
from fedtopics.network.coordinator.watching import RunWatch
from fedtopics.network.party.watching import PartyWatch
from fedtopics.report.live.pages import View
from fedtopics.report.live.serving import served

ROUNDS = 90


def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        sleep(0.1)


@contextmanager
def live_pages(folder: Path) -> Iterator[dict[str, str]]:
    """Addresses of the coordinator's page and a party's, when the run has ended."""
    dealt = local.dealt("sotu", n_parties=None, test_fraction=0.1, seed=0)
    settings = {"n_topics": 30, "n_rounds": ROUNDS, "epsilon": 6.0}
    words = local.planned_words(None, 4.0)
    plan = local.plan_for(dealt, "calm", settings, words=words, simulation_seed=0)
    plan = replace(plan, name="eras", min_parties=2)
    with local.establish(folder / "eras", plan, dealt) as federation:
        run = federation.hub.submit()
        watched = RunWatch(federation.hub, run)
        federation.start()
        victim = plan.parties[-1]
        until(lambda: run.status().round >= 20)
        federation.processes[victim].send_signal(signal.SIGKILL)
        until(lambda: victim in run.status().missing)
        federation.processes.pop(victim).wait()
        federation.start(victim)
        federation.wait(run, 600)
        party = PartyWatch(federation.folder / victim)
        views = {
            "coordinator": View("Coordinator", watched.look),
            "party": View(f"Party {victim}", party.look, party.stop),
        }
        with served(views) as address:
            yield {"live": f"{address}coordinator/", "live-party": f"{address}party/"}
