"""The plan of a run as the terms that both sides of the wire work by, and what all of it may cost."""

import os
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from fedtopics.errors import InputError
from fedtopics.network.plan.parts import Continues, PlannedRelation
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.mechanisms.together import Together
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.words import Agreement
from fedtopics.protocol.agreeing import PROPOSAL, WordRounds
from fedtopics.protocol.engine import Rounds
from fedtopics.protocol.method import Method
from fedtopics.protocol.summed import with_repeats
from fedtopics.protocol.summing import Summing
from fedtopics.protocol.turn import Turn
from fedtopics.protocol.with_related_words import with_consistency
from fedtopics.related_words import RelatedWords


@dataclass(frozen=True)
class Terms:
    """The terms of a run, the same at every machine.

    plan       digest of the plan that each party has accepted
    words      the public word list; None where the parties agree on the words
    agreement  how they do that; None where the list is public
    summing    how parties are added up, where the coordinator sees totals alone
    continues  the run whose model this one goes on from, if it does
    relation   what the coordinator draws topics towards, and the folder that holds it
    seed       of everything that is drawn but privacy noise, and of that too unless `secure`
    """

    plan: str
    parties: tuple[str, ...]
    method: Method
    seed: int
    secure: bool = True
    min_parties: int = 1
    timeout_seconds: float = 600.0
    words: tuple[str, ...] | None = None
    agreement: Agreement | None = None
    significant_bits: int | None = None
    n_threads: int = 1
    summing: Summing | None = None
    continues: Continues | None = None
    relation: tuple[PlannedRelation, Path] | None = None

    def __post_init__(self) -> None:
        if self.summing is not None:
            object.__setattr__(self, "method", self.method.for_sums())

    def turn(self, role: str, number: int = 0, party: str = "") -> Turn:
        """A place in the run with its random streams, the same under every engine."""
        drawn = {"n_threads": self.n_threads, "secure": self.secure, "together": self.together}
        return Turn(self.seed, role, number, party, **drawn)  # type: ignore[arg-type]

    def served(self, words: tuple[str, ...]) -> Method:
        """The method as the coordinator plays it over these words, which may draw topics together."""
        if self.relation is None:
            return self.method
        planned, folder = self.relation
        return with_consistency(self.method, loaded(planned, folder, words), planned.tau)

    @property
    def together(self) -> Together | None:
        """How parties draw noise together; None: each draws its own."""
        return None if self.summing is None else self.summing.together(len(self.parties), self.min_parties)

    @property
    def model_sizes(self) -> range:
        """How many topics the model of the run may have."""
        sizes, before = self.method.model_sizes(self.parties), self.continues
        if before is None or self.method.goes_on:
            return sizes
        return range(before.n_topics, before.n_topics + sizes[-1] + 1)  # joined with those there are

    @property
    def n_repeats(self) -> int:
        """How many rounds may be lost and played again."""
        return 0 if self.summing is None else self.summing.repeats

    def prices(self, n_words: int) -> list[Cost]:
        """What training costs, round by round, with those that may be played again."""
        return with_repeats(self.method.prices(n_words), self.method, self.summing)

    def priced(self, cost: Cost) -> Cost:
        """A price of the method as its release is charged."""
        return cost if self.together is None else self.together.priced(cost)

    @property
    def first_round(self) -> int:
        """Where a run begins: with the agreement on words, or with training."""
        return 0 if self.agreement is None else PROPOSAL

    def rounds_of(self, number: int) -> Rounds:
        """What is run in this round: the agreement on words before the first of training, then the method."""
        if number >= 0:
            return self.method
        if self.agreement is None or number < PROPOSAL:
            raise InputError(f"expected a round of the plan, got {number}: no words are agreed on in it")
        return WordRounds(self.agreement, self.parties)


@lru_cache(maxsize=4)
def loaded(planned: PlannedRelation, folder: Path, words: tuple[str, ...]) -> RelatedWords:
    """The relation of a plan over these words, read once."""
    return planned.load(folder, words)


def terms_of(plan: Plan, folder: Path, run: str) -> Terms:
    """The terms of a run; `folder` holds the public word list, where the plan has one."""
    seed = plan.simulation_seed
    if seed is None:
        seed = int.from_bytes(sha256(f"{plan.digest}/{run}".encode()).digest()[:4], "little")
    return Terms(
        plan=plan.digest,
        parties=tuple(sorted(plan.parties)),
        method=plan.method(),
        seed=seed,
        secure=plan.simulation_seed is None,
        min_parties=plan.min_parties,
        timeout_seconds=plan.timeout_seconds,
        words=plan.words(folder),
        agreement=plan.agreement(),
        significant_bits=plan.significant_bits,
        n_threads=os.cpu_count() or 1,
        summing=plan.secure_sum,
        continues=plan.continues,
        relation=None if plan.consistency is None else (plan.consistency, folder),
    )


def whole_ledger(plan: Plan, n_words: int) -> Ledger:
    """What any one party has paid at most, by the plan: all that a run over so many words may ask."""
    ledger = Ledger()
    for number, cost in enumerate(plan.costs(n_words)):
        ledger.charge("any", number, as_drawn(cost, plan.simulation_seed is None), content=str(number))
    return ledger


def as_drawn(cost: Cost, secure: bool) -> Cost:
    """The price with the source of its noise."""
    return cost if secure or cost.noise == "none" else replace(cost, noise="simulated")
