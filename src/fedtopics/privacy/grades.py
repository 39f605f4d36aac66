"""How far a bound protects, in one word: the only function that decides it, whoever prints it.

Someone who sees everything has a guess about what is protected, right 1 time in n. By (epsilon, delta) it is
right at most

    (e^epsilon + (n - 1) delta) / (e^epsilon + n - 1)

of the time afterwards. Proof: let the secret be one of n values, each as likely, and A the guess that is made
of what was released. For every pair Pr[A = v | v] <= e^epsilon Pr[A = v | w] + delta; add this up over all v
and w != v, and solve for the share of right guesses. For what is there or is not, at 1 in n, the
same follows from Kairouz, Oh and Viswanath (2015): a release tells no more than one that says the truth with
chance delta, and else answers at epsilon, where Bayes gives e^epsilon / (e^epsilon + n - 1).

The word follows from this share at three n: 2 (a suspicion), 100 (a hint), and V, the number of words (only
the vocabulary). A bound gets the first word whose limits it keeps at all three:

                         1 in 2 becomes at most   1 in 100 becomes at most   1 in V becomes at most
    protected            75 %                     2.9 %                      3 / (V + 2)
    partly protected     99 %                     50 %                       99 / (V + 98)
    hardly protected     99.99 %                  99 %                       9801 / (V + 9800)
    not protected        anything beyond

The limits of one line are one factor on the odds (3, 99, 9801), so without a delta the vocabulary changes
nothing: a word is not safer because there are many others. With a delta the rare guess gains most: a larger
vocabulary makes the word harsher, never kinder. It is the same for a word, a document and a person.
"""

from dataclasses import dataclass
from math import exp, inf
from typing import Literal, TypeAlias

Worth: TypeAlias = Literal["protected", "partly protected", "hardly protected", "not protected"]

SUSPICION, HINT = 2, 100
GUESSES = ("a suspicion", "a hint", "the vocabulary alone")  # what a guess starts from, by priors
LIMITS: dict[Worth, float] = {"protected": 3.0, "partly protected": 99.0, "hardly protected": 9801.0}
NOTHING: Worth = "not protected"
WORDS: tuple[Worth, ...] = (*LIMITS, NOTHING)  # the kindest first
LARGEST = 700.0  # an epsilon beyond which e^epsilon is no number
CERTAIN = 0.9999  # a share of right guesses beyond which one may as well know


def priors(n_words: int) -> tuple[int, int, int]:
    """The three n of a guess that is right 1 time in n, among `n_words`."""
    return SUSPICION, HINT, max(2, n_words)


def chance(epsilon: float, delta: float, n: int) -> float:
    """How often a guess that was right 1 time in `n` is right at most, by `epsilon` and `delta`.

    >>> [round(chance(6.0, 0.0, n), 3) for n in (2, 100, 8000)]
    [0.998, 0.803, 0.048]
    """
    if epsilon == inf:
        return 1.0
    missed = (n - 1) * exp(-epsilon)
    return min(1.0, (1 + missed * delta) / (1 + missed))


def odds_factor(epsilon: float, delta: float, n: int) -> float:
    """By how much the odds of a guess at 1 in `n` rise at most: e^`epsilon` where there is no `delta`."""
    if epsilon > LARGEST or delta >= 1:
        return inf
    return (exp(epsilon) + delta * (n - 1)) / (1 - delta)


def worth(epsilon: float, delta: float, n_words: int) -> Worth:
    """How far `epsilon` at `delta` protects where there are `n_words`.

    >>> [worth(epsilon, 0.0, 10_000) for epsilon in (1.0, 4.0, 6.0, 14.9)]
    ['protected', 'partly protected', 'hardly protected', 'not protected']
    >>> worth(1.0, 0.01, 10_000)  # one in a hundred is told in full
    'hardly protected'
    """
    factor = max(odds_factor(epsilon, delta, n) for n in priors(n_words))
    return next((word for word, most in LIMITS.items() if factor <= most * (1 + 1e-9)), NOTHING)


def chances(epsilon: float, delta: float, n_words: int) -> str:
    """To what `epsilon` and `delta` let the chance of a guess rise, from each of the three among `n_words`.

    >>> chances(6.0, 0.0, 8000)
    'from 1 in 2 to 99.75 %, from 1 in 100 to 80.3 %, from 1 in 8,000 to 4.8 %'
    """
    known = sorted(set(priors(n_words)))
    return ", ".join(f"from 1 in {n:,} to {percent(chance(epsilon, delta, n))}" for n in known)


@dataclass(frozen=True)
class Rise:
    """What a guess that is right 1 time in `n` may become: right a `share` of the time, in words `told`."""

    guess: str
    n: int
    share: float
    told: str


def rises(epsilon: float, delta: float, n_words: int) -> tuple[Rise, ...]:
    """What each of the three guesses among `n_words` may become by `epsilon` and `delta`.

    >>> [(rise.guess, rise.told) for rise in rises(6.0, 0.0, 8000)]
    [('a suspicion', '99.75 %'), ('a hint', '80.3 %'), ('the vocabulary alone', '4.8 %')]
    """
    shares = (
        (guess, n, chance(epsilon, delta, n)) for guess, n in zip(GUESSES, priors(n_words), strict=True)
    )
    return tuple(Rise(guess, n, share, percent(share)) for guess, n, share in shares)


def percent(share: float) -> str:
    """A `share` of right guesses; no rounding makes a guess certain, and none that is certain a guess.

    >>> percent(0.8030), percent(0.99899), percent(0.99995)
    ('80.3 %', '99.90 %', 'all but certain')
    """
    if share > CERTAIN:
        return "all but certain"
    return f"{100 * share:.2f} %" if share > 0.99 else f"{100 * share:.3g} %"


def scale(n_words: int) -> dict[Worth, str]:
    """What each word means among `n_words`, for readers of a table: the most that a guess may become."""
    told: dict[Worth, str] = {
        word: ", ".join(
            f"1 in {n:,} to at most {percent(most / (most + n - 1))}" for n in sorted(set(priors(n_words)))
        )
        for word, most in LIMITS.items()
    }
    return told | {NOTHING: "no bound, or one beyond that"}
