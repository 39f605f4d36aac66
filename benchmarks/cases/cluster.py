"""A party on a cluster: one worker process and two, of one thread each, on one machine.

Both train on the same shards, in turns. Of each round counts the turn in which it was faster, on one worker
as on two: a machine that does other things makes rounds longer, never shorter; `turns` are the sums of each.
The first round, which draws the noise, stands apart. Processor seconds are those of the busiest worker: what
rounds take where nothing else runs on the machine, without the time of the server and of moving sums.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.corpora import dealt
from benchmarks.markdown_tables import table
from fedtopics import cluster, methods
from fedtopics.cluster.connection import Connection
from fedtopics.cluster.party import OnCluster
from fedtopics.cluster.settings import Cluster
from fedtopics.protocol import in_process
from fedtopics.protocol.engine import Round

SETTINGS: dict[str, dict[str, Any]] = {
    "calm": {"n_topics": 50, "n_rounds": 60},
    "shared": {"n_topics": 50, "n_rounds": 20, "n_sweeps": 10},
}
TURNS = 2
WORKERS = (1, 2)
PAGE = "docs/operate/cluster.md"


@dataclass
class Clock:
    """What rounds take on the wall, and what processor time the workers have had, after the first round."""

    workers: Connection
    ends: list[float] = field(default_factory=list)
    busy: dict[str, float] = field(default_factory=dict)

    def on_round(self, _: Round) -> None:
        if not self.ends:
            self.busy = self._processor_seconds()
        self.ends.append(perf_counter())

    def busiest(self) -> float:
        """Processor seconds of the busiest worker since the first round."""
        return max(now - self.busy[worker] for worker, now in self._processor_seconds().items())

    def _processor_seconds(self) -> dict[str, float]:
        found: dict[str, float] = self.workers._connected().run(process_time)
        return found


def trained(name: str, corpus: str, n_workers: int) -> dict[str, Any]:
    """Seconds of the first round and of all that follow it, and what was learned."""
    from distributed import LocalCluster

    method, documents = methods.make(name, **SETTINGS[name]), {"all": dealt(corpus).train}
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None) as started,
        TemporaryDirectory() as folder,
        closing(Connection(Cluster(started.scheduler_address), Path(folder))) as workers,
    ):
        workers.require()
        place, clock = OnCluster(method, workers, Path(folder)), Clock(workers)
        outcome = in_process.run(
            method, documents, seed=0, contribute=place.contribute, on_round=clock.on_round
        )
        busiest = clock.busiest()
    assert outcome.model is not None
    return {
        "first_round": outcome.rounds[0].seconds,
        "other_rounds": np.diff(clock.ends).tolist(),
        "processor_seconds": busiest,
        "bits": outcome.model.topic_word.tobytes(),
        "n_shards": place.to_dict()["shards"]["all"],
    }


def in_turns(name: str, corpus: str) -> dict[str, Any]:
    """The same training on one worker and on two, in turns."""
    found: dict[int, list[dict[str, Any]]] = {number: [] for number in WORKERS}
    for _ in range(TURNS):
        for number in WORKERS:
            found[number].append(trained(name, corpus, number))
    best = {f"{number} workers": fastest(turns) for number, turns in found.items()}
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


def fastest(turns: list[dict[str, Any]]) -> dict[str, Any]:
    """Seconds of each round in its faster turn, all but the first together, and of each whole turn."""
    rounds = np.array([turn["other_rounds"] for turn in turns])
    least = {what: min(turn[what] for turn in turns) for what in ("first_round", "processor_seconds")}
    return least | {
        "other_rounds": float(rounds.min(axis=0).sum()),
        "turns": rounds.sum(axis=1).round(2).tolist(),
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
