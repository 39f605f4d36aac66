"""What topics are worth to a classifier: not private, private, and each party alone, on five labeled sets.

    python benchmarks/classification.py                         every set, five seeds
    python benchmarks/classification.py enron_spam --seeds 1    some sets, one seed

Topics come from the training documents alone. The classifier (logistic regression on the mixtures) is trained
on all labeled training documents whatever the topics, so that the topics alone make the difference. One JSON
file per set goes to benchmarks/results; a seed that is there already is not run again.
`tables.py` puts the results into docs/applications.md.
"""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import Any

import stored
from corpora import RESULTS
from labeled import SETS, Divided, available, divided, documents

from fedtopics import methods
from fedtopics.applications.classification import classify
from fedtopics.federation import in_process
from fedtopics.model import TopicModel

EPSILON = 6.0
RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("pooled", "pooled", {}),
    (f"calm, epsilon {EPSILON:g}", "calm", {"epsilon": EPSILON}),
    ("alone", "alone", {}),
]


def topics(data: Divided, n_topics: int, seed: int, n_threads: int) -> dict[str, TopicModel]:
    """The model of every kind of training, and of every party by itself."""
    found: dict[str, TopicModel] = {}
    for label, method, settings in RUNS:
        began = perf_counter()
        outcome = in_process.run(
            methods.make(method, n_topics=n_topics, **settings), data.parties, seed=seed, n_threads=n_threads
        )
        if outcome.model is not None:
            found[label] = outcome.model
        found |= {f"{label}: {party}": model for party, model in outcome.local_models.items()}
        print(f"  {label}: {perf_counter() - began:.0f} s", flush=True)
    return found


def measured(name: str, data: Divided, seed: int, n_threads: int) -> dict[str, Any]:
    """Scores by features, each with its interval, for one seed."""
    models = topics(data, SETS[name].n_topics, seed, n_threads)
    results = classify(models, data.train, data.test, seed=seed, n_threads=n_threads)
    return {
        result.features: {score: [found.value, *found.interval] for score, found in result.scores.items()}
        for result in results
    }


def run(name: str, n_seeds: int, n_threads: int) -> None:
    """Add the seeds that are missing to the set's file."""
    file = RESULTS / f"classification_{name}.json"
    results = stored.load(file)
    seeds = results.setdefault("seeds", {})
    missing = [seed for seed in range(n_seeds) if str(seed) not in seeds]
    corpus = documents(name) if missing else None
    for seed in missing:
        assert corpus is not None
        print(f"{name}, seed {seed}", flush=True)
        data = divided(name, corpus, seed)
        results |= {
            "n_topics": SETS[name].n_topics,
            "n_words": data.train.n_words,
            "n_train": {party: held.n_docs for party, held in data.parties.items()},
            "n_test": data.test.n_docs,
        }
        seeds[str(seed)] = measured(name, data, seed, n_threads)
        stored.save(results, file)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", help=", ".join(SETS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    names = options.sets or available()
    if not names:
        print("no corpora found: let FEDTOPICS_DATA point to them")
    for name in names:
        run(name, options.seeds, options.threads)


if __name__ == "__main__":
    main()
