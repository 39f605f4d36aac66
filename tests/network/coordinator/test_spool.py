"""What parties sent waits on the disk: combining a crowd takes the memory of combining a few, bit for bit."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from fedtopics.methods.calm import Calm
from fedtopics.network.coordinator.combining import combine
from fedtopics.network.coordinator.spool import Sent, Spool
from fedtopics.protocol.coding import NOTHING
from fedtopics.protocol.turn import Arrays, Turn

N_WORDS, N_TOPICS = 1_000, 20
METHOD = Calm(n_topics=N_TOPICS)


def message(number: int) -> Arrays:
    roots = np.random.default_rng(number).integers(0, 200, (N_WORDS, N_TOPICS), np.int32)
    return {"likelihood": np.array(-float(number)), "roots": roots}


def spooled(folder: Path, n_parties: int) -> Sent:
    spool = Spool(folder)
    for number in range(n_parties):
        spool.put(f"party-{number:03}", NOTHING.after(message(number)))
    return Sent(spool, tuple(f"party-{number:03}" for number in range(n_parties)))


def state() -> Arrays:
    """After the first round."""
    first = {"unigram": np.full(N_WORDS, 2.0), "tokens": np.array(2.0 * N_WORDS), "n_docs": np.array(50)}
    turn = Turn(1, "server", 0)
    return METHOD.combine(METHOD.start(N_WORDS, turn), {"party-000": first}, turn)


def peak(sent: Sent) -> int:
    before = state()
    tracemalloc.start()
    try:
        combine(METHOD, before, sent, Turn(1, "server", 5))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_crowd_takes_the_memory_of_a_few(tmp_path: Path) -> None:
    assert peak(spooled(tmp_path, 60)) < 1.2 * peak(spooled(tmp_path, 3))


def test_the_sum_is_the_same_from_the_disk(tmp_path: Path) -> None:
    sent, turn = spooled(tmp_path, 7), Turn(1, "server", 5)
    found, useless = combine(METHOD, state(), sent, turn)
    wanted, _ = combine(METHOD, state(), {name: sent[name] for name in sent}, turn)
    assert useless == ()
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)


def test_a_message_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    first = NOTHING.after(message(1))
    for known in (first, first.after(message(2)), NOTHING.after({"n": np.arange(3)})):
        spool.put("north", known)
        assert spool.known("north").digest == known.digest == spool.digest("north")
    assert spool.known("south") is NOTHING
    with pytest.raises(KeyError):
        Sent(spool, ("north",))["south"]
