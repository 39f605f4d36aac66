"""Cost of a round as the same documents lie with 3 to 50 parties: CALM and hush on Ohsumed abstracts.

Processor seconds of all parties together and of the server (what it tells and makes of the answers), median
of the rounds of training, and bytes of a round; all in one process, on one thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.corpora import dealt
from benchmarks.markdown_tables import table
from fedtopics import methods, protocol
from fedtopics.documents.corpus import Corpus
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import in_process
from fedtopics.protocol.turn import Arrays, Party, Turn

PARTIES = (3, 10, 25, 50)
SETTINGS = {"calm": {"n_topics": 50, "n_rounds": 10}, "hush": {"n_topics": 30}}
PAGE = "docs/operate/cluster.md"


@dataclass
class Clock:
    """Processor seconds of the parties in each round."""

    method: Any
    parties: dict[int, float] = field(default_factory=dict)

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        began = process_time()
        answered = self.method.contribute(party, told, turn)
        self.parties[turn.round] = self.parties.get(turn.round, 0.0) + process_time() - began
        return answered


def rounds(name: str, n_parties: int) -> dict[str, float]:
    """Processor seconds and bytes of a round with so many parties, of equally many documents."""
    corpus: Corpus = dealt("ohsumed").train
    place = np.arange(corpus.n_docs)
    corpora = {f"{number:02}": corpus.select(place % n_parties == number) for number in range(n_parties)}
    clock, ends = Clock(methods.make(name, **SETTINGS[name])), [process_time()]
    outcome = in_process.run(
        clock.method,
        corpora,
        seed=0,
        contribute=clock.contribute,
        on_round=lambda _: ends.append(process_time()),
    )
    whole = np.diff(ends)
    later = range(1, len(outcome.rounds))
    return {
        "parties_seconds": median(clock.parties[number] for number in later),
        "server_seconds": median(whole[number] - clock.parties[number] for number in later),
        "bytes_up": median(outcome.rounds[number].bytes_up for number in later),
        "bytes_down": median(outcome.rounds[number].bytes_down for number in later),
    }


def shown() -> str:
    """What a round costs with more parties."""
    found = stored.values("parties")
    rows = [
        [
            f"{name}, {n_parties} parties",
            f"{1e3 * known['parties_seconds']:.0f} ms",
            f"{1e3 * known['server_seconds']:.0f} ms",
            f"{known['bytes_up'] / 1e6:.1f} MB",
            f"{known['bytes_down'] / 1e6:.1f} MB",
        ]
        for name in SETTINGS
        for n_parties in PARTIES
        for known in [found.get(name, {}).get(f"{n_parties} parties")]
        if known
    ]
    return table(["a round of", "all parties", "server and ledger", "up", "down"], rows)


@case(
    "parties",
    measures=(methods, protocol),
    minutes=3,
    corpora=("ohsumed",),
    timed=True,
    pages=(PAGE,),
    shows={"parties": shown},
    summary=shown,
)
def steps() -> Steps:
    """Processor seconds and bytes of a round as the same documents lie with 3 to 50 parties."""
    return {
        f"{name}/{n_parties} parties": partial(rounds, name, n_parties)
        for name in SETTINGS
        for n_parties in PARTIES
    }
