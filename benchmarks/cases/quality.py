"""Perplexity and coherence of CALM against training without privacy, on real corpora.

Three unequal parties by what their documents are about; held-out document completion; `shared` is collapsed
Gibbs sampling over exact counts of all parties (no privacy), `alone` the best single party, tomotopy an
independent check of `shared` on the pooled documents.
"""

from __future__ import annotations

from functools import partial
from statistics import fmean
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import stored, worth
from benchmarks.case import Steps, case
from benchmarks.cases.peers import TOMOTOPY, tomotopy_model, tomotopy_topics
from benchmarks.corpora import dealt
from benchmarks.markdown_tables import table
from fedtopics import evaluation, sampling
from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.scores import scores as score_topics
from fedtopics.methods.alone import Alone
from fedtopics.methods.calm import Calm
from fedtopics.methods.shared import Shared
from fedtopics.model import TopicModel
from fedtopics.privacy.forecast import predicted_ratio
from fedtopics.report.svg import Line, line_chart
from fedtopics.runs.experiment import train
from fedtopics.runs.preparing import Data

EPSILONS = (8.0, 6.0, 4.0)

SEEDS = (0, 1, 2)
SETS = {"kos": 50, "ap": 50, "ohsumed": 50, "nips": 50, "imdb": 30}  # numbers of topics

# Label: method, settings.
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "shared": ("shared", {"n_rounds": 300, "sampler": "gibbs"}),
    **{f"calm {epsilon:g}": ("calm", {"epsilon": epsilon}) for epsilon in EPSILONS},
    "alone": ("alone", {"n_rounds": 30}),
    "tomotopy": ("tomotopy", {}),
}


def _distinct_words(corpus: Corpus) -> float:
    pairs = np.unique(corpus.docs.astype(np.int64) * corpus.n_words + corpus.words)
    return len(pairs) / corpus.n_docs


def _tomotopy(data: Data, n_topics: int, seed: int) -> dict[str, float]:
    model = tomotopy_model(data.train, n_topics, seed)
    model.train(400, workers=1)
    topics = tomotopy_topics(model, data.test.n_words)
    trained = TopicModel(
        topics / topics.sum(axis=1, keepdims=True), np.full(n_topics, 0.1), data.test.vocabulary
    )
    return score_topics(trained, data.train, data.test)


def scored(name: str, label: str, seed: int) -> dict[str, float]:
    """Scores of one training, and what it took."""
    data, n_topics = dealt(name), SETS[name]
    method, settings = METHODS[label]
    began, spent = perf_counter(), process_time()
    if method == "tomotopy":
        scores = _tomotopy(data, n_topics, seed)
    else:
        options: dict[str, Any] = {"n_topics": n_topics, "seed": seed, "n_threads": 1} | settings
        scores = train(data, method, show_progress=False, **options).record["scores"]
    return scores | {"seconds": perf_counter() - began, "cpu_seconds": process_time() - spent}


def facts(name: str) -> dict[str, Any]:
    data = dealt(name)
    return {
        "n_topics": SETS[name],
        "n_words": data.test.n_words,
        "n_docs": [party.n_docs for party in data.parties.values()],
        "distinct_words": _distinct_words(data.train),
    }


def in_short() -> str:
    """Held-out perplexity of each method on each set, means over seeds."""
    titles = {"kos": "KOS", "ap": "AP", "nips": "NIPS"}
    rows = []
    for name in SETS:
        runs = stored.values("quality")[name]["runs"]
        means = {label: _means(found)["perplexity"] for label, found in runs.items()}
        unigram = runs["shared"]["0"]["perplexity_unigram"]
        order = ("alone", "calm 4", "calm 6", "calm 8", "shared", "tomotopy")
        cells = [f"{means[label]:.0f}" if label in means else "" for label in order]
        rows.append([titles.get(name, name), f"{unigram:.0f}", *cells])
    private = [f"`calm`, epsilon {epsilon}" for epsilon in (4, 6, 8)]
    head = ["", "no topics", "best party alone", *private, "`shared`, no privacy", "tomotopy, pooled"]
    return table(head, rows)


def ratios() -> str:
    """Mean and spread over the seeds, and the ratio to `shared`."""
    rows = []
    for name, found in stored.values("quality").items():
        without = _means(found["runs"]["shared"])
        for label, runs in found["runs"].items():
            means = _means(runs)
            spread = float(np.ptp([run["perplexity"] for run in runs.values()]))
            npmi = means["coherence_npmi"]
            cells = [f"{means['perplexity']:.0f} (spread {spread:.0f})"]
            cells += [f"{means['perplexity'] / without['perplexity']:.3f}", _predicted(found["facts"], label)]
            rows.append([name, label, *cells, f"{npmi:.3f}", f"{npmi / without['coherence_npmi']:.2f}"])
    return table(["set", "method", "perplexity", "ratio", "predicted", "NPMI", "ratio"], rows)


def _predicted(about: dict[str, Any], label: str) -> str:
    if not label.startswith("calm "):
        return ""
    return f"{predicted_ratio(float(label.split()[1]), about['n_words'], about['distinct_words']):.3f}"


def _means(runs: dict[str, dict[str, float]]) -> dict[str, float]:
    return {
        score: fmean(run.get(score, np.nan) for run in runs.values())
        for score in ("perplexity", "coherence_npmi")
    }


def picture() -> str:
    """Perplexity relative to training without privacy, against epsilon."""
    lines = []
    for name, found in sorted(stored.values("quality").items()):
        runs, about = found["runs"], found["facts"]
        without = _means(runs["shared"])["perplexity"]
        ratios = [[run["perplexity"] / without for run in runs[f"calm {e:g}"].values()] for e in EPSILONS]
        words = f"{name} ({about['distinct_words']:.0f} of {about['n_words']} words)"
        spread = [(min(each), max(each)) for each in ratios]
        lines.append(Line(words, EPSILONS, [fmean(each) for each in ratios], spread))
    ends = [min(EPSILONS), max(EPSILONS)]
    return line_chart(
        [*lines, Line("shared", ends, [1.0, 1.0], dashed=True)],
        title="CALM (distinct words per document)",
        x_label="epsilon (word add/remove)",
        y_label="perplexity / shared",
        width=640,
        height=380,
    )


@case(
    "quality",
    measures=(sampling, evaluation, Calm, Alone, Shared),
    minutes=40,
    seeds=SEEDS,
    corpora=tuple(SETS),
    needs=TOMOTOPY,
    pages=("README.md", "docs/evidence/quality.md", "docs/methods/calm.md"),
    shows={
        "quality": in_short,
        "quality-ratios": ratios,
        "methods/calm.svg": picture,
        "pictures/worth.svg": worth.picture,
    },
    summary=ratios,
)
def steps() -> Steps:
    """Perplexity and coherence of CALM against training without privacy, on five corpora."""
    made: Steps = {f"{name}/facts": partial(facts, name) for name in SETS}
    return made | {
        f"{name}/runs/{label}/{seed}": partial(scored, name, label, seed)
        for name in SETS
        for label in METHODS
        for seed in SEEDS
    }
