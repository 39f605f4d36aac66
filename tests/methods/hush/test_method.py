"""Hush as a method: its contract, what it refuses, and topics that are found, or withdrawn."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from methods.hush.cases import SETTINGS, corpus, released
from planted import corpus_of, drawn_corpus, planted_topics
from threadpoolctl import threadpool_limits

from fedtopics.checks import check_method
from fedtopics.checks.method import check_blindfold
from fedtopics.checks.played import Played, documents
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.methods.hush.contributions import FINE
from fedtopics.methods.hush.method import TOTALS_CLIP, USELESS, Hush
from fedtopics.protocol import in_process
from fedtopics.protocol import told as forms
from fedtopics.protocol.engine import Outcome, same
from fedtopics.protocol.turn import Arrays, Turn
from fedtopics.runs.experiment import train
from fedtopics.runs.preparing import Data

SMALL = {"n_topics": 3, "n_rounds": 7}


@pytest.mark.parametrize("unit", ["document", "person"])
@pytest.mark.parametrize("epsilon", [8.0, 0.3])
def test_it_keeps_the_contract(unit: str, epsilon: float) -> None:
    check_method(Hush(unit=unit, epsilon=epsilon, n_topics=3))


def test_it_keeps_the_contract_at_its_defaults() -> None:
    check_method(Hush)


@pytest.mark.parametrize("unit", ["document", "person"])
def test_blindfolded_it_sends_nothing_of_the_documents_in_any_round(unit: str) -> None:
    check_blindfold(Hush(unit=unit, **SMALL))


@pytest.mark.parametrize("n_rounds", [3, 4, 5, 8])
@pytest.mark.parametrize("unit", ["document", "person"])
def test_seeds_threads_and_absence(unit: str, n_rounds: int) -> None:
    method = Hush(unit=unit, n_topics=3, n_rounds=n_rounds)
    parties = {name: documents(method, seed, seed) for seed, name in enumerate(("north", "south", "west"))}
    plays = [Played(method, parties, n_threads=threads).whole() for threads in (1, 1, 2)]
    assert same(plays[0].state, plays[1].state)
    assert same(plays[0].state, plays[2].state)
    some = Played(method, parties)
    for number in range(n_rounds):
        some.round(number, (("north",), ("south", "west"), ("west",))[number % 3])  # west joins late
    (model,) = some.models()
    np.testing.assert_allclose(model.topic_word.sum(axis=1), 1, rtol=1e-5)
    before = some.state
    some.round(n_rounds, ())
    assert same(some.state, before)


def run(method: Hush, parties: Mapping[str, Corpus], **options: Any) -> Outcome:
    outcome = in_process.run(method, parties, seed=4, **options)
    assert outcome.model is not None
    assert np.isfinite(outcome.model.topic_word).all()
    assert np.isfinite(outcome.model.topic_shares).all()
    np.testing.assert_allclose(outcome.model.topic_word.sum(axis=1), 1, rtol=1e-5)
    return outcome


@pytest.mark.parametrize("unit", ["document", "person"])
@pytest.mark.parametrize("n_topics", [1, 3, 30])
def test_two_words_are_vocabulary_enough(unit: str, n_topics: int) -> None:
    tiny = corpus([[[0, 1], [0]], [[1]], [[]]], n_words=2)
    run(Hush(unit=unit, n_topics=n_topics, n_rounds=7), {"north": tiny})


@pytest.mark.parametrize("unit", ["document", "person"])
@pytest.mark.parametrize("units", [[], [[[]], [[], []]]], ids=["no documents", "no known words"])
def test_a_party_that_has_nothing_sends_noise(unit: str, units: list[Any]) -> None:
    rng = np.random.default_rng(0)
    full = corpus([[list(rng.integers(0, 8, 9))] for _ in range(20)])
    for parties in ({"north": corpus(units)}, {"north": corpus(units), "south": full}):
        run(Hush(unit=unit, **SMALL), parties)


def test_a_party_may_have_other_documents_later() -> None:
    method = Hush(**SMALL)
    first, other = ({"north": documents(method, seed, seed)} for seed in (1, 2))
    played = Played(method, first)
    for number in range(method.n_rounds):
        played.corpora = first if number % 2 else other
        played.round(number, ("north",))
    assert played.models()


def asked(method: Hush, parties: dict[str, Corpus]) -> list[tuple[Arrays, Arrays, dict[str, Arrays]]]:
    """State before, what is told, and what is sent, of each round of a run."""
    state = method.start(60, Turn(2, "server")) | method.known_words(next(iter(parties.values())).vocabulary)
    rounds = []
    for number in range(method.n_rounds):
        told = method.broadcast(state)
        sent = {
            name: released(method, own, told, seed).value for seed, (name, own) in enumerate(parties.items())
        }
        rounds.append((state, told, sent))
        state = method.combine(state, sent, Turn(2, "server", number))
    return rounds


def test_combining_needs_no_more_than_the_sum_and_how_many_sent() -> None:
    """So a secure sum can carry it: one party with the sum, and others with zeros, are as good."""
    method = Hush(**SMALL)
    parties = {name: documents(method, seed, seed) for seed, name in enumerate(("north", "south", "west"))}
    rng = np.random.default_rng(0)
    for number, (state, _, sent) in enumerate(asked(method, parties)):
        turn = Turn(2, "server", number)
        (what,) = sent["north"]
        total = sum(arrays[what] for arrays in sent.values())
        masks = rng.integers(-(2**40), 2**40, (2, *total.shape))
        masked = [masks[0], masks[1], total - masks.sum(axis=0)]
        after = method.combine(state, sent, turn)
        zeros = np.zeros_like(total)
        for parts in ([total, zeros, zeros], masked, masked[::-1]):
            other = {name: {what: part} for name, part in zip("abc", parts, strict=True)}
            assert same(method.combine(state, other, turn), after), what


def test_one_noise_is_less_than_three() -> None:
    """The server knows how much noise is in a sum: words that three noises hide are clear under one."""
    method = Hush(epsilon=2.0, **SMALL)
    totals = np.zeros(60, np.int64)
    totals[:20] = 20 * method.in_force(60)["noise_multipliers"]["totals"] * FINE
    wanted = totals[0] * TOTALS_CLIP / FINE
    turn, zeros = Turn(2, "server"), np.zeros_like(totals)
    alone = method.combine({}, {"a": {"totals": totals}}, turn)["totals"]
    three = method.combine({}, {n: {"totals": totals if n == "a" else zeros} for n in "abc"}, turn)["totals"]
    np.testing.assert_allclose(alone[:20], wanted)
    assert np.abs(three[:20] - wanted).min() > 1
    gains = [
        method.combine({}, {name: {"gain": np.array([5])} for name in names}, turn)["gain"]
        for names in ("a", "abcd")
    ]
    assert gains[1][1] == 2 * gains[0][1]


def test_the_number_of_threads_of_linear_algebra_changes_no_bit() -> None:
    method = Hush(n_topics=5, n_frequent=300, n_rounds=7)
    rng = np.random.default_rng(0)
    state = {"totals": rng.uniform(1, 99, 400), "vectors": rng.integers(-99, 99, (400, 16)).astype(np.int8)}
    sent: list[Arrays] = [
        {"moments": rng.integers(0, 10**6, 300 * 299 // 2)},
        {"groups": rng.integers(0, 10**6, (5, 17))},
        {"groups": rng.integers(0, 10**6, (5, 17))},
        {"counts": rng.integers(-(10**6), 10**6, (400, 5))},
    ]
    ends = []
    for n_threads in (1, 2):
        after: Arrays = state
        with threadpool_limits(n_threads):
            for number, arrays in enumerate(sent):
                after = method.combine(after, {"north": arrays}, Turn(2, "server", number))
        ends.append(after)
    assert same(*ends)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"unit": "paragraph"}, "document or person, got 'paragraph'"),
        ({"epsilon": nan}, "epsilon .*got nan"),
        ({"epsilon": -1.0}, "epsilon .*got -1"),
        ({"epsilon": inf}, "epsilon .*got inf"),
        ({"delta": 0.0}, "above 0 and at most 0.001, .* got 0"),
        ({"delta": 0.1}, "above 0 and at most 0.001, .* got 0.1"),
        ({"delta": 2.0}, "delta .*got 2"),
        ({"delta": nan}, "delta .*got nan"),
        ({"epsilon": 0.01}, "take a larger epsilon, or fewer rounds"),
        ({"alpha": 0.0}, "alpha must be above 0, got 0"),
        ({"alpha": nan}, "alpha must be above 0, got nan"),
        ({"n_frequent": 0}, "n_frequent must be at least 1, got 0"),
        ({"rank": 0}, "rank must be at least 1, got 0"),
        ({"n_steps": 0}, "n_steps must be at least 1, got 0"),
    ],
)
def test_bad_settings_are_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Hush(**bad)


def test_persons_must_be_known_where_they_are_protected() -> None:
    nameless = corpus_of([[0, 1], [2]], 8)
    with pytest.raises(InputError, match="name a --person-column"):
        in_process.run(Hush(unit="person", **SMALL), {"north": nameless}, seed=0)
    with pytest.raises(InputError, match="expected a person for every document, got none for 1 of 2"):
        in_process.run(
            Hush(unit="person", **SMALL), {"north": replace(nameless, persons=("eve", ""))}, seed=0
        )


def test_every_answer_has_the_form_that_was_declared() -> None:
    method = Hush(**SMALL)
    parties = {name: documents(method, seed, seed) for seed, name in enumerate(("north", "south"))}
    for number, (_, told, sent) in enumerate(asked(method, parties)):
        declared = method.may_be_sent(told, number)
        assert (declared is None) == (number == 0)
        (what,) = sent["north"]
        for form in [declared] if declared else []:
            forms.check(sent["south"], [form])
            for bad in (sent["north"][what][:-1], sent["north"][what].astype(float)):
                with pytest.raises(InputError, match="expected"):
                    forms.check({what: bad}, [form])


def test_topics_of_noise_are_withdrawn_and_the_record_says_so() -> None:
    rng = np.random.default_rng(0)
    noise = corpus_of([list(rng.integers(0, 60, 25)) for _ in range(60)], 60)
    data = Data({"north": noise}, noise, "random")
    found = train(data, "hush", epsilon=1.0, n_topics=4, seed=1)
    assert USELESS in found.record["notes"]
    assert found.record["rounds"][-1]["measures"].keys() >= {"noisy gain in nats"}
    outcome = run(Hush(epsilon=1.0, n_topics=4), {"north": noise})
    assert outcome.remarks == [USELESS]
    assert outcome.model is not None
    assert (outcome.model.topic_word == outcome.model.topic_word[0]).all()


@pytest.mark.parametrize("n_parties", [1, 3])
def test_clear_topics_are_found_and_kept(n_parties: int) -> None:
    topics = planted_topics(3, 20)
    parties = {
        name: drawn_corpus(topics, 3000 // n_parties, 30, seed) for seed, name in enumerate("abc"[:n_parties])
    }
    outcome = run(Hush(epsilon=8.0, n_topics=3), parties)
    assert outcome.remarks == []
    assert outcome.model is not None
    lengths = [np.linalg.norm(rows, axis=1, keepdims=True) for rows in (topics, outcome.model.topic_word)]
    cosines = (topics / lengths[0]) @ (outcome.model.topic_word / lengths[1]).T
    assert cosines.max(axis=1).min() > 0.9
    assert len(set(cosines.argmax(axis=1))) == 3


def test_persons_with_several_documents_have_topics_too() -> None:
    topics = planted_topics(3, 20)
    whole = drawn_corpus(topics, 3000, 30, seed=2)
    owned = replace(whole, persons=tuple(str(number // 2) for number in range(3000)))
    outcome = run(Hush(unit="person", n_topics=3), {"north": owned})
    assert outcome.remarks == []
    assert outcome.model is not None
    overlap = np.minimum(topics[:, None], outcome.model.topic_word[None]).sum(-1)
    assert overlap.max(axis=1).min() > 0.8
    assert len(set(overlap.argmax(axis=1))) == 3


def test_settings_in_force_say_the_noise_and_blindfolded_there_is_none() -> None:
    noise = Hush(**SETTINGS).in_force(8)["noise_multipliers"]
    assert noise.keys() == {"totals", "moments", "groups", "counts", "gain"}
    assert Hush(epsilon=0.0).in_force(8)["noise_multipliers"] == {}
