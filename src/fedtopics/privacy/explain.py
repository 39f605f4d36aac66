"""What an epsilon means, in words: the only place that chooses them.

How far a bound protects, `worth` decides, from what three guesses may become; every sentence here follows it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, floor, inf, log
from typing import Any

from fedtopics.privacy.grades import LIMITS, NOTHING, Worth, chances, worth
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import FREE, RELATIONS, Claim, Cost, Relation
from fedtopics.privacy.price.events import GaussianVector

CHANGES: dict[Relation, str] = {
    "word add/remove": "one word of one document is there or is not",
    "word replace": "one word of one document is this one or another",
    "document add/remove": "one whole document is there or is not (or is empty, where they are counted)",
    "document replace": "one whole document is this one or any other",
    "person add/remove": "all documents of one person are there or are not",
    "person replace": "all documents of one person are these or any others",
    "party": "everything that one party holds is this or something else",
}
QUESTIONS: dict[Relation, str] = {
    "word add/remove": "Does a certain document contain a certain word?",
    "word replace": "Was a certain word of a document this one, or another?",
    "document add/remove": "Was a certain document among them, whatever it is about?",
    "document replace": "What is a certain document about, if it is known to be there?",
    "person add/remove": "Was a certain person among those who wrote, whatever about?",
    "person replace": "What does a certain person write about, over all their documents, if they are there?",
}
SAYS_NOTHING = "what was sent says nothing about documents"
ANSWERS: dict[Worth, str] = {
    "protected": "Hardly",
    "partly protected": "If already suspected",
    "hardly protected": "From a hint",
    "not protected": "Yes, possibly",
}
WHOLES = {
    "word": "single words",
    "document": "whole documents",
    "person": "all that one person wrote",
    "party": "all that one party holds",
}
DENIABLE: dict[Worth, str] = {
    "protected": "deniable",
    "partly protected": "deniable where nobody suspects them",
    "hardly protected": "hardly deniable: a hint is enough",
    "not protected": "not deniable",
}


def odds(epsilon: float) -> str:
    """By how much the odds of a guess rise at most at `epsilon`: e^epsilon, to two digits or whole.

    >>> odds(0.5), odds(6.0), odds(12.0)
    ('1.6', '403', '160,000')
    """
    factor = exp(epsilon)
    return f"{factor:.1f}" if factor < 10 else f"{float(f'{factor:.2g}' if factor > 1e3 else factor):,.0f}"


def priced(relation: str, epsilon: float, delta: float) -> str:
    """An `epsilon` with the `relation` that it is of, and its `delta`.

    >>> priced("word replace", 6.0, 1e-6), priced("party", inf, 0.0)
    ('epsilon 6 (word replace, delta 1e-06)', 'no bound (party)')
    """
    told = "no bound" if epsilon == inf else f"epsilon {epsilon:.4g}"
    return f"{told} ({relation}{f', delta {delta:g}' if delta else ''})"


def meaning(relation: str, epsilon: float, delta: float, n_words: int) -> str:
    """What `epsilon` at `delta` of a `relation`, among `n_words`, lets one learn who sees all that leaves."""
    unit = relation.split()[0]
    if epsilon == inf:
        return (
            f"{relation}: no promise. Whoever sees what leaves a party may learn everything about a {unit}."
        )
    if epsilon == delta == 0:
        return f"{relation}: what leaves a party says nothing about a {unit}."
    if worth(epsilon, delta, n_words) == NOTHING:
        return (
            f"{relation}: {_bound(epsilon, delta)} is no protection; treat what a {unit} says as known. "
            f"The chance of a guess may rise {chances(epsilon, delta, n_words)}."
        )
    return (
        f"{relation}: whoever sees everything that leaves a party, and knows all other data, raises the odds "
        f"of any guess about one {unit} at most {odds(epsilon)}-fold{_but_for(delta)}, and its chance "
        f"{chances(epsilon, delta, n_words)}."
    )


def _bound(epsilon: float, delta: float) -> str:
    return f"epsilon {epsilon:.4g}{f' at delta {delta:g}' if delta else ''}"


def _but_for(delta: float) -> str:
    return f", but for a chance of {delta:g}" if delta else ""


@dataclass(frozen=True)
class Guarantee:
    """What is proved (`epsilon` at `delta`), and what papers say (`claims`), for neighbors of one `relation`.

    change   what may differ, in plain words
    worth    how far the bound protects: see `worth`
    meaning  what someone who sees everything may learn
    answer   to the question that a reader has about this relation, and why
    """

    relation: Relation
    change: str
    epsilon: float
    delta: float
    claims: tuple[Claim, ...]
    worth: Worth
    meaning: str
    answer: tuple[str, str]


def guarantees(spent: Cost, n_words: int, delta: float) -> list[Guarantee]:
    """What was `spent` as a guarantee for every relation, promised or not, at `delta` and among `n_words`.

    >>> from fedtopics.privacy.mechanisms.histogram import Histogram
    >>> found = guarantees(Histogram(6.0, 10_000).price(), 10_000, 1e-6)
    >>> [(g.relation, g.epsilon, g.worth) for g in found[:3]]  # doctest: +NORMALIZE_WHITESPACE
    [('word add/remove', 6.0, 'hardly protected'), ('word replace', 12.0, 'not protected'),
     ('document add/remove', inf, 'not protected')]
    """
    return [_guarantee(spent, relation, n_words, delta) for relation in RELATIONS]


def _guarantee(spent: Cost, relation: Relation, n_words: int, delta: float) -> Guarantee:
    epsilon, slack = accounting.guarantee(spent.losses_of(relation), delta)
    claims = tuple(claim for claim in spent.claims if claim.relation == relation)
    return bounded(relation, epsilon, slack, n_words, claims)


def bounded(
    relation: Relation, epsilon: float, delta: float, n_words: int, claims: tuple[Claim, ...] = ()
) -> Guarantee:
    """A bound on what may be learned of a `relation`, among `n_words`, as a guarantee."""
    return Guarantee(
        relation=relation,
        change=CHANGES[relation],
        epsilon=epsilon,
        delta=delta,
        claims=claims,
        worth=worth(epsilon, delta, n_words),
        meaning=meaning(relation, epsilon, delta, n_words).removeprefix(f"{relation}: "),
        answer=_answer(relation, epsilon, delta, n_words),
    )


def _answer(relation: Relation, epsilon: float, delta: float, n_words: int) -> tuple[str, str]:
    """Whether someone who sees everything can find out, and why."""
    if epsilon == delta == 0:
        return "No", "What leaves a party does not depend on it."
    found, bound = worth(epsilon, delta, n_words), priced(relation, epsilon, delta)
    if epsilon == inf:
        return ANSWERS[found], f"No promise was made ({relation}): what was sent may give it away."
    rise = f"The chance of a guess may rise {chances(epsilon, delta, n_words)}"
    if found == NOTHING:
        return ANSWERS[found], f"The promise is too weak to mean anything: {bound}. {rise}."
    return ANSWERS[found], f"{rise}, and no further: {bound}."


def in_short(bound: Guarantee) -> str:
    """What a bound protects and how far, as part of a sentence.

    >>> from fedtopics.privacy.mechanisms.histogram import Histogram
    >>> found = guarantees(Histogram(4.0, 10_000).price(), 10_000, 1e-6)
    >>> in_short(found[0])
    'single words partly protected at epsilon 4 (word add/remove)'
    >>> in_short(found[2])
    'whole documents not protected: no bound (document add/remove)'
    """
    link = ":" if bound.epsilon == inf else " at"
    told = priced(bound.relation, bound.epsilon, bound.delta)
    return f"{WHOLES[bound.relation.split()[0]]} {bound.worth}{link} {told}"


def raw_text(bounds: Sequence[Guarantee], promised: str) -> tuple[str, str]:
    """Whether what was sent may show the documents: by `bounds` that are proved, not as `promised`."""
    proved = [bound for bound in bounds if bound.epsilon < inf]
    if not proved:
        return "Yes, possibly", f"Nothing is proved of what was sent. Guarantee of the method: {promised}."
    known = "; ".join(priced(bound.relation, bound.epsilon, bound.delta) for bound in proved)
    if all(bound.worth == NOTHING for bound in proved):
        return "Yes, possibly", f"All that is proved of what was sent is too weak to mean anything: {known}."
    missing = ", ".join(bound.relation for bound in bounds if bound.epsilon == inf)
    unproved = f" Nothing is proved for: {missing}." if missing else ""
    return "No", f"Neither was sent: what left a party went through noise. Proved: {known}.{unproved}"


def counts_documents(spent: Cost) -> bool:
    """Whether the number of documents shows: not where noise on sums hides that one more is there."""
    events = [loss.event for loss in spent.losses_of("document add/remove")]
    return spent != FREE and not all(isinstance(event, GaussianVector) for event in events)


def words_add_up(bounds: Sequence[Guarantee]) -> str | None:
    """From how many words on `bounds` for words say nothing about a document; None without any."""
    by_relation = {bound.relation: bound for bound in bounds}
    single, document = by_relation["word add/remove"], by_relation["document add/remove"]
    if not 0 < single.epsilon < inf or document.worth != NOTHING:
        return None
    if min(document.epsilon, by_relation["person add/remove"].epsilon) <= single.epsilon:
        return None  # words are hidden with the whole that they are in
    n_words = max(2, floor(log(LIMITS["hardly protected"]) / single.epsilon) + 1)
    return (
        f"Promises for words add up: for {n_words} words of a document together they come to "
        f"{n_words * single.epsilon:.4g} and hide nothing any more. Single words are "
        f"{DENIABLE[single.worth]}; what a document is about is not hidden."
    )


def warnings(bounds: Mapping[str, tuple[float, float]], claims: Sequence[Claim], n_words: int) -> list[str]:
    """What to worry about: by proved `bounds` (epsilon, delta), what papers say (`claims`), `n_words`."""
    none = (inf, 0.0)
    epsilons = {relation: epsilon for relation, (epsilon, _) in bounds.items()}
    word, slack = bounds.get("word replace", bounds.get("word add/remove", none))
    document = bounds.get("document add/remove", none)
    hidden, units = worth(word, slack, n_words), ("document", "person")
    whole = min(units, key=lambda unit: epsilons.get(f"{unit} add/remove", inf))
    all_of_it = epsilons.get(f"{whole} add/remove", inf)
    found = []
    if all_of_it < word < inf:
        found.append(
            f"a {whole} is hidden as a whole (epsilon {all_of_it:.3g}); of one that is known to be there, "
            f"a word or what it says has epsilon {word:.3g} alone"
        )
    elif hidden == NOTHING and word < inf:
        found.append(f"word epsilon {word:.3g} protects nothing: no word is deniable")
    elif hidden == "hardly protected":
        rise = chances(word, slack, n_words)
        found.append(f"word epsilon {word:.3g} hardly protects a word: the chance of a guess may rise {rise}")
    if document[0] < inf and worth(*document, n_words) == NOTHING:
        rest = "" if hidden == NOTHING else "; only words are protected"
        found.append(f"document epsilon {document[0]:.4g} promises nothing for documents{rest}")
    for claim in claims:
        proved = epsilons.get(claim.relation, inf)
        if proved > claim.epsilon:
            known = "nothing is" if proved == inf else f"{proved:.4g} is"
            found.append(
                f"the paper claims {claim.relation} epsilon {claim.epsilon:.3g} ({claim.source}); "
                f"{known} proved"
            )
    return found


def privacy_line(
    statements: Sequence[Mapping[str, Any]], noise: str | None = None, *, sent: bool = False
) -> str:
    """What the worst party spent by `statements`: proved bounds, what has none, `noise`, what papers claim.

    `sent` says whether anything was, even if it cost nothing.

    >>> privacy_line([]), privacy_line([], sent=True)
    ('nothing leaves a party', 'what was sent says nothing about documents')
    >>> privacy_line([dict(party="a", relation="word add/remove", epsilon=6.0, delta=0.0, basis="proved")])
    'proved: epsilon 6 (word add/remove)'
    """
    if all(entry["epsilon"] == 0 for entry in statements):
        return SAYS_NOTHING if sent else "nothing leaves a party"
    by_price = sorted(statements, key=lambda entry: float(entry["epsilon"]))
    held = {entry["relation"]: entry for entry in by_price if entry["basis"] != "claimed"}
    claims = {entry["relation"]: entry for entry in by_price if entry["basis"] == "claimed"}
    proved = [_stated(entry) for entry in held.values() if entry["basis"] == "proved"]
    if not proved and not claims:
        return "none: sent in the clear"
    parts = [
        f"proved: {', '.join(proved)}" if proved else "nothing proved",
        ", ".join(_stated(entry) for entry in held.values() if entry["basis"] == "none"),
        "noise simulated from the seed" if noise == "simulated" else "",
        *(f"the paper claims {_stated(claim)}{_doubt(claim, held)}" for claim in claims.values()),
    ]
    return "; ".join(part for part in parts if part)


def _stated(entry: Mapping[str, Any]) -> str:
    return priced(entry["relation"], float(entry["epsilon"]), entry["delta"])


def _doubt(claim: Mapping[str, Any], held: Mapping[str, Mapping[str, Any]]) -> str:
    """What to add to a claim that is not covered by what is proved."""
    known = held.get(claim["relation"], {"epsilon": "inf", "delta": 0.0})
    covered = float(known["epsilon"]) <= float(claim["epsilon"]) and known["delta"] <= claim["delta"]
    return "" if covered else ", which is not proved"
