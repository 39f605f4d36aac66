"""Random streams of a run: one for every place in it, and noise that only parties draw."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from planted import drawn_corpus, planted_topics

from fedtopics.methods import make
from fedtopics.protocol import in_process
from fedtopics.protocol.turn import Turn

PLACES = [
    Turn(1, "party", 0, "a"),
    Turn(2, "party", 0, "a"),
    Turn(1, "party", 1, "a"),
    Turn(1, "party", 0, "b"),
]


def draws(turn: Turn) -> list[int]:
    return turn.noise().laplace(Fraction(1, 8), 20).tolist()


def test_every_place_has_streams_of_its_own() -> None:
    assert len({turn.seed for turn in PLACES}) == len(PLACES)
    assert len({tuple(draws(turn)) for turn in PLACES}) == len(PLACES)
    assert draws(PLACES[0]) == draws(Turn(1, "party", 0, "a", n_threads=5))


def test_secure_noise_does_not_come_from_the_seed() -> None:
    turn = Turn(1, "party", 0, "a", secure=True)
    assert turn.noise().source == "secure"
    assert draws(turn) != draws(turn)


def test_the_server_draws_no_privacy_noise() -> None:
    with pytest.raises(ValueError, match="drawn by parties"):
        Turn(1, "server").noise()


def test_the_ledger_holds_a_digest_of_what_was_sent() -> None:
    topics = planted_topics(2, 5)
    corpora = {name: drawn_corpus(topics, 10, 10, seed) for seed, name in enumerate("ab")}
    ledger = in_process.run(make("shared", n_topics=2, n_rounds=3), corpora, seed=0).ledger
    digests = [entry.content for entry in ledger.entries]
    assert len(set(digests)) == len(digests) == 6
    assert all(len(digest) == 64 for digest in digests)
    again = in_process.run(make("shared", n_topics=2, n_rounds=3), corpora, seed=0).ledger
    assert np.array_equal(digests, [entry.content for entry in again.entries])
