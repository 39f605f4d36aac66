"""A party on a cluster: what it sends is the sum of what its shards answer, at the price of one of them.

    documents      on the shelf, cut into shards by public facts (`shards`)
    round          every shard answers on some worker (`work`); answers are added in the order of a tree
    CALM, PC-TD    noise is drawn once for each shard and stored before it is used; the price is that of one
                   shard, as a document is in one of them (`work` says why), and is charged once
    hush           shards give exact sums within the party, and the party draws one noise, in this process
    shared         shards sample against the counts of all others, as parties do (Newman et al., JMLR 2009)

The party remembers which of its shards' memories is the newest that was sent. Others, of rounds that were
asked for and never answered, are deleted when the next is asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import fedtopics
from fedtopics.cluster import shards, stored_documents
from fedtopics.cluster.settings import check_method
from fedtopics.cluster.shards import Range
from fedtopics.cluster.shelf import Shelf
from fedtopics.cluster.work import Job, Part
from fedtopics.privacy.price.cost import FREE
from fedtopics.privacy.price.release import Release
from fedtopics.protocol.engine import digest
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling.gpu.using import asked

NEWEST = "shards"  # what the party remembers: the name of its shards' memory
NAME_BYTES = 16


class Workers(Protocol):
    """Who answers for the shards: a Dask cluster (see `connection`)."""

    n_workers: int

    def require(self) -> None:
        """Refuse what cannot work, by public facts alone."""

    def total(self, jobs: Sequence[Job]) -> Part:
        """The sum of the answers to these jobs, in the order of the tree."""

    def close(self) -> None:
        """Let go of them."""


@dataclass
class OnCluster:
    """Parties that answer by their shards, on `workers`; all is kept in `folder`, which the workers see."""

    method: Method
    workers: Workers
    folder: Path
    n_shards: int | None = None
    durable: bool = False
    _cut: dict[str, list[Range]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        check_method(self.method)

    def require(self) -> None:
        """Refuse a cluster that cannot work, before documents are opened."""
        self.workers.require()

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        """As `Method.contribute`: what leaves the party this round, and its memory for the next."""
        if self.method.noise_on_sums and self.method.price_of(told) == FREE:  # nothing is released
            return self.method.contribute(party, told, turn)
        shelf, before = self._shelf(party), _name(party.memory)
        shelf.clear(but=before)
        after = sha256(f"{before}/{turn.round}/{digest(told)}".encode()).hexdigest()[: 2 * NAME_BYTES]
        shelf.put_told(after, told)
        method = self.method.for_sums()
        jobs = [
            Job(fedtopics.__version__, shelf, shard, documents, method, after, turn, before, after, asked())
            for shard, documents in enumerate(self._cut[party.name])
        ]
        total = self.workers.total(jobs)
        sent = self.method.of_shards(shards.as_sent(total.value, total.kinds))
        if total.mechanism is not None:
            [(name, steps)] = sent.items()
            released = total.mechanism.release(steps, turn.noise())
            return released.map(lambda noisy: {name: noisy}), {}
        return Release(sent, total.cost), {NEWEST: np.frombuffer(bytes.fromhex(after), np.uint8)}

    def to_dict(self) -> dict[str, Any]:
        """For the record of a run: on how many workers, and in how many shards, the parties have worked."""
        shards_of = {name: len(found) for name, found in sorted(self._cut.items())}
        return {"workers": self.workers.n_workers, "shards": shards_of}

    def _shelf(self, party: Party) -> Shelf:
        """The party's place in the folder, with its documents in it."""
        shelf = Shelf(str(self.folder / sha256(party.name.encode()).hexdigest()[:NAME_BYTES]), self.durable)
        if party.name not in self._cut:
            corpus, bounds = party.require_documents(), None
            if self.method.protects.startswith("person"):
                order, bounds = corpus.documents_by_person()
                corpus = corpus.select(order)
            stored_documents.put(corpus, shelf.made().documents)
            self._cut[party.name] = shards.ranges(corpus.n_docs, self.n_shards, bounds)
        return shelf


def _name(memory: Arrays) -> str:
    """The name of what the shards remember, empty at first."""
    return memory[NEWEST].tobytes().hex() if NEWEST in memory else ""
