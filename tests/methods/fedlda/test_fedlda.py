"""FedLDA: what users send, what it costs, and what the server makes of it."""

from __future__ import annotations

import logging
from dataclasses import replace
from math import log
from typing import Any

import numpy as np
import pytest
from planted import corpus_of, drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.errors import InputError
from fedtopics.methods.fedlda import update_tuples
from fedtopics.methods.fedlda.tuple_channels import CHANNELS, TupleChannel, frequent
from fedtopics.model import TopicModel
from fedtopics.privacy.price.cost import FREE
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import in_process
from fedtopics.protocol.turn import Arrays, Party, Turn

TOPICS = planted_topics(4, 12)
N_WORDS = TOPICS.shape[1]
USERS = drawn_corpus(TOPICS, n_docs=300, length=30, seed=1)


def fedlda(**given: Any) -> Any:
    return methods.make("fedlda", **given)


def overlap(model: TopicModel) -> float:
    """Least overlap of a planted topic with the topic that is most like it."""
    return float(np.minimum(TOPICS[:, None], model.topic_word[None]).sum(-1).max(axis=1).min())


def played(method: Any, n_rounds: int, documents: Any = USERS) -> tuple[Arrays, list[Release[Arrays]]]:
    memory: Arrays = {}
    state, sent = method.start(N_WORDS, Turn(5, "server")), []
    for number in range(n_rounds):
        party = Party("users", documents, memory)
        turn = Turn(5, "party", number, "users")
        release, memory = method.contribute(party, method.tell(state, "users"), turn)
        state = method.combine(state, {"users": release.value}, Turn(5, "server", number))
        sent.append(release)
    return state, sent


@pytest.mark.parametrize(
    ("channel", "counting"), [*((name, "absolute") for name in CHANNELS), ("rrp", "running")]
)
def test_every_channel_of_the_paper_finds_planted_topics(channel: str, counting: str) -> None:
    method = fedlda(
        epsilon=9.0,
        n_topics=4,
        n_rounds=40,
        variant="paper",
        channel=channel,
        counting=counting,
        max_length=40,
    )
    model = in_process.run(method, {"users": USERS}, seed=0).model
    assert model is not None
    assert overlap(model) > 0.6  # 0.25 where nothing is learned


@pytest.mark.parametrize("sampler", ["gibbs", "metropolis"])
def test_users_may_sample_either_way(sampler: str) -> None:
    method = fedlda(n_topics=4, n_rounds=40, variant="paper", sampler=sampler, max_length=30)
    model = in_process.run(method, {"users": USERS}, seed=0).model
    assert model is not None
    assert overlap(model) > 0.7


@pytest.mark.parametrize("channel", ["krr", "ue"])
def test_reports_of_the_sound_variant_are_made_once(channel: str) -> None:
    method = fedlda(epsilon=40.0, n_topics=4, n_rounds=50, channel=channel, base=0.05)
    state, sent = played(method, 50)
    assert [release.cost == FREE for release in sent] == [False] + [True] * 49
    assert all(not release.value for release in sent[1:])
    assert overlap(method.model(state, USERS.vocabulary)) > 0.7


@pytest.mark.parametrize("channel", ["krr", "ue"])
def test_the_sound_epsilon_is_that_of_a_document_replaced(channel: str) -> None:
    (cost,) = fedlda(epsilon=64.0, channel=channel).prices(3000)
    statements = {row["relation"]: row for row in ledger_of(cost).statements()}
    assert statements["document replace"]["epsilon"] == pytest.approx(64.0)
    assert statements["document replace"]["basis"] == "proved"
    n_reports = round(64 / (log(3000) + 2))
    assert statements["word replace"]["epsilon"] == pytest.approx(64 / n_reports)


def ledger_of(cost: Any) -> in_process.Ledger:
    ledger = in_process.Ledger()
    ledger.charge("users", 0, cost)
    return ledger


@pytest.mark.parametrize("channel", ["rrp", "krr", "t-krr", "hm"])
def test_the_paper_is_claimed_and_not_proved(channel: str) -> None:
    method = fedlda(variant="paper", channel=channel, n_rounds=2)
    ledger = in_process.run(method, {"users": USERS}, seed=0).ledger
    assert "not locally differentially private" in method.notes(100)[0]
    rows = [row for row in ledger.statements() if row["relation"] == "word replace"]
    assert [(row["epsilon"], row["basis"]) for row in rows] == [("inf", "none"), (7.5, "claimed")]
    assert "RRP is not LDP" in methods.find("fedlda", "paper").about.guarantee


def test_an_epsilon_that_protects_no_document_is_noted() -> None:
    assert fedlda(epsilon=9.0).notes(1000) == []
    assert fedlda(epsilon=128.0, n_reports=16).notes(1000) == [
        "epsilon 128 (document replace) protects no document as a whole; "
        "epsilon 8 (word replace) is all that is promised"
    ]
    (note,) = fedlda(epsilon=128.0, n_reports=2).notes(9)
    assert "epsilon 64 (word replace) hides no single word either" in note


def test_tuples_are_the_tokens_padded_with_dummies() -> None:
    corpus = corpus_of([[3, 1, 4], [], [5]], 9)
    topics = np.array([2, 0, 1, 3], np.uint16)
    nothing = np.full(4, 4, np.uint16)
    rng = np.random.default_rng(0)
    tuples = update_tuples.drawn(corpus, topics, nothing, (4, 4), rng, only_changes=False)
    assert tuples.words.tolist() == [[3, 1, 4, 9], [9, 9, 9, 9], [5, 9, 9, 9]]
    assert tuples.now[0, :3].tolist() == [2, 0, 1]
    assert tuples.now[2].tolist() == [3, 3, 3, 3]  # dummies borrow the only topic there is
    assert (tuples.before[[0, 2]] == 4).all()


def test_running_tuples_are_the_changes_since_the_last_report() -> None:
    corpus = corpus_of([[3, 1, 4], [5]], 9)
    topics, reported = np.array([2, 0, 1, 3], np.uint16), np.array([2, 1, 4, 3], np.uint16)
    rng = np.random.default_rng(0)
    tuples = update_tuples.drawn(corpus, topics, reported, (3, 3), rng, only_changes=True)
    assert tuples.words.tolist() == [[1, 4, 9], [9, 9, 9]]
    assert tuples.before[0, :2].tolist() == [1, 4]
    assert tuples.now[0, :2].tolist() == [0, 1]


def test_running_counts_equal_absolute_ones_where_all_is_sent_in_the_clear() -> None:
    options: dict[str, Any] = {"variant": "paper", "channel": "none", "n_topics": 4, "n_reports": 30}
    states = [
        played(fedlda(max_length=30, counting=counting, **options), 4)[0]
        for counting in ("absolute", "running")
    ]
    np.testing.assert_allclose(states[0]["counts"], states[1]["counts"])
    assert states[0]["counts"].sum() == USERS.n_tokens


@pytest.mark.parametrize("channel", ["krr", "t-krr", "hm"])
def test_counts_are_unbiased(channel: str) -> None:
    """Counts over many users of one document are within six standard errors of a binomial count."""
    n_users, epsilon = 40_000, 3.0
    corpus = corpus_of([[0, 0, 1]] * n_users, 5)
    topics = np.tile(np.array([0, 1, 1], np.uint16), n_users)
    tuples = update_tuples.drawn(corpus, topics, topics, (4, 4), np.random.default_rng(1), only_changes=False)
    law = TupleChannel(channel, epsilon, 0.1, np.inf, 2)
    told = {"phi": np.full((2, 5), 0.2), "kept": np.array([1, 0, 2])}
    noise = Turn(3, "party", 0, "users").noise()
    sent = law(tuples, np.full((n_users, 2), 0.5), told, noise, running=False)
    found = law.counts(sent.value, told, 5)
    true = np.zeros((2, 5))
    np.add.at(true, (tuples.now.reshape(-1)[tuples.words.reshape(-1) < 5], tuples.words[tuples.words < 5]), 1)
    assert np.abs(found - true).max() < 6 * 1.5 * np.sqrt(4 * n_users)


def test_the_ranking_leaves_out_the_rarest_words() -> None:
    counts = np.array([[50.0, 1, 9, 40], [0, 0, -5, 0]])
    assert frequent(counts, 0.1).tolist() == [0, 3]
    assert frequent(counts, 0.01).tolist() == [0, 3, 2]


def test_documents_are_cut_at_the_public_length() -> None:
    corpus = update_tuples.first_tokens(corpus_of([[1, 2, 3, 4], [5], [6, 7]], 9), 2)
    assert corpus.words.tolist() == [1, 2, 5, 6, 7]
    assert corpus.offsets.tolist() == [0, 2, 3, 5]


def test_empty_documents_send_only_symbols_for_no_word() -> None:
    nobody = corpus_of([[], []], N_WORDS)
    for given in ({"variant": "paper", "channel": "none"}, {"epsilon": 400.0, "n_reports": 8}):
        _, (sent,) = played(fedlda(n_topics=4, **given), 1, nobody)  # type: ignore[arg-type]
        assert (sent.value["words"] == N_WORDS).all()


def test_a_party_that_joins_late_is_heard() -> None:
    method = fedlda(epsilon=40.0, n_topics=4, n_rounds=3)
    state = method.start(N_WORDS, Turn(5, "server"))
    for number, name in enumerate(("north", "south")):
        party = Party(name, USERS, {})
        release, _ = method.contribute(party, {}, Turn(5, "party", number, name))
        state = method.combine(state, {name: release.value}, Turn(5, "server", number))
    assert state["n_docs"] == 2 * USERS.n_docs
    assert len(state["topics"]) == len(state["words"]) == state["offsets"][-1]


def test_users_who_are_parties_of_their_own_are_held_out_as_rarely_as_others() -> None:
    method = fedlda(epsilon=40.0, n_topics=4, n_rounds=3)
    together, _ = played(method, 1)
    each = {f"{i:03}": Party(f"{i:03}", USERS.select([i]), {}) for i in range(100)}
    sent = {n: method.contribute(p, {}, Turn(5, "party", 0, n))[0].value for n, p in each.items()}
    apart = method.combine(method.start(N_WORDS, Turn(5, "server")), sent, Turn(5, "server", 0))
    shares = [len(s["held_words"]) / (len(s["held_words"]) + len(s["words"])) for s in (together, apart)]
    assert 0.005 < shares[0] < 0.05
    assert 0.005 < shares[1] < 0.05


def test_reports_that_are_held_out_teach_the_word_frequencies_nothing() -> None:
    state, _ = played(fedlda(epsilon=40.0, n_topics=4, n_rounds=3), 1)
    assert state["reported"].sum() == len(state["words"])


def test_smoothing_shrinks_where_reports_are_few() -> None:
    method = fedlda(epsilon=40.0, n_topics=4, n_rounds=3)
    state, _ = played(method, 1)
    assert method._smoothing(state) == method.beta
    few = state | {"words": state["words"][:20]}
    assert method._smoothing(few) == pytest.approx(0.2 * 20 / (4 * N_WORDS))


def test_the_background_follows_the_channel() -> None:
    """kRR: 1/(e^epsilon - 1) when every slot holds a word, twice that when half of them do."""
    method = fedlda(epsilon=60.0, n_reports=10)
    reported = method.reported(50)
    n_docs, expected = 20_000, 1 / (np.exp(6.0) - 1)
    for filled, factor in ((10, 1.0), (5, 2.0)):
        documents = corpus_of([list(range(filled))] * n_docs, 50)
        words = reported.made(documents, Turn(1, "party").noise()).value["words"]
        law = reported.read(np.bincount(words.reshape(-1), minlength=51)[:50], n_docs)
        assert law.background == pytest.approx(factor * expected, rel=0.02)
        assert law.unigram[:filled] == pytest.approx(1 / filled, rel=0.05)


def test_topics_no_better_than_word_frequencies_are_noticed(caplog: pytest.LogCaptureFixture) -> None:
    useless = drawn_corpus(np.full((2, 30), 1 / 30), n_docs=3000, length=20, seed=3)
    with caplog.at_level(logging.WARNING):
        in_process.run(fedlda(epsilon=80.0, n_topics=10, n_rounds=10), {"users": useless}, seed=0)
    assert "no better than the private word frequencies" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        in_process.run(fedlda(epsilon=80.0, n_topics=4, n_rounds=30), {"users": USERS}, seed=0)
    assert not caplog.text


@pytest.mark.parametrize("n_reports", [0, -3, 2.5, "many", True])
def test_a_number_of_reports_that_is_none_is_named(n_reports: Any) -> None:
    with pytest.raises(InputError, match=f"n_reports .*must be a .*, got {n_reports!r}"):
        methods.make("fedlda", n_reports=n_reports)


@pytest.mark.parametrize(
    "bad",
    [
        {"variant": "paper", "n_reports": 151},
        {"variant": "paper", "delta": 0.0},
        {"variant": "paper", "delta": 1.0},
        {"variant": "paper", "gamma": 0.5},
        {"variant": "paper", "channel": "ue"},
        {"variant": "sound", "channel": "rrp"},
        {"variant": "other"},
        {"variant": "paper", "counting": "often"},
        {"variant": "paper", "sampler": "warp"},
        {"variant": "paper", "epsilon": -1.0},
        {"variant": "paper", "max_length": 0},
        {"variant": "paper", "alpha": 0.0},
        {"counting": "running"},
        {"n_reports": 0},
        {"epsilon": -1.0},
        {"epsilon": float("nan")},
        {"epsilon": float("inf")},
        {"epsilon": "much"},
        {"base": -0.1},
        {"max_length": 0},
    ],
    ids=str,
)
def test_bad_settings_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="got"):
        methods.make("fedlda", **bad)


@pytest.mark.parametrize("variant", ["paper", "sound"])
def test_a_vocabulary_of_one_word_is_refused_before_anything_is_sent(variant: str) -> None:
    single = replace(corpus_of([[0, 0], [0]], 1))
    with pytest.raises(InputError, match="at least 2 words was expected, got 1"):
        in_process.run(fedlda(variant=variant, n_topics=2), {"users": single}, seed=0)
