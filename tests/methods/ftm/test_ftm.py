"""FTM: what it sends, what it costs, and how parties that differ work together."""

from __future__ import annotations

import logging
from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from methods.played_rounds import played
from planted import corpus_of, drawn_corpus, planted_topics, with_sentences

from fedtopics import methods, train
from fedtopics.commands.tables import print_runs
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import FREE
from fedtopics.protocol import in_process
from fedtopics.protocol.turn import Party, Turn
from fedtopics.report import run_page
from fedtopics.runs.leaderboard import candidates
from fedtopics.runs.preparing import Data

TOPICS = planted_topics(4, 15)
N_WORDS = TOPICS.shape[1]
VARIANTS: list[dict[str, Any]] = [
    {"variant": "paper", "top_words": 15},
    {"variant": "paper", "top_words": 15, "unit": "sentence"},
    {},
    {"unit": "sentence"},
    {"release": "tokens"},
    {"release": "tokens", "unit": "sentence"},
]


def corpus(seed: int, n_docs: int = 60, topics: np.ndarray = TOPICS) -> Corpus:
    """Documents of 30 tokens, sentences of 10; a sentence holds the words of neighboring topics."""
    documents = drawn_corpus(topics, n_docs=n_docs, length=30, seed=seed)
    words = np.sort(documents.words.reshape(n_docs, 30), axis=1).reshape(-1)
    return with_sentences(replace(documents, words=words), 10)


def ftm(**given: Any) -> Any:
    return methods.make("ftm", **given)


def found(model: TopicModel, topics: np.ndarray = TOPICS) -> float:
    """Least overlap of a planted topic with the topic that is most like it."""
    return float(np.minimum(topics[:, None], model.topic_word[None]).sum(-1).max(axis=1).min())


@pytest.mark.parametrize("given", VARIANTS, ids=str)
def test_after_the_first_round_the_documents_are_never_read_again(given: dict[str, Any]) -> None:
    method = ftm(epsilon=3.0, n_topics=3, n_local=3, **given)
    first, other = {"north": corpus(1)}, {"north": corpus(2)}
    _, honest, _ = played(method, [first] * 3)
    _, swapped, _ = played(method, [first, other, other])
    for one, two in zip(honest, swapped, strict=True):
        for key in ("topics", "weights"):
            assert one["north"].value[key].tobytes() == two["north"].value[key].tobytes()
    assert [sent["north"].cost == FREE for sent in honest] == [False, True, True]


@pytest.mark.parametrize("given", VARIANTS, ids=str)
def test_planted_topics_are_found_with_little_noise(given: dict[str, Any]) -> None:
    parties = {name: corpus(seed, n_docs=150) for seed, name in enumerate(("north", "south"))}
    method = ftm(epsilon=20.0, n_topics=4, n_rounds=3, **given)
    model = in_process.run(method, parties, seed=1).model
    assert model is not None
    assert found(model) > 0.7


@pytest.mark.parametrize("given", [{}, {"release": "tokens"}], ids=str)
def test_sound_finds_planted_topics_through_real_noise(given: dict[str, Any]) -> None:
    parties = {name: corpus(seed, n_docs=300) for seed, name in enumerate(("north", "south"))}
    method = ftm(epsilon=3.5, n_topics=4, n_local=40, **given)
    model = in_process.run(method, parties, seed=1).model
    assert model is not None
    assert found(model) > 0.65


def test_parties_with_different_numbers_of_topics_share_what_they_have_in_common() -> None:
    """North knows topics 0, 1 and 2, south 2 and 3: the global model has four, one of them of both."""
    parties = {
        "north": corpus(1, n_docs=300, topics=TOPICS[:3]),
        "south": corpus(2, n_docs=200, topics=TOPICS[2:]),
    }
    method = ftm(epsilon=12.0, topics_per_party={"north": 3, "south": 2})
    outcome = in_process.run(method, parties, seed=0)
    assert outcome.model is not None
    assert outcome.model.n_topics == 4
    assert found(outcome.model) > 0.8
    assert {name: model.n_topics for name, model in outcome.local_models.items()} == {"north": 3, "south": 2}
    assert all(0 < entry.bytes_up <= 5 * (4 * N_WORDS + 8) for entry in outcome.rounds)


def test_as_many_topics_come_out_as_were_asked_for() -> None:
    """Parties without a topic in common have eight together; four were asked for."""
    parties = {"north": corpus(1, topics=TOPICS[:2]), "south": corpus(2, topics=TOPICS[2:])}
    sizes = {}
    for reduce in (True, False):
        outcome = in_process.run(ftm(epsilon=12.0, n_topics=4, reduce=reduce, n_rounds=2), parties, seed=0)
        assert outcome.model is not None
        sizes[reduce] = outcome.model.n_topics
        assert {len(amounts) for amounts in outcome.party_topics.values()} == {sizes[reduce]}
    assert sizes[True] == 4 < sizes[False]
    assert ftm(n_topics=4).model_sizes(("north", "south")) == range(1, 5)
    assert ftm(n_topics=4, reduce=False).model_sizes(("north", "south")) == range(1, 9)


def test_another_number_of_topics_is_said_everywhere(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    parties = {"north": corpus(1, topics=TOPICS[:2]), "south": corpus(2, topics=TOPICS[2:])}
    data = Data(parties, corpus(3, topics=TOPICS))
    runs = [
        train(data, "ftm", n_topics=4, epsilon=12.0, n_rounds=2, reduce=reduce) for reduce in (True, False)
    ]
    assert runs[0].record["notes"] == []
    said = f"the model has {runs[1].model.n_topics} topics, not the 4 that were asked for"
    assert said in caplog.text
    assert said in repr(runs[1])
    assert said[1:] in run_page(runs[1])
    print_runs(runs)
    head, _, *lines = capsys.readouterr().out.splitlines()[1:]
    assert head.split()[:2] == ["method", "topics"]
    counts = [line.split()[2] for line in lines if line.startswith("ftm (sound)")]
    assert counts == ["4", str(runs[1].model.n_topics)]
    print_runs(runs[:1])
    assert " topics " not in capsys.readouterr().out.splitlines()[1]


def test_the_board_compares_as_many_topics() -> None:
    budget = Budget("word replace", 12.0, 1e-6)
    found = list(candidates(budget, N_WORDS, ["ftm"], n_topics=4, top_words=8))
    assert [each.variant for each in found] == ["sound", "paper"]
    assert all(each.settings["reduce"] for each in found)


def test_a_party_goes_on_with_the_counts_of_the_others() -> None:
    """South has few documents; through the global model its topics come near those of north's many."""
    parties = {"north": corpus(1, n_docs=400), "south": corpus(2, n_docs=25)}
    method = ftm(epsilon=12.0, n_topics=4, xi=0.5)
    together = in_process.run(method, parties, seed=0).local_models["south"]
    alone = in_process.run(method, {"south": parties["south"]}, seed=0).local_models["south"]
    assert found(together) > found(alone) + 0.05


@pytest.mark.parametrize("given", [{}, {"unit": "sentence"}, {"release": "tokens"}], ids=str)
def test_what_the_others_know_steers_the_training_of_a_party(given: dict[str, Any]) -> None:
    """A party that knows next to nothing is told the planted topics in their order, and takes them so."""
    method = ftm(epsilon=12.0, n_topics=4, n_local=1, **given)
    _, _, memory = played(method, [{"north": corpus(1)}])
    told = {"topics": TOPICS.astype(np.float32), "weights": np.full(4, 1e5)}
    party = Party("north", corpus(1), memory["north"])
    method = replace(method, n_local=20)
    sent = method.contribute(party, told, Turn(5, "party", 1, "north"))[0].value["topics"]
    assert np.diagonal(np.minimum(TOPICS[:, None], sent[None]).sum(-1)).min() > 0.6


def test_a_party_that_vanishes_keeps_its_topics_and_one_that_joins_late_pays_then() -> None:
    method = ftm(epsilon=12.0, n_topics=4, n_local=10)
    north, south = {"north": corpus(1)}, {"south": corpus(2)}
    state, rounds, _ = played(method, [north, north | south, south])
    assert rounds[1]["south"].cost != FREE
    np.testing.assert_array_equal(state["party/north/topics"], rounds[1]["north"].value["topics"])
    assert method.combine({}, {}, Turn(0, "server", 0)) == {}


def test_paper_and_sound_send_the_same_kind_of_message() -> None:
    for given in VARIANTS:
        _, rounds, memory = played(ftm(epsilon=8.0, n_topics=3, n_local=2, **given), [{"north": corpus(1)}])
        sent = rounds[0]["north"].value
        assert sent["topics"].shape == (3, N_WORDS)
        np.testing.assert_allclose(sent["topics"].sum(axis=1), 1, rtol=1e-5)
        np.testing.assert_allclose(
            sent["topics"] * sent["weights"][:, None], memory["north"]["counts"], rtol=1e-4, atol=1e-6
        )


def prices(**given: Any) -> dict[str, Any]:
    method = ftm(epsilon=1.5, n_topics=3, n_rounds=2, n_local=2, max_length=30, **given)
    ledger = in_process.run(method, {"north": corpus(1)}, seed=0).ledger
    return {row["relation"]: row["epsilon"] for row in ledger.statements() if row["basis"] != "claimed"}


def test_the_ledger_prices_words_and_documents_of_histograms() -> None:
    found = prices(variant="sound")
    assert found["word add/remove"] == found["word replace"] == pytest.approx(3.0)
    assert 40 < found["document add/remove"] <= 45.0 + 1e-9


@pytest.mark.parametrize("given", [{"variant": "paper"}, {"release": "tokens"}], ids=str)
def test_vectors_of_tokens_show_how_many_there_are(given: dict[str, Any]) -> None:
    """Only a word replaced has a bound: another token is another vector, and the weights add up to them."""
    found = prices(**given)
    assert found["word replace"] == pytest.approx(3.0)
    assert found["word add/remove"] == found["document add/remove"] == "inf"


@pytest.mark.parametrize("given", VARIANTS, ids=str)
def test_documents_are_cut_to_the_public_length(given: dict[str, Any]) -> None:
    """What comes after the public length does not matter."""
    documents = corpus(1)
    changed = documents.words.reshape(-1, 30).copy()
    changed[:, 20:] = 0
    method = ftm(epsilon=3.0, n_topics=3, n_local=2, max_length=20, **given)
    sent = []
    for words in (documents.words, changed.reshape(-1)):
        _, rounds, _ = played(method, [{"north": replace(documents, words=words)}])
        sent.append(rounds[0]["north"].value["topics"].tobytes())
    assert sent[0] == sent[1]


def test_a_name_that_no_party_has_is_told(caplog: pytest.LogCaptureFixture) -> None:
    method = ftm(n_topics=3, n_local=2, topics_per_party={"nroth": 4})
    with caplog.at_level(logging.WARNING):
        played(method, [{"north": corpus(1)}])
    assert "nroth" in caplog.text


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"epsilon": -1.0}, "epsilon"),
        ({"epsilon": nan}, "epsilon"),
        ({"epsilon": inf}, "epsilon"),
        ({"tau": 1.0}, "tau must be at least 0 and below 1, got 1.0"),
        ({"tau": -0.1}, "below 1, got -0.1"),
        ({"tau": nan}, "tau of method ftm must be a number up to"),
        ({"xi": 0.0}, r"\(0, 1\), got 0.0"),
        ({"xi": 1.0}, r"\(0, 1\), got 1.0"),
        ({"xi": nan}, "xi of method ftm must be a number up to"),
        ({"top_words": 0}, "at least 1, got 0"),
        ({"matching": "magic"}, "assignment or jaccard, got 'magic'"),
        ({"unit": "page"}, "word or sentence, got 'page'"),
        ({"variant": "better"}, "sound or paper, got 'better'"),
        ({"release": "raw"}, "histograms or tokens, got 'raw'"),
        (
            {"release": "histograms", "variant": "paper"},
            "release is a setting of ftm sound, got",
        ),
        ({"topics_per_party": {"north": 1}}, "'north' needs at least 2 topics, got 1"),
        ({"topics_per_party": {"north": 2.5}}, "at least 2 topics, got 2.5"),
        ({"topics_per_party": [20, 35]}, "party names and numbers of topics, got"),
        ({"n_local": 0}, "above 0, got 0.1, 0.05 and 0"),
        ({"burstiness": 1.0}, "below 1, got 1.0"),
        ({"beta": 0.0}, "above 0, got 0.1, 0.0"),
        ({"max_length": 0}, "above 0, got 0"),
    ],
)
def test_bad_settings_are_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ftm(**bad)


def test_data_that_cannot_be_used_is_refused() -> None:
    with pytest.raises(InputError, match=r"at most 60 top words, .* got 61; take fewer"):
        in_process.run(ftm(variant="paper", top_words=61), {"north": corpus(1)}, seed=0)
    with pytest.raises(InputError, match="'north' must have documents, got none"):
        in_process.run(ftm(n_topics=3), {"north": corpus_of([], N_WORDS)}, seed=0)
    bags = replace(corpus(1), sentence_offsets=None, document_sentences=None)
    with pytest.raises(InputError, match="need sentences"):
        in_process.run(ftm(n_topics=3, unit="sentence"), {"north": bags}, seed=0)
    with pytest.raises(InputError, match="at least one party, got none"):
        ftm().model({}, ("a", "b"))
