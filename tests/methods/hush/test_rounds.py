"""A round of EM at the server: what is expected, how it is weighed, and topics from noisy sums."""

import numpy as np
import pytest

from fedtopics.methods.hush import rounds
from fedtopics.methods.hush.beginning import rarity
from fedtopics.methods.hush.rounds import LEAST, PRIOR, RARE, Topics

RNG = np.random.default_rng(7)
TOTALS = RNG.uniform(50, 500, 40)
UNIGRAM = TOTALS / TOTALS.sum()


def some_topics() -> Topics:
    phi = RNG.gamma(0.5, size=(40, 4)) + 0.01
    return Topics(phi / phi.sum(axis=0), np.array([0.4, 0.3, 0.2, 0.1]))


def test_expectations_are_chances_of_topics() -> None:
    topics = some_topics()
    found = rounds.expectation(topics)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(found[3], topics.phi[3] * topics.shares / (topics.phi[3] @ topics.shares))
    nothing = rounds.expectation(Topics(np.zeros((2, 2)), np.array([0.5, 0.5])))
    assert not nothing.any()


def test_weights_have_a_mean_square_that_the_word_decides() -> None:
    expected = rounds.expectation(some_topics())
    weights = rounds.coordinates(UNIGRAM, expected)
    own = np.sqrt((weights.astype(np.float64) ** 2 * expected).sum(axis=1))
    np.testing.assert_allclose(own, rarity(UNIGRAM, RARE, LEAST), rtol=1e-5)
    order = np.argsort(expected[0])
    assert (np.diff(weights[0, order]) <= 0).all()  # less is expected, more is weighed


def counted(topics: Topics, truth: np.ndarray) -> np.ndarray:
    """The sum that parties add up in weighted coordinates where counts by topic are the `truth`."""
    expected = rounds.expectation(topics)
    return rounds.coordinates(UNIGRAM, expected) * (truth - expected * TOTALS[:, None])


def test_without_noise_topics_are_the_counts() -> None:
    topics = some_topics()
    mixed = Topics(0.3 * topics.phi + 0.7 * some_topics().phi, topics.shares)
    truth = rounds.expectation(mixed) * TOTALS[:, None]
    found = rounds.improved(topics, TOTALS, counted(topics, truth), 1e-4, ahead=False)
    smoothed = truth + PRIOR * (UNIGRAM * 40)[:, None]
    wanted = smoothed / smoothed.sum(axis=0)
    assert np.abs(found.phi - wanted).sum(axis=0).max() < 0.2  # the grid of ratios
    np.testing.assert_allclose(found.shares, truth.sum(axis=0) / truth.sum(), atol=0.03)
    assert np.abs(topics.phi - wanted).sum(axis=0).min() > 0.3


def test_what_a_word_adds_up_to_over_the_topics_is_taken_off() -> None:
    topics = some_topics()
    noisy = counted(topics, rounds.expectation(some_topics()) * TOTALS[:, None])
    weights = rounds.coordinates(UNIGRAM, rounds.expectation(topics)).astype(np.float64)
    shift = RNG.normal(size=(40, 1)) / weights  # as noise shifts all topics of a word, by its variances
    one, other = (
        rounds.improved(topics, TOTALS, sent, 3.0, ahead=True) for sent in (noisy, noisy + 9 * shift)
    )
    np.testing.assert_allclose(one.phi, other.phi, rtol=1e-3, atol=1e-7)


def test_ahead_goes_farther_the_same_way() -> None:
    topics = some_topics()
    noisy = counted(topics, rounds.expectation(some_topics()) * TOTALS[:, None])
    calm, ahead = (rounds.improved(topics, TOTALS, noisy, 2.0, ahead=ahead) for ahead in (False, True))
    steps = [np.log(found.phi / topics.phi) for found in (calm, ahead)]
    assert np.abs(steps[1]).mean() > 1.3 * np.abs(steps[0]).mean()
    assert np.corrcoef(steps[0].ravel(), steps[1].ravel())[0, 1] > 0.9


@pytest.mark.parametrize("noise", [1.0, 1e3, 1e6])
def test_noise_alone_leaves_probabilities(noise: float) -> None:
    topics = some_topics()
    found = rounds.improved(topics, TOTALS, RNG.normal(0, noise, (40, 4)), noise, ahead=True)
    np.testing.assert_allclose(found.phi.sum(axis=0), 1)
    assert found.phi.min() > 0
    assert found.shares.min() >= 0
    assert found.shares.sum() == pytest.approx(1)
