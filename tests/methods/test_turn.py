"""Noise of a turn is its party's own, and what is sent is charged by its digest."""

from __future__ import annotations

from dataclasses import replace

from planted import drawn_corpus, planted_topics

from fedtopics.federation import in_process
from fedtopics.federation.protocol import Turn
from fedtopics.methods.calm import Calm

TURN = Turn(0, "party", 1, "north")


def drawn(turn: Turn) -> list[int]:
    return [int(value) for value in turn.noise().below(2**60, 4)]


def test_a_secure_turn_draws_secure_noise() -> None:
    secure = replace(TURN, secure=True)
    assert (TURN.noise().source, secure.noise().source) == ("simulated", "secure")
    assert drawn(secure) != drawn(secure)


def test_simulated_noise_is_that_of_one_party_round_and_run() -> None:
    others = [replace(TURN, party="south"), replace(TURN, round=2), replace(TURN, run_seed=1)]
    assert drawn(TURN) == drawn(replace(TURN, n_threads=2))
    assert all(drawn(TURN) != drawn(other) for other in others)


def test_every_charge_carries_the_digest_of_what_was_sent() -> None:
    documents = drawn_corpus(planted_topics(3, 8), n_docs=20, length=20, seed=1)
    corpora = {"north": documents, "south": documents}
    entries = in_process.run(Calm(4.0, n_topics=3, n_rounds=2), corpora, seed=0).ledger.entries
    assert len({entry.content for entry in entries}) == len(entries) == 4
    assert all(len(entry.content) == 64 for entry in entries)
