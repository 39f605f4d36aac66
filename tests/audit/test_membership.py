"""Membership by likelihood ratios, against hand-made statistics and against LDA without privacy."""

import numpy as np
import pytest
from scipy.stats import norm

from fedtopics.audit import membership
from fedtopics.audit.guesses import area
from fedtopics.audit.membership import Shadows, best_likelihoods, emptied, lira, word_frequencies
from fedtopics.documents.corpus import Corpus
from fedtopics.methods.pooled import Pooled
from fedtopics.model import TopicModel

WORDS = tuple(f"word{number:02d}" for number in range(40))


def shadows(n_models: int, shift: float, seed: int) -> Shadows:
    """Statistics of 200 canaries, each with a level of its own, larger by `shift` where it was there."""
    rng = np.random.default_rng(seed)
    levels = 10 * np.random.default_rng(99).normal(size=200)
    coins = rng.random((n_models, 200)) < 0.5
    return Shadows(levels + shift * coins + rng.normal(size=coins.shape), coins)


@pytest.mark.parametrize("online", [True, False])
def test_with_many_shadow_models_the_attack_is_as_good_as_the_law_allows(online: bool) -> None:
    """Two normal laws that are 1.5 deviations apart have an area of Phi(1.5 / sqrt 2) = 0.856."""
    found = area(lira(shadows(400, 1.5, 0), shadows(20, 1.5, 1), online=online))
    assert found == pytest.approx(norm.cdf(1.5 / np.sqrt(2)), abs=0.02)


def test_online_knows_which_way_members_differ_and_offline_does_not() -> None:
    known, target = shadows(60, -1.5, 0), shadows(20, -1.5, 1)
    assert area(lira(known, target, online=True)) > 0.8
    assert area(lira(known, target, online=False)) < 0.2


def test_the_score_is_the_ratio_of_two_normal_densities() -> None:
    known = Shadows(np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([[False], [False], [True], [True]]))
    (score,) = lira(known, Shadows(np.array([[5.5]]), np.array([[True]])), online=True).scores
    deviation = np.sqrt(2)  # one for all, with a degree of freedom less: models are few
    assert score == pytest.approx(norm.logpdf(5.5, 6, deviation) - norm.logpdf(5.5, 1, deviation))


def test_the_statistic_of_a_document_is_its_likelihood_at_the_best_mixture() -> None:
    model = TopicModel(np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]]), np.ones(2), ("a", "b", "c"))
    corpus = Corpus(np.array([0, 0, 2, 1, 1], np.int32), np.array([0, 3, 5, 5]), ("a", "b", "c"))
    mixtures = np.linspace(0, 1, 10_001)
    first = 2 * np.log(0.1 + 0.6 * mixtures) + np.log(0.7 - 0.6 * mixtures)
    assert best_likelihoods(model, corpus) == pytest.approx([first.max(), 2 * np.log(0.2), 0], abs=1e-3)


def test_the_statistic_of_a_word_is_its_frequency_under_the_model() -> None:
    shares = np.array([0.25, 0.75])
    model = TopicModel(np.array([[0.7, 0.3], [0.1, 0.9]]), np.ones(2), ("a", "b"), topic_shares=shares)
    assert np.exp(word_frequencies(model)) == pytest.approx([0.25, 0.75])


def test_a_document_that_is_not_there_is_empty_and_the_others_are_as_they_were() -> None:
    corpus = Corpus(np.array([0, 1, 2, 3], np.int32), np.array([0, 2, 3, 4]), ("a", "b", "c", "d"))
    left = emptied(corpus, np.array([True, False, True]))
    assert (left.words.tolist(), left.offsets.tolist()) == ([0, 1, 3], [0, 2, 2, 3])


def test_members_of_a_model_without_privacy_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    corpus = Corpus(rng.integers(0, 40, 60 * 15).astype(np.int32), np.arange(61) * 15, WORDS)
    found = membership.trained(
        Pooled(n_topics=5, n_rounds=5), {"all": corpus}, n_models=24, seed=0, n_threads=1
    )
    assert found is not None
    documents, words = found
    assert area(lira(documents[:18], documents[18:], online=True)) > 0.65
    assert documents.coins.shape == (24, 60)
    assert words.coins.shape == (24, 40)
