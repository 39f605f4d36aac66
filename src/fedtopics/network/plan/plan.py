"""The plan of a federation: what all parties review, accept and then run. A TOML file, known by its digest.

Everything that decides what leaves a party stands in it: who takes part, the method and its settings, how
the words are agreed on, what the whole run may cost, and what is public. The digest is that of the meaning,
not of the file: comments and order may change, a number may not. Privacy noise comes from each party's
operating system, unless `simulation_seed` is set, which is for trying and protects nobody.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from math import ceil, inf, log10
from pathlib import Path
from typing import Any

from fedtopics import files, methods
from fedtopics.documents.corpus import require_words
from fedtopics.errors import InputError
from fedtopics.network.plan import typed_file
from fedtopics.network.plan.certificates import NAME, party_name
from fedtopics.network.plan.parts import (
    Continues,
    Evaluation,
    PlannedRelation,
    PlannedWords,
    Texts,
    check_small_delta,
)
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import RELATIONS, Cost, total
from fedtopics.privacy.words import Agreement
from fedtopics.protocol import with_related_words
from fedtopics.protocol.method import Method
from fedtopics.protocol.summed import checked, with_repeats
from fedtopics.protocol.summing import Summing

LONGEST_LINE = 200  # of what is public
LONGEST_WAIT = 1e6  # seconds
PUBLIC = ("the vocabulary", "the settings of the method")
NUMBER = "the number of documents of each party"  # public, too, unless the method hides documents
MOST_PARTIES, MOST_TOPICS = 100, 10_000


@dataclass(frozen=True)
class Plan:
    """What a federation is going to do."""

    name: str
    coordinator: str  # host:port, the only inbound connection
    parties: tuple[str, ...]
    method_name: str
    privacy: Budget  # the most that all releases of one party in this run cost together
    vocabulary: PlannedWords
    settings: Mapping[str, Any] = field(default_factory=dict)
    min_parties: int = 2
    timeout_seconds: float = 600.0
    texts: Texts = field(default_factory=Texts)
    evaluation: Evaluation = field(default_factory=Evaluation)
    public: tuple[str, ...] = PUBLIC
    significant_bits: int | None = None  # of numbers on the wire; None: exact
    simulation_seed: int | None = None  # None: noise from the operating system
    secure_sum: Summing | None = None  # None: the coordinator sees what each party sends
    continues: Continues | None = None  # None: runs begin anew
    consistency: PlannedRelation | None = None  # None: topics are not drawn towards anything

    def __post_init__(self) -> None:
        object.__setattr__(self, "timeout_seconds", float(self.timeout_seconds))
        object.__setattr__(self, "settings", _settled(self.method_name, self.settings))
        _check_names(self)
        _within("min_parties", self.min_parties, 1, len(self.parties))
        if not 0 < self.timeout_seconds <= LONGEST_WAIT:
            raise InputError(
                f"timeout_seconds must lie above 0, up to {LONGEST_WAIT:g}, got {self.timeout_seconds}"
            )
        _within("significant_bits", self.significant_bits, 8, 53)
        check_small_delta("privacy.delta", self.privacy.delta)
        _within("simulation_seed", self.simulation_seed, 0, 2**32 - 1)
        _check_topics(self)
        method = self.method()
        if self.secure_sum is not None:
            self._check_sum(checked(method, self.secure_sum))
        if self.continues is not None:
            self.continues.check(method, self.vocabulary)
        number = () if method.hides_documents else (NUMBER,)
        known = (*PUBLIC, *number, *method.shows())  # a plan may add to it, and hide nothing of it
        object.__setattr__(self, "public", tuple(dict.fromkeys((*known, *self.public))))
        self._check_price()

    def _check_sum(self, summing: Summing) -> None:
        least = summing.least(len(self.parties))
        if self.min_parties < least:
            raise InputError(
                f"min_parties must be at least {least}, two more than the threshold of the secure sum, "
                f"got {self.min_parties}"
            )
        if self.significant_bits is not None:
            raise InputError("significant_bits has no meaning where numbers travel masked; leave it out")

    def _check_price(self) -> None:
        """Refuse a run that sends nothing, or whose price has no bound or is above its promise."""
        if not self.method().prices(self.vocabulary.most_words):
            raise InputError(f"{self.method_name} sends nothing and needs no federation; use fedtopics train")
        price = self.price(self.vocabulary.most_words)
        if price == inf:
            raise InputError(self._why_unpriced())
        if not price <= self.privacy.epsilon * (1 + 1e-9):
            raise InputError(
                f"privacy.epsilon: the run costs {self.privacy.relation} epsilon {price:.6g} at delta "
                f"{self.privacy.delta:g}, got a promise of {self.privacy.epsilon:g}; correct either"
            )

    def _why_unpriced(self) -> str:
        """Which part of the run has no price for the relation of the promise, and what to do."""
        unit = self.privacy.relation.split()[0]
        agreement, promise = self.agreement(), self.privacy
        if promise.epsilon_of(total(self.method().prices(self.vocabulary.most_words))) == inf:
            return (
                f"method {self.method_name} has no finite price for {promise.relation}; "
                "choose a private method, another relation, or a public bound such as max_length"
            )
        if agreement is not None and promise.epsilon_of(total(agreement.prices())) == inf:
            return (
                f"the agreement on words has no price for {unit}s; give a public list of words (--vocabulary)"
            )
        return f"private scores have no price for {unit}s; score on public documents, or not at all"

    @property
    def host(self) -> str:
        return self.coordinator.rpartition(":")[0]

    @property
    def port(self) -> int:
        """The coordinator's one inbound port."""
        return int(self.coordinator.rpartition(":")[2])

    def method(self) -> Method:
        """The method with its settings, from the code installed here."""
        return self._method

    @cached_property
    def _method(self) -> Method:
        made = methods.make(self.method_name, **self.settings)
        if self.secure_sum is not None:
            made = made.for_sums()
        if self.consistency is None:
            return made
        with_related_words.check(made, self.consistency.tau)
        return made.telling_topics()

    def agreement(self) -> Agreement | None:
        """How the parties agree on words; None where the list is public."""
        return self.vocabulary.agreement(len(self.parties))

    def costs(self, n_words: int) -> list[Cost]:
        """Everything that one party will be charged, in order."""
        require_words(n_words)
        agreement = self.agreement()
        agreed = [] if agreement is None else agreement.prices()
        return [*agreed, *self._training(n_words), *self.evaluation.prices()]

    def _training(self, n_words: int) -> list[Cost]:
        """What training costs, with rounds that may be played again."""
        summing = self.secure_sum
        whole = with_repeats(self.method().prices(n_words), self.method(), summing)
        together = None if summing is None else summing.together(len(self.parties), self.min_parties)
        return whole if together is None else [together.priced(cost) for cost in whole]

    def price(self, n_words: int) -> float:
        """The epsilon of the whole run, for the relation and delta of the promise."""
        return self.privacy.epsilon_of(total(self.costs(n_words)))

    def prices(self) -> dict[str, float]:
        """The epsilon of the whole run at the promise's delta: for words, documents, what else is priced."""
        return self._epsilons(total(self.costs(self.vocabulary.most_words)))

    def prices_before_one(self) -> dict[str, float]:
        """The same before a coordinator whom no party helps: less, where parties draw noise together."""
        return self._epsilons(total(self.costs(self.vocabulary.most_words)).before_one())

    def _epsilons(self, spent: Cost) -> dict[str, float]:
        shown = [name for name in RELATIONS if name.startswith(("word", "document"))]
        relations = [name for name in RELATIONS if name in (*shown, *spent.relations)]
        return {name: accounting.epsilon(spent.losses_of(name), self.privacy.delta) for name in relations}

    def priced(self) -> "Plan":
        """The plan with its price as the promise, rounded up to four digits."""
        price = self.price(self.vocabulary.most_words)
        step = 10.0 ** (ceil(log10(price)) - 4) if price else 1.0
        epsilon = float(f"{ceil(price / step * (1 - 1e-12)) * step:.6g}")
        return replace(self, privacy=replace(self.privacy, epsilon=epsilon))

    def words(self, folder: str | Path) -> tuple[str, ...] | None:
        """The public word list beside the plan, None where words are agreed on; another list is refused."""
        return self.vocabulary.read(Path(folder))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what the plan means: what a party accepts."""
        meaning = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"), allow_nan=False)
        return sha256(meaning.encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """The plan as data, with the tables and keys of the file; what is not set is left out."""
        known = asdict(self)
        method = {"name": known.pop("method_name"), **known.pop("settings")}
        return dict(_without_nothing({**known, "method": method}))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Plan":
        """The plan of a file's data; an unknown key or an impossible value is an error that names it."""
        given = dict(data)
        method = given.pop("method", None)
        for key in ("method_name", "settings"):
            if key in given:
                raise InputError(f"unknown key {key}; the method stands in the table [method]")
        if not isinstance(method, dict) or not isinstance(method.get("name"), str):
            raise InputError("the table [method] with its name is missing")
        settings = {key: value for key, value in method.items() if key != "name"}
        return typed_file.build(cls, {**given, "method_name": method["name"], "settings": settings})

    @classmethod
    def read(cls, path: str | Path) -> "Plan":
        return cls.parse(typed_file.content_of(path, "plan"), path)

    @classmethod
    def parse(cls, content: bytes, path: str | Path) -> "Plan":
        return _parsed(content, str(path))

    def write(self, path: str | Path) -> None:
        """Write the plan for its reviewers, with what each key means."""
        from fedtopics.network.plan.text import written

        files.publish(Path(path), written(self))


@lru_cache(maxsize=4)
def _parsed(content: bytes, path: str) -> Plan:
    """The plan in these bytes; a file that has not changed is worked out once."""
    return typed_file.parse(content, path, Plan.from_dict)


def _settled(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with numbers of the method's own kind, so that 6 and 6.0 are one plan."""
    known = methods.settings(name, settings.get("variant"))
    return {
        key: float(value) if isinstance(known.get(key), float) and type(value) is int else value
        for key, value in settings.items()
    }


def _check_names(plan: Plan) -> None:
    if not NAME.fullmatch(plan.name):
        raise InputError(f"name must be letters, digits, - and _, got {plan.name!r:.60}")
    for text in (plan.coordinator, *plan.public):
        if not text.isprintable():
            raise InputError(f"coordinator and public must be printable texts of one line, got {text!r:.60}")
        if len(text) > LONGEST_LINE:
            raise InputError(f"expected at most {LONGEST_LINE} characters, got {len(text)} in {text!r:.60}")
    host, _, port = plan.coordinator.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise InputError(f"coordinator must be host:port, got {plan.coordinator!r:.60}")
    _within("number of parties", len(plan.parties), 1, MOST_PARTIES)
    for party in plan.parties:
        party_name(party)
    if len({party.lower() for party in plan.parties}) != len(plan.parties):
        raise InputError("every party must have a name of its own, got one twice")


def _check_topics(plan: Plan) -> None:
    by_party = plan.settings.get("topics_per_party") or {}
    if not isinstance(by_party, Mapping):
        raise InputError(f"method.topics_per_party must be a table, got {by_party!r:.40}")
    strangers = sorted(set(by_party) - set(plan.parties))
    if strangers:
        raise InputError(f"method.topics_per_party must name parties of the plan, got {', '.join(strangers)}")
    plan.method()  # refuses what is no number
    for party, n_topics in by_party.items():
        _within(f"topics of {party}", n_topics, 2, MOST_TOPICS)


def _within(name: str, value: int | None, least: int, most: int) -> None:
    if value is not None and not least <= value <= most:
        raise InputError(f"{name} must lie between {least} and {most}, got {value}")


def _without_nothing(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nothing(item) for key, item in value.items() if item is not None}
    return list(value) if isinstance(value, tuple) else value
