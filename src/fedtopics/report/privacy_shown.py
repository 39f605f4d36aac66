"""The privacy of a run as the page tells it: questions a reader has, the ledger, what is public."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import inf
from typing import Any

from fedtopics import methods
from fedtopics.errors import InputError
from fedtopics.privacy.explain import (
    QUESTIONS,
    SAYS_NOTHING,
    Guarantee,
    bounded,
    counts_documents,
    guarantees,
    raw_text,
)
from fedtopics.privacy.forecast import prospects
from fedtopics.privacy.grades import WORDS, Rise, rises
from fedtopics.privacy.price.cost import FREE, NO_BOUND, RELATIONS, Cost, Loss
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.runs.run import Run, protects

STEP, N_STEPS = 0.25, 64  # of the epsilons that a reader may look at
VOCABULARY = {
    "as given": ("By design", "The list of words was given in public."),
    "agreed privately": (
        "By design",
        "The parties agreed on the words under noise; its price is in the ledger. A word of one document "
        "alone is on the list with a chance of at most delta / 5.",
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
    rises: tuple[Rise, ...] = ()


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
    worst, n_words = _worst([*spent, *_before(run)]), run.record["n_words"]
    sent = any(group.n_priced + group.n_unbounded for group in spent)
    answer, reason = raw_text(list(worst.values()), guarantee) if sent else ("No", _nothing(run))
    return [
        Question("The documents themselves, or exact counts of their words?", answer, reason),
        *(_question(asked, worst[name], n_words) for name, asked in QUESTIONS.items() if name in worst),
        *(_purpose(run, worst) if sent else []),
    ]


def _question(asked: str, bound: Guarantee, n_words: int) -> Question:
    """What may be found out under a `bound`, with what guesses may become where it is one."""
    bounded = 0 < bound.epsilon < inf
    return Question(asked, *bound.answer, rises(bound.epsilon, bound.delta, n_words) if bounded else ())


def outlook(run: Run, bound: Guarantee | None) -> dict[str, Any] | None:
    """What other epsilons would promise and cost, around the `bound` of this run; None where it has none."""
    chosen = run.epsilon
    if bound is None or chosen is None or not 0 < bound.epsilon < inf:
        return None
    beside = max(0.0, bound.epsilon - chosen)  # the agreement on words, which stays as it is
    steps = sorted({*(STEP * number for number in range(1, N_STEPS + 1)), chosen})
    ratio = partial(_expected_ratio, run.record)
    found = prospects(
        bound.relation,
        [step + beside for step in steps],
        bound.delta,
        run.record["n_words"],
        lambda epsilon: ratio(epsilon - beside),
    )
    return {
        "at": steps.index(chosen),
        "relation": bound.relation,
        "prospects": [asdict(row) for row in found],
    }


def _expected_ratio(record: Mapping[str, Any], epsilon: float) -> float | None:
    """What the method expects of its topics at another `epsilon`, where it has a forecast."""
    if not record.get("forecast"):
        return None
    try:
        settings = record["settings"] | {"epsilon": epsilon}
        made = methods.make(record["method"], variant=record.get("variant"), **settings)
        found = made.forecast(record["n_words"])
    except InputError:
        return None
    return None if found is None else round(found["perplexity_ratio"], 4)


def headline(run: Run, spent: Sequence[Spending]) -> Guarantee | None:
    """The bound of the party that has spent most, for what the method protects; None where nothing leaves."""
    return _worst([*spent, *_before(run)]).get(protects(run.record))


def _worst(spent: Sequence[Spending]) -> dict[str, Guarantee]:
    """By relation, the bound of the party that has spent most."""
    return {
        relation: max(
            (bound for group in spent for bound in group.guarantees if bound.relation == relation),
            key=lambda bound: (WORDS.index(bound.worth), bound.epsilon),
        )
        for relation in (RELATIONS if spent else ())
    }


def _before(run: Run) -> list[Spending]:
    """What the documents of the run before have cost, where this one is an update."""
    rows = run.record.get("update", {}).get("privacy", [])
    bounds = [
        bounded(row["relation"], float(row["epsilon"]), row["delta"], run.record["n_words"])
        for row in rows
        if row["basis"] != "claimed"
    ]
    return [Spending((), bounds, 0, 0, 0)] if bounds else []


def counts_shown(run: Run) -> bool:
    """Whether the number of documents of a party shows: not where documents or more are protected."""
    return protects(run.record).startswith("word") and any(
        counts_documents(entry.cost) for entry in run.ledger.entries
    )


def _nothing(run: Run) -> str:
    """Why what cost nothing says nothing."""
    if run.ledger.entries and any(entry.get("bytes_up", True) for entry in run.record["rounds"]):
        return f"{SAYS_NOTHING.capitalize()}."
    return "Nothing left a party."


def _purpose(run: Run, worst: Mapping[str, Guarantee]) -> list[Question]:
    record = run.record
    words = VOCABULARY.get(record.get("vocabulary", ""), ("Yes", "The list of words is public."))
    return [
        Question("What does a party as a whole write about?", *_party(run)),
        Question(f"Which words are in use (all {record['n_words']:,} of them)?", *words),
        Question("With which settings was it run?", "By design", "Public."),
        Question("How many documents does a party have?", *_number(run, worst)),
    ]


def _party(run: Run) -> tuple[str, str]:
    """Whether someone finds out which topics a party has."""
    summed = run.record.get("secure_sum")
    if summed is None:
        return "By design", "The topics and, roughly, how much of each a party has are what the run is for."
    seen = f"{summed['seen'][0].upper()}{summed['seen'][1:]}."
    if run.record["engine"] == "in_process":
        seen += " Here all ran in one process, as a rehearsal of that."
    return "Not without help", seen


def _number(run: Run, worst: Mapping[str, Guarantee]) -> tuple[str, str]:
    """Whether someone finds out how many documents a party has: as well as whether one more is there."""
    if counts_shown(run):
        return "By design", "Public."
    bound = min((worst[f"{unit} add/remove"] for unit in ("document", "person")), key=lambda b: b.epsilon)
    unit = bound.relation.split()[0]
    return bound.answer[0], f"It was never sent: what hides it is the noise that hides a {unit}."


def _counts(ledger: Ledger, party: str) -> tuple[int, int, int]:
    """How many releases of a party were priced, free, and without a bound of any kind."""
    costs = [entry.cost for entry in ledger.entries if entry.party == party]
    n_free = sum(cost == FREE for cost in costs)
    n_unbounded = sum(
        all(Loss(name, NO_BOUND) in cost.losses_of(name) for name in RELATIONS) for cost in costs
    )
    return len(costs) - n_free - n_unbounded, n_free, n_unbounded
