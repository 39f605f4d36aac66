"""What a planned run costs, means and gives up in quality, before any data is touched."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np

from fedtopics.errors import InputError
from fedtopics.privacy.explain import ANSWERS, counts_documents, meaning, odds, priced, warnings
from fedtopics.privacy.grades import Rise, Worth, rises, worth
from fedtopics.privacy.mechanisms.bounds import check_size
from fedtopics.privacy.price.cost import FREE, NO_BOUND, Cost
from fedtopics.privacy.price.events import DiscreteLaplace, GaussianVector, ZeroConcentrated
from fedtopics.privacy.price.ledger import Ledger

TOO_NOISY = 1.4  # times the perplexity without noise
PURPOSE = (
    "Anyone may learn the topics and, roughly, how often each party uses each word: the run is for that."
)
# Perplexity relative to training without noise, at x = epsilon - ln(n_words / distinct words per document).
MEASURED_LOSS = ((-2.0, 1.27), (-1.0, 1.13), (0.0, 1.055), (1.0, 1.022), (2.0, 1.006), (3.0, 1.0))
# The same of short texts, of one topic each (`python -m benchmarks run short_forecast`).
SHORT_LOSS = ((-3.4, 1.97), (-2.5, 1.47), (-2.0, 1.38), (-1.0, 1.19), (0.0, 1.1), (1.0, 1.04), (3.0, 1.0))
# And of texts as short that are mixtures, by the same command.
MIXED_LOSS = ((-3.4, 2.27), (-2.5, 1.72), (-2.0, 1.58), (-1.0, 1.27), (0.0, 1.18), (1.0, 1.13), (2.5, 1.07))
FEW_WORDS = 10.0  # different words of a text, at most, that is lost as quickly


def surplus(epsilon: float, n_words: int, distinct_words: float) -> float:
    """The x of the forecast: how far `epsilon` exceeds what `n_words` and `distinct_words` ask for."""
    if not (n_words > 0 and 0 < distinct_words <= n_words):
        raise InputError(f"distinct words must lie between 0 and n_words = {n_words}, got {distinct_words}")
    return epsilon - log(n_words / distinct_words)


def predicted_ratio(epsilon: float, n_words: int, distinct_words: float, *, short: bool = False) -> float:
    """Expected perplexity at `epsilon` with `n_words`, relative to training without noise.

    `distinct_words` is a guess of the distinct words per document, given by the user: never read from private
    data. The curve was measured (docs/methods/calm.md), those of `short` texts of one topic each, and of
    mixtures in texts of few words, by themselves (docs/how-to/short-texts.md); below its first point each
    goes on as a straight line.

    >>> [round(predicted_ratio(6.0, 8000, distinct), 2) for distinct in (100, 5)]
    [1.01, 1.39]
    """
    x = surplus(epsilon, n_words, distinct_words)
    mixed = MIXED_LOSS if distinct_words <= FEW_WORDS else MEASURED_LOSS
    at, ratios = zip(*(SHORT_LOSS if short else mixed), strict=True)
    slope = (ratios[1] - ratios[0]) / (at[1] - at[0])
    return float(np.interp(x, at, ratios) + slope * min(0.0, x - at[0]))


@dataclass(frozen=True)
class PublicFacts:
    """Public or guessed: `n_words`, `n_topics`, `n_documents`, `n_distinct` words of each; None: unknown.

    short   whether texts are of one topic each, as short ones are in CALM
    """

    n_words: int
    n_topics: int | None = None
    n_documents: int | None = None
    n_distinct: int | None = None
    short: bool = False

    def __post_init__(self) -> None:
        check_size("number of words", self.n_words, minimum=2)
        for name in ("n_topics", "n_documents", "n_distinct"):
            if getattr(self, name) is not None:
                check_size(name.replace("n_", "number of "), getattr(self, name))


@dataclass(frozen=True)
class Explanation:
    """`statements` by relation, what is `public`, the `meaning` of it all, `warnings` and the `outlook`."""

    statements: list[dict[str, float | str]]
    public: list[str]
    meaning: list[str]
    warnings: list[str]
    outlook: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Prospect:
    """What another `epsilon` would promise and cost: a forecast, for a run like one that was made.

    told    the bound with its relation
    worth   how far it protects, and the `answer` to whether someone can find out
    odds    by how many times the odds of a guess rise at most
    rises   what guesses may become
    ratio   expected perplexity relative to training without noise; None where nobody knows
    """

    epsilon: float
    told: str
    worth: Worth
    answer: str
    odds: str
    rises: tuple[Rise, ...]
    ratio: float | None


def prospects(
    relation: str,
    epsilons: Sequence[float],
    delta: float,
    n_words: int,
    ratio: Callable[[float], float | None] = lambda epsilon: None,
) -> list[Prospect]:
    """What each of the `epsilons` of a `relation` would promise at `delta` among `n_words`, and cost.

    >>> [(p.worth, p.odds) for p in prospects("word add/remove", [1.0, 6.0], 0.0, 8000)]
    [('protected', '2.7'), ('hardly protected', '403')]
    """
    found = []
    for epsilon in epsilons:
        graded = worth(epsilon, delta, n_words)
        found.append(
            Prospect(
                epsilon,
                priced(relation, epsilon, delta),
                graded,
                ANSWERS[graded],
                odds(epsilon),
                rises(epsilon, delta, n_words),
                ratio(epsilon),
            )
        )
    return found


def explain_prices(prices: Sequence[Cost], facts: PublicFacts, delta: float = 1e-6) -> Explanation:
    """Explain the `prices` of one party's releases (`Method.prices`) by public `facts`, at `delta`."""
    if not prices:
        return Explanation([], ["nothing leaves a party"], ["Nothing leaves a party."], [])
    ledger = Ledger(delta=delta)
    for number, cost in enumerate(prices):
        ledger.charge("each party", number, cost)
    statements, spent = ledger.statements(), ledger.spent("each party")
    proved = {str(row["relation"]): row for row in statements if row["basis"] != "claimed"}
    bounds = {name: (float(row["epsilon"]), float(row["delta"])) for name, row in proved.items()}
    told = [meaning(name, *bound, facts.n_words) for name, bound in bounds.items()]
    return Explanation(
        statements,
        _public(prices, facts),
        [*([PURPOSE] if spent.relations else []), *told, *_expected(spent, facts)],
        warnings(bounds, spent.claims, facts.n_words) + _too_noisy(spent, facts) + _drowned(spent, facts),
    )


def _public(prices: Sequence[Cost], facts: PublicFacts) -> list[str]:
    public = [
        f"the vocabulary of {facts.n_words:,} words (a public list, or paid for by agreeing on it)",
        "all settings of the method, and when it stops",
    ]
    if any(map(counts_documents, prices)):
        public.append("the number of documents of each party")
    if any(_shows_lengths(cost) for cost in prices):
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


def _histogram_rates(spent: Cost) -> list[float]:
    """Epsilon of the noise on each count of a histogram."""
    events = [loss.event for loss in spent.losses_of("word replace")]
    return [e.epsilon for e in events if isinstance(e, DiscreteLaplace) and e.sensitivity == 1]


def _too_noisy(spent: Cost, facts: PublicFacts) -> list[str]:
    """Whether noisy histograms are worth training on, where the user gave the figures."""
    if facts.n_distinct is None:
        return []
    found = []
    for rate in _histogram_rates(spent):
        ratio = predicted_ratio(rate, facts.n_words, facts.n_distinct, short=facts.short)
        if ratio >= TOO_NOISY:
            found.append(
                "epsilon is too small for this vocabulary: expect a model no better than the private unigram"
            )
        elif surplus(rate, facts.n_words, facts.n_distinct) < 0:
            found.append(
                f"epsilon is small for this vocabulary: noisy histograms would lose about {ratio - 1:.0%} in "
                "perplexity; use fewer words or longer documents"
            )
    return list(dict.fromkeys(found))


def _expected(spent: Cost, facts: PublicFacts) -> list[str]:
    """The quality to expect from noisy histograms, where the user gave the figures."""
    if facts.n_distinct is None:
        return []
    words, distinct = facts.n_words, facts.n_distinct
    ratios = [predicted_ratio(rate, words, distinct, short=facts.short) for rate in _histogram_rates(spent)]
    return [f"Expect a perplexity of about {r:.2f} times that of training without noise." for r in ratios]


def _drowned(spent: Cost, facts: PublicFacts) -> list[str]:
    """Whether central noise outweighs everything that the documents could add up to."""
    multipliers = list(_multipliers(spent))
    if not multipliers or facts.n_documents is None:
        return []
    cells = facts.n_words * (facts.n_topics or 1)
    noise = sqrt(cells) * min(multipliers)
    if noise < facts.n_documents:
        return []
    return [
        f"the budget is too small for {facts.n_documents:,} documents: noise of norm {noise:,.0f} on "
        f"{cells:,} cells outweighs all of them; use more documents, fewer words or a larger epsilon"
    ]


def _multipliers(spent: Cost) -> Iterator[float]:
    """Deviations of central noise, in units of what one document may add."""
    for loss in spent.losses_of("document add/remove"):
        match loss.event:
            case ZeroConcentrated(rho) if rho > 0:
                yield sqrt(1 / (2 * rho))
            case GaussianVector(sigma, sensitivity):
                yield sigma / sensitivity
