"""A run goes on with new documents: topics keep their numbers, words may join, every method can."""

from __future__ import annotations

import numpy as np
import pytest

from fedtopics import train
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.runs.run import Run
from tests.planted import planted_topics

RNG = np.random.default_rng(0)
TOPICS = planted_topics(3, 12)
WORDS = tuple(f"w{word}" for word in range(36))


def corpus(n_docs: int) -> Corpus:
    rows = [RNG.choice(36, 30, p=RNG.dirichlet(np.full(3, 0.1)) @ TOPICS) for _ in range(n_docs)]
    return Corpus(np.concatenate(rows).astype(np.int32), np.arange(0, 30 * n_docs + 1, 30), WORDS)


FIRST, SECOND = corpus(120), corpus(120)


def begun(method: str, **settings: object) -> Run:
    return train(FIRST, method, n_topics=3, n_parties=2, n_threads=1, **settings)


@pytest.mark.parametrize(
    ("method", "settings"),
    [("calm", {"epsilon": 6.0, "n_rounds": 30}), ("shared", {"n_rounds": 60}), ("pooled", {}), ("alone", {})],
)
def test_topics_keep_their_numbers(method: str, settings: dict[str, object]) -> None:
    run = begun(method, **settings)
    after = run.update(SECOND, n_parties=2, n_threads=1)
    assert after.record["update"]["stable"] == [0, 1, 2]
    overlap = [
        set(a) & set(b) for a, b in zip(run.model.top_words(8), after.model.top_words(8), strict=False)
    ]
    assert min(map(len, overlap)) >= 3
    before, now = run.model.n_tokens, after.model.n_tokens
    assert before is not None
    assert now is not None
    assert now > 1.3 * before
    assert after.scores["perplexity"] < after.scores["perplexity_unigram"]


def test_words_and_topics_may_join_and_the_record_says_so(tmp_path: object) -> None:
    run = begun("calm", epsilon=6.0, n_rounds=20)
    after = run.update(SECOND, words=["fresh"], n_new_topics=1, n_parties=2, n_threads=1)
    assert after.model.vocabulary == (*WORDS, "fresh")
    assert after.model.n_topics == 4
    assert 3 in after.record["update"]["new"]
    assert any("paid twice" in note for note in after.record["notes"])
    after.save(f"{tmp_path}/run")
    assert Run.load(f"{tmp_path}/run").record["update"]["privacy"] == run.privacy


def test_what_a_run_decided_is_not_asked_again() -> None:
    with pytest.raises(InputError, match="update takes no epsilon"):
        begun("pooled").update(SECOND, epsilon=3.0)


def test_seed_words_stay_in_their_topics() -> None:
    seeds = "w0 w1; w12 w13; w24 w25"
    run = begun("calm", epsilon=6.0, n_rounds=20, seed_words=seeds)
    for topic, first in enumerate((0, 12, 24)):
        assert (
            run.model.topic_word[topic, first] > 10 * np.delete(run.model.topic_word[:, first], topic).max()
        )
    assert [int(row.argmax()) // 12 for row in run.model.topic_word] == [0, 1, 2]
    for wrong, message in (("a; b; c; d", "at most 3 topics"), ("w0; w0", "in two"), ("nosuch", "'nosuch'")):
        with pytest.raises(InputError, match=message):
            begun("calm", epsilon=6.0, n_rounds=2, seed_words=wrong)
