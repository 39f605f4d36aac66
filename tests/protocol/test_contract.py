"""What every method must satisfy. A new file in methods/ is tested here without a change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from planted import corpus_of, drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.checks import check_method
from fedtopics.checks.played import N_WORDS
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol import in_process
from fedtopics.protocol.method import Method
from fedtopics.protocol.with_related_words import with_consistency
from fedtopics.related_words import from_matrix

N_TOPICS, WORDS_PER_TOPIC = 3, 8
TOPICS = planted_topics(N_TOPICS, WORDS_PER_TOPIC)

LITTLE_NOISE: dict[str, dict[str, Any]] = {"pctd paper": {"sigma": 0.02}}

WITH_RELATION = "+consistency"  # the method with a server that draws related words together
FORMS = [(name, variant) for name in methods.names() for variant in methods.variants(name) or (None,)]
NAMES = [name if variant is None else f"{name} {variant}" for name, variant in FORMS]
RELATED = [f"{name}{WITH_RELATION}" for name in NAMES if methods.find(*name.split()).told_topics is not None]

every = pytest.mark.parametrize("name", [*NAMES, *RELATED])


def quick(name: str, n_words: int = N_TOPICS * WORDS_PER_TOPIC, **given: Any) -> Method:
    """The method at its defaults, few topics, and little noise where it has any."""
    if name.endswith(WITH_RELATION):
        related = np.kron(np.eye(N_TOPICS), np.full((n_words // N_TOPICS,) * 2, 0.5))
        plain = quick(name.removesuffix(WITH_RELATION), n_words, **given)
        return with_consistency(plain, from_matrix(related, n_words))
    method, _, variant = name.partition(" ")
    known = methods.settings(method, variant or None)
    small = {"n_topics": N_TOPICS, **LITTLE_NOISE.get(name, {"epsilon": 20.0}), "top_words": 8}
    chosen = {setting: value for setting, value in small.items() if setting in known} | given
    return methods.make(method, variant=variant or None, **chosen)


def parties() -> dict[str, Corpus]:
    return {
        "north": drawn_corpus(TOPICS, n_docs=80, length=40, seed=1),
        "south": drawn_corpus(TOPICS, n_docs=50, length=40, seed=2),
        "west": drawn_corpus(TOPICS, n_docs=30, length=40, seed=3),
    }


def topics_found(model: TopicModel) -> set[frozenset[int]]:
    return {frozenset(row) for row in model.top_word_ids(WORDS_PER_TOPIC, by="probable").tolist()}


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
def test_the_contract_is_kept(name: str) -> None:
    check_method(quick(name, n_words=N_WORDS, n_rounds=3))


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
