"""Consistency at the server: what it changes, what it leaves alone, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.errors import InputError
from fedtopics.protocol import in_process
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Turn
from fedtopics.protocol.with_related_words import with_consistency
from fedtopics.related_words import from_matrix
from fedtopics.runs.experiment import Data, train

TOPICS = planted_topics(3, 8)
RELATION = from_matrix(np.kron(np.eye(3), np.full((8, 8), 0.5)), 24)
PARTIES = {name: drawn_corpus(TOPICS, n_docs=40, length=20, seed=seed) for seed, name in enumerate("ab")}


@pytest.mark.parametrize(("name", "told"), [("calm", "phi"), ("ftm", "topics"), ("pctd", "phi")])
def test_topics_are_told_and_published_drawn_together(name: str, told: str) -> None:
    method = methods.make(name, n_topics=3, n_rounds=2, epsilon=8.0).telling_topics()
    wrapped = with_consistency(method, RELATION, 0.5)
    seen = []

    class Recorded:
        def __getattr__(self, attribute: str) -> object:
            return getattr(wrapped, attribute)

        def combine(self, state, sent, turn):  # type: ignore[no-untyped-def]
            seen.append(method.combine(state, sent, turn))
            return seen[-1]

    outcome = in_process.run(Recorded(), PARTIES, seed=0)  # type: ignore[arg-type]
    axis = method.told_topics.word_axis  # type: ignore[attr-defined]
    plain, drawn = (np.moveaxis(m.tell(seen[-1], "a")[told], axis, 1) for m in (method, wrapped))
    np.testing.assert_allclose(drawn, RELATION.draw_together(plain, 0.5), rtol=1e-5, atol=1e-8)
    raw = method.model(seen[-1], PARTIES["a"].vocabulary)
    assert outcome.model is not None
    assert raw is not None
    expected = RELATION.draw_together(raw.topic_word, 0.5)
    np.testing.assert_allclose(outcome.model.topic_word, expected, rtol=1e-5, atol=1e-8)


def test_nothing_that_a_method_may_say_is_lost() -> None:
    """A member that is forgotten would have the contract's default instead of the method's own."""
    inner = methods.make("pctd", variant="paper", n_topics=3)
    wrapped = with_consistency(inner, RELATION)
    changed = ("start", "tell", "model")
    members = [name for name in vars(Method) if not name.startswith("_") and name not in changed]
    for name in members:
        known, found = getattr(inner, name), getattr(wrapped, name)
        assert getattr(found, "__func__", found) == getattr(known, "__func__", known), name
    for name in changed:
        assert getattr(wrapped, name).__func__ is not getattr(inner, name).__func__
    assert wrapped.in_force(24) == inner.in_force(24)


@pytest.mark.parametrize("name", ["calm", "ftm", "pctd"])
def test_topics_that_all_are_told_are_drawn_together_once_for_all(name: str) -> None:
    method = methods.make(name, n_topics=3, n_rounds=2, epsilon=8.0).telling_topics()
    assert method.tells_alike is (name != "ftm")  # each of whose parties is told of its own topics
    assert with_consistency(method, RELATION, 0.5).tells_alike is method.tells_alike


def test_the_price_is_that_of_the_method() -> None:
    method = methods.make("calm", n_topics=3, n_rounds=2, epsilon=8.0)
    plain, drawn = (
        in_process.run(m, PARTIES, seed=0).ledger.statements()
        for m in (method, with_consistency(method, RELATION))
    )
    assert plain == drawn


def test_methods_without_told_topics_and_foreign_vocabularies_are_refused() -> None:
    for name in ("alone", "pooled", "shared"):
        with pytest.raises(InputError, match="a server that tells topics, got"):
            with_consistency(methods.make(name, n_topics=3), RELATION)
    wrapped = with_consistency(methods.make("calm", n_topics=3), RELATION)
    with pytest.raises(InputError, match="the 30 words of the vocabulary, got one of 24"):
        wrapped.start(30, Turn(0, "server"))
    with pytest.raises(InputError, match="tau"):
        with_consistency(methods.make("calm", n_topics=3), RELATION, -1.0)


def test_a_run_records_its_relation() -> None:
    data = Data(PARTIES, PARTIES["a"])
    run = train(data, "calm", n_topics=3, n_rounds=2, consistency=RELATION, consistency_tau=0.2)
    found = run.record["consistency"]
    assert found == {"source": "matrix", "sha256": "", "tau": 0.2, "n_known": 24, "n_weights": 192}
    assert run.model.card["consistency"] == found
    assert "consistency" not in train(data, "calm", n_topics=3, n_rounds=2).record


def test_vectors_among_the_documents_are_refused(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("w0 1 2\n")
    data = Data(PARTIES, PARTIES["a"], source=str(tmp_path))
    with pytest.raises(InputError, match="among the documents"):
        train(data, "calm", n_topics=3, consistency=str(tmp_path / "vectors.txt"))
