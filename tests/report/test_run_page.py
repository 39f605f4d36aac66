"""The page of a run tells what the record holds, whatever the words are."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from report.elements import Elements
from reported import small_data, small_run, with_model

from fedtopics.model import TopicModel
from fedtopics.privacy.explain import guarantees
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.summing import Summing
from fedtopics.report import privacy_shown
from fedtopics.report.run_page import run_page
from fedtopics.report.topics_shown import cards, similarity
from fedtopics.runs.experiment import train


@pytest.fixture(scope="module")
def page() -> str:
    return run_page(small_run())


def test_the_page_tells_what_was_protected_and_what_was_not(page: str) -> None:
    text = Elements(page).text
    assert "a certain word? From a hint The chance of a guess may rise from 1 in 2 to 99.97 %, from" in text
    assert "Was a certain word of a document this one, or another? Yes, possibly The promise is too" in text
    assert "whatever it is about? Yes, possibly No promise was made (document add/remove)" in text
    assert "What is a certain document about, if it is known to be there? Yes, possibly" in text
    quieter = Elements(run_page(small_run(epsilon=2.0))).text
    assert (
        "a certain word? If already suspected The chance of a guess may rise from 1 in 2 to 88.1 %" in quieter
    )
    quietest = train(small_data(), "calm", n_topics=4, n_rounds=1, epsilon=1.0)
    assert "a certain word? Hardly The chance" in Elements(run_page(quietest)).text
    assert "exact counts of their words? No Neither was sent: what left a party went through" in quieter
    assert "A simulation." in text
    assert "epsilon 8 (word add/remove)" in text
    assert "epsilon 16 (word replace)" in text
    assert "1 paid for, 5 free" in text
    for relation in ("word add/remove", "word replace", "document add/remove", "person add/remove", "party"):
        assert relation in text


def test_the_party_that_spent_most_decides_the_answers() -> None:
    run = small_run()
    ledger = Ledger.from_json(run.ledger.to_json())
    ledger.charge("south <b>", 99, run.ledger.entries[0].cost, content="more")
    text = Elements(run_page(replace(run, ledger=ledger))).text
    assert "epsilon 16 (word add/remove)" in text
    assert "2 paid for, 5 free" in text


def test_predicted_and_measured_cost_and_the_other_methods_are_shown(page: str) -> None:
    run, text = small_run(), Elements(page).text
    shared = small_run("shared", None)
    assert f"{run.record['forecast']['perplexity_ratio']:.3f} times" in text
    assert f"{run.scores['perplexity'] / shared.scores['perplexity']:.3f} times" in text
    for name in ("alone: the best party by itself", "shared: exact counts are sent", "calm (this run)"):
        assert name in text


def test_shares_of_parties_come_from_what_they_sent() -> None:
    text = Elements(run_page(small_run(epsilon=2.0))).text
    assert "from what the parties had sent already" in text
    shares = np.array(small_run(epsilon=2.0).record["party_topics"]["north"])
    assert f"{100 * shares[0] / shares.sum():.1f} %" in text
    assert "does not protect" in Elements(run_page(small_run("shared", None))).text
    assert "Who writes about what" not in run_page(small_run("alone", None))


def test_baselines_say_that_they_are_not_private() -> None:
    shared = Elements(run_page(small_run("shared", None))).text
    assert "exact counts of their words? Yes, possibly" in shared
    assert "6 without a bound" in shared
    alone = Elements(run_page(small_run("alone", None))).text
    assert "Nothing left a party." in alone
    assert "What leaves a party does not depend on it." in alone


def hush_page(**settings: Any) -> str:
    """The page of a run of hush on documents with persons, as text."""
    data = small_data()
    persons = tuple(str(number // 3) for number in range(60))
    named = {name: replace(corpus, persons=persons) for name, corpus in data.parties.items()}
    run = train(replace(data, parties=named), "hush", n_topics=4, n_rounds=4, **settings)
    return " ".join(Elements(run_page(run)).text.split())


@pytest.mark.parametrize("unit", ["document", "person"])
def test_the_headline_is_of_what_the_method_protects(page: str, unit: str) -> None:
    text = hush_page(unit=unit)
    assert f"Privacy of a {unit} ε 8 {unit} add/remove, delta 1e-06; simulated" in text
    assert "How many documents does a party have? From a hint It was never sent" in text
    assert "the list of words, the settings, the number of rounds." in text
    assert "distinct_words" not in text
    assert "Promises for words add up" not in text
    assert "Party Persons Documents Tokens north 20 60" in text
    other = " ".join(Elements(page).text.split())
    assert "Privacy of a word ε 8 word add/remove; simulated" in other
    assert "the list of words, the number of documents of each party, the settings," in other
    assert "Party Documents Tokens" in other


def test_at_epsilon_0_what_was_sent_says_nothing() -> None:
    text = hush_page(epsilon=0.0)
    assert "Privacy ε 0 what was sent says nothing about documents" in text
    assert "exact counts of their words? No What was sent says nothing about documents." in text
    assert "no data leaves" not in text
    assert "othing leaves a party" not in text
    assert "Privacy nothing sent no data leaves a party" in Elements(run_page(small_run("alone", None))).text


def test_a_run_without_a_ledger_promises_nothing() -> None:
    text = Elements(run_page(replace(small_run(), ledger=Ledger()))).text
    assert "Privacy unknown there is no ledger of what was sent" in text


@pytest.mark.parametrize(
    ("method", "settings", "answer"),
    [
        ("fedlda", {"variant": "paper"}, "Yes, possibly Nothing is proved of what was sent."),
        ("lplda", {"variant": "paper", "channel": "laplace"}, "Yes, possibly Nothing is proved of"),
        ("pctd", {"variant": "paper", "n_rounds": 35}, "Yes, possibly All that is proved of what was sent"),
        ("lplda", {"epsilon": 6.0}, "No Neither was sent: what left a party"),
        ("fedlda", {"epsilon": 30.0}, "No Neither was sent: what left a party"),
    ],
)
def test_whether_documents_may_show_follows_from_what_is_proved(
    method: str, settings: dict[str, Any], answer: str
) -> None:
    run = train(small_data(), method, n_topics=4, **({"n_rounds": 2} | settings))
    text = Elements(run_page(run)).text
    assert f"exact counts of their words? {answer}" in text
    assert "computed from noisy counts" not in text
    assert ("Releases of each: 0 paid for" in text) == ("Nothing is proved of" in text)


def test_the_answer_says_what_is_proved_and_what_is_not() -> None:
    text = Elements(run_page(small_run(epsilon=2.0))).text
    assert "Proved: epsilon 2 (word add/remove); epsilon 4 (word replace). Nothing is proved for:" in text
    unproved = "document add/remove, document replace, person add/remove, person replace, party."
    assert f"Nothing is proved for: {unproved}" in text


def test_an_unfamiliar_method_and_an_older_record_still_have_a_page() -> None:
    run = small_run()
    kept = (
        "method",
        "parties",
        "scores",
        "privacy",
        "seed",
        "n_topics",
        "n_words",
        "versions",
        "source",
        "seconds",
    )
    old = {name: run.record[name] for name in kept} | {
        "method": "tomorrow",
        "variant": None,
        "noise": "secure",
    }
    old["rounds"] = [
        {name: entry[name] for name in ("round", "seconds", "bytes_up", "bytes_down")}
        for entry in run.record["rounds"]
    ]
    text = Elements(run_page(replace(run, record=old))).text
    assert "the method is not installed" in text
    assert "A simulation." not in text


def test_a_run_over_a_network_without_test_documents_has_a_page() -> None:
    run = small_run()
    words = {"round": -1, "seconds": 0.1, "bytes_up": 9, "bytes_down": 9, "missing": ["north"]}
    measured = [entry | {"measures": {"channel log-likelihood": -5.0}} for entry in run.record["rounds"]]
    record = run.record | {
        "engine": "https",
        "scores": dict.fromkeys(run.scores),
        "parties": [{"name": "north", "n_answers": 3}],
        "rounds": [words, *measured],
        "compared": [],
    }
    text = Elements(run_page(replace(run, record=record))).text
    assert "Not scored: no held-out documents were given." in text
    assert "Channel log-likelihood by round" in text
    assert "This page shows more than the model" not in text
    assert "<td><bdi>–</bdi></td>" in replace(run, record=record)._repr_html_()


def test_one_topic_is_enough() -> None:
    text = Elements(run_page(with_model(small_run(), TopicModel.from_counts([[3, 2, 1]], "abc")))).text
    assert "1 topic of" in text
    flat = with_model(small_run(), TopicModel.from_counts([[1, 1], [0, 0]], ["a", "b"]))
    assert Elements(run_page(flat)).text.count("No words of its own") == 2


def test_cards_are_sorted_by_share_and_neighbors_are_similar() -> None:
    counts = np.array([[9, 8, 0, 0, 0], [90, 70, 0, 0, 0], [0, 0, 0, 9, 9]])
    model = TopicModel.from_counts(counts, "abcde", beta=0.01)
    made = cards(model, similarity(model))
    assert [card.number for card in made] == [1, 2, 0]
    near = {card.number: [other for other, _ in card.neighbors] for card in made}
    assert near == {1: [0], 2: [], 0: [1]}
    assert made[0].neighbors[0][1] == pytest.approx(1.0, abs=0.01)
    assert made[1].short == ("d", "e")
    assert made[1].name == "d, e"
    labeled = cards(model.set_topic_labels({1: "money"}), similarity(model))
    assert [(card.name, card.short) for card in labeled][:2] == [("money", ("money",)), ("d, e", ("d", "e"))]


def test_the_page_tells_who_sees_totals_alone() -> None:
    together = Summing(0, "together")
    run = train(small_data(), "hush", n_topics=3, n_rounds=6, secure_sum=together, show_progress=False)
    page = " ".join(Elements(run_page(run)).text.split())
    assert "The coordinator sees only totals of at least" in page
    assert "hold while none of the parties of a sum works together with the server" in page
    assert "before a server that nobody helps" in page
    assert "Not without help" in page


def test_of_several_parties_the_one_that_spent_most_speaks_for_all() -> None:
    spent: Any = [
        SimpleNamespace(guarantees=guarantees(Histogram(epsilon, 50).price(), 50, 1e-6))
        for epsilon in (1.0, 6.0, 2.0)
    ]
    assert privacy_shown._worst(spent)["word add/remove"].epsilon == 6.0
