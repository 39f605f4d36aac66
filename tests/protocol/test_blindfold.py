"""The blindfold (`fedtopics.checks.method`) on every method with an epsilon, in every variant and on every
unit that it offers, with and without a public length.

What proves nothing for any relation is left out: there is no promise to test; and so are vectors of n-grams
(PC-TD), which take no epsilon.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from planted import corpus_of_sentences

from fedtopics import methods
from fedtopics.checks.method import blindfolded, check_blindfold
from fedtopics.checks.played import N_SENTENCES, N_WORDS, Played, documents, require_same
from fedtopics.protocol.turn import Arrays

N_ROUNDS = 3
# Settings whose choices each need a blindfold of their own (None: left out); a method refuses what it lacks.
CHOICES: dict[str, tuple[Any, ...]] = {
    "variant": (None, "paper", "sound"),
    "unit": (None, "document", "word", "sentence", "ngram", "paragraph"),
    "release": (None, "tokens", "histograms", "unit", "document"),
    "max_length": (None, 10),
    "channel": (None, "ue"),
}


def possible(name: str) -> Iterator[dict[str, Any]]:
    """The settings of a method under which it promises something: each combination that it accepts."""
    if "epsilon" not in methods.settings(name):
        return
    for choices in product(*CHOICES.values()):
        given = {key: choice for key, choice in zip(CHOICES, choices, strict=True) if choice is not None}
        try:
            method = methods.make(name, epsilon=0.0, **given)
        except ValueError:
            continue  # not a choice of this method
        if blindfolded(method) is not None:
            yield given


CASES = [(name, given) for name in methods.names() for given in possible(name)]


@pytest.mark.parametrize(("name", "given"), CASES, ids=[f"{name}-{given}" for name, given in CASES])
def test_nothing_goes_round_the_mechanism(name: str, given: dict[str, Any]) -> None:
    check_blindfold(methods.make(name, epsilon=0.0, n_topics=3, n_rounds=N_ROUNDS, **given))


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
    one, other = (
        Played(method, {"north": corpus_of_sentences(list(range(sum(each))), [each], N_WORDS)}).whole()
        for each in ([5, 5, 2], shorter)
    )
    require_same("the number of rows tells a word", one, other)


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


def test_the_documents_differ_in_all_that_is_not_public() -> None:
    one, other = (documents(methods.make("calm"), seed, seed) for seed in (1, 3))
    assert one.n_tokens != other.n_tokens
    assert one.lengths.max() > 10
    for corpus in (one, other):
        assert np.diff(corpus.document_sentences).tolist() == list(N_SENTENCES)
        assert np.diff(corpus.sentence_offsets).min() == 0


def sent_by(name: str, **given: Any) -> list[list[Arrays]]:
    """What two federations of the same lengths send."""
    method = methods.make(name, n_topics=3, n_rounds=N_ROUNDS, **given)
    played = [Played(method, {"north": documents(method, seed, 0)}).whole() for seed in (1, 3)]
    return [[release.value for _, _, release in each.releases] for each in played]


def test_fedlda_as_printed_sends_what_it_reads_and_says_so() -> None:
    """RRP at epsilon 0 still tells documents apart: topics are in the clear, and one word in 100."""
    assert blindfolded(methods.make("fedlda", variant="paper")) is None
    one, other = sent_by("fedlda", variant="paper", epsilon=0.0)
    assert one[1]["now"].tobytes() != other[1]["now"].tobytes()


def test_a_method_that_sends_raw_counts_fails_it() -> None:
    one, other = sent_by("shared")
    assert one[0]["n_wk"].tobytes() != other[0]["n_wk"].tobytes()
