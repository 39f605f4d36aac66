"""What an epsilon means is said in one place, and every place says the same of the same epsilon."""

from math import log

import pytest

from fedtopics.audit.claims import FIGURE_3, FIGURE_3_THETA
from fedtopics.errors import InputError
from fedtopics.methods import make
from fedtopics.privacy.explain import RELATIONS, guarantees, words_add_up
from fedtopics.privacy.forecast import MEASURED_LOSS, PublicFacts, explain_prices, predicted_ratio
from fedtopics.privacy.grades import worth
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.one_hot import OneHot
from fedtopics.privacy.mechanisms.prior_response import PriorResponse
from fedtopics.privacy.price.cost import FREE, INFINITE, Cost, Loss
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.ledger import Ledger


def test_word_epsilon_14_9_is_no_protection_wherever_it_is_told():
    cost = Cost((Loss("word add/remove", Pure(14.9)), Loss("word replace", Pure(14.9))))
    first = guarantees(cost, 10_000, 1e-6)[0]
    assert (first.worth, first.answer[0]) == ("not protected", "Yes, possibly")
    explained = explain_prices([cost], PublicFacts(10_000))
    assert any("epsilon 14.9 is no protection" in line for line in explained.meaning)
    assert any("word epsilon 14.9 protects nothing" in line for line in explained.warnings)
    assert "Single words are not deniable" in words_add_up(guarantees(cost, 10_000, 1e-6))


@pytest.mark.parametrize("epsilon", [4.0, 9.0, 11.0, 30.0])
def test_a_method_notes_what_the_report_answers(epsilon):
    """FedLDA's repair promises an epsilon for documents: its note comes where the answer is yes."""
    method = make("fedlda", n_topics=3, variant="sound", epsilon=epsilon)
    noted = any("protects no document" in note for note in method.notes(1000))
    assert noted == (worth(epsilon, 0.0, 1000) == "not protected")


def test_explanation_states_every_level_and_the_same_numbers_as_the_ledger():
    prices = [Histogram(6.0, 8000, bounds=Bounds(max_length=500)).price()] + [FREE] * 59
    found = explain_prices(prices, PublicFacts(8000, 50, 2000, 126))
    ledger = Ledger()
    for number, cost in enumerate(prices):
        ledger.charge("each party", number, cost)
    assert found.statements == ledger.statements()
    assert {row["relation"] for row in found.statements} >= set(RELATIONS[:4])
    bare = explain_prices([Histogram(6.0, 8000).price()], PublicFacts(8000))
    assert any("403-fold, and its chance from 1 in 2 to 99.75 %" in line for line in bare.meaning)
    assert any("epsilon 3000 is no protection" in line for line in found.meaning)
    assert any("document epsilon 3000 promises nothing" in line for line in found.warnings)
    assert any("word epsilon 12 protects nothing" in line for line in found.warnings)
    weak = explain_prices([Histogram(5.0, 8000).price()], PublicFacts(8000))
    assert any("word epsilon 10 protects nothing" in line for line in weak.warnings)
    hardly = explain_prices([Histogram(4.0, 8000).price()], PublicFacts(8000))
    assert any("word epsilon 8 hardly protects a word" in line for line in hardly.warnings)


def test_explanation_warns_of_budgets_that_are_too_small():
    tiny = explain_prices([Histogram(0.5, 8000).price()], PublicFacts(8000, n_distinct=60))
    assert any("no better than the private unigram" in line for line in tiny.warnings)
    small = explain_prices([Histogram(4.0, 8000).price()], PublicFacts(8000, n_distinct=100))
    assert any("lose about" in line for line in small.warnings)
    bounded = Histogram(4.0, 8000, bounds=Bounds(max_length=300)).price()
    cut = explain_prices([bounded], PublicFacts(8000, n_distinct=100))
    assert any("lose about" in line for line in cut.warnings)  # the noise is that of epsilon 4, bound or not
    few = explain_prices([ClippedSum(5.0, 1.0).price()], PublicFacts(8000, 30, n_documents=500))
    assert any("too small for 500 documents" in line for line in few.warnings)
    many = explain_prices([ClippedSum(5.0, 1.0).price()], PublicFacts(8000, 30, n_documents=50_000))
    assert not any("documents: noise" in line for line in many.warnings)


def test_explanation_shows_claims_that_do_not_hold_and_visible_lengths():
    cost = PriorResponse.from_topics(7.5, 0.1, FIGURE_3, FIGURE_3_THETA).price()
    found = explain_prices([cost], PublicFacts(7))
    told = "the paper claims word replace epsilon 7.5 (FedLDA (AAAI 2020), Theorem 1); nothing is proved"
    assert told in found.warnings
    # Without any bound the price does not tell whether users pad their reports, as those of FedLDA do.
    assert not any("shows in the number of reports" in line for line in found.public)
    tokens, hidden = OneHot(8.0, 3000).price(), Histogram(6.0, 3000).price()
    for prices, shown in (([tokens], True), ([hidden, tokens], True), ([hidden, FREE], False)):
        public_facts = explain_prices(prices, PublicFacts(3000)).public
        assert any("shows in the number of reports" in line for line in public_facts) == shown


def test_explanation_of_nothing_and_of_everything():
    assert explain_prices([], PublicFacts(10)).meaning == ["Nothing leaves a party."]
    assert all("no promise" in line for line in explain_prices([INFINITE], PublicFacts(10)).meaning[1:])
    assert all("says nothing" in line for line in explain_prices([FREE], PublicFacts(10)).meaning[1:])


def test_predicted_loss_follows_the_curve():
    for margin, loss in MEASURED_LOSS:
        assert predicted_ratio(margin + log(100), 10_000, 100) == pytest.approx(loss, abs=0.005)


def test_bad_facts_are_refused():
    for bad in ({"n_words": 1}, {"n_words": 10, "n_documents": 0}, {"n_words": 10, "n_topics": -1}):
        with pytest.raises(InputError, match="whole number"):
            PublicFacts(**bad)
    with pytest.raises(InputError, match="distinct words"):
        explain_prices([Histogram(1.0, 10).price()], PublicFacts(10, n_distinct=11))
