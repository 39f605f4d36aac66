"""Training with hush: what is said of a run, and what is refused before documents are read."""

import logging

import numpy as np
import pytest

import fedtopics
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError


def noise(n_docs: int) -> Corpus:
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{number}" for number in random.integers(0, 40, 12)) for _ in range(n_docs)]
    return Corpus.from_texts(texts, min_df=1, max_df=1.0)


def test_topics_that_are_withdrawn_are_spoken_of_everywhere(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        run = fedtopics.train(noise(80), "hush", epsilon=1.0, n_topics=3, n_parties=1)
    assert "were withdrawn" in caplog.text
    assert "were withdrawn" in repr(run)
    assert any("were withdrawn" in note for note in run.record["notes"])


def test_words_agreed_on_for_documents_do_not_protect_persons() -> None:
    with pytest.raises(InputError, match="public list of words"):
        fedtopics.train("no such file", "hush", unit="person", vocabulary_epsilon=4.0)


def test_where_noise_is_secure_documents_are_held_out_by_their_words() -> None:
    corpus = noise(300)
    whole = fedtopics.train(corpus, "hush", secure=True, n_topics=2, n_rounds=1, n_parties=1).record
    fewer = fedtopics.train(
        corpus.select(np.arange(299)), "hush", secure=True, n_topics=2, n_rounds=1, n_parties=1
    ).record
    assert 0 <= whole["parties"][0]["n_docs"] - fewer["parties"][0]["n_docs"] <= 1
    assert whole["parties"][0]["n_docs"] != 270  # not a tenth of a permutation
