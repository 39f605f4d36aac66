"""What topics are worth to a classifier: not private, private, and each party alone, on five labeled sets.

Topics come from the training documents alone. The classifier (logistic regression on the mixtures) is trained
on all labeled training documents whatever the topics, so that the topics alone make the difference.
"""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import Any

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.labeled import SETS, Divided, divided, documents
from benchmarks.markdown_tables import table
from fedtopics import methods
from fedtopics.applications import classification
from fedtopics.applications.classification import classify
from fedtopics.methods.calm import Calm
from fedtopics.model import TopicModel
from fedtopics.protocol import in_process

SEEDS = {"20newsgroups": 3, "ohsumed": 3}  # of the others five
EPSILON = 6.0
RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("pooled", "pooled", {}),
    (f"calm, epsilon {EPSILON:g}", "calm", {"epsilon": EPSILON}),
    ("alone", "alone", {}),
]


def topics(data: Divided, n_topics: int, seed: int) -> dict[str, TopicModel]:
    """The model of every kind of training, and of every party by itself."""
    found: dict[str, TopicModel] = {}
    for label, method, settings in RUNS:
        outcome = in_process.run(
            methods.make(method, n_topics=n_topics, **settings), data.parties, seed=seed, n_threads=1
        )
        if outcome.model is not None:
            found[label] = outcome.model
        found |= {f"{label}: {party}": model for party, model in outcome.local_models.items()}
    return found


def measured(name: str, seed: int) -> dict[str, Any]:
    """Scores by features, each with its interval, for one seed."""
    data = divided(name, documents(name), seed)
    models = topics(data, SETS[name].n_topics, seed)
    results = classify(models, data.train, data.test, seed=seed, n_threads=1)
    return {
        result.features: {score: [found.value, *found.interval] for score, found in result.scores.items()}
        for result in results
    }


def sizes(name: str, seed: int) -> dict[str, Any]:
    data = divided(name, documents(name), seed)
    return {
        "n_topics": SETS[name].n_topics,
        "n_words": data.train.n_words,
        "n_train": {party: held.n_docs for party, held in data.parties.items()},
        "n_test": data.test.n_docs,
    }


def scores() -> str:
    """Means over the seeds, the spread of AUC (largest less smallest), and its difference to `pooled`."""
    head = ["set", "seeds", "topics", "accuracy", "precision", "recall", "F1", "AUC (spread)", "AUC - pooled"]
    rows = []
    for name, found in stored.values("classification").items():
        seeds = list(found["seeds"].values())
        for features in seeds[0]:
            areas = [seed[features]["auc"][0] for seed in seeds]
            behind = fmean(area - seed["pooled"]["auc"][0] for area, seed in zip(areas, seeds, strict=True))
            means = [
                f"{fmean(seed[features][score][0] for seed in seeds):.3f}"
                for score in ("accuracy", "precision", "recall", "f1")
            ]
            area = f"{fmean(areas):.3f} ({max(areas) - min(areas):.3f})"
            rows.append([name, str(len(seeds)), features, *means, area, f"{100 * behind:+.1f} points"])
    return table(head, rows)


@case(
    "classification",
    measures=(classification, Calm),
    minutes=120,
    seeds=(0, 1, 2, 3, 4),
    corpora=tuple(SETS),
    pages=("docs/how-to/applications.md",),
    shows={"classification": scores},
    summary=scores,
)
def steps() -> Steps:
    """What topics are worth to a classifier: not private, private, each party alone; five labeled sets."""
    made: Steps = {}
    for name in SETS:
        seeds = range(SEEDS.get(name, 5))
        made |= {f"{name}/seeds/{seed}": partial(measured, name, seed) for seed in seeds}
        made[f"{name}/sizes"] = partial(sizes, name, seeds[-1])
    return made
