"""LP-LDA: the bits, their price, the reconstruction, and the baseline that protects nothing."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest
from planted import corpus_of, drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.errors import InputError
from fedtopics.methods.lplda.paper import reconstruct
from fedtopics.methods.parts.reports import Bits
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding
from fedtopics.protocol import in_process
from fedtopics.protocol.turn import Party, Turn

TOPICS = planted_topics(4, 12)
USERS = drawn_corpus(TOPICS, n_docs=300, length=30, seed=1)


def lplda(**given: Any) -> Any:
    return methods.make("lplda", **given)


def overlap(given: dict[str, Any]) -> float:
    method = lplda(n_topics=4, n_rounds=30, **given)
    model = in_process.run(method, {"users": USERS}, seed=1).model
    assert model is not None
    return float(np.minimum(TOPICS[:, None], model.topic_word[None]).sum(-1).max(axis=1).min())


@pytest.mark.parametrize(
    "given",
    [
        {"epsilon": 6.0},
        {"epsilon": 9.0, "variant": "paper"},
        {"f": 0.01, "variant": "paper"},
        {"f": 0.1, "variant": "paper", "channel": "laplace"},
    ],
    ids=str,
)
def test_planted_topics_are_found(given: dict[str, Any]) -> None:
    assert overlap(given) > 0.6


def reconstructed(bits: np.ndarray, f: float) -> np.ndarray:
    rows, words = np.nonzero(bits)
    found, lengths = reconstruct(words.astype(np.int32), rows, bits.shape, f, np.random.default_rng(0))
    dense = np.zeros(bits.shape, int)
    dense[np.repeat(np.arange(len(bits)), lengths), found] = 1
    assert dense.sum() == len(found)
    return dense


def test_reconstruction_gives_every_word_its_estimated_frequency() -> None:
    """f = 0.4, 10 documents: N = (2n - 4) / 1.2, so 8 ones become 10, 5 stay, 3 become 2 and 1 becomes 0."""
    bits = np.zeros((10, 4), int)
    for word, count in enumerate((8, 5, 3, 1)):
        bits[:count, word] = 1
    dense = reconstructed(bits, 0.4)
    assert dense.sum(axis=0).tolist() == [10, 5, 2, 0]
    assert (dense[:, 1] == bits[:, 1]).all()  # nothing to repair, nothing touched
    assert (dense[:, 2] <= bits[:, 2]).all()


def test_reconstruction_changes_random_documents() -> None:
    bits = np.zeros((4000, 2), int)
    bits[:1500, 0] = 1
    dense = reconstructed(bits, 0.4)
    removed = np.flatnonzero((bits - dense)[:, 0])
    assert 600 < removed.mean() < 900  # 750 +- 35, that is four standard errors and more


def test_the_paper_prices_a_bit_and_calls_it_a_document() -> None:
    (cost,) = lplda(f=0.1, variant="paper", max_length=50).prices(1000)
    ledger = in_process.Ledger()
    ledger.charge("users", 0, cost)
    rows = {(row["relation"], row["basis"]): float(row["epsilon"]) for row in ledger.statements()}
    bit = log(0.95 / 0.05)
    assert rows["document replace", "claimed"] == pytest.approx(bit)
    assert rows["word replace", "proved"] == pytest.approx(2 * bit)
    assert rows["document replace", "proved"] == pytest.approx(100 * bit, rel=0.2)


def test_epsilon_and_f_say_the_same() -> None:
    by_epsilon, by_rate = (
        lplda(variant="paper", **given).mechanism(100) for given in ({"epsilon": 2 * log(19)}, {"f": 0.1})
    )
    assert by_epsilon.p == pytest.approx(by_rate.p)
    assert lplda(epsilon=4.0).mechanism(100).epsilon == pytest.approx(4.0)


def test_the_baseline_sends_raw_documents_and_says_so() -> None:
    method = lplda(variant="paper", channel="laplace", n_topics=4, n_rounds=1)
    outcome = in_process.run(method, {"users": USERS}, seed=0)
    assert "protects nothing" in method.notes(30)[0]
    assert lplda().notes(30) == []
    rows = {(row["relation"], row["basis"]) for row in outcome.ledger.statements()}
    assert ("word add/remove", "none") in rows
    assert ("word add/remove", "claimed") in rows


def test_the_background_follows_the_bits() -> None:
    """Documents of s words: p(v) ~ phi_v + q / ((p - q) s)."""
    mechanism = UnaryEncoding.informative(5.0, 40, 10)
    documents = corpus_of([list(range(10))] * 20_000, 40)
    reported = Bits(mechanism, 40)
    words = reported.made(documents, Turn(1, "party").noise()).value["words"]
    law = reported.read(np.bincount(words, minlength=40), 20_000)
    assert law.background == pytest.approx(mechanism.q / ((mechanism.p - mechanism.q) * 10), rel=0.02)
    assert law.unigram[:10] == pytest.approx(0.1, rel=0.05)


def test_bits_are_sent_once() -> None:
    method = lplda(epsilon=4.0, n_topics=4)
    release, memory = method.contribute(Party("users", USERS, {}), {}, Turn(0, "party", 0, "users"))
    again, _ = method.contribute(Party("users", USERS, memory), {}, Turn(0, "party", 1, "users"))
    assert len(release.value["lengths"]) == USERS.n_docs
    assert not again.value


@pytest.mark.parametrize(
    "bad",
    [
        {"f": 0.0, "variant": "paper"},
        {"f": 1.0, "variant": "paper"},
        {"f": -0.5, "variant": "paper"},
        {"f": float("nan"), "variant": "paper"},
        {"f": 0.5},
        {"variant": "other"},
        {"channel": "laplace"},
        {"epsilon": -1.0},
        {"epsilon": float("inf")},
        {"max_length": 0},
        {"sensitivity": 0.0, "variant": "paper"},
        {"channel": "raw", "variant": "paper"},
        {"alpha": 0.0, "variant": "paper"},
        {"base": -0.1},
        {"distinct_words": 0},
        {"alpha": 0.0},
    ],
    ids=str,
)
def test_bad_settings_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="got"):
        methods.make("lplda", **bad)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"f": 0.1}, "f is a setting of lplda paper, got it with variant=sound"),
        ({"f": 0.1, "epsilon": 4.0, "variant": "paper"}, r"expected epsilon or f, got both \(4.0 and 0.1\)"),
        ({"channel": "laplace"}, "channel is a setting of lplda paper, got it with"),
        ({"epsilon": "much"}, "epsilon of method lplda must be a number, got 'much'"),
    ],
    ids=str,
)
def test_what_is_wrong_with_the_noise_is_named(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        methods.make("lplda", **bad)


def test_a_vocabulary_of_one_word_is_refused() -> None:
    with pytest.raises(InputError, match="at least 2 words was expected, got 1"):
        lplda().prices(1)
