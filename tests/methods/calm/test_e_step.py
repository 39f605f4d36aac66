"""Documents that are to be of one topic are mixtures until topics have formed, and choose then."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from fedtopics.documents.corpus import Corpus
from fedtopics.methods.calm import Calm, roots
from fedtopics.methods.calm.e_step import CHOOSING, EVEN, EStep
from fedtopics.protocol import in_process
from fedtopics.protocol.turn import Arrays, Turn
from fedtopics.sampling import channel_em, one_topic
from fedtopics.sampling.channel_em import SizedTopics
from fedtopics.sampling.histograms import Histograms

N_GROUPS, N_OWN = 8, 15
N_WORDS = N_GROUPS * N_OWN
MIXED = 90 - CHOOSING  # rounds of mixtures
WORDS = tuple(f"w{word}" for word in range(N_WORDS))


def short_texts(seed: int) -> tuple[np.ndarray, Corpus]:
    """The groups of 600 texts of five words each, four of five from those of the group, some of them rare."""
    random = np.random.default_rng(seed)
    groups = random.integers(0, N_GROUPS, 600)
    own = groups[:, None] * N_OWN + np.minimum(random.geometric(0.15, (600, 5)) - 1, N_OWN - 1)
    words = np.where(random.random((600, 5)) < 0.8, own, random.integers(0, N_WORDS, (600, 5)))
    return groups, Corpus(words.ravel().astype(np.int32), np.arange(0, 3001, 5), WORDS)


@pytest.mark.parametrize("seed", range(4))
def test_groups_are_found_that_are_missed_where_documents_choose_early(seed: int) -> None:
    """Documents of one topic from the first round on reach 0.88 to 0.95."""
    groups, corpus = short_texts(seed)
    method = Calm(epsilon=5.0, n_topics=N_GROUPS, n_rounds=50, one_topic=True, beta=0.1, burstiness=0.0)
    model = in_process.run(method, {"a": corpus}, seed=seed).model
    assert model is not None
    found = one_topic.chances(corpus, model.topic_word, np.asarray(model.topic_shares)).argmax(axis=1)
    assert normalized_mutual_info_score(groups, found) > 0.955


def test_documents_are_even_mixtures_and_of_one_topic_in_the_end() -> None:
    rows = Histograms(np.array([0, 2]), np.array([0, 2], np.int32), np.array([1, 2], np.int32), 3, 0.05)
    phi = np.array([[0.5, 0.1], [0.3, 0.2], [0.2, 0.7]], np.float32)
    topics, alpha = SizedTopics(phi, np.array([30.0, 50.0], np.float32)), np.full(2, 0.1, np.float32)
    documents = channel_em.even(1, 2, 2.0)
    reading = EStep(n_rounds=90, n_steps=10, one_topic=True)
    told: Arrays = {"length": np.array(4.0)}

    def of_round(number: int, reading: EStep = reading) -> np.ndarray:
        step = reading.of_round(topics, alpha, Turn(0, "party", number), told)
        return step(rows, documents, 3).counts

    prior = np.full(2, EVEN / 2, np.float32)
    mixed = channel_em.expect(rows, documents, topics, prior, n_steps=10).counts
    np.testing.assert_array_equal(of_round(MIXED - 1), mixed)
    chosen = one_topic.expect(rows, documents, topics, typical=4.0).counts
    np.testing.assert_array_equal(of_round(MIXED), chosen)
    usual = channel_em.expect(rows, documents, topics, alpha, n_steps=10).counts
    np.testing.assert_array_equal(of_round(MIXED, EStep(90, 10, one_topic=False)), usual)


@pytest.mark.parametrize("tells", ["roots", "topics"])
def test_topics_do_not_look_ahead_where_documents_choose(tells: str) -> None:
    method = Calm(n_topics=3, n_rounds=90, one_topic=True, momentum=0.5, tells=tells)
    for number, ahead in ((MIXED - 1, True), (MIXED, False)):
        state: Arrays = {"counts": np.full((N_WORDS, 3), 9.0), "length": np.array(30.0)}
        state |= {"previous": state["counts"], "roots": roots.of(state["counts"])}
        heard = {"counts": np.full((N_WORDS, 3), 10.0), "likelihood": np.array(-1.0)}
        state = method.combine(state, {"a": heard}, Turn(0, "server", number))
        sizes = method._ahead.topics(method.broadcast(state)).sizes
        assert (sizes > N_WORDS * 10.2).all() == ahead
        assert ahead or sizes == pytest.approx(N_WORDS * (10 + method.beta), rel=1e-2)
