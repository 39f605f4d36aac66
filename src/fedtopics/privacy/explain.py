"""What an epsilon means, in words: the only place that chooses them.

How far an epsilon protects follows from one calculation: whoever sees everything raises the odds of a guess
at most e^epsilon-fold. A word is guessed at 1 in V, V the number of words; anything larger at even odds, or
at 1 in 1,000 by who has more to choose from.

                        protected                         weakly protected              not protected
    a word              up to ln V: stays below 1 in 2    up to ln V + 3: below 95 %    beyond
    anything larger     up to 3: even odds, below 95 %    up to 10: 1 in 1,000, 96 %    beyond
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, floor, inf, log
from typing import Any, Literal, TypeAlias

from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import FREE, RELATIONS, Claim, Cost, Relation
from fedtopics.privacy.price.events import GaussianVector

Worth: TypeAlias = Literal["protected", "weakly protected", "not protected"]

DENIABLE = 3.0  # an epsilon up to which even odds of 1 to 1 stay a guess: at most 95 %
MEANINGLESS = 10.0  # an epsilon that raises a chance of 1 in 1,000 to 96 %
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
    "weakly protected": "To some extent",
    "not protected": "Yes, possibly",
}


def limits(relation: str, n_words: int) -> tuple[float, float]:
    """The largest epsilons of a `relation` that protect, and that do so weakly, among `n_words`."""
    return (log(n_words), log(n_words) + DENIABLE) if _is_word(relation) else (DENIABLE, MEANINGLESS)


def worth(relation: str, epsilon: float, n_words: int) -> Worth:
    """How far an `epsilon` of a `relation` protects, among `n_words`.

    >>> [worth("word add/remove", epsilon, 10_000) for epsilon in (6.0, 12.0, 14.9)]
    ['protected', 'weakly protected', 'not protected']
    """
    strong, weak = limits(relation, n_words)
    return "protected" if epsilon <= strong else "weakly protected" if epsilon <= weak else "not protected"


def scale(n_words: int) -> dict[Worth, str]:
    """Where `worth` draws its lines among `n_words`, for readers of a table."""
    strong, weak = limits("word", n_words)
    return {
        "protected": f"a word cannot be singled out among all words (epsilon at most ln {n_words:,} = "
        f"{strong:.1f}), or a guess at even odds stays below 95 % (epsilon at most {DENIABLE:g})",
        "not protected": f"no bound, or one above {weak:.1f} for a word, {MEANINGLESS:g} for anything larger",
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
    if epsilon == 0:
        return f"{relation}: what leaves a party says nothing about a {unit}."
    if worth(relation, epsilon, n_words) == "not protected":
        return f"{relation}: epsilon {epsilon:.4g} is no protection; treat what a {unit} says as known."
    text = (
        f"{relation}: whoever sees everything that leaves a party, and knows all other data, raises the odds "
        f"of any guess about one {unit} at most {odds(epsilon)}-fold"
    )
    if _is_word(relation):
        text += f" (a word guessed at 1 in {n_words:,}: at most {_chance(epsilon, n_words)})"
    return text + (f", but for a chance of {delta:g}." if delta else ".")


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
    [('word add/remove', 6.0, 'protected'), ('word replace', 12.0, 'weakly protected'),
     ('document add/remove', inf, 'not protected')]
    """
    return [_guarantee(spent, relation, n_words, delta) for relation in RELATIONS]


def _guarantee(spent: Cost, relation: Relation, n_words: int, delta: float) -> Guarantee:
    epsilon, slack = accounting.guarantee(spent.losses_of(relation), delta)
    return Guarantee(
        relation=relation,
        change=CHANGES[relation],
        epsilon=epsilon,
        delta=slack,
        claims=tuple(claim for claim in spent.claims if claim.relation == relation),
        worth=worth(relation, epsilon, n_words),
        meaning=meaning(relation, epsilon, slack, n_words).removeprefix(f"{relation}: "),
        answer=_answer(relation, epsilon, slack, n_words),
    )


def _answer(relation: Relation, epsilon: float, delta: float, n_words: int) -> tuple[str, str]:
    """Whether someone who sees everything can find out, and why."""
    if epsilon == 0:
        return "No", "What leaves a party does not depend on it."
    found, bound = worth(relation, epsilon, n_words), priced(relation, epsilon, delta)
    if epsilon == inf:
        return ANSWERS[found], f"No promise was made ({relation}): what was sent may give it away."
    if found == "not protected":
        return ANSWERS[found], f"The promise is too weak to mean anything: {bound}."
    reason = f"The odds of a guess rise at most {odds(epsilon)}-fold: {bound}."
    if _is_word(relation):
        chance = _chance(epsilon, n_words)
        reason += f" A guess that was right 1 in {n_words:,} times is right at most {chance} of the time."
    return ANSWERS[found], reason


def raw_text(bounds: Sequence[Guarantee], promised: str) -> tuple[str, str]:
    """Whether what was sent may show the documents: by `bounds` that are proved, not as `promised`."""
    proved = [bound for bound in bounds if bound.epsilon < inf]
    if not proved:
        return "Yes, possibly", f"Nothing is proved of what was sent. Guarantee of the method: {promised}."
    known = "; ".join(priced(bound.relation, bound.epsilon, bound.delta) for bound in proved)
    if all(bound.worth == "not protected" for bound in proved):
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
    if not 0 < single.epsilon < inf or document.worth != "not protected":
        return None
    if min(document.epsilon, by_relation["person add/remove"].epsilon) <= single.epsilon:
        return None  # words are hidden with the whole that they are in
    n_words = max(2, floor(MEANINGLESS / single.epsilon) + 1)
    return (
        f"Promises for words add up: for {n_words} words of a document together they come to "
        f"{n_words * single.epsilon:.4g} and hide nothing any more. Single words are "
        f"{'' if single.worth == 'protected' else 'hardly '}deniable; what a document is about is not hidden."
    )


def warnings(epsilons: Mapping[str, float], claims: Sequence[Claim], n_words: int) -> list[str]:
    """What to worry about, from the `epsilons` of relations, what papers say (`claims`), and `n_words`."""
    found = []
    word = epsilons.get("word replace", epsilons.get("word add/remove", inf))
    hidden = worth("word replace", word, n_words)
    units = {unit: epsilons.get(f"{unit} add/remove", inf) for unit in ("document", "person")}
    whole = min(units, key=lambda unit: units[unit])
    if units[whole] < word < inf:
        found.append(
            f"a {whole} is hidden as a whole (epsilon {units[whole]:.3g}); of one that is known to be there, "
            f"a word or what it says has epsilon {word:.3g} alone"
        )
    elif hidden == "not protected" and word < inf:
        found.append(f"word epsilon {word:.3g} protects nothing: no word is deniable")
    elif hidden == "weakly protected":
        found.append(
            f"word epsilon {word:.3g} is at least ln V = {log(n_words):.1f}: it lets an adversary "
            "single out a word among all others, so it protects little beyond plausible deniability"
        )
    document = epsilons.get("document add/remove", inf)
    if document < inf and worth("document add/remove", document, n_words) == "not protected":
        rest = "" if hidden == "not protected" else "; only words are protected"
        found.append(f"document epsilon {document:.4g} promises nothing for documents{rest}")
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


def _is_word(relation: str) -> bool:
    return relation.startswith("word")


def _chance(epsilon: float, n_words: int) -> str:
    """How likely a word that was guessed at 1 in n_words becomes at most."""
    return f"{100 / (1 + (n_words - 1) * exp(-epsilon)):.2g} %"
