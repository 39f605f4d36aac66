"""What noise costs short texts, of one topic each and as mixtures: the curves of the forecast come from this.

On other sets than those of the case `short`, which test the forecast of one topic each.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.cases import short
from benchmarks.markdown_tables import table
from benchmarks.short_texts import distinct_words, divided
from fedtopics import LDA
from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.methods.calm import Calm
from fedtopics.privacy.forecast import predicted_ratio, surplus
from fedtopics.protocol import in_process
from fedtopics.sampling import one_topic

SETS = {"amazon titles": (1000,), "reuters titles": (1000, 3000)}  # most words
EPSILONS = (3.0, 4.5, 6.0)
EPSILONS_OF_MIXTURES = (*EPSILONS, 8.0)  # they need more
MOST_DOCUMENTS, N_ROUNDS = 8000, 60


def _documents(name: str, size: int) -> tuple[Corpus, Corpus]:
    train, test = divided(name, size)
    return train.select(np.arange(train.n_docs) < MOST_DOCUMENTS), test


def facts(name: str, size: int) -> dict[str, float]:
    train, _ = _documents(name, size)
    return {"n_words": train.n_words, "n_docs": train.n_docs, "distinct_words": distinct_words(train)}


def without(name: str, size: int) -> float:
    """Perplexity of the same model without noise."""
    train, test = _documents(name, size)
    lda = LDA(short.N_TOPICS, one_topic=True, topic_word_prior=short.BETA, max_iter=N_ROUNDS, random_state=0)
    return perplexity(lda.fit(train).model_, test)


def private(name: str, size: int, epsilon: float) -> float:
    train, test = _documents(name, size)
    method = Calm(epsilon=epsilon, n_topics=short.N_TOPICS, n_rounds=N_ROUNDS, **Calm.for_short)
    model = in_process.run(method, {"all": train}, seed=0).model
    assert model is not None
    return perplexity(model, test)


def without_as_mixtures(name: str, size: int) -> float:
    """Perplexity without noise where texts are mixtures, by the settings of long ones."""
    train, test = _documents(name, size)
    return perplexity(LDA(short.N_TOPICS, random_state=0).fit(train).model_, test)


def private_as_mixtures(name: str, size: int, epsilon: float) -> float:
    """CALM as it is where nobody says that texts are short."""
    train, test = _documents(name, size)
    method = Calm(epsilon=epsilon, n_topics=short.N_TOPICS, n_rounds=N_ROUNDS)
    model = in_process.run(method, {"all": train}, seed=0).model
    assert model is not None
    return perplexity(model, test)


def measured(*, one_topic_each: bool = True) -> list[tuple[str, float, float, float]]:
    """Set, x, the measured ratio and the one foretold, of every run of one kind."""
    kind = "" if one_topic_each else " as mixtures"
    rows = []
    for name, sizes in stored.values("short_forecast").items():
        for found in sizes.values():
            about = found["facts"]
            for epsilon, reached in found[f"private{kind}"].items():
                told = float(epsilon), about["n_words"], about["distinct_words"]
                ratio = predicted_ratio(*told, short=one_topic_each)
                rows.append((name, surplus(*told), reached / found[f"without{kind}"], ratio))
    return sorted(rows, key=lambda row: row[1])


def fitted() -> str:
    """Every run through which the curves were drawn, and what they say there."""
    cells = [
        [name, topics, f"{x:.2f}", f"{ratio:.3f}", f"{told:.3f}"]
        for topics, one in (("one", True), ("a mixture", False))
        for name, x, ratio, told in measured(one_topic_each=one)
    ]
    return table(["set", "topics of a text", "x", "ratio", "forecast"], cells)


def unseen() -> list[tuple[str, float, float, list[float]]]:
    """Set, x, the ratio foretold and the measured ones of the sets that the curve has not seen."""
    rows = []
    for name, found in stored.values("short").items():
        about, runs = found["facts"], found["runs"]
        told = short.EPSILON, about["n_words"], about["distinct_words"]
        ratios = [
            run["perplexity"] / runs["one topic"][seed]["perplexity"]
            for seed, run in runs["calm, one topic"].items()
        ]
        rows.append((name, surplus(*told), predicted_ratio(*told, short=True), ratios))
    return rows


def held_out() -> str:
    """The sets that the curve has not seen: what was foretold at epsilon 6, and what came."""
    rows = [
        [name, f"{x:.2f}", f"{told:.3f}", f"{np.mean(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"]
        for name, x, told, ratios in unseen()
    ]
    return table(["set", "x", "forecast", "measured"], rows)


@case(
    "short_forecast",
    measures=(one_topic, Calm),
    minutes=1,
    corpora=("amazon", "reuters"),
    pages=("docs/how-to/short-texts.md",),
    shows={"short-fitted": fitted, "short-held-out": held_out},
    summary=fitted,
)
def steps() -> Steps:
    """What noise costs short texts, of one topic each and as mixtures, on two sets and two vocabularies."""
    made: Steps = {}
    for name, sizes in SETS.items():
        for size in sizes:
            made[f"{name}/{size}/facts"] = partial(facts, name, size)
            made[f"{name}/{size}/without"] = partial(without, name, size)
            for epsilon in EPSILONS:
                made[f"{name}/{size}/private/{epsilon:g}"] = partial(private, name, size, epsilon)
            made[f"{name}/{size}/without as mixtures"] = partial(without_as_mixtures, name, size)
            for epsilon in EPSILONS_OF_MIXTURES:
                step = partial(private_as_mixtures, name, size, epsilon)
                made[f"{name}/{size}/private as mixtures/{epsilon:g}"] = step
    return made
