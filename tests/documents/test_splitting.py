"""Every way of dividing a corpus gives each document to one party and no party nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from fedtopics.documents.corpus import Corpus, concatenate
from fedtopics.documents.splitting import automatic, by_column, by_labels, by_proportions, by_topics
from fedtopics.errors import InputError

THEMES = ["tax budget debt revenue", "war army navy fleet", "wheat farm soil harvest"]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """120 documents on three themes, in the shares 6:3:1; labels name the theme."""
    generator = np.random.default_rng(0)
    themes = generator.permutation(np.repeat([0, 1, 2], [72, 36, 12]))
    texts = [" ".join(generator.choice(THEMES[theme].split(), 12)) for theme in themes]
    return Corpus.from_texts(texts, labels=themes, ids=range(120), min_df=1)


SPLITS: dict[str, Callable[[Corpus, int], list[Corpus]]] = {
    "proportions": lambda corpus, n: by_proportions(corpus, np.arange(1.0, n + 1), seed=3),
    "labels": lambda corpus, n: by_labels(corpus, n, concentration=0.1, seed=3),
    "topics": lambda corpus, n: by_topics(corpus, n, seed=3),
    "automatic": lambda corpus, n: automatic(corpus, n, seed=3),
}


@pytest.mark.parametrize("name", SPLITS)
@pytest.mark.parametrize("n_parties", [1, 3, 7, 120])
def test_each_document_has_one_party_and_no_party_is_empty(corpus: Corpus, name: str, n_parties: int) -> None:
    parties = SPLITS[name](corpus, n_parties)
    assert len({party.name for party in parties}) == len(parties) == n_parties
    assert parties[-1].name == f"party-{n_parties}"
    assert min(party.n_docs for party in parties) >= 1
    assert sorted(concatenate(parties).ids) == sorted(corpus.ids)
    assert sum(party.n_tokens for party in parties) == corpus.n_tokens
    assert all(party.vocabulary is corpus.vocabulary for party in parties)


@pytest.mark.parametrize("name", SPLITS)
def test_one_seed_one_division(corpus: Corpus, name: str) -> None:
    first, second = (SPLITS[name](corpus, 3) for _ in range(2))
    assert [party.ids for party in first] == [party.ids for party in second]


@pytest.mark.parametrize("name", SPLITS)
@pytest.mark.parametrize("n_parties", [121, 0])
def test_no_more_parties_than_documents(corpus: Corpus, name: str, n_parties: int) -> None:
    with pytest.raises(InputError, match=r"1 to 120 parties|above 0"):
        SPLITS[name](corpus, n_parties)


def test_topics_find_the_themes(corpus: Corpus) -> None:
    parties = by_topics(corpus, 3, seed=0)
    assert [party.n_docs for party in parties] == [72, 36, 12]
    assert [set(party.labels) for party in parties] == [{"0"}, {"1"}, {"2"}]


def test_skew_of_labels_follows_the_concentration(corpus: Corpus) -> None:
    def imbalance(concentration: float) -> float:
        parties = by_labels(corpus, 3, concentration=concentration, seed=0)
        shares = np.array([np.bincount(np.array(party.labels, int), minlength=3) for party in parties])
        return float((shares / shares.sum(0)).max(0).mean())

    assert imbalance(0.05) > 0.8
    assert imbalance(1000.0) < 0.45


def test_column_wins_when_its_number_of_parties_fits(corpus: Corpus) -> None:
    owned = Corpus.from_texts(["war", "peace", "war"], parties=["b", "a", "b"])
    assert [party.name for party in automatic(owned, seed=0)] == ["a", "b"]
    assert [party.name for party in automatic(owned, 2, seed=0)] == ["a", "b"]
    assert [party.name for party in automatic(owned, 3, seed=0)] == ["party-1", "party-2", "party-3"]
    with pytest.raises(InputError, match="got neither"):
        automatic(corpus, seed=0)


def test_missing_columns_are_named(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="parties, got none"):
        by_column(corpus)
    with pytest.raises(InputError, match="got none for 1 of 2"):
        by_column(Corpus.from_texts(["war", "peace"], parties=["north", ""]))
    with pytest.raises(InputError, match="labels, got none"):
        by_labels(Corpus.from_texts(["war", "peace"]), 2, seed=0)


@pytest.mark.parametrize("proportions", [[], [1, 0], [1, -1], [1, float("nan")], [float("inf"), 1]])
def test_proportions_are_positive(corpus: Corpus, proportions: list[float]) -> None:
    with pytest.raises(InputError, match="above 0"):
        by_proportions(corpus, proportions, seed=0)
