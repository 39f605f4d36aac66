"""PC-TD: its units, its price, what leaves, what its server makes of negative sums, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planted import corpus_of, corpus_of_sentences, drawn_corpus, planted_topics, with_sentences

from fedtopics import methods
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.perplexity import perplexity, unigram_perplexity
from fedtopics.methods.pctd.semantic_units import cut
from fedtopics.privacy.price.budget import Budget, BudgetError
from fedtopics.privacy.price.cost import Relation
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol import in_process
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.runs.experiment import Data, train

TOPICS = planted_topics(3, 8)
PARTIES = {name: drawn_corpus(TOPICS, n_docs=60, length=30, seed=seed) for seed, name in enumerate("ab")}
TEST = drawn_corpus(TOPICS, n_docs=60, length=30, seed=9)


def make(**given: Any) -> Any:
    return methods.make("pctd", **{"n_topics": 3} | given)


def priced(method: Method) -> dict[tuple[str, str], dict[str, Any]]:
    """What the run record states of party a, by basis and relation."""
    few = {name: with_sentences(corpus.select([0, 1]), 6) for name, corpus in PARTIES.items()}
    run = train(Data(few, TEST), "pctd", variant=method.variant, **vars(method))
    return {(row["basis"], row["relation"]): row for row in run.record["privacy"] if row["party"] == "a"}


def test_the_paper_costs_380_in_its_run_record() -> None:
    method = make(variant="paper", unit="sentence")
    assert (method.deviation, method.n_rounds, method.delta) == (0.25, 35, 1e-5)
    found = priced(method)
    assert found["proved", "word add/remove"]["epsilon"] == pytest.approx(380, abs=1)
    assert found["proved", "word add/remove"]["delta"] == 1e-5
    assert found["claimed", "word add/remove"]["epsilon"] == pytest.approx(160.6, abs=0.1)
    assert found["proved", "word replace"]["epsilon"] == pytest.approx(702, abs=1)


def test_with_ngrams_380_is_only_claimed() -> None:
    found = priced(make(variant="paper"))
    assert ("proved", "word add/remove") not in found
    assert found["none", "word add/remove"]["epsilon"] == "inf"
    assert found["claimed", "word add/remove"]["epsilon"] == pytest.approx(380, abs=1)
    assert found["claimed", "word add/remove"]["delta"] == 1e-5
    assert found["proved", "word replace"]["epsilon"] == pytest.approx(702, abs=1)
    claims = {claim.source: claim.epsilon for claim in make(variant="paper").prices(24)[0].claims}
    assert claims == {
        "PC-TD, conditions in the proof of Theorem 1": pytest.approx(160.6, abs=0.1),
        "PC-TD, sensitivity 1 of each count; composed exactly": pytest.approx(380, abs=1),
    }


def test_what_is_not_bounded_or_too_weak_is_noted() -> None:
    def noted(**given: Any) -> str:
        return " ".join(methods.make("pctd", **given).notes(3000))  # type: ignore[attr-defined]

    assert noted(variant="paper") == (
        "a word added or removed has no bound, since it moves others to other n-grams; "
        "epsilon 701.8 (word replace, delta 1e-05) is proved, which protects nothing"
    )
    assert noted(release="unit", sigma=4.0).endswith("(word replace, delta 1e-05) is proved")
    whole = noted(variant="paper", unit="sentence", sigma=0.25)
    assert whole == "epsilon 380 (word add/remove, delta 1e-05) is proved, which protects nothing"
    assert noted() == noted(epsilon=0) == ""


def test_a_word_more_moves_those_behind_it_to_other_ngrams() -> None:
    """Why there is no bound: all counts behind the word change, and there may be a vector more."""
    short, long = (corpus_of([words], 9) for words in ([0, 1, 2, 3, 4, 5], [0, 6, 1, 2, 3, 4, 5]))
    one, other = (np.split(corpus.words, cut(corpus, "ngram", 3).offsets[1:-1]) for corpus in (short, long))
    assert [unit.tolist() for unit in one] == [[0, 1, 2], [3, 4, 5]]
    assert [unit.tolist() for unit in other] == [[0, 6, 1], [2, 3, 4], [5]]


@pytest.mark.parametrize("given", [{"variant": "paper"}, {"release": "unit", "sigma": 4.0}])
def test_a_budget_on_words_added_or_removed_refuses_ngrams(given: dict[str, Any]) -> None:
    def run(epsilon: float, relation: Relation, **settings: Any) -> None:
        ledger = Ledger(budgets=(Budget(relation, epsilon, 1e-5),), delta=1e-5)
        parties = {name: with_sentences(corpus, 6) for name, corpus in PARTIES.items()}
        in_process.run(make(n_rounds=2, **given | settings), parties, seed=0, ledger=ledger)

    with pytest.raises(BudgetError, match=r"allows word add/remove epsilon 1000 .* got a total of inf"):
        run(1000.0, "word add/remove")
    run(1000.0, "word replace")
    run(1000.0, "word add/remove", unit="sentence")


def test_sound_costs_its_epsilon_whatever_the_rounds() -> None:
    for n_rounds in (2, 5):
        row = priced(make(n_rounds=n_rounds))["proved", "word add/remove"]
        assert 7.99 <= row["epsilon"] <= 8
        assert row["delta"] == 1e-5


def test_sigma_follows_from_epsilon_and_back() -> None:
    once = make(epsilon=8.0)
    every_round = make(epsilon=24.39, variant="paper", unit="sentence", n_rounds=1)
    assert once.deviation == pytest.approx(0.5587, abs=1e-3)
    assert every_round.deviation == pytest.approx(0.25, abs=1e-4)
    assert make(sigma=once.deviation).prices(10) == once.prices(10)
    assert make(epsilon=8.0, max_length=50).deviation > once.deviation  # a word may push another one out


def test_every_round_of_the_paper_is_planned_and_paid() -> None:
    method = make(variant="paper", unit="sentence", n_rounds=3)
    parties = {name: with_sentences(corpus, 6) for name, corpus in PARTIES.items()}
    entries = in_process.run(method, parties, seed=0).ledger.entries
    paid = [loss for x in entries if x.party == "a" for loss in x.cost.losses_of("word add/remove")]
    planned = [cost.losses_of("word add/remove") for cost in method.prices(TOPICS.shape[1])]
    assert [loss for losses in planned for loss in losses] == paid
    assert len(planned) == 3
    many, once = (make(variant="paper", unit="sentence", epsilon=30.0, n_rounds=n).deviation for n in (2, 1))
    assert many > 1.2 * once  # the budget is for all rounds together


def sent_by(method: Method, corpus: Corpus, n_rounds: int) -> list[tuple[Arrays, float]]:
    """What party a sends in each round, and whether the ledger is charged."""
    state = method.start(corpus.n_words, Turn(0, "server"))
    memory: Arrays = {}
    log = []
    for number in range(n_rounds):
        told = method.tell(state, "a")
        release, memory = method.contribute(Party("a", corpus, memory), told, Turn(0, "party", number, "a"))
        state = method.combine(state, {"a": release.value}, Turn(0, "server", number))
        log.append((release.value, float(len(release.cost.losses))))
    return log


def test_sound_draws_once_and_paper_anew() -> None:
    assert [paid > 0 for _, paid in sent_by(make(), PARTIES["a"], 3)] == [True, False, False]
    assert [paid > 0 for _, paid in sent_by(make(variant="paper"), PARTIES["a"], 3)] == [True, True, True]


def test_mixtures_never_leave() -> None:
    for variant, allowed in (("paper", {"counts"}), ("sound", {"counts", "unigram", "tokens", "n_rows"})):
        for arrays, _ in sent_by(make(variant=variant), PARTIES["a"], 3):
            assert set(arrays) <= allowed


@pytest.mark.parametrize("given", [{}, {"release": "unit"}, {"release": "unit", "unit": "sentence"}])
def test_sound_finds_planted_topics_through_noise(given: dict[str, Any]) -> None:
    parties = {name: with_sentences(corpus, 6) for name, corpus in PARTIES.items()}
    outcome = in_process.run(make(sigma=make(epsilon=14.0).deviation, **given), parties, seed=0)
    assert outcome.model is not None
    found = {frozenset(row) for row in outcome.model.top_word_ids(8).tolist()}
    assert found == {frozenset(range(8 * k, 8 * k + 8)) for k in range(3)}


def test_the_paper_finds_topics_where_the_noise_is_small() -> None:
    outcome = in_process.run(make(variant="paper", sigma=0.02, n_rounds=30), PARTIES, seed=1)
    assert outcome.model is not None
    whole = Data(PARTIES, TEST).train
    assert perplexity(outcome.model, TEST) < 0.7 * unigram_perplexity(whole, TEST)


def test_its_noise_drowns_the_paper_and_not_sound() -> None:
    wide = np.hstack([planted_topics(3, 20) * 0.98, np.full((3, 200), 0.02 / 200)])
    parties = {name: drawn_corpus(wide, n_docs=40, length=30, seed=seed) for seed, name in enumerate("ab")}
    test = drawn_corpus(wide, n_docs=60, length=30, seed=9)
    methods_ = make(variant="paper", n_rounds=8), make()
    models = [in_process.run(method, parties, seed=0).model for method in methods_]
    paper, sound = (perplexity(model, test) for model in models if model is not None)
    assert sound < unigram_perplexity(Data(parties, test).train, test) < paper


def test_negative_sums_are_cut_at_zero() -> None:
    method = make(variant="paper")
    sent = {
        "a": {"counts": np.array([[-3.0, 1.0, 2.0], [5.0, 4.0, 1.0]])},
        "b": {"counts": np.array([[1.0, 1.0, -4.0], [0.0, 0.0, 0.0]])},
    }
    state = method.combine({"counts": np.ones((2, 3))}, sent, Turn(0, "server", 1))
    assert state["counts"].tolist() == [[0.0, 2.0, 0.0], [5.0, 4.0, 1.0]]
    phi = method.tell(state, "a")["phi"]
    assert phi.min() > 0
    np.testing.assert_allclose(phi.sum(axis=0), 1, rtol=1e-6)


def test_each_topic_has_some_of_all_and_of_every_word() -> None:
    counts = np.array([[6.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
    state = {"counts": counts, "length": np.array(5.0)}
    for given, base, beta in (({}, 0.05, 1.0), ({"base": 0.5, "beta": 0.2}, 0.5, 0.2)):
        method = make(**given)
        expected = counts + base * counts.mean(axis=1, keepdims=True) + beta
        expected /= expected.sum(axis=0)
        np.testing.assert_allclose(method.tell(state, "a")["phi"], expected, rtol=1e-6)
        model = method.model(state, ("tax", "law", "war"))
        np.testing.assert_allclose(model.topic_word, expected.T, rtol=1e-6)
    flat = make(variant="paper").tell(state, "a")["phi"]
    np.testing.assert_allclose(flat, (counts + 0.05) / (counts + 0.05).sum(axis=0), rtol=1e-6)


def test_units_are_cut_where_they_should() -> None:
    corpus = corpus_of_sentences(list(range(12)), [[4, 0, 3], [], [5]], 12)
    assert cut(corpus, "ngram", 3).offsets.tolist() == [0, 3, 4, 7, 10, 12]
    assert cut(corpus, "ngram", 3).documents.tolist() == [0, 3, 3, 5]
    assert cut(corpus, "sentence", 3).offsets.tolist() == [0, 4, 4, 7, 12]
    assert cut(corpus, "sentence", 3).documents.tolist() == [0, 3, 3, 4]
    bag = corpus_of([[0, 1, 2, 3], [], [4, 5]], 6)
    assert cut(bag, "ngram", 3).offsets.tolist() == [0, 3, 4, 6]
    assert cut(bag, "ngram", 3).documents.tolist() == [0, 2, 2, 3]


def test_paragraphs_are_units_of_texts_cut_at_blank_lines() -> None:
    texts = ["Taxes rose. Wages fell.\n\nWar came.", "Peace.\n \n\nLaw and order."]
    corpus = Corpus.from_texts(texts, sentences="paragraphs")
    units = cut(corpus, "paragraph", 40)
    assert [corpus.vocabulary[word] for word in corpus.words[: units.offsets[1]]] == [
        *("taxes", "rose", "wages", "fell")
    ]
    assert units.documents.tolist() == [0, 2, 4]
    assert corpus.select([1]).sentence_unit == "paragraph"
    with pytest.raises(InputError, match=r"needs paragraphs, got sentences; read the texts with"):
        cut(Corpus.from_texts(texts), "paragraph", 40)
    with pytest.raises(InputError, match="needs sentences, got paragraphs"):
        cut(corpus, "sentence", 10)
    with pytest.raises(InputError, match="needs sentences, got documents without"):
        cut(corpus_of([[0, 1]], 2), "sentence", 10)
    with pytest.raises(InputError, match="true, false or 'paragraphs', got 'lines'"):
        Corpus.from_texts(texts, sentences="lines")  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"sigma": 0.0}, r"sigma must be a finite number greater than 0, got 0"),
        ({"sigma": -1.0}, r"sigma must be a finite number greater than 0, got -1"),
        ({"sigma": float("nan")}, "sigma of method pctd must be"),
        ({"epsilon": -1.0}, "epsilon must be"),
        ({"epsilon": 8.0, "sigma": 1.0}, "epsilon or sigma, got both"),
        ({"delta": 0.0}, "delta above 0, got 0"),
        ({"unit": "word"}, r"unit must be one of .*got 'word'"),
        ({"unit_length": 0}, "unit_length must be a whole number above 0, got 0"),
        ({"unit_length": 2.5}, "unit_length of method pctd must be a whole number"),
        ({"variant": "other"}, "variant must be sound or paper, got 'other'"),
        ({"release": "tokens"}, "release must be document or unit"),
        ({"variant": "paper", "release": "document"}, "release is a setting of pctd sound"),
        (
            {"variant": "paper", "max_length": 9},
            "max_length is a setting of pctd sound, got it with variant=paper",
        ),
        (
            {"variant": "paper", "epsilon": 8.0},
            "n-grams keep no epsilon .*, got epsilon 8; use unit='sentence'",
        ),
        ({"release": "unit", "epsilon": 0.0}, "n-grams keep no epsilon .*, got epsilon 0; use"),
        ({"release": "unit"}, "n-grams keep no epsilon .*, got no sigma; use"),
        (
            {"release": "unit", "sigma": 1.0, "max_length": 9},
            "max_length needs vectors of documents, sentences",
        ),
        ({"alpha": 0.0}, "alpha and beta above 0"),
        ({"beta": 0.0}, "alpha and beta above 0"),
        ({"base": -0.1}, "base of at least 0"),
    ],
)
def test_bad_settings_are_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make(**bad)


@pytest.mark.parametrize("given", [{}, {"variant": "paper"}, {"release": "unit", "sigma": 0.5}])
def test_a_document_shorter_than_a_unit_is_one_unit(given: dict[str, Any]) -> None:
    """An error would tell how long the documents are."""
    model = in_process.run(make(unit_length=31, n_rounds=2, **given), PARTIES, seed=0).model
    assert model is not None
    assert np.isfinite(model.topic_word).all()


def test_a_party_without_documents_is_refused() -> None:
    nobody = replace(PARTIES["a"], words=np.zeros(0, np.int32), offsets=np.zeros(1, np.int64))
    with pytest.raises(InputError, match="'b' must have documents, got none"):
        in_process.run(make(), {"a": PARTIES["a"], "b": nobody}, seed=0)


def test_documents_without_words_are_no_trouble() -> None:
    some = corpus_of([[0, 1, 2, 0], [], [3, 4, 5, 3]], 24)
    for given in ({}, {"variant": "paper"}, {"release": "unit", "sigma": 0.5}):
        model = in_process.run(make(n_rounds=3, **given), {"a": some}, seed=0).model
        assert model is not None
        assert np.isfinite(model.topic_word).all()
