"""Nothing of the documents decides whether or how a party answers: only what a mechanism makes of them.

Every method, in every variant, is asked for its first rounds by a party of ordinary documents and by parties
that have none, one word, one word many times, no word of the vocabulary, and so on. Errors, names and types
of arrays and charges must be the same. Shapes are not compared: they may tell what the method's docstring
calls public (the number of documents, say), what a mechanism made (the number of bits), and in baselines that
disclose documents at an infinite price (pooled, LP-LDA's Laplace baseline) whatever these have.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from attacks.asked_party import AskedParty
from planted import corpus_of_sentences, planted_topics

from fedtopics import methods
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.words import word_array
from fedtopics.network import private_scores
from fedtopics.network.coordinator.combining import combine
from fedtopics.network.plan.parts import Evaluation
from fedtopics.network.private_scores import Score
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Party, Turn

Kind: TypeAlias = list[tuple[str, dict[str, tuple[str, int]]]]
N_ROUNDS, N_WORDS = 3, 12
WORDS = tuple(f"w{word}" for word in range(N_WORDS))
CHOICES: dict[str, tuple[Any, ...]] = {
    "unit": (None, "document", "word", "sentence", "ngram", "paragraph"),
    "release": (None, "tokens", "histograms", "unit", "document"),
    "channel": (None, "krr", "t-krr", "hm", "none", "ue", "laplace"),
    "sigma": (None, 0.5),
    "held_out": (None, 0.5),
    "counting": (None, "running"),
}
SMALL = {"n_topics": 3, "n_rounds": N_ROUNDS, "n_local": 2, "n_sweeps": 2, "top_words": 5}


def every_method() -> Iterator[tuple[str, Method]]:
    """Each method with each combination of choices that it accepts, once."""
    found: list[Method] = []
    forms = [(name, variant) for name in methods.names() for variant in methods.variants(name) or (None,)]
    for name, variant in forms:
        known = methods.settings(name, variant)
        offered = [choices if key in known else (None,) for key, choices in CHOICES.items()]
        for chosen in product(*offered):
            given = {key: value for key, value in zip(CHOICES, chosen, strict=True) if value is not None}
            small = {key: value for key, value in SMALL.items() if key in known}
            try:
                method = methods.make(name, variant=variant, **small | given)
            except ValueError:
                continue  # not a choice of this method
            if method not in found:
                found.append(method)
                yield f"{name} {variant} {' '.join(f'{key}={value}' for key, value in given.items())}", method


CASES = dict(every_method())


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


def corpora(unit: str) -> dict[str, Corpus]:
    """Neighbors, and neighbors of neighbors, of which only the mechanism may know."""
    rng = np.random.default_rng(0)
    lengths = [[4, 3], [0, 5], [6], [2, 2, 2]]
    words = rng.choice(N_WORDS, sum(map(sum, lengths)), p=planted_topics(3, 4)[0]).tolist()
    found = {
        "ordinary": corpus_of_sentences(words, lengths, N_WORDS),
        "no document": corpus_of_sentences([], [], N_WORDS),
        "one document": corpus_of_sentences(words[:7], lengths[:1], N_WORDS),
        "one word": corpus_of_sentences([3], [[1]], N_WORDS),
        "one word in many documents": corpus_of_sentences([3], [[0], [0, 1], []], N_WORDS),
        "one word many times": corpus_of_sentences([3] * 90, [[40, 45], [5]], N_WORDS),
        "documents without a sentence": corpus_of_sentences([], [[], []], N_WORDS),
        "sentences without a word": corpus_of_sentences([], [[0], [0, 0]], N_WORDS),
        "no known word": replace(
            corpus_of_sentences(words, lengths, N_WORDS), vocabulary=tuple(f"x{i}" for i in range(N_WORDS))
        ),
    }
    return {name: replace(corpus, sentence_unit=unit) for name, corpus in found.items()}


def kind_of_answers(method: Method, corpus: Corpus, folder: Path) -> tuple[Kind, list[Any]]:
    """What each round shows of a party beside an ordinary one: its error, its arrays; then its charges."""
    north = AskedParty(folder, method, corpus, WORDS)
    south = Party("south", corpora(corpus.sentence_unit)["ordinary"], {})
    state = method.start(N_WORDS, Turn(1, "server")) | method.known_words(WORDS)
    kinds = []
    for number in range(N_ROUNDS):
        error, sent = north.contribute(number, method.tell(state, "north"))
        kinds.append((error, {name: (array.dtype.name, array.ndim) for name, array in sent.items()}))
        turn = Turn(1, "party", number, "south")
        release, memory = method.contribute(south, method.tell(state, "south"), turn)
        south = replace(south, memory=memory)
        answers: dict[str, Arrays] = {"north": sent, "south": release.value}
        state, useless = combine(method, state, answers, Turn(1, "server", number))
        assert useless == ()
    charges = north.charges()
    north.side.store.close()
    return kinds, charges


@pytest.mark.parametrize("case", CASES)
def test_documents_decide_neither_whether_nor_how_a_party_answers(case: str, tmp_path: Path) -> None:
    method = CASES[case]
    unit = "paragraph" if "paragraph" in case else "sentence"
    seen = {
        name: kind_of_answers(method, corpus, tmp_path / name.replace(" ", "-"))
        for name, corpus in corpora(unit).items()
    }
    kinds, _ = seen["ordinary"]
    assert all(error == "" for error, _ in kinds)
    for name, found in seen.items():
        assert found == seen["ordinary"], name


def test_held_out_documents_decide_neither_whether_nor_how_a_party_scores(tmp_path: Path) -> None:
    method, mechanism = methods.make("calm", n_topics=3), Evaluation("private", 0.1, 1.0, 1e-6).mechanism()
    assert mechanism is not None
    seen = []
    for number, corpus in enumerate(corpora("sentence").values()):
        held_out = corpus.with_vocabulary(WORDS)
        score = Score(
            mechanism.price(),
            lambda topics, _, noise, held_out=held_out: private_scores.release(
                topics, held_out, mechanism, noise
            ),
        )
        party = AskedParty(tmp_path / str(number), method, corpus, WORDS, score=score)
        party.ask("vocabulary", 0, {"words": word_array(WORDS)})
        topics = np.full((3, N_WORDS), 1 / N_WORDS)
        error, sent = party.ask("evaluate", method.n_rounds, {"topics": topics})
        kinds = {name: (array.dtype.name, array.shape) for name, array in sent.items()}
        seen.append((error, kinds, party.charges()))
        party.side.store.close()
    assert seen[0][:2] == ("", {"sums": ("float64", (3,))})
    assert all(found == seen[0] for found in seen)


def test_every_method_is_asked() -> None:
    assert {case.split()[0] for case in CASES} == set(methods.names())
    assert {type(method) for method in CASES.values()} == {
        methods.find(name, variant)
        for name in methods.names()
        for variant in methods.variants(name) or (None,)
    }
