"""At epsilon 0 a mechanism ignores its input: whatever still differs went round the mechanism.

Every method with an epsilon, in every variant and on every unit that it offers, is played on two corpora that
agree in all that is public (vocabulary, documents, lengths, sentences) and in nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.corpus import Corpus
from fedtopics.federation.protocol import Arrays, Method, Party, Turn

TOPICS = planted_topics(3, 20)
N_ROUNDS = 3
# Settings whose choices each need a blindfold of their own; those a method does not know are left out.
CHOICES: dict[str, tuple[str, ...]] = {
    "variant": ("paper", "sound"),
    "unit": ("document", "word", "sentence"),
    "release": ("tokens",),
}


def possible(name: str) -> Iterator[dict[str, Any]]:
    """The private settings of a method: its defaults, and each other choice that it accepts."""
    known = methods.settings(methods.find(name))
    if "epsilon" not in known:
        return
    yield {}
    variants = [{"variant": choice} for choice in CHOICES["variant"]] if "variant" in known else [{}]
    for variant in variants:
        for setting, choices in CHOICES.items():
            for choice in choices if setting in known else ():
                given = variant | {setting: choice}
                try:
                    methods.make(name, epsilon=0.0, **given)
                except ValueError:
                    continue  # not a choice of this method
                yield given


CASES = [(name, given) for name in methods.names() for given in possible(name)]


def corpus(seed: int) -> Corpus:
    documents = drawn_corpus(TOPICS, n_docs=12, length=20, seed=seed)
    return replace(documents, sentence_offsets=np.arange(0, documents.n_tokens + 1, 5))


def everything_sent(method: Method, corpora: dict[str, Corpus]) -> list[tuple[str, Arrays]]:
    """What the parties of a run send, in order."""
    memory: dict[str, Arrays] = {name: {} for name in corpora}
    state = method.start(TOPICS.shape[1], Turn(4, "server"))
    log: list[tuple[str, Arrays]] = []
    for number in range(N_ROUNDS):
        sent = {}
        for name, documents in corpora.items():
            turn = Turn(4, "party", number, name)
            told = method.broadcast(state, name)
            release, memory[name] = method.contribute(Party(name, documents, memory[name]), told, turn)
            sent[name] = release.value
        state = method.combine(state, sent, Turn(4, "server", number))
        log += sent.items()
    return log


@pytest.mark.parametrize(("name", "given"), CASES, ids=[f"{name}-{given}" for name, given in CASES])
def test_nothing_goes_round_the_mechanism(name: str, given: dict[str, Any]) -> None:
    method = methods.make(name, epsilon=0.0, n_topics=3, n_rounds=N_ROUNDS, **given)
    one = everything_sent(method, {"north": corpus(1), "south": corpus(2)})
    other = everything_sent(method, {"north": corpus(3), "south": corpus(4)})
    for (party, first), (_, second) in zip(one, other, strict=True):
        assert first.keys() == second.keys()
        for key in first:
            assert first[key].shape == second[key].shape, f"{party} {key}"
            assert first[key].tobytes() == second[key].tobytes(), f"{party} {key}"


def test_the_blindfold_covers_the_private_methods() -> None:
    assert {name for name, _ in CASES} >= {"calm", "ftm"}
    assert ("ftm", {"variant": "paper", "unit": "sentence"}) in CASES


def test_a_method_that_sends_raw_counts_fails_it() -> None:
    method = methods.make("shared", n_topics=3)
    one, other = (everything_sent(method, {"north": corpus(seed)}) for seed in (1, 3))
    assert one[0][1]["n_wk"].tobytes() != other[0][1]["n_wk"].tobytes()
