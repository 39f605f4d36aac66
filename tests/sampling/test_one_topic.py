"""One topic per document: planted groups are found, through noise too; sums are those of all cases."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from fedtopics import LDA
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.methods.calm import Calm
from fedtopics.protocol import in_process
from fedtopics.sampling import one_topic
from fedtopics.sampling.channel_em import Mixtures, SizedTopics
from fedtopics.sampling.histograms import Histograms

RNG = np.random.default_rng(3)
GROUPS = RNG.integers(0, 4, 600)
WORDS = tuple(f"w{word}" for word in range(40))


def short_texts() -> Corpus:
    """Five words each, nine of ten from the ten words of the document's group."""
    own = GROUPS[:, None] * 10 + RNG.integers(0, 10, (600, 5))
    words = np.where(RNG.random((600, 5)) < 0.9, own, RNG.integers(0, 40, (600, 5)))
    return Corpus(words.ravel().astype(np.int32), np.arange(0, 3001, 5), WORDS)


CORPUS = short_texts()


def test_groups_of_short_documents_are_found() -> None:
    lda = LDA(4, one_topic=True, max_iter=40, random_state=0)
    found = lda.fit_transform(CORPUS)
    assert np.allclose(found.sum(axis=1), 1, atol=1e-5)
    assert normalized_mutual_info_score(GROUPS, found.argmax(axis=1)) > 0.9
    assert lda.components_.sum() == pytest.approx(3000 + 0.05 * 160)
    again = LDA(4, one_topic=True, max_iter=40, random_state=0).fit(CORPUS)
    assert np.array_equal(lda.components_, again.components_)


def test_more_documents_keep_the_topics() -> None:
    lda = LDA(4, one_topic=True, max_iter=40, random_state=0).fit(CORPUS.select(np.arange(600) < 400))
    before = lda.transform(CORPUS).argmax(axis=1)
    lda.partial_fit(CORPUS.select(np.arange(600) >= 400))
    assert np.mean(lda.transform(CORPUS).argmax(axis=1) == before) > 0.95
    with pytest.raises(InputError, match="whole counts"):
        LDA(2, one_topic=True).fit(np.array([[0.5, 1.0]]))


def test_calm_finds_them_behind_the_noise() -> None:
    parties = {"a": CORPUS.select(np.arange(600) % 2 == 0), "b": CORPUS.select(np.arange(600) % 2 == 1)}
    method = Calm(epsilon=5.0, n_topics=4, n_rounds=40, one_topic=True)
    model = in_process.run(method, parties, seed=0).model
    assert model is not None
    found = one_topic.chances(CORPUS, model.topic_word, np.asarray(model.topic_shares))
    assert normalized_mutual_info_score(GROUPS, found.argmax(axis=1)) > 0.8


@pytest.mark.parametrize("burstiness", [0.0, 0.3])
def test_weights_and_counts_are_those_of_all_cases(burstiness: float) -> None:
    """One document, two topics, three words of which two survived: every true count is listed."""
    decay = 0.05
    rows = Histograms(
        np.array([0, 2]), np.array([0, 2], np.int32), np.array([1, 2], np.int32), 3, decay, burstiness
    )
    phi = np.array([[0.5, 0.1], [0.3, 0.2], [0.2, 0.7]], np.float32)
    length, sizes = 2.5, np.array([30.0, 50.0], np.float32)
    step = one_topic.expect(
        rows,
        Mixtures(np.full((1, 2), 0.5, np.float32), np.array([length])),
        SizedTopics(phi, sizes),
        exclude=False,
    )
    weights, means = [], []
    for topic in range(2):
        found = [
            _listed(length * float(phi[w, topic]), y, decay, burstiness) for w, y in enumerate((1, 0, 2))
        ]
        weights.append(sizes[topic] * np.prod([chance for chance, _ in found]))
        means.append([mean for _, mean in found])
    expected = np.array(weights) / sum(weights)
    assert np.allclose(step.documents.theta[0], expected, rtol=2e-3)
    assert np.allclose(step.counts, (np.array(means) * expected[:, None]).T, rtol=1e-2, atol=1e-3)


def _listed(mean: float, released: int, a: float, q: float) -> tuple[float, float]:
    """Chance of a released count (0: none survived) and the expected true one, by adding up all true ones."""
    chances = [1.0]
    for n in range(1, 40):
        chances.append(chances[-1] * ((1 - q) * mean + (n - 1) * q) / n)
    prior = np.array(chances) / sum(chances)
    n = np.arange(40)
    noise = (1 - a) / (1 + a)
    seen = noise * a ** np.abs(released - n) if released else np.where(n == 0, 1 / (1 + a), a**n / (1 + a))
    return float(prior @ seen), float(prior @ (seen * n) / (prior @ seen))


def test_lengths_behind_the_noise_are_drawn_to_the_usual_one() -> None:
    """A prior as sure as SURE tokens: between what is found and `typical`, by its posterior mean."""
    rows = Histograms(
        np.array([0, 1, 5]), np.array([0, 0, 1, 2, 3], np.int32), np.ones(5, np.int32), 40, 0.01
    )
    documents = Mixtures(np.full((2, 2), 0.5, np.float32), np.full(2, 3.0))
    topics = SizedTopics(np.full((40, 2), 1 / 40, np.float32), np.full(2, 50.0, np.float32))
    found = one_topic.expect(rows, documents, topics).documents.lengths
    drawn = one_topic.expect(rows, documents, topics, typical=3.0).documents.lengths
    assert np.allclose(drawn, (one_topic.SURE + found) / (one_topic.SURE / 3 + 1))
    assert found[1] > drawn[1] > drawn[0] > found[0]


def test_a_large_epsilon_is_as_good_as_no_noise() -> None:
    """Powers of exp(epsilon) once left single precision, and every topic was no number."""
    for epsilon in (30.0, 60.0):
        model = in_process.run(
            Calm(epsilon=epsilon, n_topics=4, n_rounds=30, one_topic=True), {"a": CORPUS}, seed=0
        ).model
        assert model is not None
        assert np.isfinite(model.topic_word).all()
        found = one_topic.chances(CORPUS, model.topic_word, np.asarray(model.topic_shares))
        assert normalized_mutual_info_score(GROUPS, found.argmax(axis=1)) > 0.9
