"""Topics from privatized reports of single tokens: EM that knows the mechanism.

Many mechanisms report a token as a set of words (or one), each with a number, and are of one kind: given the
true word x, a report y has the likelihood c(y) (1 + gain_x(y)), with gain 0 for words that y does not hold.
Then topic k explains y, up to a constant, by

    g_k(y) = 1 + sum over the words w of y of gain_w phi_kw

and given topic shares theta the token is of topic k and word w with weight theta_k phi_kw (1 + gain_w): on
the words of y through the gains, on any word, seen or not, through the one.

    randomized response   the report is y with chance keep + (1 - keep)/V if x = y, else (1 - keep)/V:
                          gain = keep V / (1 - keep)
    unary encoding        bits of one token, 1 with chance p where the word is, q elsewhere:
                          gain = p (1 - q) / (q (1 - p)) - 1
    subsets               a set that holds x e^epsilon times as likely as any word: gain = e^epsilon - 1
    thresholded one-hot   gain_w = LR_w / LR_silence - 1 of each entry, as in `private_mh`

Each token is left out of the evidence about itself as in `channel_em`; the number of tokens of each document
is public here. Results have the same bits whatever the number of threads and the instruction set.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.sampling import _native
from fedtopics.sampling.channel_em import UNIGRAM_ROUNDS, Expectation, Floats, Mixtures, SizedTopics, maximize

Offsets = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Reports:
    """Reports of the tokens of documents, each a set of words with gains.

    documents, reports   offsets: document d owns reports documents[d]:documents[d+1], a report its entries
    times                how many equal reports of a document stand for one
    words, gains         the entries
    """

    documents: Offsets
    reports: Offsets
    times: Floats
    words: NDArray[np.int32]
    gains: Floats
    n_words: int

    def __post_init__(self) -> None:
        sizes = ((self.documents, len(self.times)), (self.reports, len(self.words)))
        if any(at[0] != 0 or at[-1] != n or np.any(np.diff(at) < 0) for at, n in sizes):
            raise InputError("expected offsets that rise from 0 to the size of the next level, got others")
        if len(self.reports) != len(self.times) + 1 or len(self.gains) != len(self.words):
            raise InputError(f"expected gains of {len(self.words)} words, got {len(self.gains)} gains")
        if len(self.words) and not 0 <= self.words.min() <= self.words.max() < self.n_words:
            raise InputError(f"expected word ids below {self.n_words}, got up to {self.words.max()}")
        if len(self.gains) and not (np.isfinite(self.gains).all() and self.gains.min() >= -1):
            raise InputError("expected gains of at least -1, got others; a likelihood is never negative")

    @property
    def n_docs(self) -> int:
        return len(self.documents) - 1

    @property
    def lengths(self) -> NDArray[np.float64]:
        """Tokens of each document."""
        total = np.concatenate([[0.0], np.cumsum(self.times, dtype=np.float64)])
        return np.asarray(total[self.documents[1:]] - total[self.documents[:-1]])


def start(reports: Reports, n_topics: int) -> Mixtures:
    """Every document an even mixture; its length is known."""
    theta = np.full((reports.n_docs, n_topics), 1 / n_topics, np.float32)
    return Mixtures(theta, reports.lengths)


def unigram(reports: Reports, *, n_threads: int = 1) -> NDArray[np.float64]:
    """Expected count of every word behind the reports: EM with a single topic."""
    alpha = np.ones(1, np.float32)
    topics = SizedTopics(np.full((reports.n_words, 1), 1 / reports.n_words, np.float32), alpha)
    documents = start(reports, 1)
    for _ in range(UNIGRAM_ROUNDS):
        step = expect(reports, documents, topics, alpha, n_steps=0, exclude=False, n_threads=n_threads)
        topics = maximize(step.counts, 1e-2)
    return step.counts[:, 0].astype(np.float64)


def expect(
    reports: Reports,
    documents: Mixtures,
    topics: SizedTopics,
    alpha: Floats,
    *,
    n_steps: int = 2,
    exclude: bool = True,
    n_threads: int = 1,
) -> Expectation:
    """Expected counts of every word and topic, after `n_steps` updates of each document's mixture."""
    shapes = (topics.phi.shape[0], documents.theta.shape, alpha.shape, topics.sizes.shape)
    k = topics.n_topics
    if shapes != (reports.n_words, (reports.n_docs, k), (k,), (k,)):
        raise InputError(f"expected topics and documents of one size, got shapes {shapes}")
    if n_steps < 0 or n_threads < 1:
        raise InputError(f"expected n_steps >= 0 and n_threads >= 1, got {n_steps} and {n_threads}")
    counts, theta = np.empty(topics.phi.shape, np.float32), documents.theta.copy()
    log_likelihood: float = _native.expect_reports(
        reports.documents,
        reports.reports,
        reports.times,
        reports.words,
        reports.gains,
        topics.phi,
        np.reciprocal(topics.sizes),
        alpha,
        theta,
        n_steps=n_steps,
        exclude=exclude,
        n_threads=n_threads,
        counts=counts,
    )
    return Expectation(Mixtures(theta, documents.lengths), counts, log_likelihood)
