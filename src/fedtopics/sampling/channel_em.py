"""Topics from noisy document histograms: EM that knows the noise.

The data are counts N_dw of mean mu_dw = lambda_d sum_k theta_dk phi_kw, Poisson or with bursts (negative
binomial, `burstiness`), seen through two-sided geometric noise of ratio a (`decay`), or discrete Gaussian
noise (`sigma`), with everything below 1 dropped. Given the topics, what stands behind a released count is a
short sum (`_core/channel_posterior.hpp`, `channel_gaussian.hpp`), and all words that did not survive are
together worth exp(-(1 - a) sum mu) with expected counts a mu (like forms with bursts), so one document costs
(survivors x topics).

Every token is left out of the evidence about itself (as in CVB0: Asuncion et al., On Smoothing and Inference
for Topic Models, UAI 2009): the share theta_dk phi_kw of a topic is multiplied by

    max(1 - min(1, E[n]) phi_kw / (s T_d), 0.02) * max(1 - E[n] theta_dk / (s S_k), 0.02)

with s = sum_k theta_dk phi_kw, T_d = lambda_d + sum alpha and S_k the size of topic k. Without it EM stays
several percent of perplexity above collapsed Gibbs sampling. With `decay` 0 the values are the true counts
and the same code is EM for LDA without noise.

Results have the same bits whatever the number of threads and the instruction set, and on a GPU (`gpu.using`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents import mapped
from fedtopics.errors import InputError
from fedtopics.sampling import _native
from fedtopics.sampling.gpu import channel_em as on_gpu
from fedtopics.sampling.gpu import using
from fedtopics.sampling.histograms import Histograms

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
UNIGRAM_ROUNDS = 15
USUAL_LENGTH = 80.0


@dataclass(frozen=True, eq=False)
class SizedTopics:
    """Topics as the E step reads them: `phi` (n_words, n_topics), whose columns sum to 1, and `sizes` S_k."""

    phi: Floats
    sizes: Floats

    @property
    def n_topics(self) -> int:
        return int(self.phi.shape[1])


@dataclass(frozen=True, eq=False)
class Mixtures:
    """What is known of each document: topic shares `theta` (n_docs, n_topics) and expected `lengths`."""

    theta: Floats
    lengths: Doubles


@dataclass(frozen=True, eq=False)
class Expectation:
    """Outcome of one E step: `documents`, expected `counts` (n_words, n_topics), channel `log_likelihood`."""

    documents: Mixtures
    counts: Floats
    log_likelihood: float


def start(histograms: Histograms, n_topics: int, length: float) -> Mixtures:
    """Every document of `histograms` an even mixture of `n_topics`, of the expected `length`."""
    return even(histograms.n_docs, n_topics, length)


def even(n_docs: int, n_topics: int, length: float) -> Mixtures:
    """`n_docs` documents, each an even mixture of `n_topics`, of the expected `length`."""
    theta = np.full((n_docs, n_topics), 1 / n_topics, np.float32)
    return Mixtures(theta, np.full(n_docs, float(length)))


def expect(
    histograms: Histograms,
    documents: Mixtures,
    topics: SizedTopics,
    alpha: Floats,
    *,
    n_steps: int = 2,
    exclude: bool = True,
    n_known: int | None = None,
    n_threads: int = 1,
) -> Expectation:
    """Expected counts of every word and topic, after `n_steps` updates of each document's mixture.

    From `histograms`, what is known of `documents`, `topics` and the prior `alpha`, on `n_threads`; without
    `exclude` a token is part of the evidence about itself. Where histograms know the first `n_known` words
    alone, nothing follows from the absence of others.
    """
    counts = np.empty(topics.phi.shape, np.float32)
    covered = np.ones(topics.n_topics, np.float32)
    if n_known is not None and n_known < histograms.n_words:
        covered = topics.phi[:n_known].sum(axis=0)
    moved, log_likelihood = _run(
        histograms,
        documents,
        topics,
        alpha,
        covered,
        counts,
        n_steps=n_steps,
        exclude=exclude,
        n_threads=n_threads,
    )
    return Expectation(moved, counts, log_likelihood)


def maximize(counts: NDArray[np.floating], beta: float) -> SizedTopics:
    """The topics of expected `counts` (n_words, n_topics) under a symmetric Dirichlet prior `beta`."""
    smoothed = counts.astype(np.float64) + beta
    sizes = smoothed.sum(axis=0)
    return SizedTopics((smoothed / sizes).astype(np.float32), sizes.astype(np.float32))


def unigram(histograms: Histograms, *, n_threads: int = 1) -> tuple[Doubles, float]:
    """Expected count of every word and mean length behind the noise of `histograms`, on `n_threads`."""
    step = one_topic(histograms, length=USUAL_LENGTH, n_threads=n_threads)
    mean = float(step.documents.lengths.mean()) if histograms.n_docs else USUAL_LENGTH
    return step.counts[:, 0].astype(np.float64), mean


def one_topic(histograms: Histograms, *, length: float, n_threads: int = 1) -> Expectation:
    """EM on `histograms` with a single topic, documents of this `length` first; on `n_threads`."""
    alpha = np.ones(1, np.float32)
    topics = SizedTopics(np.full((histograms.n_words, 1), 1 / histograms.n_words, np.float32), alpha)
    documents = start(histograms, 1, length)
    for _ in range(UNIGRAM_ROUNDS):
        step = expect(histograms, documents, topics, alpha, n_steps=1, exclude=False, n_threads=n_threads)
        documents, topics = step.documents, maximize(step.counts, 1e-2)
    return step


def score(
    histograms: Histograms,
    topics: SizedTopics,
    alpha: Floats,
    *,
    seed: int,
    n_steps: int = 20,
    n_threads: int = 1,
) -> float:
    """Held-out channel log-likelihood: mixtures from a random half of the vocabulary score the other half.

    Both ways round. It needs no clean data, so choosing between models by it costs no privacy; the documents
    should not have been trained on. `seed` draws the half; `histograms`, `topics`, `alpha`, `n_steps` and
    `n_threads` are those of `expect`.
    """
    half = np.random.default_rng(seed).random(histograms.n_words) < 0.5
    typical_length = max(1.0, float(histograms.values.sum()) / max(1, histograms.n_docs))
    total = 0.0
    for seen in (half, ~half):
        documents = start(histograms, topics.n_topics, typical_length)
        for allowed, steps in ((seen, n_steps), (~seen, 0)):
            documents, log_likelihood = _run(
                histograms.restrict(allowed),
                documents,
                topics,
                alpha,
                topics.phi[allowed].sum(axis=0),
                None,
                n_steps=steps,
                exclude=False,
                n_threads=n_threads,
            )
        total += log_likelihood
    return total


def _run(
    histograms: Histograms,
    documents: Mixtures,
    topics: SizedTopics,
    alpha: Floats,
    covered: Floats,
    counts: Floats | None,
    *,
    n_steps: int,
    exclude: bool,
    n_threads: int,
) -> tuple[Mixtures, float]:
    """One pass of the kernel on copies of the documents; fills `counts` unless None."""
    n_docs, n_topics = histograms.n_docs, topics.n_topics
    _expect_shape("topics.phi", topics.phi, (histograms.n_words, n_topics))
    _expect_shape("topics.sizes", topics.sizes, (n_topics,))
    _expect_shape("alpha", alpha, (n_topics,))
    _expect_shape("documents.theta", documents.theta, (n_docs, n_topics))
    _expect_shape("documents.lengths", documents.lengths, (n_docs,))
    if n_steps < 0 or n_threads < 1:
        raise InputError(f"expected n_steps >= 0 and n_threads >= 1, got {n_steps} and {n_threads}")
    gpu = using.current(len(histograms.words))
    if gpu is not None:
        arrays = (
            documents.theta,
            documents.lengths,
            topics.phi,
            np.reciprocal(topics.sizes),
            alpha,
            covered,
            counts,
        )
        theta, lengths, found = on_gpu.expect(gpu, histograms, *arrays, n_steps=n_steps, exclude=exclude)
        return Mixtures(theta, lengths), found
    moved = Mixtures(documents.theta.copy(), documents.lengths.copy())
    log_likelihood: float = _native.expect_histograms(
        histograms.offsets,
        histograms.words,
        histograms.values,
        topics.phi,
        np.reciprocal(topics.sizes),
        alpha,
        covered,
        moved.theta,
        moved.lengths,
        decay=histograms.decay,
        growth=histograms.growth,
        burstiness=histograms.burstiness,
        **histograms.chances(),
        n_steps=n_steps,
        exclude=exclude,
        n_threads=n_threads,
        counts=counts,
        on_disk=mapped.is_mapped(histograms.words) and mapped.is_mapped(histograms.values),
    )
    return moved, log_likelihood


def _expect_shape(name: str, array: NDArray[np.generic], shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise InputError(f"expected {name} of shape {shape}, got {array.shape}; match words and topics")
