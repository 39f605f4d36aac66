"""What topics are worth to a classifier: not private, private, and each party alone, on five labeled sets.

    python benchmarks/classification.py                         every set, five seeds, with a table at the end
    python benchmarks/classification.py enron_spam --seeds 1    some sets, one seed
    python benchmarks/classification.py --table                 only print the stored results

Topics come from the training documents alone. The classifier (logistic regression on the mixtures) is trained
on all labeled training documents whatever the topics, so that the topics alone make the difference. One JSON
file per set goes to benchmarks/results; a seed that is there already is not run again.
"""

from __future__ import annotations

import argparse
import json
from time import perf_counter
from typing import Any

import numpy as np
from corpora import RESULTS
from labeled import SETS, Divided, available, divided, documents

import fedtopics
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
    stored = json.loads(file.read_text()) if file.exists() else {"seeds": {}}
    missing = [seed for seed in range(n_seeds) if str(seed) not in stored["seeds"]]
    corpus = documents(name) if missing else None
    for seed in missing:
        assert corpus is not None
        print(f"{name}, seed {seed}", flush=True)
        data = divided(name, corpus, seed)
        stored |= {
            "version": fedtopics.__version__,
            "n_topics": SETS[name].n_topics,
            "n_words": data.train.n_words,
            "n_train": {party: held.n_docs for party, held in data.parties.items()},
            "n_test": data.test.n_docs,
        }
        stored["seeds"][str(seed)] = measured(name, data, seed, n_threads)
        file.write_text(json.dumps(stored, indent=1) + "\n")


def table(names: list[str]) -> str:
    """Means over the seeds, the spread of AUC, and its difference to `pooled`, as Markdown."""
    lines = [
        "| set | topics | accuracy | precision | recall | F1 | AUC (spread) | AUC - pooled |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in names:
        stored = json.loads((RESULTS / f"classification_{name}.json").read_text())
        seeds = list(stored["seeds"].values())
        for features in seeds[0]:
            mean = [float(np.mean([s[features][x][0] for s in seeds])) for x in seeds[0][features]]
            areas = np.array([[s[features]["auc"][0], s["pooled"]["auc"][0]] for s in seeds])
            shown = " | ".join(f"{value:.3f}" for value in mean)
            lines.append(
                f"| {name} | {features} | {shown} ({np.ptp(areas[:, 0]):.3f}) "
                f"| {100 * np.diff(areas[:, ::-1]).mean():+.1f} points |"
            )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", help=", ".join(SETS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="only print the stored results")
    options = parser.parse_args()
    names = options.sets or available()
    if not names:
        print("no corpora found: let FEDTOPICS_DATA point to them")
    for name in [] if options.table else names:
        run(name, options.seeds, options.threads)
    print(table([name for name in names if (RESULTS / f"classification_{name}.json").exists()]))


if __name__ == "__main__":
    main()
