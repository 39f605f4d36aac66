"""A party on a cluster: one worker process and two, of one thread each, on one machine.

Both train on the same shards, in turns, twice each. What counts is the faster run of each, from its second
round to its last: a machine that does other things makes runs longer, never shorter. The first round, which
draws the noise, stands apart. Processor seconds are those of the busiest worker of each round: what rounds
take where nothing else runs on the machine, without the time of the server and of moving sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.corpora import dealt
from benchmarks.markdown_tables import table
from fedtopics import cluster, methods
from fedtopics.cluster.connection import Connection
from fedtopics.cluster.party import OnCluster
from fedtopics.cluster.settings import Cluster
from fedtopics.cluster.work import Job, Part
from fedtopics.protocol import in_process

SETTINGS: dict[str, dict[str, Any]] = {
    "calm": {"n_topics": 50},
    "shared": {"n_topics": 50, "n_rounds": 20, "n_sweeps": 10},
}
TURNS = 2
WORKERS = (1, 2)
PAGE = "docs/operate/cluster.md"


class Watched(Connection):
    """Asks the workers after each round what processor time they have had."""

    def total(self, jobs: Sequence[Job]) -> Part:
        self.busiest: list[float] = getattr(self, "busiest", [])
        before = self._connected().run(_processor_seconds)
        found = super().total(jobs)
        after = self._connected().run(_processor_seconds)
        self.busiest.append(max(after[worker] - before.get(worker, 0.0) for worker in after))
        return found


def _processor_seconds() -> float:
    from time import process_time

    return process_time()


def trained(name: str, corpus: str, n_workers: int) -> dict[str, Any]:
    """Seconds of the first round and of all that follow it, and what was learned."""
    from distributed import LocalCluster

    method, documents = methods.make(name, **SETTINGS[name]), {"all": dealt(corpus).train}
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address="127.0.0.1:0") as started,
        TemporaryDirectory() as folder,
    ):
        workers = Watched(Cluster(started.scheduler_address), Path(folder))
        workers.require()
        place = OnCluster(method, workers, Path(folder))
        outcome = in_process.run(method, documents, seed=0, contribute=place.contribute)
        workers.close()
    assert outcome.model is not None
    seconds = [entry.seconds for entry in outcome.rounds]
    return {
        "first_round": seconds[0],
        "other_rounds": sum(seconds[1:]),
        "processor_seconds": sum(workers.busiest[1:]),
        "bits": outcome.model.topic_word.tobytes(),
        "n_shards": place.to_dict()["shards"]["all"],
    }


def in_turns(name: str, corpus: str) -> dict[str, Any]:
    """The same training on one worker and on two, in turns."""
    found: dict[int, list[dict[str, Any]]] = {number: [] for number in WORKERS}
    for _ in range(TURNS):
        for number in WORKERS:
            found[number].append(trained(name, corpus, number))
    best = {
        f"{number} workers": {
            what: min(turn[what] for turn in turns)
            for what in ("first_round", "other_rounds", "processor_seconds")
        }
        for number, turns in found.items()
    }
    every = [turn for turns in found.values() for turn in turns]
    return {
        **best,
        "n_documents": dealt(corpus).train.n_docs,
        "n_shards": every[0]["n_shards"],
        "n_rounds": methods.make(name, **SETTINGS[name]).n_rounds,
        "times": best["1 workers"]["other_rounds"] / best["2 workers"]["other_rounds"],
        "times_processor": best["1 workers"]["processor_seconds"] / best["2 workers"]["processor_seconds"],
        "same_bits": len({turn["bits"] for turn in every}) == 1,
    }


def shown() -> str:
    """What two workers gain."""
    rows = []
    for name, corpora in stored.values("cluster").items():
        for corpus, found in corpora.items():
            one, two = (found[f"{number} workers"] for number in WORKERS)
            rows.append(
                [
                    f"{name}, {corpus}",
                    f"{found['n_documents']:,}",
                    str(found["n_shards"]),
                    str(found["n_rounds"] - 1),
                    f"{one['other_rounds']:.1f} s",
                    f"{two['other_rounds']:.1f} s",
                    f"**{found['times']:.2f}**",
                    f"{found['times_processor']:.2f}",
                    "yes" if found["same_bits"] else "no",
                ]
            )
    head = ["", "documents", "shards", "rounds", "one worker", "two", "times as fast", "by processor time"]
    return table([*head, "same bits"], rows)


@case(
    "cluster",
    measures=(cluster,),
    minutes=10,
    corpora=("imdb",),
    needs={"distributed": "dask"},
    timed=True,
    pages=(PAGE,),
    shows={"cluster": shown},
    summary=shown,
)
def steps() -> Steps:
    """Seconds of a run on one worker and on two, and whether their topics are the same."""
    return {f"{name}/imdb": partial(in_turns, name, "imdb") for name in SETTINGS}
