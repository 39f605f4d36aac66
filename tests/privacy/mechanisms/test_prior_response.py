"""FedLDA's random response with priori: what the paper says of it, its law, and that it proves nothing."""

from functools import partial

import numpy as np
import pytest
from statistics_ import SEED, assert_drawn_from

from fedtopics.audit.papers import FIGURE_3, FIGURE_3_THETA
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.prior_response import (
    PriorResponse,
    PriorResponses,
    flip_probability,
    kept_words,
)
from fedtopics.privacy.mechanisms.randomized_response import RandomizedResponse
from fedtopics.privacy.mechanisms.subset_selection import SubsetSelection
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding
from fedtopics.privacy.price import accounting

noise = partial(Noise.simulated, SEED, "responses")


def test_prior_response_reproduces_the_papers_example():
    mechanism = PriorResponse.from_topics(7.5, 0.1, FIGURE_3, FIGURE_3_THETA)
    assert mechanism.noise_law[0] == pytest.approx(0.38)
    assert mechanism.deserted == pytest.approx(0.1)
    assert flip_probability(7.5, 0.1) == pytest.approx(0.0524, abs=1e-4)
    assert flip_probability(5.0, 0.1, gamma=2.0) > flip_probability(5.0, 0.1)


@pytest.mark.parametrize(("epsilon", "delta"), [(7.5, 0.953), (5.0, 0.638)])
def test_prior_response_is_not_what_it_claims(epsilon, delta):
    mechanism = PriorResponse.from_topics(epsilon, 0.1, FIGURE_3, FIGURE_3_THETA, public_prior=True)
    channel = mechanism.channel()
    by_hand = max(
        np.maximum(channel[w] - np.exp(epsilon) * channel[v], 0).sum() for w in range(7) for v in range(7)
    )
    assert mechanism.delta_at(epsilon) == pytest.approx(by_hand)
    assert mechanism.delta_at(epsilon) == pytest.approx(delta, abs=5e-4)
    cost = mechanism.price()
    assert (cost.claims[0].epsilon, cost.claims[0].delta) == (epsilon, 0.2)
    assert accounting.epsilon(cost.losses_of("word replace"), 0.2) == float("inf")


def test_prior_response_with_a_private_prior_proves_nothing():
    cost = PriorResponse.from_topics(7.5, 0.1, FIGURE_3, FIGURE_3_THETA).price()
    assert accounting.epsilon(cost.losses_of("word replace"), 0.999) == float("inf")


@pytest.mark.parametrize("word", range(7))
def test_prior_response_draws_follow_the_channel(word):
    mechanism = PriorResponse.from_topics(5.0, 0.1, FIGURE_3, FIGURE_3_THETA)
    reports = mechanism(np.full(20_000, word), noise("prior", word)).value
    assert_drawn_from(np.bincount(reports, minlength=7), mechanism.channel()[word])


def test_prior_response_debias_inverts_the_channel():
    mechanism = PriorResponse.from_topics(5.0, 0.1, FIGURE_3, FIGURE_3_THETA)
    assert np.allclose(mechanism.debias(mechanism.channel()), np.eye(7))


def test_deserted_words_weigh_at_most_delta():
    kept = kept_words(FIGURE_3, 0.1)
    assert np.allclose(np.where(kept, 0, FIGURE_3).sum(axis=1), 0.1)
    assert kept[:, 0].tolist() == [True, True, False, False, False]


def test_a_large_epsilon_is_no_overflow():
    assert SubsetSelection(800.0, 50).n_members == 1
    prior = PriorResponse.from_topics(800.0, 0.1, FIGURE_3, FIGURE_3_THETA, public_prior=True)
    assert prior.delta_at(800.0) == pytest.approx(1.0)
    for make in (RandomizedResponse, SubsetSelection, UnaryEncoding.optimized):
        with pytest.raises(InputError, match="epsilon must be a finite number"):
            make(10**400, 5)


def test_many_users_respond_by_the_law_of_each():
    """RRP for all users at once draws from the channel of every user's own mixture."""
    theta = np.array([[0.9, 0.1], [0.2, 0.8]])
    topics = np.array([[0.5, 0.3, 0.15, 0.05], [0.05, 0.1, 0.25, 0.6]])
    responses = PriorResponses(2.0, 0.1, topics)
    n = 40_000
    users, words = np.repeat([0, 1], 4 * n), np.tile(np.repeat(np.arange(4), n), 2)
    reports = responses(words, users, theta, noise("users")).value.reshape(2, 4, n)
    for user in range(2):
        channel = PriorResponse.from_topics(2.0, 0.1, topics, theta[user]).channel()
        for word in range(4):
            assert_drawn_from(np.bincount(reports[user, word], minlength=4), channel[word])


def test_a_dummy_is_reported_as_such_unless_the_prior_answers():
    responses = PriorResponses(3.0, 0.2, FIGURE_3)
    n_words = FIGURE_3.shape[1]
    reports = responses(np.full(50_000, n_words), np.zeros(50_000, int), FIGURE_3_THETA[None], noise("dummy"))
    single = PriorResponse.from_topics(3.0, 0.2, FIGURE_3, FIGURE_3_THETA)
    stays = 1 - single.eta + single.eta * single.deserted
    law = np.append(single.eta * single.noise_law, stays)
    assert_drawn_from(np.bincount(reports.value, minlength=n_words + 1), law)


@pytest.mark.parametrize(
    ("gamma", "expected"), [(float("inf"), (0.0524, 0.4026)), (1.0, (0.378, 0.881))], ids=str
)
def test_flip_probabilities_of_the_paper(gamma, expected):
    found = [flip_probability(epsilon, 0.1, gamma) for epsilon in (7.5, 5.0)]
    assert found == pytest.approx(expected, abs=5e-4)
