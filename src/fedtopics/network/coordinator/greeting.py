"""How parties are let in: by a plan that they accept, clocks that agree, and ledgers that forget nothing."""

from collections.abc import Mapping, Sequence
from time import time

import numpy as np

from fedtopics.documents.text.words import word_array, word_digest
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.coordinator.answers import Asking, clock
from fedtopics.network.messages import PROTOCOL
from fedtopics.network.plan.readiness import check_clock
from fedtopics.protocol.turn import Arrays


def shown(answered: Sequence[int], signed: Arrays) -> bytes:
    """What a party is told at first: versions, and what its ledger must hold by what is known here.

    answered   rounds of this run
    signed     what the party has signed last of a run before
    """
    known = {"protocol": np.array(PROTOCOL), "answered": np.array(answered, np.int64)}
    return wire.pack({"time": np.array(time())} | known | signed)


def greeted(asking: Asking, bodies: Mapping[str, bytes]) -> list[str]:
    """Those that have accepted the plan, by clocks that agree with ours."""
    here = []
    for name, body in asking.ask("hello", 0, bodies).items():
        try:
            check_clock(clock(body), time(), f"party {name}")
            here.append(name)
        except InputError as error:
            asking.log(f"party {name} is left out: {error}")
    return here


def told_words(asking: Asking, names: Sequence[str], words: tuple[str, ...]) -> list[str]:
    """Those that take these as the words of the run."""
    body = wire.pack({"words": word_array(words)})
    return list(asking.ask("vocabulary", 0, dict.fromkeys(names, body), word_digest(words)))
