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
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from fedtopics.documents.text.harmless import quoted
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
    raise InputError(f"relation must be one of {', '.join(RELATIONS)}, got {quoted(relation)}")


@dataclass(frozen=True)
class Loss:
    """`count` independent occurrences of an `event` between neighbors of the `relation`."""

    relation: Relation
    event: Event
    count: int = 1

    def __post_init__(self) -> None:
        check_relation(self.relation)
        if type(self.event) not in events.KINDS.values():
            raise InputError(
                f"expected a privacy event, got {quoted(self.event)}; see privacy/price/events.py"
            )
        events.check_number("count", self.count, minimum=1)

    def to_dict(self) -> dict[str, Any]:
        return {"relation": self.relation, "event": events.to_dict(self.event), "count": self.count}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Loss":
        """The loss that `to_dict` wrote as `data`."""
        return cls(data["relation"], events.from_dict(data["event"]), data["count"])


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

    What is not stated costs `otherwise`. Where parties draw noise together, `alone` are the losses before a
    coordinator whom no party helps; where none are stated, they are the `losses`.

    >>> from fedtopics.privacy.price.events import Pure
    >>> cost = Cost((Loss("word add/remove", Pure(2.0)),), noise="secure")
    >>> cost.losses_of("word add/remove")[0].event, cost.losses_of("party")[0].event
    (Pure(epsilon=2.0), NonPrivate())
    """

    losses: tuple[Loss, ...] = ()
    claims: tuple[Claim, ...] = ()
    otherwise: Event = NO_BOUND
    noise: NoiseSource = "none"
    alone: tuple[Loss, ...] = ()

    def __post_init__(self) -> None:
        for losses in (self.losses, self.alone):
            if not isinstance(losses, tuple) or not all(isinstance(loss, Loss) for loss in losses):
                raise InputError(f"losses must be a tuple of Loss, got {quoted(losses)}")
        if self.otherwise not in (Nothing(), NonPrivate()):
            raise InputError(f"what is not stated is Nothing or NonPrivate, got {quoted(self.otherwise)}")
        if self.noise not in SOURCES:
            raise InputError(f"noise source must be one of {', '.join(SOURCES)}, got {quoted(self.noise)}")

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Relations for which a loss is stated."""
        stated = {loss.relation for loss in self.losses}
        return tuple(relation for relation in RELATIONS if relation in stated)

    def losses_of(self, relation: Relation) -> tuple[Loss, ...]:
        """Losses between neighbors of this `relation`; not stated means no bound, except for free costs."""
        stated = tuple(loss for loss in self.losses if loss.relation == relation)
        return stated or (Loss(relation, self.otherwise),)

    def before_one(self) -> "Cost":
        """What it costs before a coordinator whom no party helps."""
        return replace(self, losses=self.alone or self.losses, alone=())

    def __add__(self, other: "Cost") -> "Cost":
        """Price of releasing both values, computed from the same data; what is free changes nothing."""
        return total((self, other))

    def to_dict(self) -> dict[str, Any]:
        """The cost as JSON data."""
        alone = {"alone": [loss.to_dict() for loss in self.alone]} if self.alone else {}
        return {
            "losses": [loss.to_dict() for loss in self.losses],
            "claims": [vars(claim).copy() for claim in self.claims],
            "otherwise": events.to_dict(self.otherwise),
            "noise": self.noise,
            **alone,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Cost":
        """The cost that `to_dict` wrote as `data`."""
        try:
            losses, alone = (
                tuple(map(Loss.from_dict, rows)) for rows in (data["losses"], data.get("alone", ()))
            )
            claims = tuple(Claim(**claim) for claim in data["claims"])
            return cls(losses, claims, events.from_dict(data["otherwise"]), data["noise"], alone)
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
    claims = dict.fromkeys(claim for cost in times for claim in cost.claims)
    all_free = all(cost.otherwise == Nothing() for cost in times)
    noise = max((cost.noise for cost in times), key=SOURCES.index)
    alone = (
        _composed({cost: cost.before_one() for cost in times}, times) if any(c.alone for c in times) else ()
    )
    losses = _composed({cost: cost for cost in times}, times)
    return Cost(losses, tuple(claims), Nothing() if all_free else NonPrivate(), noise, alone)


def _composed(seen: Mapping[Cost, Cost], times: Mapping[Cost, int]) -> tuple[Loss, ...]:
    """The losses of all costs, each as it is `seen`, so many times: by relation, equal events counted."""
    stated = {relation for cost in seen.values() for relation in cost.relations}
    losses: list[Loss] = []
    for relation in (relation for relation in RELATIONS if relation in stated):
        counts: Counter[Event] = Counter()
        for cost, number in times.items():
            for loss in seen[cost].losses_of(relation):
                counts[loss.event] += loss.count * number
        losses += [Loss(relation, event, count) for event, count in counts.items()]
    return tuple(losses)
