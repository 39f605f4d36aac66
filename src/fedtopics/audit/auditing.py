"""An audit of a method on some documents: what attacks reach, beside what is proved, relation by relation.

    messages   what the coordinator sees in all rounds (`overhearing.py`)
    model      what anyone has who gets the model alone (`membership.py`)

Canaries are planted in copies of some documents, made for that; the documents themselves are not touched.
Every number is a lower bound at 95 % confidence. One audit in twenty may exceed the true epsilon by chance,
so a proof counts as refuted, and the run as failed, where the bound exceeds it at a confidence of 1 - 1e-6.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Any, Literal, TypeAlias

import numpy as np

from fedtopics.audit import membership, messages
from fedtopics.audit.canaries import PARTY
from fedtopics.audit.guesses import CONFIDENCE, Reached, Scored, area, reached
from fedtopics.audit.messages import Reference
from fedtopics.audit.overhearing import is_slow, overhear
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.privacy.price.budget import in_json
from fedtopics.privacy.price.cost import RELATIONS, Relation
from fedtopics.protocol.method import Method
from fedtopics.protocol.summed import checked
from fedtopics.protocol.summing import Summing

View: TypeAlias = Literal["messages", "model"]
VIEWS: tuple[View, ...] = ("messages", "model")
UNIT_WORDS = 100  # of the copies where answers are noisy sums: noise is drawn for all pairs of words
TOLD = 10  # documents of each party in the run that says what is told
N_DOCUMENTS, FEW_DOCUMENTS, N_WORDS = 200, 60, 300  # of the copies that models are trained on
N_MODELS = (12, 6)  # known, and guessed


@dataclass(frozen=True)
class Attack:
    """What one attack reached of a relation: `epsilon` at least, where at most `proved` may be.

    claimed    what a paper claims, None where none does
    surely     the bound at a confidence of 1 - 1e-6
    auc        chance that a canary that is there scores above one that is not
    """

    relation: Relation
    view: View
    attack: str
    epsilon: float
    surely: float
    proved: float
    delta: float
    claimed: float | None
    auc: float
    n_canaries: int
    bound: str

    @property
    def refutes(self) -> bool:
        """Whether it shows that what is proved does not hold."""
        return self.surely > self.proved

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; an infinite epsilon is "inf"."""
        shown = {"proved": in_json(self.proved), "refutes": self.refutes}
        return {name: value for name, value in vars(self).items() if value is not None} | shown


@dataclass(frozen=True)
class Audit:
    """All attacks on a method, and how long they took."""

    attacks: tuple[Attack, ...]
    seconds: float

    @property
    def refuted(self) -> bool:
        """Whether an attack shows that a proof does not hold: then a run has failed."""
        return any(attack.refutes for attack in self.attacks)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "confidence": CONFIDENCE,
            "seconds": self.seconds,
            "refuted": self.refuted,
            "attacks": [attack.to_dict() for attack in self.attacks],
        }


def audit(
    method: Method,
    parties: Mapping[str, Corpus],
    *,
    views: tuple[View, ...] = VIEWS,
    seed: int = 0,
    n_threads: int = 1,
    summing: Summing | None = None,
) -> Audit:
    """Attack a `method` as it is set, with canaries in copies of some documents of the `parties`.

    With `summing` the coordinator sees totals, and as many parties as its threshold says help him.
    """
    if PARTY in parties:
        raise InputError(f"expected no party called {PARTY!r}, got one: canaries get a party of this name")
    if summing is not None:
        checked(method, summing)
    began = perf_counter()
    found: list[Attack] = []
    told = copied(parties, TOLD * len(parties), UNIT_WORDS if method.noise_on_sums else None, seed)
    reference = messages.reference(method, told, seed=seed, n_threads=n_threads, summing=summing)
    if "messages" in views:
        for relation in _stated(reference):
            delta = _bound(reference, relation)[1]
            heard = overhear(reference, told, relation, delta=delta, seed=seed, n_threads=n_threads)
            found.append(
                _attack(reference, relation, "messages", heard.attack, heard.reached(), heard.guessed)
            )
    if "model" in views:
        number = FEW_DOCUMENTS if is_slow(reference) else N_DOCUMENTS
        found += _by_model(reference, copied(parties, number, N_WORDS, seed), seed, n_threads)
    return Audit(tuple(found), perf_counter() - began)


def copied(
    parties: Mapping[str, Corpus], n_documents: int, n_words: int | None, seed: int
) -> dict[str, Corpus]:
    """Copies of some documents of each party, over the words that are most frequent in them."""
    generator = np.random.default_rng(seed)
    share = n_documents / sum(corpus.n_docs for corpus in parties.values())
    chosen = {}
    for name, corpus in sorted(parties.items()):
        number = min(corpus.n_docs, max(2, round(share * corpus.n_docs)))
        chosen[name] = corpus.select(np.sort(generator.permutation(corpus.n_docs)[:number]))
    if n_words is None:
        return chosen
    words = np.concatenate([corpus.words for corpus in chosen.values()])
    vocabulary = next(iter(parties.values())).vocabulary
    often = np.sort(np.argsort(-np.bincount(words, minlength=len(vocabulary)), kind="stable")[:n_words])
    kept = tuple(vocabulary[word] for word in often)
    return {name: corpus.with_vocabulary(kept) for name, corpus in chosen.items()}


def _stated(reference: Reference) -> list[Relation]:
    """The relations of which something is proved or claimed; a word more or less where nothing is."""
    rows = [row for row in reference.ledger.statements() if row["party"] == PARTY]
    named = {row["relation"] for row in rows if row["basis"] != "none"}
    return [relation for relation in RELATIONS if relation in named] or ["word add/remove"]


def _by_model(reference: Reference, copies: Mapping[str, Corpus], seed: int, n_threads: int) -> list[Attack]:
    n_known = N_MODELS[0]
    shadows = membership.trained(
        reference.method,
        copies,
        n_models=sum(N_MODELS),
        seed=seed,
        n_threads=n_threads,
        summing=reference.summing,
    )
    if shadows is None:
        return []
    found = []
    named: tuple[Relation, Relation] = ("document add/remove", "word add/remove")
    for relation, stored in zip(named, shadows, strict=True):
        delta = _bound(reference, relation)[1]
        for online in (True, False):
            # What is known is scored by the other half of what is known: by itself it would look too good.
            half = n_known // 2
            known = membership.lira(stored[:half], stored[half:n_known], online=online)
            guessed = membership.lira(stored[:n_known], stored[n_known:], online=online)
            attack = f"LiRA, {'online' if online else 'offline'}"
            found.append(
                _attack(reference, relation, "model", attack, reached(known, guessed, delta=delta), guessed)
            )
    return found


def _attack(
    reference: Reference, relation: Relation, view: View, attack: str, found: Reached, guessed: Scored
) -> Attack:
    proved, delta, claimed = _bound(reference, relation)
    return Attack(
        relation,
        view,
        attack,
        found.epsilon,
        found.surely,
        proved,
        delta,
        claimed,
        area(guessed),
        found.n_canaries,
        found.how,
    )


def _bound(reference: Reference, relation: Relation) -> tuple[float, float, float | None]:
    """Of the party of the canaries: epsilon proved, its delta, and epsilon claimed."""
    proved, delta, claimed = inf, 0.0, None
    for row in reference.ledger.statements():
        if (row["party"], row["relation"]) != (PARTY, relation):
            continue
        if row["basis"] == "claimed":
            claimed = float(row["epsilon"])
            delta = float(row["delta"]) if proved == inf else delta
        else:
            proved, delta = float(row["epsilon"]), float(row["delta"])
    return proved, delta, claimed
