"""What papers claim, what holds, what attacks reach: the table of `fedtopics audit-claims`."""

from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray

from fedtopics.audit import papers
from fedtopics.audit.papers import FIGURE_3, FIGURE_3_THETA, Broken
from fedtopics.methods.pctd.paper import moments_claim
from fedtopics.privacy.mechanisms.bit_vector import bit_vector
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.one_hot import OneHot
from fedtopics.privacy.mechanisms.prior_response import PriorResponse
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Cost, Loss, check_relation
from fedtopics.privacy.price.events import Gaussian

IN_WORDS: dict[str, str] = {
    "word add/remove": "a word added or removed",
    "word replace": "one replaced",
    "document add/remove": "a document",
    "document replace": "a document replaced",
}


@dataclass(frozen=True)
class Finding:
    """One line: what is said, what is true, what an attack reached, and the reason; and the numbers in it."""

    method: str
    claimed: str
    proved: str
    why: str
    figures: dict[str, float]
    reached: str = ""


def audit() -> list[Finding]:
    """All findings, computed afresh, with what attacks (`papers.py`) reach of them."""
    return [
        _attacked(prior_response(7.5), papers.fedlda()),
        prior_response(5.0),
        tuples_and_rounds(),
        _attacked(gaussian_rounds(), papers.pctd()),
        _attacked(bits(), papers.lplda()),
        _attacked(one_hot(), papers.ftm_number(), papers.ftm_word()),
        normalization(),
        _attacked(last_sweep(), papers.fdptm()),
    ]


def _attacked(finding: Finding, *attacks: Broken) -> Finding:
    """The finding, with what the attacks reached."""
    told = [
        f"at least {each.reached:.3g} for {IN_WORDS[each.relation]}"
        + (f" at delta {each.delta:g}" if each.delta else "")
        + f", from {each.seen}"
        for each in attacks
    ]
    return replace(finding, reached="; ".join(told))


def prior_response(epsilon: float, delta: float = 0.1) -> Finding:
    """RRP's exact delta on the paper's own example."""
    response = PriorResponse.from_topics(epsilon, delta, FIGURE_3, FIGURE_3_THETA, public_prior=True)
    return Finding(
        "FedLDA (RRP)",
        f"({epsilon:g}, {2 * delta:g}) for a word replaced",
        f"({epsilon:g}, {response.delta_at(epsilon):.3f}) at best, were theta public; none as it is private",
        f"Figure 3: a word outside every truncated set is reported only when it is the true one, "
        f"with probability {1 - response.eta + response.eta * response.deserted:.3f}",
        {"epsilon": epsilon, "claimed delta": 2 * delta, "delta": response.delta_at(epsilon)},
    )


def tuples_and_rounds(length: int = 150, ratio: float = 0.7, rounds: int = 60) -> Finding:
    """What FedLDA's budget per tuple adds up to, if it held."""
    n_tuples = round(ratio * length)
    return Finding(
        "FedLDA (rounds)",
        "7.5",
        f"{7.5 * n_tuples:g} per round, {7.5 * n_tuples * rounds:,g} over {rounds} rounds, if RRP held",
        f"{n_tuples} of {length} tuples are sent in every round and compose; k1 and k2 travel in clear",
        {"per round": 7.5 * n_tuples, "all rounds": 7.5 * n_tuples * rounds},
    )


def gaussian_rounds(sigma: float = 0.25, rounds: int = 35, delta: float = 1e-5) -> Finding:
    """PC-TD's noise at its own setting."""

    added, replaced = (
        accounting.epsilon([Loss("word add/remove", Gaussian(sigma), n * rounds)], delta) for n in (1, 2)
    )
    claimed, moment = moments_claim(sigma, rounds, delta), sigma**2 * log(1 / sigma)
    return Finding(
        "PC-TD",
        f"{claimed:.0f} by the conditions in the proof of Theorem 1",
        f"{replaced:.0f} for a word replaced; for one added or removed {added:.0f} where units are sentences "
        f"or paragraphs, none where they are n-grams; at delta {delta:g}",
        f"the proof needs a moment of at least 1 but allows {moment:.2f} at sigma {sigma:g}; "
        f"fresh noise in each of {rounds} rounds composes; a word more moves others to other n-grams",
        {"claimed": claimed, "word add/remove": added, "word replace": replaced},
    )


def bits(f: float = 0.1, max_distinct: int = 100) -> Finding:
    """LP-LDA's epsilon per bit, word and document."""
    cost = bit_vector(f, 1000, Bounds(max_length=max_distinct)).price()
    bit = _pure(bit_vector(f, 1000).price(), "word add/remove")
    word, document = (_pure(cost, r) for r in ("word replace", "document replace"))
    return Finding(
        "LP-LDA",
        f"{cost.claims[0].epsilon:.2f} for each document contributor (f = {f:g})",
        f"{bit:.2f} per bit, {word:.2f} for a word replaced, {document:.0f} for a document of {max_distinct} "
        "different words replaced",
        "Theorem 4 compares two values of one bit; a document changes many bits, each randomized on its own",
        {"claimed": cost.claims[0].epsilon, "bit": bit, "word replace": word, "document replace": document},
    )


def one_hot(epsilon: float = 8.0, n_words: int = 3000) -> Finding:
    """FTM's epsilon for a word."""
    cost = OneHot(epsilon, n_words).price()
    replaced = _pure(cost, "word replace")
    return Finding(
        "FTM, iFTM",
        f"{cost.claims[0].epsilon:g}",
        f"none for a word added or removed, {replaced:g} for one replaced, if nothing else is computed from "
        "the raw counts",
        "there is a vector for each token, so their number shows; and at ln V = "
        f"{log(n_words):.1f} or more an adversary can single out a word among {n_words}",
        {"word replace": replaced},
    )


def normalization(n_topics: int = 15, n_words: int = 500, n_tokens: int = 20_000) -> Finding:
    """FTM's "lossless encryption" of counts, undone on a random word-topic matrix."""
    rng = np.random.default_rng(0)
    law = 1 / np.arange(1, n_words + 1)
    counts = np.array(
        [rng.multinomial(n_tokens // n_topics, rng.permutation(law / law.sum())) for _ in range(n_topics)]
    )
    recovered = recover_counts(counts / counts.sum(axis=1, keepdims=True))
    n_exact = int(np.sum(np.all(recovered == counts, axis=1)))
    return Finding(
        "FTM (topic-wise normalization)",
        '"lossless encryption" of the counts',
        f"none: integer counts of {n_exact} of {n_topics} topics recovered exactly",
        "dividing a row by its smallest entry and scaling to whole numbers gives the counts back",
        {"topics recovered": n_exact, "topics": n_topics},
    )


def last_sweep(epsilon: float = 1.0) -> Finding:
    """FDPTM's noise in the last sweep of Gibbs sampling alone."""
    return Finding(
        "FDPTM (LDA with noise in the last sweep)",
        f"{epsilon:g} for a document, or whatever is set",
        "none",
        "noise decides in which topic a token counts, not whether: summed over topics the counts are exact",
        {"claimed": epsilon},
    )


def recover_counts(normalized: NDArray[np.float64], largest_smallest: int = 50) -> NDArray[np.int64]:
    """The integer counts behind rows that were divided by their sums: the smallest that fit.

    >>> recover_counts(np.array([[2, 0, 3]]) / 5).tolist()
    [[2, 0, 3]]
    """
    rows = []
    for row in normalized:
        ratios = row / row[row > 0].min()
        for smallest in range(1, largest_smallest + 1):
            scaled = ratios * smallest
            if np.allclose(scaled, np.round(scaled), rtol=0, atol=1e-6 * scaled.max()):
                break
        rows.append(np.round(scaled).astype(np.int64))
    return np.array(rows)


def _pure(cost: Cost, relation: str) -> float:
    return accounting.epsilon(cost.losses_of(check_relation(relation)), 0.0)
