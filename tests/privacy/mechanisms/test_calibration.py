"""Calibration keeps the budget and wastes little; explanations and audits are computed."""

import json
from math import inf, log

import numpy as np
import pytest
from typer.testing import CliRunner

from fedtopics.audit.claims import FIGURE_3, FIGURE_3_THETA, audit, recover_counts
from fedtopics.commands.privacy import app
from fedtopics.errors import InputError
from fedtopics.privacy.explain import PublicFacts, explain
from fedtopics.privacy.forecast import MEASURED_LOSS, predicted_ratio
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.calibration import MECHANISMS, calibrate, find, total
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.one_hot import OneHot
from fedtopics.privacy.mechanisms.prior_response import PriorResponse
from fedtopics.privacy.price.cost import FREE, INFINITE, RELATIONS
from fedtopics.privacy.price.release import Ledger

REPORTS = ("one-hot", "randomized response", "truncated response", "subset selection")
BOUNDS = Bounds(max_length=20, max_documents=2)


def public(name: str) -> dict:
    if name == "clipped sum":
        return {"clip": 1.0, "bounds": BOUNDS}
    extra = {"kept": tuple(range(50))} if name == "truncated response" else {}
    return {"n_words": 100, **extra} if name in REPORTS else {"n_words": 100, "bounds": BOUNDS}


CASES = [(name, "word replace") for name in MECHANISMS]
CASES += [(name, "document replace") for name in MECHANISMS if name not in REPORTS]


@pytest.mark.parametrize(("name", "relation"), CASES)
def test_calibration_keeps_the_budget_and_wastes_less_than_a_percent(name, relation):
    budget, delta, rounds = 6.0, 1e-6, 3
    parameter = calibrate(name, relation, budget, delta, rounds, **public(name))
    mechanism = find(name).make(**{find(name).parameter: parameter}, **public(name))
    reached = total(mechanism.price(), relation, delta, rounds)
    assert 0.99 * budget <= reached <= budget


def test_known_calibrations():
    assert calibrate("histogram", "word add/remove", 6.0, n_words=100) == pytest.approx(6.0, rel=1e-6)
    sigma = calibrate("gaussian counts", "word add/remove", 8.0, 1e-5, n_words=100, grid=16)
    assert sigma == pytest.approx(0.60, abs=0.02)


def test_what_cannot_be_reached_is_refused():
    with pytest.raises(InputError, match="set public bounds"):
        calibrate("histogram", "document add/remove", 6.0, n_words=100)
    for name in REPORTS:
        with pytest.raises(InputError, match="a mechanism that hides the lengths"):
            calibrate(name, "document replace", 6.0, **public(name))
    with pytest.raises(InputError, match="a delta above 0"):
        calibrate("clipped sum", "document add/remove", 6.0, clip=1.0)
    with pytest.raises(InputError, match="mechanism must be one of"):
        calibrate("send it raw", "word replace", 1.0)
    with pytest.raises(InputError, match="relation must be one of"):
        calibrate("histogram", "sentence", 1.0, n_words=5)
    for bad in (float("nan"), inf, -1.0, 0.0):
        with pytest.raises(InputError, match="epsilon must be"):
            calibrate("histogram", "word replace", bad, n_words=5)
    with pytest.raises(InputError, match="missing a required argument: 'kept'"):
        calibrate("truncated response", "word replace", 1.0, n_words=5)
    with pytest.raises(InputError, match="at least one round"):
        calibrate("histogram", "word replace", 1.0, rounds=0, n_words=5)


def test_audit_computes_the_known_numbers():
    findings = audit()
    rrp = {f.figures["epsilon"]: f.figures["delta"] for f in findings if f.method == "FedLDA (RRP)"}
    assert rrp == {7.5: pytest.approx(0.953, abs=5e-4), 5.0: pytest.approx(0.638, abs=5e-4)}
    by_method = {finding.method: finding.figures for finding in findings}
    assert by_method["PC-TD"]["word add/remove"] == pytest.approx(380, abs=1)
    assert by_method["PC-TD"]["word replace"] == pytest.approx(702, abs=1)
    proved = {finding.method: finding.proved for finding in findings}
    assert "none where they are n-grams" in proved["PC-TD"]
    assert by_method["FedLDA (rounds)"] == {"per round": 787.5, "all rounds": 47_250}
    assert by_method["LP-LDA"]["bit"] == pytest.approx(log(19))
    assert by_method["LP-LDA"]["document replace"] == pytest.approx(200 * log(19))
    assert by_method["FTM, iFTM"] == {"word replace": 16}
    normalized = by_method["FTM (topic-wise normalization)"]
    assert normalized["topics recovered"] == normalized["topics"] == 15


def test_counts_are_recovered_where_the_smallest_is_not_one():
    counts = [[4, 6, 9, 0], [10, 3, 1, 7]]
    shares = [[value / sum(row) for value in row] for row in counts]
    assert recover_counts(np.array(shares)).tolist() == counts


def test_explanation_states_every_level_and_the_same_numbers_as_the_ledger():
    plan = [Histogram(6.0, 8000, bounds=Bounds(max_length=500)).price()] + [FREE] * 59
    found = explain(plan, PublicFacts(8000, 50, 2000, 126))
    ledger = Ledger()
    for number, cost in enumerate(plan):
        ledger.charge("each party", number, cost)
    assert found.statements == ledger.statements()
    assert {row["relation"] for row in found.statements} >= set(RELATIONS[:4])
    bare = explain([Histogram(6.0, 8000).price()], PublicFacts(8000))
    assert any("403-fold (a word guessed at 1 in 8,000: at most 4.8 %)" in line for line in bare.meaning)
    assert any("epsilon 3000 is no protection" in line for line in found.meaning)
    assert any("document epsilon 3000 promises nothing" in line for line in found.warnings)
    assert any("word epsilon 12 is at least ln V = 9.0" in line for line in found.warnings)


def test_explanation_warns_of_budgets_that_are_too_small():
    tiny = explain([Histogram(0.5, 8000).price()], PublicFacts(8000, n_distinct=60))
    assert any("no better than the private unigram" in line for line in tiny.warnings)
    small = explain([Histogram(4.0, 8000).price()], PublicFacts(8000, n_distinct=100))
    assert any("lose about" in line for line in small.warnings)
    bounded = Histogram(4.0, 8000, bounds=Bounds(max_length=300)).price()
    cut = explain([bounded], PublicFacts(8000, n_distinct=100))
    assert any("lose about" in line for line in cut.warnings)  # the noise is that of epsilon 4, bound or not
    few = explain([ClippedSum(5.0, 1.0).price()], PublicFacts(8000, 30, n_documents=500))
    assert any("too small for 500 documents" in line for line in few.warnings)
    many = explain([ClippedSum(5.0, 1.0).price()], PublicFacts(8000, 30, n_documents=50_000))
    assert not any("documents: noise" in line for line in many.warnings)


def test_explanation_shows_claims_that_do_not_hold_and_visible_lengths():
    cost = PriorResponse.from_topics(7.5, 0.1, FIGURE_3, FIGURE_3_THETA).price()
    found = explain([cost], PublicFacts(7))
    told = "the paper claims word replace epsilon 7.5 (FedLDA (AAAI 2020), Theorem 1); nothing is proved"
    assert told in found.warnings
    # Without any bound the price does not tell whether users pad their reports, as those of FedLDA do.
    assert not any("shows in the number of reports" in line for line in found.public)
    tokens, hidden = OneHot(8.0, 3000).price(), Histogram(6.0, 3000).price()
    for plan, shown in (([tokens], True), ([hidden, tokens], True), ([hidden, FREE], False)):
        public_facts = explain(plan, PublicFacts(3000)).public
        assert any("shows in the number of reports" in line for line in public_facts) == shown


def test_explanation_of_nothing_and_of_everything():
    assert explain([], PublicFacts(10)).meaning == ["Nothing leaves a party."]
    assert all("no promise" in line for line in explain([INFINITE], PublicFacts(10)).meaning[1:])
    assert all("says nothing" in line for line in explain([FREE], PublicFacts(10)).meaning[1:])


def test_predicted_loss_follows_the_curve():
    for margin, loss in MEASURED_LOSS:
        assert predicted_ratio(margin + log(100), 10_000, 100) == pytest.approx(loss, abs=0.005)


def test_bad_facts_are_refused():
    for bad in ({"n_words": 1}, {"n_words": 10, "n_documents": 0}, {"n_words": 10, "n_topics": -1}):
        with pytest.raises(InputError, match="whole number"):
            PublicFacts(**bad)
    with pytest.raises(InputError, match="distinct words"):
        explain([Histogram(1.0, 10).price()], PublicFacts(10, n_distinct=11))


def test_commands_print_what_is_computed(tmp_path):
    runner = CliRunner()
    audit_text = runner.invoke(app, ["audit-claims", "--json"])
    assert audit_text.exit_code == 0
    assert len(json.loads(audit_text.output)) == len(audit())
    chosen = runner.invoke(app, ["calibrate", "histogram", "--epsilon", "12", "--relation", "word replace"])
    assert "epsilon 6: 1 fresh release costs at most epsilon 12 (word replace)" in chosen.output
    ledger = Ledger()
    ledger.charge("a", 0, Histogram(6.0, 10).price())
    (tmp_path / "ledger.json").write_text(ledger.to_json())
    shown = runner.invoke(app, ["ledger", str(tmp_path / "ledger.json")])
    assert ledger.head in shown.output.replace("\n", "")
    assert "word replace" in shown.output
    explained = runner.invoke(app, ["explain", "shared", "--words", "100", "--topics", "5", "--json"])
    assert json.loads(explained.output)["statements"][0]["epsilon"] == "inf"
