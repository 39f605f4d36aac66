"""A few bytes of a party never become much memory of the coordinator, whatever they announce."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from fedtopics import methods
from fedtopics.network import expected, wire
from fedtopics.network.coordinator.combining import combine
from fedtopics.network.expected import FIRST_BYTES, FOLD, MOST_BYTES, NUMBER_BYTES
from fedtopics.network.wire import WireError
from fedtopics.protocol.turn import Arrays, Turn

WORDS = tuple(f"w{number}" for number in range(300))
MOST = FIRST_BYTES // NUMBER_BYTES  # numbers in a small message
TURN = Turn(1, "server")
REPORTING: dict[str, dict[str, Any]] = {
    "lplda": {},
    "lplda paper": {"variant": "paper"},
    "fedlda": {},
    "fedlda ue": {"channel": "ue"},
}


def messages(table: int | None) -> Iterator[Arrays]:
    """Reports that compress well: of nobody, of users who have none, of no words, and true ones."""
    if table is not None:
        for word in (0, len(WORDS)):
            yield {"words": np.full((MOST // table, table), word, np.uint16)}
        return
    half, users = MOST // 2, MOST // 201
    for n_words, n_lengths, word, length in (
        (0, MOST, 0, 0),
        (MOST, 0, 0, 0),
        (half, half, 0, 299),
        (half, half, 399, 1),
        (half, half, 0, 1),
    ):
        yield {
            "words": np.full(n_words, word, np.uint16),
            "lengths": np.full(n_lengths, length, np.uint16),
        }
    true = np.tile(np.arange(200, dtype=np.uint16), users)
    yield {"words": true, "lengths": np.full(users, 200, np.uint16)}


@pytest.mark.parametrize("name", REPORTING)
def test_reports_that_compress_well_take_little_memory(name: str) -> None:
    method = methods.make(name.split()[0], n_topics=3, n_rounds=3, n_sweeps=1, **REPORTING[name])
    state = method.start(len(WORDS), TURN)
    wanted = expected.expected(method, "evil", {}, WORDS, 0)
    for arrays in messages(None if "lengths" in wanted else wanted["words"].shape[1]):
        body = wire.pack(arrays)
        tracemalloc.start()
        combine(method, state, {"evil": expected.read(body, wanted)}, TURN)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(body) < 1000
        assert peak < (9 if name == "lplda paper" else 6) * FIRST_BYTES


def test_what_a_message_may_announce_grows_with_the_bytes_that_arrived() -> None:
    wanted = {"words": expected.Expected("uint8", (None,))}
    assert expected.most_bytes(wanted, 1000) == FIRST_BYTES + FOLD * 1000
    assert expected.most_bytes(wanted, 2**31) == MOST_BYTES
    body = wire.pack({"words": np.zeros(MOST + 100_000, np.uint8)})
    with pytest.raises(WireError, match="announces"):
        expected.read(body, wanted)
    honest = np.random.default_rng(0).integers(0, 256, MOST + 100_000, np.uint8)
    assert len(expected.read(wire.pack({"words": honest}), wanted)["words"]) == len(honest)


@pytest.mark.parametrize(
    "bent", [{"lengths": np.array([2, 2])}, {"words": np.array([0, 1, 300])}, {"lengths": np.array([3, 1])}]
)
def test_reports_that_contradict_themselves_are_left_out(bent: Arrays) -> None:
    method = methods.make("lplda", n_topics=3, n_rounds=3)
    good = {"words": np.array([0, 1, 2]), "lengths": np.array([2, 1])}
    sent = {"evil": good | bent, "north": good}
    assert combine(method, method.start(len(WORDS), TURN), sent, TURN)[1] == ("evil",)
