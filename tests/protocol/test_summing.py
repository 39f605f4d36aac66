"""Sums over parties: in steps they are the plain ones to the last bit, and nothing wraps around unseen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.together import Together
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol import in_process
from fedtopics.protocol.summing import (
    LARGEST,
    Summing,
    added,
    added_in_steps,
    in_steps,
    out_of_steps,
)
from fedtopics.protocol.turn import Arrays

TOPICS = planted_topics(3, 8)
CORPORA = {name: drawn_corpus(TOPICS, 40, 30, seed=seed) for seed, name in enumerate(("a", "b", "c"))}
BITS = {"counts": 16, "n": 0}
steps = st.integers(-(2**40), 2**40)


@given(st.lists(st.lists(steps, min_size=3, max_size=3), min_size=2, max_size=50))
def test_numbers_that_steps_can_say_are_added_without_a_rounding(rows: list[list[int]]) -> None:
    sent: dict[str, Arrays] = {
        f"p{number}": {"counts": np.array(row) / 2**16, "n": np.array(row[0])}
        for number, row in enumerate(rows)
    }
    total = added_in_steps(sent, BITS, len(rows))
    exact = [sum(column) for column in zip(*rows, strict=True)]
    assert (total.arrays["counts"] * 2**16).tolist() == exact
    assert total.arrays["n"].tolist() == exact[0]
    assert total.parties == tuple(sorted(sent))


def test_the_largest_numbers_of_all_parties_do_not_wrap_around() -> None:
    for n_parties in (2, 3, 50, 100):
        most = int(LARGEST / n_parties) // 1024 * 1024  # a float holds it
        for sign in (1, -1):
            sent = {str(party): {"n": np.array([sign * most])} for party in range(n_parties)}
            assert added_in_steps(sent, BITS, n_parties).arrays["n"].tolist() == [sign * most * n_parties]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, LARGEST, -LARGEST])
def test_a_number_beyond_the_bound_is_refused(value: float) -> None:
    with pytest.raises(InputError, match=r"expected numbers within .* in counts"):
        in_steps({"counts": np.array([1.0, value])}, BITS, 2)


def test_an_array_that_cannot_be_added_is_refused() -> None:
    with pytest.raises(InputError, match=r"that can be added \(counts, n\), got words"):
        in_steps({"words": np.zeros(2)}, BITS, 2)


def test_parties_that_send_other_arrays_are_not_added() -> None:
    with pytest.raises(InputError, match="expected n of every party, got other arrays of b"):
        added({"a": {"n": np.ones(2)}, "b": {"m": np.ones(2)}})


def test_steps_round_to_the_nearest() -> None:
    there = in_steps({"counts": np.array([0.3, -0.3, 1e-9])}, BITS, 2)
    back = out_of_steps(there, BITS)["counts"]
    np.testing.assert_allclose(back, [0.3, -0.3, 0.0], atol=2**-17)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"threshold": -1}, "threshold must be at least 0"),
        ({"threshold": 1, "noise": "none"}, "noise must be each or together, got 'none'"),
        ({"threshold": 1, "repeats": -1}, "repeats must lie between 0 and 100"),
    ],
)
def test_a_way_to_add_up_that_makes_no_sense_is_refused(settings: dict[str, int], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        Summing(**settings)


def test_a_sum_of_one_party_is_none() -> None:
    assert Summing(1).least(3) == 3
    with pytest.raises(InputError, match="at most 1, two less than the 3 parties, got 2"):
        Summing(2).least(3)


@pytest.mark.parametrize("name", ["alone", "ftm", "fedlda", "lplda", "pooled"])
def test_a_method_that_needs_more_than_sums_has_no_secure_sum(name: str) -> None:
    method = methods.make(name, n_topics=3, n_rounds=2)
    with pytest.raises(InputError, match="a secure sum needs a method whose server needs sums alone"):
        in_process.run(method, CORPORA, seed=0, summing=Summing(1))


def test_only_noise_on_sums_is_drawn_together() -> None:
    with pytest.raises(InputError, match=r'noise="together" needs a method with noise on sums.*use hush'):
        in_process.run(methods.make("calm", n_topics=3), CORPORA, seed=0, summing=Summing(1, "together"))


@pytest.mark.parametrize("name", ["shared", "calm", "pctd", "hush"])
def test_topics_by_sums_in_steps_are_those_by_plain_sums(name: str) -> None:
    method = methods.make(name, n_topics=3, n_rounds=8).for_sums()
    plain, stepped = (
        in_process.run(method, CORPORA, seed=0, summing=summing) for summing in (None, Summing(1))
    )
    assert plain.model is not None
    assert stepped.model is not None
    np.testing.assert_allclose(
        stepped.model.topic_word, plain.model.topic_word, atol=4e-4
    )  # a root may be the next
    assert [entry.cost for entry in stepped.ledger.entries] == [entry.cost for entry in plain.ledger.entries]
    assert not stepped.party_topics  # a server that sees totals knows nothing of parties


def test_noise_drawn_together_costs_the_same_and_before_the_coordinator_alone_less() -> None:
    method = methods.make("hush", n_topics=3, n_rounds=6)
    each, together = (
        in_process.run(method, CORPORA, seed=0, ledger=Ledger(), summing=Summing(1, noise)).ledger
        for noise in ("each", "together")
    )
    assert each.statements() == together.statements()
    assert each.statements(alone=True) == each.statements()
    for row, seen in zip(together.statements(), together.statements(alone=True), strict=True):
        assert float(seen["epsilon"]) < 0.9 * float(row["epsilon"])
    assert Ledger.from_json(together.to_json()).head == together.head


def test_who_draws_together_leaves_two_who_hide_each_other() -> None:
    for numbers in ((3, 2, 3), (3, -1, 3), (3, 1, 2), (3, 1, 4)):
        with pytest.raises(InputError, match="two or more parties hide each other"):
            Together(*numbers)
