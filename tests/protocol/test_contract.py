"""What every method must satisfy. A new file in methods/ is tested here without a change."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from planted import corpus_of, drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol import in_process
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.protocol.with_related_words import with_consistency
from fedtopics.related_words import from_matrix

N_TOPICS, WORDS_PER_TOPIC = 3, 8
TOPICS = planted_topics(N_TOPICS, WORDS_PER_TOPIC)

WITH_RELATION = "+consistency"  # the method with a server that draws related words together
CONSISTENT = [name for name in methods.names() if methods.find(name).told_topics is not None]

every = pytest.mark.parametrize(
    "name", [*methods.names(), *(f"{name}{WITH_RELATION}" for name in CONSISTENT)]
)


def quick(name: str, **given: Any) -> Method:
    """The method at its defaults, few topics, and little noise where it has any."""
    if name.endswith(WITH_RELATION):
        related = np.kron(np.eye(N_TOPICS), np.full((WORDS_PER_TOPIC, WORDS_PER_TOPIC), 0.5))
        relation = from_matrix(related, N_TOPICS * WORDS_PER_TOPIC)
        return with_consistency(quick(name.removesuffix(WITH_RELATION), **given), relation)
    settings = methods.settings(name)
    small: dict[str, Any] = {"n_topics": N_TOPICS}
    if "epsilon" in settings:
        small["epsilon"] = 20.0
    return methods.make(name, **small | given)


def parties() -> dict[str, Corpus]:
    return {
        "north": drawn_corpus(TOPICS, n_docs=80, length=40, seed=1),
        "south": drawn_corpus(TOPICS, n_docs=50, length=40, seed=2),
        "west": drawn_corpus(TOPICS, n_docs=30, length=40, seed=3),
    }


def topics_found(model: TopicModel) -> set[frozenset[int]]:
    return {frozenset(row) for row in model.top_word_ids(WORDS_PER_TOPIC).tolist()}


def planted_sets() -> set[frozenset[int]]:
    words = np.arange(N_TOPICS * WORDS_PER_TOPIC).reshape(N_TOPICS, WORDS_PER_TOPIC)
    return {frozenset(row) for row in words.tolist()}


def trained(method: Method, **options: Any) -> list[TopicModel]:
    outcome = in_process.run(method, parties(), seed=3, **options)
    return [outcome.model] if outcome.model is not None else list(outcome.local_models.values())


@every
def test_planted_topics_are_found(name: str) -> None:
    for model in trained(quick(name)):
        assert topics_found(model) == planted_sets()


@every
def test_same_seed_same_model_whatever_the_threads(name: str) -> None:
    method = quick(name, n_rounds=3)
    first, second, third = (trained(method, n_threads=n) for n in (1, 1, 2))
    for one, two, three in zip(first, second, third, strict=True):
        np.testing.assert_array_equal(one.topic_word, two.topic_word)
        np.testing.assert_array_equal(one.topic_word, three.topic_word)


@every
def test_another_seed_gives_another_model(name: str) -> None:
    method = quick(name, n_rounds=2)
    one, other = (in_process.run(method, parties(), seed=seed) for seed in (1, 2))
    models = [outcome.model or outcome.local_models["north"] for outcome in (one, other)]
    assert not np.array_equal(models[0].topic_word, models[1].topic_word)


@every
def test_what_is_charged_was_planned(name: str) -> None:
    method = quick(name, n_rounds=3)
    ledger = in_process.run(method, parties(), seed=0).ledger
    planned = in_process.Ledger()
    for number, cost in enumerate(method.prices(TOPICS.shape[1])):
        planned.charge("north", number, cost)
    # A plan does not know yet where the noise will come from; the statements are about the price alone.
    spent = [row for row in ledger.statements() if row["party"] == "north"]
    if spent and planned.statements():
        assert spent == planned.statements()
    else:
        assert all(row["epsilon"] == 0 for row in spent)


@every
def test_a_missing_party_does_not_stop_the_round(name: str) -> None:
    method = quick(name, n_rounds=2)
    corpora: dict[str, Corpus] = parties()
    memory: dict[str, Arrays] = {party: {} for party in corpora}
    state = method.start(TOPICS.shape[1], Turn(0, "server"))
    for number, present in enumerate((["north", "south", "west"], ["north", "west"])):
        sent = {}
        for party in present:
            turn = Turn(0, "party", number, party)
            told = method.tell(state, party)
            release, memory[party] = method.contribute(
                Party(party, corpora[party], memory[party]), told, turn
            )
            sent[party] = release.value
        state = method.combine(state, sent, Turn(0, "server", number))
    model = method.model(state, corpora["north"].vocabulary)
    assert model is None or np.isfinite(model.topic_word).all()


@every
def test_what_crosses_the_wire_is_arrays(name: str) -> None:
    method = quick(name, n_rounds=1)
    state = method.start(TOPICS.shape[1], Turn(0, "server"))
    told = method.tell(state, "north")
    party = Party("north", parties()["north"], {})
    release, memory = method.contribute(party, told, Turn(0, "party", 0, "north"))
    for arrays in (state, told, release.value, memory):
        for key, array in arrays.items():
            assert isinstance(key, str)
            assert isinstance(array, np.ndarray), key
            assert array.dtype.kind in "biuf", key


@every
def test_a_method_is_frozen_and_describes_itself(name: str) -> None:
    method = quick(name)
    assert dataclasses.is_dataclass(method)
    with pytest.raises(dataclasses.FrozenInstanceError):
        method.n_topics = 3  # type: ignore[misc]
    assert method.about.summary
    assert method.about.guarantee
    assert method.about.citation


@every
@pytest.mark.parametrize("bad", [{"n_topics": 1}, {"n_rounds": 0}, {"no_such_setting": 1}])
def test_bad_settings_are_refused(name: str, bad: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"got|takes no"):
        quick(name, **bad)


@every
def test_a_vocabulary_of_one_word_is_refused_before_anything_is_sent(name: str) -> None:
    method, ledger = quick(name), Ledger()
    with pytest.raises(InputError, match="a vocabulary of at least 2 words was expected, got 1"):
        in_process.run(method, {"north": corpus_of([[0], [0]], 1)}, seed=0, ledger=ledger)
    assert not ledger.entries


@pytest.mark.parametrize(
    ("name", "variant"),
    [(name, each) for name in methods.names() for each in methods.variants(name) or (None,)],
)
def test_every_setting_says_what_it_means(name: str, variant: str | None) -> None:
    meanings = methods.meanings(name, variant)
    assert list(meanings) == list(methods.settings(name, variant))
    assert [setting for setting, meaning in meanings.items() if len(meaning) < 8] == []


def test_an_unknown_method_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"unknown method 'magic'; choose one of alone.*pooled.*shared"):
        methods.make("magic")


def test_parties_with_different_vocabularies_are_refused() -> None:
    other = drawn_corpus(planted_topics(2, 5), n_docs=5, length=5, seed=0)
    with pytest.raises(InputError, match="one vocabulary, got 2"):
        in_process.run(quick("shared"), {"a": parties()["north"], "b": other}, seed=0)
