"""What a planned run costs and means, in plain words, before any data is touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log, sqrt

from fedtopics.privacy.forecast import predicted_ratio, surplus
from fedtopics.privacy.mechanisms.bounds import check_size
from fedtopics.privacy.price.cost import FREE, NO_BOUND, Cost
from fedtopics.privacy.price.events import DiscreteLaplace, ZeroConcentrated
from fedtopics.privacy.price.ledger import Ledger

TOO_NOISY = 1.4  # times the perplexity without noise
MEANINGLESS = 20.0  # an epsilon that multiplies odds by 500 million
PURPOSE = (
    "Anyone may learn the topics and, roughly, how often each party uses each word: the run is for that."
)


@dataclass(frozen=True)
class PublicFacts:
    """What is known, or guessed from public knowledge, about the data; None where nothing is."""

    n_words: int
    n_topics: int | None = None
    n_documents: int | None = None
    n_distinct: int | None = None

    def __post_init__(self) -> None:
        check_size("number of words", self.n_words, minimum=2)
        for name in ("n_topics", "n_documents", "n_distinct"):
            if getattr(self, name) is not None:
                check_size(name.replace("n_", "number of "), getattr(self, name))


@dataclass(frozen=True)
class Explanation:
    """Statements for each relation, what is public, what it means, and what to worry about."""

    statements: list[dict[str, float | str]]
    public: list[str]
    meaning: list[str]
    warnings: list[str]


def explain(plan: Sequence[Cost], facts: PublicFacts, delta: float = 1e-6) -> Explanation:
    """Explain the releases that one party plans (`Method.prices`)."""
    if not plan:
        return Explanation([], ["nothing leaves a party"], ["Nothing leaves a party."], [])
    ledger = Ledger(delta=delta)
    for number, cost in enumerate(plan):
        ledger.charge("each party", number, cost)
    statements = ledger.statements()
    spent = ledger.spent("each party")
    proved = {
        row["relation"]: (_number(row), float(row["delta"]))
        for row in statements
        if row["basis"] != "claimed"
    }
    return Explanation(
        statements,
        _public(plan, facts),
        [
            *([PURPOSE] if spent.relations else []),
            *(meaning(str(relation), *bound, facts.n_words) for relation, bound in proved.items()),
            *_forecast(spent, facts),
        ],
        _warnings({str(r): e for r, (e, _) in proved.items()}, spent, facts),
    )


def _number(row: dict[str, float | str]) -> float:
    return inf if row["epsilon"] == "inf" else float(row["epsilon"])


def _public(plan: Sequence[Cost], facts: PublicFacts) -> list[str]:
    public = [
        f"the vocabulary of {facts.n_words:,} words (a public list, or paid for by agreeing on it)",
        "the number of documents of each party",
        "all settings of the method, and when it stops",
    ]
    if any(_shows_lengths(cost) for cost in plan):
        public.append("the number of words of each document: it shows in the number of reports")
    return public


def _shows_lengths(cost: Cost) -> bool:
    """Whether a word replaced is all that is protected: then one more shows. Without a bound, who knows."""
    replaced = cost.losses_of("word replace")
    return (
        cost != FREE
        and "word add/remove" not in cost.relations
        and NO_BOUND not in [loss.event for loss in replaced]
    )


def odds(epsilon: float) -> str:
    """e^epsilon, to two digits or whole: by how much the odds of a guess rise at most.

    >>> odds(0.5), odds(6.0), odds(12.0)
    ('1.6', '403', '160,000')
    """
    factor = exp(epsilon)
    return f"{factor:.1f}" if factor < 10 else f"{float(f'{factor:.2g}' if factor > 1e3 else factor):,.0f}"


def meaning(relation: str, epsilon: float, delta: float, n_words: int) -> str:
    """What a bound lets someone learn who sees all that leaves a party, as one sentence or two."""
    unit = relation.split()[0]
    if epsilon == inf:
        return (
            f"{relation}: no promise. Whoever sees what leaves a party may learn everything about a {unit}."
        )
    if epsilon == 0:
        return f"{relation}: what leaves a party says nothing about a {unit}."
    if epsilon > MEANINGLESS:
        return f"{relation}: epsilon {epsilon:.4g} is no protection; treat what a {unit} says as known."
    factor = exp(epsilon)
    text = (
        f"{relation}: whoever sees everything that leaves a party, and knows all other data, raises the odds "
        f"of any guess about one {unit} at most {odds(epsilon)}-fold"
    )
    if unit == "word":
        chance = 100 * factor / (factor + n_words - 1)
        shown = f"{chance:.2g}" if chance < 99.5 else "100"
        text += f" (a word guessed at 1 in {n_words:,}: at most {shown} %)"
    return text + (f", but for a chance of {delta:g}." if delta else ".")


def _warnings(epsilons: dict[str, float], spent: Cost, facts: PublicFacts) -> list[str]:
    warnings = []
    word = epsilons.get("word replace", epsilons.get("word add/remove", inf))
    if MEANINGLESS < word < inf:
        warnings.append(f"word epsilon {word:.3g} protects nothing: no word is deniable")
    elif log(facts.n_words) <= word < inf:
        warnings.append(
            f"word epsilon {word:.3g} is at least ln V = {log(facts.n_words):.1f}: it lets an adversary "
            "single out a word among all others, so it protects little beyond plausible deniability"
        )
    document = epsilons.get("document add/remove", inf)
    if MEANINGLESS < document < inf:
        rest = "; only words are protected" if word <= MEANINGLESS else ""
        warnings.append(f"document epsilon {document:.4g} promises nothing for documents{rest}")
    if facts.n_distinct is not None:
        for rate in _histogram_rates(spent):
            warnings += _utility(rate, facts.n_words, facts.n_distinct)
    warnings += _drowned(spent, facts)
    for claim in spent.claims:
        proved = epsilons.get(claim.relation, inf)
        if proved > claim.epsilon:
            known = "nothing is" if proved == inf else f"{proved:.4g} is"
            warnings.append(
                f"the paper claims {claim.relation} epsilon {claim.epsilon:.3g} ({claim.source}); "
                f"{known} proved"
            )
    return list(dict.fromkeys(warnings))


def _histogram_rates(spent: Cost) -> list[float]:
    """Epsilon of the noise on each count of a histogram."""
    events = [loss.event for loss in spent.losses_of("word replace")]
    return [e.epsilon for e in events if isinstance(e, DiscreteLaplace) and e.sensitivity == 1]


def _utility(epsilon: float, n_words: int, n_distinct: int) -> list[str]:
    ratio = predicted_ratio(epsilon, n_words, n_distinct)
    if ratio >= TOO_NOISY:
        return ["epsilon is too small for this vocabulary: expect a model no better than the private unigram"]
    if surplus(epsilon, n_words, n_distinct) < 0:
        return [
            f"epsilon is small for this vocabulary: noisy histograms would lose about {ratio - 1:.0%} in "
            "perplexity; use fewer words or longer documents"
        ]
    return []


def _forecast(spent: Cost, facts: PublicFacts) -> list[str]:
    """The quality to expect from noisy histograms, where the user gave the figures."""
    if facts.n_distinct is None:
        return []
    ratios = [predicted_ratio(rate, facts.n_words, facts.n_distinct) for rate in _histogram_rates(spent)]
    return [f"Expect a perplexity of about {r:.2f} times that of training without noise." for r in ratios]


def _drowned(spent: Cost, facts: PublicFacts) -> list[str]:
    """Whether central noise outweighs everything that the documents could add up to."""
    rhos = [
        loss.event.rho
        for loss in spent.losses_of("document add/remove")
        if isinstance(loss.event, ZeroConcentrated)
    ]
    if not rhos or facts.n_documents is None or max(rhos) == 0:
        return []
    cells = facts.n_words * (facts.n_topics or 1)
    noise = sqrt(cells / (2 * max(rhos)))
    if noise < facts.n_documents:
        return []
    return [
        f"the budget is too small for {facts.n_documents:,} documents: noise of norm {noise:,.0f} on "
        f"{cells:,} cells outweighs all of them; use more documents, fewer words or a larger epsilon"
    ]
