"""The privacy of a run as the page tells it: questions a reader has, the ledger, what is public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf

from fedtopics.privacy.explain import MEANINGLESS, odds
from fedtopics.privacy.guarantees import Guarantee, guarantees
from fedtopics.privacy.price.cost import FREE, NO_BOUND, RELATIONS, Cost, Loss
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.runs.run import Run

ANSWERS = {"protected": "Hardly", "weakly protected": "To some extent", "not protected": "Yes, possibly"}
ASKED = {
    "word add/remove": "Does a certain document contain a certain word?",
    "word replace": "Was a certain word of a document this one, or another?",
    "document add/remove": "What is a certain document about?",
    "user add/remove": "What does a certain person write about, over all their documents?",
}
VOCABULARY = {
    "as given": ("By design", "The list of words was given in public."),
    "agreed privately": (
        "Hardly",
        "The parties agreed on the words under noise; its price is in the ledger.",
    ),
    "read from the documents": (
        "Yes",
        "The list of words was read from the documents themselves, which no ledger pays for: a rare word on "
        "it shows that somebody used it. Give a public list, or let the parties agree on one.",
    ),
    "that of the corpus": (
        "Yes",
        "The list of words came with the corpus; whoever made it knows from where.",
    ),
}


@dataclass(frozen=True)
class Question:
    """What someone who sees everything that left the parties may want to know, and whether they can."""

    asked: str
    answer: str
    reason: str


@dataclass(frozen=True)
class Spending:
    """Parties that have spent the same, what that promises them, and how their releases were paid."""

    parties: tuple[str, ...]
    guarantees: list[Guarantee]
    n_priced: int
    n_free: int
    n_unbounded: int


def spendings(run: Run) -> list[Spending]:
    """The ledger, one entry for all parties that spent alike."""
    groups: dict[Cost, list[str]] = {}
    for party in run.ledger.parties:
        groups.setdefault(run.ledger.spent(party), []).append(party)
    return [
        Spending(
            tuple(parties),
            guarantees(spent, run.record["n_words"], run.ledger.delta),
            *_counts(run.ledger, parties[0]),
        )
        for spent, parties in groups.items()
    ]


def questions(run: Run, spent: Sequence[Spending], guarantee: str) -> list[Question]:
    """Answers for the party that has spent most."""
    worst = {
        relation: max(
            (bound for group in spent for bound in group.guarantees if bound.relation == relation),
            key=lambda bound: bound.epsilon,
        )
        for relation in (RELATIONS if spent else ())
    }
    sent = any(group.n_priced + group.n_unbounded for group in spent)
    answer, reason = _raw_text(list(worst.values()), guarantee) if sent else ("No", "Nothing left a party.")
    return [
        Question("The documents themselves, or exact counts of their words?", answer, reason),
        *(Question(asked, *_answer(worst[name])) for name, asked in ASKED.items() if name in worst),
        *(_purpose(run) if sent else []),
    ]


def _raw_text(bounds: Sequence[Guarantee], guarantee: str) -> tuple[str, str]:
    """Whether what was sent may show the documents: by what is proved of it, not by what a method says."""
    proved = [bound for bound in bounds if bound.epsilon < inf]
    if not proved:
        return "Yes, possibly", f"Nothing is proved of what was sent. Guarantee of the method: {guarantee}."
    known = "; ".join(map(_priced, proved))
    if min(bound.epsilon for bound in proved) > MEANINGLESS:
        return "Yes, possibly", f"All that is proved of what was sent is too weak to mean anything: {known}."
    missing = ", ".join(bound.relation for bound in bounds if bound.epsilon == inf)
    unproved = f" Nothing is proved for: {missing}." if missing else ""
    return "No", f"Neither was sent: what left a party went through noise. Proved: {known}.{unproved}"


def words_add_up(bounds: Sequence[Guarantee]) -> str | None:
    """From how many words on the promise for words says nothing about a document; None without one."""
    by_relation = {bound.relation: bound for bound in bounds}
    single, document = by_relation["word add/remove"], by_relation["document add/remove"].epsilon
    word = single.epsilon
    if not 0 < word < inf or document <= MEANINGLESS:
        return None
    n_words = floor(MEANINGLESS / word) + 1
    return (
        f"Promises for words add up: for {n_words} words of a document together they come to "
        f"{n_words * word:.4g} and hide nothing any more. Single words are "
        f"{'' if single.worth == 'protected' else 'hardly '}deniable; what a document is about is not hidden."
    )


def _answer(bound: Guarantee) -> tuple[str, str]:
    if bound.epsilon == 0:
        return "No", "What leaves a party does not depend on it."
    if bound.epsilon == inf:
        return "Yes, possibly", f"No promise was made ({bound.relation}): what was sent may give it away."
    priced = _priced(bound)
    if bound.worth == "not protected":
        return ANSWERS[bound.worth], f"The promise is too weak to mean anything ({priced})."
    rise = f"The odds of a guess rise at most {odds(bound.epsilon)}-fold ({priced})."
    return ANSWERS[bound.worth], f"{rise} {_example(bound)}"


def _priced(bound: Guarantee) -> str:
    delta = f", delta {bound.delta:g}" if bound.delta else ""
    return f"epsilon {bound.epsilon:.4g}{delta}, {bound.relation}"


def _example(bound: Guarantee) -> str:
    """The part of the meaning that gives chances, as a sentence of its own."""
    before, _, after = bound.meaning.partition("(a word guessed at ")[2].partition(")")[0].partition(": ")
    return f"A guess that was right {before} times is then right {after} of the time." if after else ""


def _purpose(run: Run) -> list[Question]:
    record = run.record
    words = VOCABULARY.get(record.get("vocabulary", ""), ("Yes", "The list of words is public."))
    return [
        Question(
            "What does a party as a whole write about?",
            "By design",
            "The topics and, roughly, how much of each a party has are what the run is for.",
        ),
        Question(f"Which words are in use (all {record['n_words']:,} of them)?", *words),
        Question(
            "How many documents does a party have, and with which settings was it run?",
            "By design",
            "Public.",
        ),
    ]


def _counts(ledger: Ledger, party: str) -> tuple[int, int, int]:
    """How many releases of a party were priced, free, and without a bound of any kind."""
    costs = [entry.cost for entry in ledger.entries if entry.party == party]
    n_free = sum(cost == FREE for cost in costs)
    n_unbounded = sum(
        all(Loss(name, NO_BOUND) in cost.losses_of(name) for name in RELATIONS) for cost in costs
    )
    return len(costs) - n_free - n_unbounded, n_free, n_unbounded
