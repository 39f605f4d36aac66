"""Bytes of rounds are counted beside the work, of every message, by what each side knows by then."""

from __future__ import annotations

import numpy as np
import pytest

from fedtopics.privacy.price.release import reuse
from fedtopics.protocol import carried, coding
from fedtopics.protocol.carried import Carried
from fedtopics.protocol.coding import NOTHING, n_bytes


def plane(seed: int) -> dict[str, np.ndarray]:
    return {"roots": np.random.default_rng(seed).integers(0, 9, 2000, np.int32)}


def test_every_message_is_counted_with_what_is_known_of_the_last() -> None:
    counter = Carried()
    heard = counter.by(lambda *given: None)
    first, second = plane(1), {"roots": plane(1)["roots"] + np.arange(2000, dtype=np.int32) % 2}
    for told in (first, second):
        for party in ("north", "south"):
            counter.tell(party, told)
            heard(0, party, told, reuse(told))
        found = counter.since_last()
        known = NOTHING if told is first else NOTHING.after(first)
        assert found == (2 * n_bytes(told, known), 2 * n_bytes(told, known))
    assert counter.since_last() == (0, 0)
    counter.close()


def test_what_goes_wrong_beside_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: object) -> None:
        raise coding.CodingError("cannot be coded")

    monkeypatch.setattr(carried, "n_bytes", fails)
    counter = Carried()
    counter.tell("north", plane(1))
    with pytest.raises(coding.CodingError, match="cannot be coded"):
        counter.since_last()
    counter.close()
