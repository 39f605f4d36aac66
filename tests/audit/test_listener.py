"""The listener on the wire: exact on small counts, devastating against rounds, bounded against one report."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from planted import corpus_of, drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.audit import listener
from fedtopics.audit.listener import listen
from fedtopics.errors import InputError

TOPICS = planted_topics(4, 60)
USERS = drawn_corpus(TOPICS, n_docs=200, length=30, seed=1)


def test_reports_of_all_rounds_are_counted_and_symbols_are_not_words() -> None:
    rounds = [
        (np.array([0, 0, 1]), np.array([2, 2, 5])),
        (np.array([1, 0, 1]), np.array([4, 2, 4])),
    ]
    heard = listener.tally(rounds, 5)
    found = {(u, w): c for u, w, c in zip(heard.users, heard.words, heard.counts, strict=True)}
    assert found == {(0, 2): 3, (1, 4): 2}


def test_words_are_named_where_the_evidence_is_positive() -> None:
    heard = listener.Heard(np.array([0, 0]), np.array([1, 2]), np.array([9, 2]), 3)
    named = listener.name_words(heard, 10.0, 0.5, 0.1)  # 10 expected where it is there, 0.5 where it is not
    assert named.words.tolist() == [1]


def test_recall_and_precision_are_over_different_words() -> None:
    documents = corpus_of([[0, 0, 1], [2]], 4)
    named = listener.Heard(np.array([0, 0, 1]), np.array([0, 3, 2]), np.ones(3, int), 4)
    found = listener.recovered(named, documents, np.full((2, 4), 0.25), np.array([0.1, 0.1]))
    assert (found.recall, found.precision) == pytest.approx((2 / 3, 2 / 3))
    assert found.theta_error == pytest.approx(0, abs=1e-6)


def overheard(name: str, **given: Any) -> Any:
    return listen(methods.make(name, n_topics=4, **given), USERS)


@pytest.mark.parametrize("channel", ["rrp", "krr", "hm", "none"])
def test_rounds_give_documents_away(channel: str) -> None:
    heard = overheard("fedlda", variant="paper", channel=channel, epsilon=7.5, n_rounds=40, max_length=30)
    assert heard.recovered.recall > 0.99
    assert heard.recovered.precision > 0.95
    assert heard.recovered.theta_error < 0.1
    assert heard.bound == 1


def test_words_beyond_the_public_length_are_nobodys_to_find() -> None:
    heard = overheard("fedlda", variant="paper", channel="none", n_rounds=40, max_length=10, n_reports=10)
    assert heard.recovered.recall > 0.99


@pytest.mark.parametrize("channel", ["krr", "ue"])
def test_one_report_gives_no_more_than_its_bound_whatever_the_rounds(channel: str) -> None:
    """Recall is at most its expectation's bound, and six deviations of a count of 200 x 5 reports."""
    short, long = (overheard("fedlda", channel=channel, epsilon=40.0, n_rounds=n) for n in (1, 10))
    n_pairs = len(np.unique(USERS.docs.astype(int) * USERS.n_words + USERS.words))
    assert long.bound < 0.5
    assert long.recovered.recall <= long.bound + 6 * np.sqrt(0.25 / n_pairs)
    assert long.recovered.recall == pytest.approx(short.recovered.recall, abs=0.02)


def test_bits_are_bounded_by_their_chance_to_be_kept() -> None:
    method = methods.make("lplda", epsilon=4.0, n_topics=4, n_rounds=2)
    heard = listen(method, USERS)
    assert heard.bound == pytest.approx(method.reported(USERS.n_words).mechanism.p)  # type: ignore[attr-defined]
    assert heard.recovered.recall <= heard.bound + 0.02


def test_other_methods_have_no_users_to_listen_to() -> None:
    with pytest.raises(InputError, match="users who report words, got Calm"):
        listen(methods.make("calm"), USERS)
