"""What an attacker gets from the local methods, and what the monitor of Gibbs sampling reads."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks.case import Steps, case
from benchmarks.cases import local_charts, local_tables
from benchmarks.cases.local_charts import CHANNELS
from benchmarks.cases.local_privacy import BAGS, facts
from benchmarks.corpora import USERS, users
from fedtopics import methods
from fedtopics.audit import gibbs_monitor, listener
from fedtopics.audit.listener import listen
from fedtopics.documents.corpus import Corpus
from fedtopics.methods import fedlda, lplda, parts
from fedtopics.sampling import lda, monitored

SETS, N_USERS = ("amazon", "enron_spam"), 1000
ATTACKED: tuple[tuple[str, dict[str, Any]], ...] = (
    *(("fedlda", {"variant": "paper", "channel": c, "epsilon": 7.5}) for c in CHANNELS[:-1]),
    *(("fedlda", {"channel": c, "epsilon": total}) for total in (128.0, 256.0) for c in ("krr", "ue")),
    ("lplda", {"variant": "paper", "epsilon": 4.0}),
    ("lplda", {"epsilon": 4.0}),
)


def heard(name: str, method: str, n_rounds: int, **given: Any) -> dict[str, Any]:
    """What a listener has after so many rounds."""
    made = methods.make(method, n_topics=USERS[name].n_topics, n_rounds=n_rounds, **given)
    found = listen(made, users(name, N_USERS)[0])
    return {"method": method, "rounds": n_rounds, "bound": found.bound} | given | asdict(found.recovered)


@case(
    "local_privacy_attacks",
    measures=(listener, fedlda, lplda, parts),
    minutes=15,
    corpora=SETS,
    pages=("docs/methods/fedlda.md",),
    shows={"local-attacks": local_tables.attacks},
)
def attacks() -> Steps:
    """What a listener has of FedLDA's and LP-LDA's users after 1 and after 40 rounds."""
    made: Steps = {}
    for name in SETS:
        made[f"{name}/facts"] = partial(facts, name, N_USERS)
        for method, given in ATTACKED:
            label = " ".join([method, *map(str, given.values())])
            for n_rounds in (1, 40):
                made[f"{name}/{n_rounds}/{label}"] = partial(heard, name, method, n_rounds, **given)
    return made


def monitor(name: str) -> dict[str, Any]:
    """The monitor's two figures: K = 50, 300 iterations; and what it costs."""
    corpus, n_topics = users(name)[0], USERS[name].n_topics
    began = process_time()
    trained = gibbs_monitor.monitor(corpus, n_topics, n_sweeps=300)
    return {
        "n_docs": corpus.n_docs,
        "n_tokens": corpus.n_tokens,
        "longest": int(corpus.lengths.max()),
        "cpu_seconds": process_time() - began,
        "cost_of_monitoring": cost_of_monitoring(corpus, n_topics),
        "one_draw_exactly": gibbs_monitor.worst_loss(trained, corpus),
        "readings": {c: trained.column(c)[9::10].tolist() for c in gibbs_monitor.COLUMNS},
    }


def cost_of_monitoring(corpus: Corpus, n_topics: int) -> float:
    """CPU time of sweeps with the monitor over that of the same sweeps without, the fastest of five turns."""
    priors, state = lda.Priors.symmetric(n_topics, 0.1, 0.01), lda.start(corpus, n_topics, 0)
    losses = np.zeros((corpus.n_tokens, len(gibbs_monitor.COLUMNS)), np.float32)
    plain, watched = [], []
    for _ in range(5):
        began = process_time()
        lda.sweep(corpus, state, priors, seed=0, n_sweeps=5, sampler="gibbs", n_threads=1)
        between = process_time()
        state, losses = monitored.sweep(corpus, state, priors, losses, seed=0, n_sweeps=5)
        plain.append(between - began)
        watched.append(process_time() - between)
    return min(watched) / min(plain)


@case(
    "local_privacy_monitor",
    measures=(gibbs_monitor, monitored),
    minutes=2,
    corpora=("kos", "nips", "enron_spam"),
    timed=True,
    pages=("docs/evidence/gibbs-monitor.md",),
    shows={
        "local-monitor": local_tables.monitor,
        "local-monitor-cost": local_tables.monitor_cost,
        "methods/local_privacy_monitor.svg": local_charts.monitor,
    },
)
def monitors() -> Steps:
    """What the monitor of Gibbs sampling reads, what one draw loses in truth, and what watching costs."""
    return {name: partial(monitor, name) for name in BAGS}
