"""Short texts: one topic for each document, and mixtures, behind CALM's noise and without it.

All at the same prior of words, so that the noise alone makes the difference; three unequal parties by topic.
"""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import normalized_mutual_info_score

from benchmarks import gsdmm, stored
from benchmarks.case import Steps, case
from benchmarks.markdown_tables import table
from benchmarks.short_texts import distinct_words, divided
from fedtopics import LDA
from fedtopics.documents import lengths, splitting
from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.perplexity import perplexity, unigram_perplexity
from fedtopics.methods.alone import Alone
from fedtopics.methods.calm import Calm
from fedtopics.model import TopicModel
from fedtopics.protocol import in_process
from fedtopics.sampling import one_topic

SETS = ("sms_spam", "reuters first sentences", "20newsgroups subjects")
SEEDS = (0, 1, 2)
N_TOPICS, EPSILON = 20, 6.0
BETA = Calm.for_short["beta"]
WITHOUT_NOISE = ("LDA", "one topic")
LABELS = (*WITHOUT_NOISE, "GSDMM", "calm", "calm, one topic", "alone")


def scored(name: str, label: str, seed: int) -> dict[str, float]:
    """Perplexity of held-out texts and NMI of training texts' clusters and labels."""
    train, test = divided(name, lengths.MOST_WORDS)
    if label == "alone":
        dealt = _dealt(train, seed)
        outcome = in_process.run(Alone(n_topics=N_TOPICS, n_rounds=20, beta=BETA), dealt, seed=seed)
        best = min(outcome.local_models.values(), key=lambda model: perplexity(model, test))
        return _scores(best, test, train, best.transform(train).argmax(axis=1))
    if label == "GSDMM":
        found, counts = gsdmm.clusters(train, N_TOPICS, beta=BETA, seed=seed)
        model = TopicModel.from_counts(counts.T, train.vocabulary, alpha=0.1, beta=BETA)
        return _scores(model, test, train, found)
    if label == "LDA":
        lda = LDA(N_TOPICS, topic_word_prior=BETA, random_state=seed).fit(train)
        return _scores(lda.model_, test, train, lda.transform(train).argmax(axis=1))
    if label == "one topic":
        lda = LDA(N_TOPICS, one_topic=True, topic_word_prior=BETA, max_iter=90, random_state=seed).fit(train)
        return _scores(lda.model_, test, train, lda.transform(train).argmax(axis=1))
    one = label == "calm, one topic"
    method = Calm(epsilon=EPSILON, n_topics=N_TOPICS, **{**Calm.for_short, "one_topic": one})
    private = in_process.run(method, _dealt(train, seed), seed=seed).model
    assert private is not None
    if one:
        chances = one_topic.chances(train, private.topic_word, np.asarray(private.topic_shares))
    else:
        chances = private.transform(train)
    return _scores(private, test, train, chances.argmax(axis=1))


def facts(name: str) -> dict[str, Any]:
    train, test = divided(name, lengths.MOST_WORDS)
    return {
        "n_words": train.n_words,
        "n_docs": train.n_docs,
        "n_test": test.n_docs,
        "distinct_words": distinct_words(train),
        "unigram": unigram_perplexity(train, test),
    }


def _dealt(train: Corpus, seed: int) -> dict[str, Corpus]:
    parties = splitting.by_topics(train, 3, seed=seed)
    return {party.name or "": party for party in parties}


def _scores(model: TopicModel, test: Corpus, train: Corpus, clusters: NDArray[Any]) -> dict[str, float]:
    agreement = normalized_mutual_info_score(list(train.labels or ()), clusters)
    return {"perplexity": perplexity(model, test), "nmi": float(agreement)}


def scores() -> str:
    """Means over the seeds, and the ratio to the better of both models without noise."""
    rows = []
    for name, found in stored.values("short").items():
        means = {
            label: {score: fmean(run[score] for run in runs.values()) for score in ("perplexity", "nmi")}
            for label, runs in found["runs"].items()
        }
        bar = min(means[label]["perplexity"] for label in WITHOUT_NOISE)
        about = found["facts"]
        words = f"{name} ({about['distinct_words']:.1f} of {about['n_words']:,} words)"
        rows.append([words, "no topics", f"{about['unigram']:.0f}", f"{about['unigram'] / bar:.2f}", "", ""])
        for label, mean in means.items():
            each = [run["perplexity"] for run in found["runs"][label].values()]
            spread = f"{mean['perplexity']:.0f} ({min(each):.0f} to {max(each):.0f})"
            cells = [spread, f"{mean['perplexity'] / bar:.3f}", f"{mean['nmi']:.2f}", str(len(each))]
            rows.append(["", label, *cells])
    return table(["set", "method", "perplexity", "ratio", "NMI", "seeds"], rows)


@case(
    "short",
    measures=(one_topic, Calm),
    minutes=5,
    seeds=SEEDS,
    corpora=("sms_spam", "reuters", "20newsgroups"),
    pages=("docs/how-to/short-texts.md",),
    shows={"short": scores},
    summary=scores,
)
def steps() -> Steps:
    """Short texts: one topic each and mixtures, with noise and without; NMI beside GSDMM; three sets."""
    made: Steps = {f"{name}/facts": partial(facts, name) for name in SETS}
    for seed in SEEDS:
        for name in SETS:
            made |= {f"{name}/runs/{label}/{seed}": partial(scored, name, label, seed) for label in LABELS}
    return made
