"""The price of a release: for every relation between neighbors, the events that it causes.

    word add/remove        one token more or less in one document
    word replace           one token of one document changed into another
    document add/remove    one document more or less (or, where documents are counted in public, emptied)
    document replace       one document changed into any other
    person add/remove      all documents of one person more or less
    person replace         all documents of one person changed into any others
    party                  everything that the party holds

A relation that a cost does not state has no bound: it is priced as a disclosure. Silence never means "free".
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from fedtopics.errors import InputError
from fedtopics.privacy.price import events
from fedtopics.privacy.price.events import Event, NonPrivate, Nothing

Relation: TypeAlias = Literal[
    "word add/remove",
    "word replace",
    "document add/remove",
    "document replace",
    "person add/remove",
    "person replace",
    "party",
]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
NoiseSource: TypeAlias = Literal["none", "secure", "simulated"]
SOURCES: tuple[NoiseSource, ...] = get_args(NoiseSource)
NO_BOUND = NonPrivate()


def check_relation(relation: str) -> Relation:
    for known in RELATIONS:
        if relation == known:
            return known
    raise InputError(f"relation must be one of {', '.join(RELATIONS)}, got {relation!r}")


@dataclass(frozen=True)
class Loss:
    """`count` independent occurrences of an `event` between neighbors of the `relation`."""

    relation: Relation
    event: Event
    count: int = 1

    def __post_init__(self) -> None:
        check_relation(self.relation)
        if type(self.event) not in events.KINDS.values():
            raise InputError(f"expected a privacy event, got {self.event!r}; see privacy/price/events.py")
        events.check_number("count", self.count, minimum=1)


@dataclass(frozen=True)
class Claim:
    """What a paper (`source`) says a run costs: `relation`, `epsilon`, `delta`. Shown, but never added up."""

    relation: Relation
    epsilon: float
    delta: float
    source: str

    def __post_init__(self) -> None:
        check_relation(self.relation)
        events.check_number("claimed epsilon", self.epsilon)
        events.check_delta(self.delta)


@dataclass(frozen=True)
class Cost:
    """The price of one release: proved `losses` by relation, papers' `claims`, where the `noise` is from.

    What is not stated costs `otherwise`.

    >>> from fedtopics.privacy.price.events import Pure
    >>> cost = Cost((Loss("word add/remove", Pure(2.0)),), noise="secure")
    >>> cost.losses_of("word add/remove")[0].event, cost.losses_of("party")[0].event
    (Pure(epsilon=2.0), NonPrivate())
    """

    losses: tuple[Loss, ...] = ()
    claims: tuple[Claim, ...] = ()
    otherwise: Event = NO_BOUND
    noise: NoiseSource = "none"

    def __post_init__(self) -> None:
        if not all(isinstance(loss, Loss) for loss in self.losses) or not isinstance(self.losses, tuple):
            raise InputError(f"losses must be a tuple of Loss, got {self.losses!r:.60}")
        if self.otherwise not in (Nothing(), NonPrivate()):
            raise InputError(f"what is not stated is Nothing or NonPrivate, got {self.otherwise!r}")
        if self.noise not in SOURCES:
            raise InputError(f"noise source must be one of {', '.join(SOURCES)}, got {self.noise!r}")

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Relations for which a loss is stated."""
        stated = {loss.relation for loss in self.losses}
        return tuple(relation for relation in RELATIONS if relation in stated)

    def losses_of(self, relation: Relation) -> tuple[Loss, ...]:
        """Losses between neighbors of this `relation`; not stated means no bound, except for free costs."""
        stated = tuple(loss for loss in self.losses if loss.relation == relation)
        return stated or (Loss(relation, self.otherwise),)

    def __add__(self, other: "Cost") -> "Cost":
        """Price of releasing both values, computed from the same data; what is free changes nothing."""
        return total((self, other))

    def to_dict(self) -> dict[str, Any]:
        """The cost as JSON data."""
        return {
            "losses": [
                {"relation": x.relation, "event": events.to_dict(x.event), "count": x.count}
                for x in self.losses
            ],
            "claims": [vars(claim).copy() for claim in self.claims],
            "otherwise": events.to_dict(self.otherwise),
            "noise": self.noise,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Cost":
        """The cost that `to_dict` wrote as `data`."""
        try:
            losses = [Loss(x["relation"], events.from_dict(x["event"]), x["count"]) for x in data["losses"]]
            claims = [Claim(**claim) for claim in data["claims"]]
            return cls(tuple(losses), tuple(claims), events.from_dict(data["otherwise"]), data["noise"])
        except (KeyError, TypeError) as error:
            raise InputError(f"not a privacy cost: {error}; was the ledger file edited?") from error


FREE = Cost(otherwise=Nothing())
INFINITE = Cost(otherwise=NonPrivate())


def total(costs: Iterable[Cost]) -> Cost:
    """Price of all these releases, computed from the same data: equal losses counted, what is free left out.

    >>> from fedtopics.privacy.price.events import Pure
    >>> total([Cost((Loss("word replace", Pure(2.0)),)), FREE] * 3).losses
    (Loss(relation='word replace', event=Pure(epsilon=2.0), count=3),)
    """
    return total_of(Counter(cost for cost in costs if cost != FREE))


def total_of(times: Mapping[Cost, int]) -> Cost:
    """Price of making each of these releases, none of them free, so many times."""
    if sum(times.values()) < 2:
        return next(iter(times), FREE)
    stated = {relation for cost in times for relation in cost.relations}
    losses: list[Loss] = []
    for relation in (relation for relation in RELATIONS if relation in stated):
        counts: Counter[Event] = Counter()
        for cost, number in times.items():
            for loss in cost.losses_of(relation):
                counts[loss.event] += loss.count * number
        losses += [Loss(relation, event, count) for event, count in counts.items()]
    claims = dict.fromkeys(claim for cost in times for claim in cost.claims)
    all_free = all(cost.otherwise == Nothing() for cost in times)
    noise = max((cost.noise for cost in times), key=SOURCES.index)
    return Cost(tuple(losses), tuple(claims), Nothing() if all_free else NonPrivate(), noise)
