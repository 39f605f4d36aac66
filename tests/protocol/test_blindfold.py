"""At epsilon 0 a mechanism ignores its input: whatever still differs went round the mechanism.

Every method with an epsilon, in every variant and on every unit that it offers, with and without a public
length, is played on two corpora that agree in all that is public (vocabulary, number of documents, number of
sentences in each) and in nothing else. Where every token is a row of its own, lengths are public too. What
proves nothing for any relation is left out: there is no promise to test; and so are vectors of n-grams
(PC-TD), which take no epsilon.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from planted import corpus_of_sentences, planted_topics

from fedtopics import methods
from fedtopics.documents.corpus import Corpus
from fedtopics.privacy.price.events import NonPrivate
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Party, Turn

TOPICS = planted_topics(3, 20)
N_WORDS = TOPICS.shape[1]
N_ROUNDS = 3
N_SENTENCES = (4, 1, 3, 0, 4, 2, 5, 4, 3, 4)  # of each document
# Settings whose choices each need a blindfold of their own (None: left out); a method refuses what it lacks.
CHOICES: dict[str, tuple[Any, ...]] = {
    "variant": (None, "paper", "sound"),
    "unit": (None, "document", "word", "sentence", "ngram", "paragraph"),
    "release": (None, "tokens", "histograms", "unit", "document"),
    "max_length": (None, 10),
    "channel": (None, "ue"),
}


def possible(name: str) -> Iterator[dict[str, Any]]:
    """The private settings of a method: each combination of choices that it accepts."""
    if "epsilon" not in methods.settings(name):
        return
    for choices in product(*CHOICES.values()):
        given = {key: choice for key, choice in zip(CHOICES, choices, strict=True) if choice is not None}
        try:
            method = methods.make(name, epsilon=0.0, **given)
        except ValueError:
            continue  # not a choice of this method
        if promises(method):
            yield given


def promises(method: Method) -> bool:
    """Whether a bound is proved for any relation."""
    return all(
        any(loss.event != NonPrivate() for loss in cost.losses)
        for cost in method.prices(N_WORDS)
        if cost.losses
    )


CASES = [(name, given) for name in methods.names() for given in possible(name)]


def corpus(seed: int, seed_of_lengths: int) -> Corpus:
    """Sentences of 0 to 7 words in documents of up to 35."""
    lengths = np.random.default_rng(seed_of_lengths)
    sentences = [lengths.integers(0, 8, size=size).tolist() for size in N_SENTENCES]
    n_tokens = sum(map(sum, sentences))
    words = np.random.default_rng(seed).choice(N_WORDS, n_tokens, p=TOPICS[seed % len(TOPICS)])
    return corpus_of_sentences(words.tolist(), sentences, N_WORDS)


def lengths_are_public(name: str, given: dict[str, Any]) -> bool:
    """Where every token is a row."""
    return name == "ftm" and (given.get("variant") == "paper" or given.get("release") == "tokens")


def everything_sent(method: Method, corpora: dict[str, Corpus]) -> list[tuple[str, Arrays]]:
    """What the parties of a run send, in order."""
    memory: dict[str, Arrays] = {name: {} for name in corpora}
    state = method.start(N_WORDS, Turn(4, "server"))
    log: list[tuple[str, Arrays]] = []
    for number in range(N_ROUNDS):
        sent = {}
        for name, documents in corpora.items():
            turn = Turn(4, "party", number, name)
            told = method.tell(state, name)
            release, memory[name] = method.contribute(Party(name, documents, memory[name]), told, turn)
            sent[name] = release.value
        state = method.combine(state, sent, Turn(4, "server", number))
        log += sent.items()
    return log


def assert_same_bytes(one: list[tuple[str, Arrays]], other: list[tuple[str, Arrays]]) -> None:
    for (party, first), (_, second) in zip(one, other, strict=True):
        assert first.keys() == second.keys()
        for key in first:
            assert first[key].shape == second[key].shape, f"{party} {key}"
            assert first[key].tobytes() == second[key].tobytes(), f"{party} {key}"


@pytest.mark.parametrize(("name", "given"), CASES, ids=[f"{name}-{given}" for name, given in CASES])
def test_nothing_goes_round_the_mechanism(name: str, given: dict[str, Any]) -> None:
    method = methods.make(name, epsilon=0.0, n_topics=3, n_rounds=N_ROUNDS, **given)
    first, second = ((0, 0), (0, 0)) if lengths_are_public(name, given) else ((1, 2), (3, 4))
    cut_into = "paragraph" if given.get("unit") == "paragraph" else "sentence"
    sent = []
    for seeds, lengths in (((1, 2), first), ((3, 4), second)):
        corpora = [corpus(*pair) for pair in zip(seeds, lengths, strict=True)]
        north, south = (replace(documents, sentence_unit=cut_into) for documents in corpora)
        sent.append(everything_sent(method, {"north": north, "south": south}))
    assert_same_bytes(*sent)


@pytest.mark.parametrize(
    ("name", "given"), [("calm", {}), ("ftm", {}), ("pctd", {"release": "unit"}), ("pctd", {})]
)
@pytest.mark.parametrize("max_length", [None, 10])
@pytest.mark.parametrize("shorter", [[5, 4, 2], [5, 5, 1], [0, 5, 2]])
def test_the_number_of_rows_tells_no_word(
    name: str, given: dict[str, Any], max_length: int | None, shorter: list[int]
) -> None:
    """With a word less a sentence may be empty, or the public length may cut elsewhere."""
    bounds: dict[str, Any] = {"unit": "sentence", "max_length": max_length}
    method = methods.make(name, epsilon=0.0, n_topics=3, n_rounds=N_ROUNDS, **bounds, **given)
    sent = []
    for lengths in ([5, 5, 2], shorter):
        documents = corpus_of_sentences(list(range(sum(lengths))), [lengths], N_WORDS)
        sent.append(everything_sent(method, {"north": documents}))
    assert_same_bytes(*sent)


def test_the_blindfold_covers_the_private_methods() -> None:
    assert {name for name, _ in CASES} >= {"calm", "ftm", "fedlda", "lplda", "pctd"}
    assert ("fedlda", {"variant": "sound", "channel": "ue"}) in CASES
    assert ("fedlda", {"variant": "paper"}) not in CASES
    assert ("lplda", {"variant": "paper", "max_length": 10}) in CASES
    assert ("pctd", {"variant": "paper", "unit": "sentence"}) in CASES
    assert ("pctd", {"variant": "sound", "unit": "sentence", "release": "unit"}) in CASES
    assert ("pctd", {"unit": "ngram", "release": "document"}) in CASES
    for bounded in ({}, {"max_length": 10}):
        assert ("calm", {"unit": "sentence"} | bounded) in CASES
        assert ("ftm", {"unit": "sentence"} | bounded) in CASES
        assert ("ftm", {"variant": "paper", "unit": "sentence"} | bounded) in CASES
        assert ("ftm", {"unit": "sentence", "release": "tokens"} | bounded) in CASES


def test_the_corpora_differ_in_all_that_is_not_public() -> None:
    one, other = corpus(1, 1), corpus(3, 3)
    assert one.n_tokens != other.n_tokens
    assert one.lengths.max() > 10
    for documents in (one, other):
        assert np.diff(documents.document_sentences).tolist() == list(N_SENTENCES)
        assert np.diff(documents.sentence_offsets).min() == 0


def test_fedlda_as_printed_sends_what_it_reads_and_says_so() -> None:
    """RRP at epsilon 0 still tells documents apart: topics are in the clear, and one word in 100."""
    method = methods.make("fedlda", variant="paper", epsilon=0.0, n_topics=3, n_rounds=N_ROUNDS)
    assert not promises(method)
    one, other = (everything_sent(method, {"north": corpus(seed, 0)}) for seed in (1, 3))
    assert one[1][1]["now"].tobytes() != other[1][1]["now"].tobytes()


def test_a_method_that_sends_raw_counts_fails_it() -> None:
    method = methods.make("shared", n_topics=3)
    one, other = (everything_sent(method, {"north": corpus(seed, 0)}) for seed in (1, 3))
    assert one[0][1]["n_wk"].tobytes() != other[0][1]["n_wk"].tobytes()
