"""Counts told and sent as roots: what is given back, and what a sum makes of it."""

from __future__ import annotations

import numpy as np
import pytest
from methods.calm_cases import N_WORDS, corpus, sent

from fedtopics.methods.calm import Calm, roots
from fedtopics.methods.calm.looking_ahead import LONG_STEP
from fedtopics.protocol import in_process
from fedtopics.protocol.turn import Arrays, Turn


def test_roots_are_told_with_those_before_and_a_pace_that_fades() -> None:
    method = Calm(n_topics=3, momentum=0.5)
    state: Arrays = method.combine({}, {"a": overview()}, Turn(0, "server", 0))
    seen = []
    for number, value in ((1, 9.0), (2, 10.0), (3, 100.0)):
        state = method.combine(state, {"a": sent(value)}, Turn(0, "server", number))
        seen.append(method.broadcast(state))
    assert [float(told["pace"]) for told in seen] == pytest.approx([0.0, 0.5 * (1 - 0.1 / LONG_STEP), 0.0])
    np.testing.assert_array_equal(seen[1]["before"], seen[0]["roots"])
    assert (seen[1]["roots"] == roots.of(np.array([10.0]))).all()
    ahead = roots.to_counts(seen[1]["roots"] + seen[1]["pace"] * (seen[1]["roots"] - seen[1]["before"]))
    told = method._ahead.topics(seen[1])
    np.testing.assert_allclose(told.sizes, N_WORDS * (ahead[0, 0] + method.beta), rtol=1e-6)


def overview() -> Arrays:
    return {"unigram": np.ones(N_WORDS), "tokens": np.array(90.0), "n_docs": np.array(3)}


def test_roots_give_counts_back_and_none_is_negative() -> None:
    counts = np.random.default_rng(0).gamma(0.3, 300.0, 2000)
    error = np.abs(roots.to_counts(roots.of(counts)) - counts)
    assert (error <= (np.sqrt(counts + roots.OFFSET) + 0.1) / roots.FINEST).all()
    assert (roots.to_counts(np.array([-90.0, -1.0, 0.0])) == 0).all()
    assert roots.of(np.array([1e300, -4.0, 0.0])).tolist() == [2**31 - 1, 0, 0]


def test_a_sum_of_counts_leads_to_the_same_topics_as_roots() -> None:
    parties = {name: corpus(seed, 100) for seed, name in enumerate(("north", "south"))}
    by_roots, by_counts = Calm(n_topics=3, n_rounds=15), Calm(n_topics=3, n_rounds=15).for_sums()
    assert by_counts.sends == "counts"
    one, other = (in_process.run(method, parties, seed=0).model for method in (by_roots, by_counts))
    assert one is not None
    assert other is not None
    np.testing.assert_allclose(one.topic_word, other.topic_word, atol=0.01)
