"""Agreeing on words is two ordinary rounds: the same words and prices in process and over the wire."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network.rehearsal import Rehearsal, simulated
from planted import drawn_corpus, planted_topics
from statistics_ import SEED

from fedtopics import methods
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.words import word_array, word_digest
from fedtopics.errors import InputError
from fedtopics.privacy.price.budget import Budget, BudgetError
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.words import Agreement
from fedtopics.protocol.agreeing import CONFIRMATION, PROPOSAL, WordRounds, word_lists
from fedtopics.protocol.in_process import agree
from fedtopics.protocol.turn import Turn
from fedtopics.runs.preparing import prepare

PLANTED = {
    name: drawn_corpus(planted_topics(3, 8), 60, 10, seed)
    for seed, name in enumerate(("north", "south", "west"))
}


def of_words(documents: list[list[str]]) -> Corpus:
    """Documents over all their words."""
    place = {word: number for number, word in enumerate(sorted({w for words in documents for w in words}))}
    tokens = np.array([place[word] for words in documents for word in words], np.int32)
    return Corpus(tokens, np.cumsum([0, *map(len, documents)]), tuple(place))


def corpus(common: list[str], rare: str, n_documents: int = 600) -> Corpus:
    return of_words([[*common, f"{rare}{i}"] for i in range(n_documents)])


def test_words_that_many_documents_of_enough_parties_hold_are_agreed_on() -> None:
    parties = {
        "north": corpus(["apple", "pear"], "north"),
        "south": corpus(["apple", "plum"], "south"),
        "west": corpus(["apple", "pear"], "west"),
    }
    found = agree(Agreement(1.0, 1e-6), parties, seed=SEED)
    assert set(found) == {"apple", "pear"}
    assert found[0] == "apple"  # most votes first
    any_party = agree(Agreement(1.0, 1e-6, min_parties=1, n_homes=3), parties, seed=SEED)
    assert set(any_party) == {"apple", "pear", "plum"}
    assert agree(Agreement(1.0, 1e-6, max_size=1), parties, seed=SEED) == ("apple",)


def test_words_and_prices_are_what_they_were_and_the_same_over_the_wire(tmp_path: Path) -> None:
    """Stored when the two paths still had code of their own: the same words in the same order."""
    agreement, ledger = Agreement(8.0, 1e-6, min_parties=2, max_size=20), Ledger()
    words = agree(agreement, PLANTED, seed=3, ledger=ledger)
    assert word_digest(words) == "3feb163b00c7633047ed2513879380c855efab777a3a6f3eafb85fbd36be334c"
    spent = {row["relation"]: row["epsilon"] for row in ledger.statements() if row["party"] == "north"}
    prices = dict.fromkeys(("word add/remove", "word replace", "document replace"), 18.568489484781555)
    assert spent == pytest.approx(prices | {"document add/remove": 7.999996004511244}, rel=1e-12)
    method = methods.make("calm", n_topics=3, n_rounds=1, epsilon=20.0)
    terms = simulated(method, PLANTED, words=None, agreement=agreement)
    stage = Rehearsal(tmp_path, terms, PLANTED)
    assert stage.trained().words == words
    assert "words; a public list has more and costs nothing" in " ".join(stage.lines)
    for name, side in stage.sides.items():
        wired = [(entry.round, entry.cost) for entry in side.store.of_run("first") if entry.round < 0]
        assert wired == [(entry.round, entry.cost) for entry in ledger.entries if entry.party == name]


def test_the_built_in_corpus_has_the_words_that_it_had() -> None:
    words = prepare("sotu", seed=1, vocabulary_epsilon=8.0, n_parties=3).test.vocabulary
    assert len(words) == 1316
    assert word_digest(words) == "81315e1f2748b73154efc49de43f13b54a1ef70a7996aab40af59fb96b87da02"


def test_the_agreement_costs_what_it_is_asked_to_and_the_ledger_shows_it() -> None:
    ledger = Ledger(delta=1e-6)
    parties = {"a": corpus(["x"], "r", 50), "b": corpus(["x"], "s", 50)}
    agree(Agreement(1.0, 1e-6), parties, seed=SEED, ledger=ledger)
    (row,) = [s for s in ledger.statements() if s["party"] == "a" and s["relation"] == "document add/remove"]
    assert 0.99 <= float(row["epsilon"]) <= 1.0
    assert (row["delta"], row["basis"]) == (1e-6, "proved")
    assert ledger.spent("a").noise == "simulated"


def test_fresh_noise_is_a_second_release_and_the_same_value_is_not() -> None:
    parties = {"a": corpus(["x"], "r", 300), "b": corpus(["x"], "s", 300)}
    ledger = Ledger()
    found = agree(Agreement(1.0, 1e-6), parties, seed=SEED, ledger=ledger)
    n_charged = len(ledger.entries)
    assert agree(Agreement(1.0, 1e-6), parties, seed=SEED, ledger=ledger) == found
    assert len(ledger.entries) == n_charged == 4
    with pytest.raises(InputError, match="already charged for another release"):
        agree(Agreement(1.0, 1e-6), parties, seed=SEED + 10, ledger=ledger)


def test_a_budget_of_an_unknown_party_is_refused() -> None:
    ledger = Ledger(budgets_of={"nroth": (Budget("document add/remove", 9.0, 1e-6),)})
    with pytest.raises(InputError, match="got nroth"):
        agree(Agreement(1.0, 1e-6), {"north": of_words([["x"]])}, seed=SEED, ledger=ledger)


def test_a_party_that_cannot_afford_it_reads_nothing() -> None:
    class Unreadable:
        def __getattr__(self, name: str) -> Any:
            pytest.fail("documents were read before the budget was checked")

    ledger = Ledger(budgets=(Budget("document add/remove", 0.5, 1e-6),))
    parties: dict[str, Any] = {"a": Unreadable()}
    with pytest.raises(BudgetError):
        agree(Agreement(1.0, 1e-6), parties, seed=SEED, ledger=ledger)
    assert ledger.entries == []


def test_empty_parties_agree_on_nothing() -> None:
    with pytest.raises(InputError, match="no word"):
        agree(Agreement(1.0, 1e-6), {"a": of_words([]), "b": of_words([[]])}, seed=SEED)


def test_words_of_a_party_that_is_silent_in_the_second_round_stay_candidates() -> None:
    rounds = WordRounds(Agreement(8.0, 1e-6, min_parties=1, n_homes=2), ("a", "b"))
    sent = {name: {"words": word_array([name, "x"]), "votes": np.ones(2)} for name in rounds.parties}
    state = rounds.combine(rounds.start(0, Turn(0, "server")), sent, Turn(0, "server", PROPOSAL))
    assert rounds.words(state) == ("a", "b", "x")
    heard = {"b": {"votes": np.array([0.0, 9.0, 5.0])}}
    after = rounds.combine(state, heard, Turn(0, "server", CONFIRMATION))
    assert rounds.words(after) == ("b", "x")


def test_votes_that_do_not_belong_to_the_words_make_no_round() -> None:
    rounds = WordRounds(Agreement(8.0, 1e-6), ("a", "b"))
    sent = {"a": {"words": word_array(["x"]), "votes": np.ones(2)}}
    with pytest.raises(InputError, match="votes with the words of a"):
        rounds.combine({}, sent, Turn(0, "server", PROPOSAL))


def test_word_lists_are_the_words_of_each_document() -> None:
    documents = [["b", "a", "b"], [], ["c"]]
    assert word_lists(of_words(documents)) == documents
