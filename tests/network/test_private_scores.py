"""Scores under privacy: near the true ones, within their bounds, at the price that the plan names."""

from __future__ import annotations

import numpy as np
import pytest
from planted import drawn_corpus, planted_topics

from fedtopics.evaluation.perplexity import perplexity
from fedtopics.evaluation.usefulness import unsure, warnings
from fedtopics.network import private_scores, wire
from fedtopics.network.plan.parts import Evaluation
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price import accounting

TOPICS = planted_topics(3, 8)
PHI = np.asarray(TOPICS) * 0.9 + 0.1 / TOPICS.shape[1]
PARTIES = {name: drawn_corpus(TOPICS, 400, 40, seed) for seed, name in enumerate("abc")}


def released(
    epsilon: float, seed: int, topics: np.ndarray = PHI, n_docs: int = 400
) -> private_scores.PrivateScore | None:
    """The score from the first `n_docs` of each party."""
    mechanism = Evaluation("private", 0.1, epsilon, 1e-6).mechanism()
    assert mechanism is not None
    sums = {
        name: private_scores.release(
            topics, corpus.select(range(n_docs)), mechanism, Noise.simulated(seed, name)
        ).value
        for name, corpus in PARTIES.items()
    }
    return private_scores.combined(sums, mechanism, 24)


def test_the_score_is_near_the_true_one() -> None:
    """Six deviations of the noise: a false alarm less often than 1e-6."""
    from fedtopics.documents.corpus import concatenate

    true = perplexity(PHI, concatenate(list(PARTIES.values())))
    found = released(20.0, 1)
    assert found is not None
    assert abs(np.log(found.perplexity / true)) < 3 * np.log(found.high / found.perplexity)
    assert found.low < found.perplexity < found.high
    assert abs(found.perplexity / true - 1) < 0.05
    without = perplexity(PHI.mean(axis=0, keepdims=True), concatenate(list(PARTIES.values())))
    assert abs(found.without / without - 1) < 0.05


def said(found: private_scores.PrivateScore | None) -> str:
    """What is said of topics with such a score."""
    assert found is not None
    told = {"perplexity": found.perplexity, "perplexity_unigram": found.without}
    told |= {"perplexity_low": found.low, "perplexity_high": found.high}
    return " ".join([*warnings(told), *unsure(told)])


def test_topics_of_noise_are_found_to_be_of_no_use() -> None:
    """They are no better than their mean, which may be far from the frequencies of words."""
    noise = np.random.default_rng(0).dirichlet(np.full(24, 100.0), 3)
    told = [said(released(20.0, seed, noise)) for seed in range(20)]
    assert sum("the mean of them all" in each for each in told) > 15
    assert [said(released(20.0, seed)) for seed in range(20)] == [""] * 20


def test_topics_that_are_surely_worse_than_their_mean_are_called_so() -> None:
    told = {"perplexity": 30.0, "perplexity_unigram": 24.0, "perplexity_low": 25.0, "perplexity_high": 36.0}
    assert "these topics are no better than the mean of them all" in warnings(told)[0]
    assert unsure(told) == []


def test_good_topics_are_not_called_useless_where_noise_is_large() -> None:
    """Much of what is known of them is noise here: that is said, and not that they are of no use."""
    told = [said(released(1.0, seed, n_docs=100)) for seed in range(20)]
    assert sum("no better than" in each for each in told) <= 1
    assert sum("hides whether" in each for each in told) > 5


def test_too_much_noise_gives_no_score() -> None:
    assert released(3e-3, 1) is None
    mechanism = Evaluation("private", 0.1, 1.0, 1e-6).mechanism()
    assert mechanism is not None
    assert private_scores.combined({}, mechanism, 24) is None


def test_no_document_counts_more_than_one() -> None:
    long = drawn_corpus(TOPICS, 20, 900, 5)
    wrong = np.eye(3, 24)  # topics that give most words no chance
    for phi in (PHI, wrong):
        for corpus in (long, PARTIES["a"]):
            rows = private_scores.vectors(phi, corpus)
            assert np.isfinite(rows).all()
            assert (np.linalg.norm(rows, axis=1) <= 1 + 1e-12).all()


def test_the_price_is_that_of_the_plan() -> None:
    evaluation = Evaluation("private", 0.1, 1.0, 1e-6)
    (cost,) = evaluation.prices()
    spent = accounting.epsilon(cost.losses_of("document add/remove"), 1e-6)
    assert 0.99 < spent <= 1.0


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {"sums": np.zeros(2)},
        {"sums": np.zeros(3, np.float32)},
        {"sums": np.array([1.0, np.nan, 1.0])},
        {"sums": np.array([1e300, 1.0, 1.0])},
        {"other": np.zeros(3)},
    ],
)
def test_sums_that_are_none_are_refused(arrays: dict[str, np.ndarray]) -> None:
    with pytest.raises(wire.WireError):
        private_scores.read_sums("a", wire.pack(arrays))
