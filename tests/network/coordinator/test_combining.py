"""Messages that a method cannot use are left out, one by one; the others count."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedtopics.network.coordinator.combining import combine
from fedtopics.protocol.turn import Arrays, Turn

TURN = Turn(0, "server")


class Inverse:
    """A method that fails on negative numbers and makes infinities of zeros."""

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        if any((arrays["x"] < 0).any() for arrays in sent.values()):
            raise KeyError("a bug that only such a message finds")
        return {"sum": sum((1 / arrays["x"] for arrays in sent.values()), start=np.zeros(1))}


def combined(**sent: float) -> tuple[Any, tuple[str, ...]]:
    arrays = {name: {"x": np.array([value])} for name, value in sent.items()}
    after, useless = combine(Inverse(), {"sum": np.array([7.0])}, arrays, TURN)  # type: ignore[arg-type]
    return after["sum"].tolist(), useless


def test_what_is_useful_counts() -> None:
    assert combined(a=2.0, b=4.0) == ([0.75], ())


def test_what_fails_or_makes_infinities_is_left_out() -> None:
    assert combined(a=2.0, b=-1.0, c=4.0) == ([0.75], ("b",))
    assert combined(a=2.0, b=0.0, c=4.0) == ([0.75], ("b",))
    assert combined(a=0.0, b=-1.0, c=4.0) == ([0.25], ("a", "b"))


def test_where_nothing_is_useful_the_state_stays() -> None:
    assert combined(a=0.0, b=-1.0)[1] == ("a", "b")
