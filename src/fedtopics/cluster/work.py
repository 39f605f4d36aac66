"""What a worker does for one shard in one round: a function of files and a job, whoever runs it how often.

Noise of single documents (`Method.in_shards`): the shard answers like a party of its own. Where noise is
drawn it is drawn before all else, stored (`shelf`), and what follows is made of what is stored. A document is
in one shard, and noise of one document does not depend on others: the noisy documents of all shards together
have the law that those of the whole have, so they cost what these cost, which is the price that every shard
states, once and for every relation.

Noise on sums (`Method.noise_on_sums`): the shard gives its exact sum, which never leaves the party, and the
party adds noise once to the sum of all (`party`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import fedtopics
from fedtopics.cluster import shards, stored_documents
from fedtopics.cluster.settings import ClusterError
from fedtopics.cluster.shards import Range
from fedtopics.cluster.shelf import Drawn, Shelf
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.price.cost import FREE, Cost
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling.gpu.using import using


@dataclass(frozen=True)
class Job:
    """One shard in one round.

    documents   its place among the party's
    told        where on the shelf it stands what the shard is told
    before      where it stands what the shard remembers; empty at first
    after       where to put what it remembers then
    device      that the party was started with; None: what the worker's own environment says
    """

    version: str
    shelf: Shelf
    shard: int
    documents: Range
    method: Method
    told: str
    turn: Turn
    before: str
    after: str
    device: str | None


@dataclass(frozen=True, eq=False)
class Part:
    """What a shard, or several of them, answer: sums in 64 bits, their kinds as sent, and the price.

    Exact sums have no price, and a `mechanism` that is to add noise to them.
    """

    value: Arrays
    kinds: dict[str, str]
    cost: Cost
    mechanism: ClippedSum | None = None

    def __add__(self, other: "Part") -> "Part":
        told = (self.cost, self.kinds, self.mechanism)
        if told != (other.cost, other.kinds, other.mechanism):
            raise InputError("expected one price and form of all shards, got several; nothing was released")
        return replace(self, value=shards.added(self.value, other.value))


def answers(jobs: Sequence[Job]) -> Part:
    """The sum of what several shards answer, in the order of the tree."""
    return shards.in_tree([answer(job) for job in jobs], Part.__add__)


def answer(job: Job) -> Part:
    """What the shard answers in this round; whatever it drew and remembers is on the shelf."""
    if job.version != fedtopics.__version__:
        raise ClusterError(
            f"expected workers with fedtopics {job.version}, got one with {fedtopics.__version__}; "
            "install the same version on all machines"
        )
    with using(job.device):
        return _answer(job)


def _answer(job: Job) -> Part:
    corpus = stored_documents.part(str(job.shelf.documents), *job.documents)
    told = job.shelf.told(job.told)
    if job.method.noise_on_sums:
        return _exact(job, corpus, told)
    value, cost, memory = _contributed(job, corpus, told)
    beyond = sorted(set(value) - set(job.method.sums or ()))
    if beyond:
        raise InputError(f"expected arrays whose sums are enough, got {', '.join(beyond)}; nothing was sent")
    job.shelf.remember(job.after, job.shard, memory)
    return Part(shards.wide(value), {name: array.dtype.str for name, array in value.items()}, cost)


def _exact(job: Job, corpus: Corpus, told: Arrays) -> Part:
    found = job.method.before_noise(corpus, told, 1)
    if found is None:
        raise InputError(f"expected a sum before noise, got none of {job.method.about.summary}")
    return Part({found.name: found.total}, {found.name: found.total.dtype.str}, FREE, found.mechanism)


def _contributed(job: Job, corpus: Corpus, told: Arrays) -> tuple[Arrays, Cost, Arrays]:
    method, name = job.method, f"{job.turn.party} / shard {job.shard}"
    turn = replace(job.turn, party=name, n_threads=1)
    party = Party(name, corpus, job.shelf.remembered(job.before, job.shard))
    if not method.draws_once:
        release, memory = method.contribute(party, told, turn)
        return release.value, release.cost, memory
    cost = FREE
    if not party.memory and not _is_end(told):

        def draw() -> Drawn:
            release, memory = method.contribute(party, {}, turn)
            return Drawn(memory, release)

        drawn = job.shelf.drawn(job.shard, draw)
        party, cost = replace(party, memory=drawn.memory), drawn.answer.cost
        if not told:
            return drawn.answer.value, cost, drawn.memory
    release, memory = method.contribute(party, told, turn)
    if release.cost != FREE:
        raise InputError("noise was drawn that is not stored; it was thrown away, and nothing was released")
    return release.value, cost, memory


def _is_end(told: Arrays) -> bool:
    """Whether a shard is told single numbers alone: that the rounds that are left pass without work."""
    return bool(told) and all(array.ndim == 0 for array in told.values())
