"""Local training of FTM: topics of one party from what it has released, and from those alone.

Three trainers, each a state of arrays and `n_local` iterations on it:

    by_histograms   channel-aware EM on noisy document histograms (LDA)
    by_reports      channel-aware EM on the vectors of tokens (LDA)
    by_units        private Metropolis-Hastings on vectors of sentences (SentenceLDA)

`others` are counts of the same topics at other parties. They take part in every estimate of phi and stay as
they are, so that a party goes on from the global model instead of drifting back to its own documents.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.methods.ftm import unit_chain
from fedtopics.methods.ftm.unit_chain import SMALLEST, Training
from fedtopics.protocol.turn import Arrays, Turn
from fedtopics.sampling import channel_em, report_em
from fedtopics.sampling.channel_em import Expectation, Mixtures, SizedTopics
from fedtopics.sampling.histograms import Histograms
from fedtopics.sampling.private_mh import Floats, Units
from fedtopics.sampling.report_em import Reports

Alpha: TypeAlias = NDArray[np.float32]

STRETCH = 1.8  # each step of EM goes this far in the direction it takes


def by_histograms(
    histograms: Histograms, memory: Arrays, others: Floats | None, settings: Training, turn: Turn
) -> Arrays:
    """Expected counts (n_topics, n_words) and mixtures of the documents after `n_local` steps of EM."""

    def begin() -> tuple[Floats, Mixtures]:
        unigram, length = channel_em.unigram(histograms, n_threads=turn.n_threads)
        return _scattered(unigram, settings, turn), channel_em.start(histograms, settings.n_topics, length)

    def expect(documents: Mixtures, topics: SizedTopics, alpha: Alpha, formed: bool) -> Expectation:
        return channel_em.expect(
            histograms, documents, topics, alpha, exclude=formed, n_threads=turn.n_threads
        )

    return _by_em(begin, expect, memory, others, settings)


def by_reports(
    reports: Reports, memory: Arrays, others: Floats | None, settings: Training, turn: Turn
) -> Arrays:
    """The same from vectors of single tokens."""

    def begin() -> tuple[Floats, Mixtures]:
        unigram = report_em.unigram(reports, n_threads=turn.n_threads)
        return _scattered(unigram, settings, turn), report_em.start(reports, settings.n_topics)

    def expect(documents: Mixtures, topics: SizedTopics, alpha: Alpha, formed: bool) -> Expectation:
        return report_em.expect(reports, documents, topics, alpha, exclude=formed, n_threads=turn.n_threads)

    return _by_em(begin, expect, memory, others, settings)


def _by_em(
    begin: Callable[[], tuple[Floats, Mixtures]],
    expect: Callable[[Mixtures, SizedTopics, Alpha, bool], Expectation],
    memory: Arrays,
    others: Floats | None,
    settings: Training,
) -> Arrays:
    if "counts" in memory:
        counts = np.ascontiguousarray(memory["counts"].T, np.float64)
        documents = Mixtures(memory["theta"], memory["lengths"])
    else:
        counts, documents = begin()
    fixed = np.zeros_like(counts) if others is None else np.ascontiguousarray(others.T)
    alpha = np.full(settings.n_topics, settings.alpha, np.float32)
    for number in range(settings.n_local):
        topics = channel_em.maximize(counts + fixed, settings.beta)
        # Before topics have formed, a token is all the evidence there is.
        formed = "counts" in memory or number > 1
        step = expect(documents, topics, alpha, formed)
        reach = STRETCH - 1 if formed and number < settings.n_local - 1 else 0.0
        counts = np.maximum(step.counts + reach * (step.counts - counts), 0.0)
        documents = step.documents
    return {"counts": _rows(counts.T), "theta": documents.theta, "lengths": documents.lengths}


def by_units(
    units: Units, memory: Arrays, known: Floats | None, others: Floats | None, settings: Training, turn: Turn
) -> Arrays:
    """Counts and the topic of every unit after `n_local` sweeps; counts are the mean of the second half.

    `known` are the topics that the server composed. phi is the mean given the counts.
    """
    if known is None:
        chain = unit_chain.begun(units, settings, turn, turn.generator())
    else:
        chain = unit_chain.from_known(units, known, turn, memory.get("topics"))
    total, n_added = np.zeros((settings.n_topics, units.n_words)), 0
    for number in range(settings.n_local):
        chain, counts = unit_chain.swept(units, chain, number, settings, turn)
        if 2 * number + 2 > settings.n_local:
            total, n_added = total + counts, n_added + 1
        smoothed = counts + (0.0 if others is None else others) + settings.beta
        chain = replace(chain, log_phi=np.log(smoothed / smoothed.sum(axis=1, keepdims=True)))
    return {"counts": _rows(total / n_added), "topics": chain.topics}


def _scattered(unigram: Floats, settings: Training, turn: Turn) -> Floats:
    """Topics that are the unigram times random factors, in counts (n_words, n_topics)."""
    factors = turn.generator().gamma(5.0, 1 / 5.0, (len(unigram), settings.n_topics))
    counts = unigram[:, None] * factors
    counts *= unigram.sum() / settings.n_topics / np.maximum(counts.sum(axis=0), SMALLEST)
    return counts


def _rows(counts: NDArray[np.floating]) -> NDArray[np.float32]:
    return np.ascontiguousarray(counts, np.float32)
