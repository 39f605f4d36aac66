"""No number of one party makes a coordinator tell the others what they refuse: the run goes on without it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network.rehearsal import Direct, Rehearsal, simulated
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.network import wire
from fedtopics.network.coordinator.combining import believable, combine
from fedtopics.network.expected import LARGEST, Expected, check
from fedtopics.network.messages import Reply, Request
from fedtopics.network.plan.plan import MOST_PARTIES
from fedtopics.network.wire import WireError
from fedtopics.protocol.told import Numbers
from fedtopics.protocol.turn import Arrays, Turn

TOPICS = planted_topics(3, 8)
CORPORA = {name: drawn_corpus(TOPICS, 40, 10, seed) for seed, name in enumerate(("evil", "north", "south"))}
SMALL: dict[str, dict[str, Any]] = {
    "calm": {"n_topics": 3, "n_rounds": 3, "epsilon": 20.0},
    "pctd": {"n_topics": 3, "n_rounds": 3},
    "ftm": {"n_topics": 3, "n_rounds": 3, "n_local": 2},
}


def bent(**numbers: float) -> Callable[[str, bytes, bytes], bytes]:
    """A channel on which the party `evil` sends arrays of one number in place of its own."""

    def bend(name: str, asked: bytes, answer: bytes) -> bytes:
        question, reply = Request.from_bytes(asked), Reply.from_bytes(answer)
        if name != "evil" or question.operation != "contribute" or reply.error:
            return answer
        arrays = wire.unpack(reply.body, limit=2**20)
        arrays |= {
            key: np.full_like(arrays[key], min(number, _most(arrays[key])))
            for key, number in numbers.items()
            if key in arrays
        }
        body = wire.pack(arrays)
        return Reply(name, "contribute", question.run, question.round, question.nonce, "", body).to_bytes()

    return bend


def _most(array: np.ndarray[Any, Any]) -> float:
    return float(np.iinfo(array.dtype).max) if array.dtype.kind == "i" else float(np.finfo(array.dtype).max)


@pytest.mark.parametrize("largest", [1e15, 1e9])
@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("calm", "tokens"),
        ("calm", "roots"),
        ("calm", "unigram"),
        ("pctd", "tokens"),
        ("pctd", "counts"),
        ("ftm", "weights"),
        ("ftm", "topics"),
    ],
)
@pytest.mark.parametrize("bits", [None, 8])
def test_no_number_of_one_party_ends_a_run(
    tmp_path: Path, name: str, array: str, largest: float, bits: int | None
) -> None:
    method = methods.make(name, **SMALL[name])
    terms = simulated(method, CORPORA, min_parties=2, significant_bits=bits)
    rehearsal = Rehearsal(tmp_path, terms, CORPORA)
    many = {"n_docs": 1e9, "n_rows": 1e9} if array == "tokens" else {}
    end = rehearsal.trained(channel=Direct(rehearsal.sides, bent(**{array: largest}, **many), in_full=True))
    assert [0, 1, 2] == end.answered["north"] == end.answered["south"]
    refused = [line for line in rehearsal.lines if "was refused" in line]
    assert all("party evil" in line for line in refused)
    assert refused or largest < 1e15
    assert not any("no contribute" in line for line in rehearsal.lines)


def test_what_all_parties_send_together_stays_below_what_a_party_believes() -> None:
    assert Numbers("float64").most > 2 * MOST_PARTIES * LARGEST
    wanted = {"counts": Expected("float32", (2, 2))}
    check({"counts": np.full((2, 2), LARGEST / 5, np.float32)}, wanted)
    with pytest.raises(WireError, match="expected a sum"):
        check({"counts": np.full((2, 2), LARGEST / 3, np.float32)}, wanted)


class Summed:
    """A method that tells the sum of what was sent, which nobody believes above 10."""

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        return {"sum": sum((arrays["x"] for arrays in sent.values()), start=np.zeros(1))}


def left_out(**sent: float) -> tuple[str, ...]:
    arrays = {name: {"x": np.array([value])} for name, value in sent.items()}
    method: Any = Summed()
    return combine(method, {}, arrays, Turn(0, "server"), lambda after: bool(after["sum"][0] <= 10))[1]


def test_of_those_whose_absence_helps_the_one_with_the_largest_numbers_is_left_out() -> None:
    assert left_out(north=2.0, evil=9.5, south=1.0) == ("evil",)
    assert left_out(a=2.0, b=2.0, c=7.0) == ("c",)


def test_parties_that_are_too_much_only_together_are_left_out_largest_first() -> None:
    assert left_out(evil=9.0, north=1.0, south=2.0, other=9.5, third=7.0) == ("evil", "other")
    assert left_out(evil=11.0, north=1.0) == ("evil",)


def test_a_state_is_believed_only_where_every_party_believes_what_it_is_told() -> None:
    terms = simulated(methods.make("calm", **SMALL["calm"]), CORPORA)
    believed = believable(terms.method, terms, 24)
    counts = np.ones((24, 3), np.int32)
    state = {"counts": counts, "roots": counts, "before": counts, "pace": np.array(0.5)}
    assert believed(state | {"length": np.array(9.0)})
    with pytest.raises(ValueError, match="expected numbers"):
        believed(state | {"length": np.array(1e7)})


def test_a_run_whose_stop_is_decided_by_held_out_histograms_passes_its_tenth_round(tmp_path: Path) -> None:
    method = methods.make("calm", n_topics=3, n_rounds=12, epsilon=20.0, held_out=0.2)
    rehearsal = Rehearsal(tmp_path, simulated(method, CORPORA, min_parties=3), CORPORA)
    end = rehearsal.trained()
    assert end.answered == {name: list(range(12)) for name in CORPORA}
    assert "reached" in end.state
