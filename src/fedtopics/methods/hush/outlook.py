"""What to expect of hush, before a run, from how many documents there are for the noise.

    x = documents / (sigma sqrt(noises)) (5000 / words)^0.7,   sigma the noise multiplier of the whole budget;
                                                        as many noises as parties, where each adds all of it

The share of what topics explain (the fall of log-perplexity from word frequencies to topics without privacy)
that is kept was measured on Enron, Reuters and 20 newsgroups with 1,000 to 30,000 documents, epsilon 1 to 8,
30 topics and 5,000 words (`python -m benchmarks run hush_limits`): it is nearly the same function of x on all
of them. Short documents keep less (speeches of 70 words 0.22 where the curve says 0.32), and so do texts
whose topics explain little (film reviews 0.58 where it says 0.81, at x = 20,000).
"""

from math import exp, sqrt

import numpy as np

from fedtopics.privacy.price.gaussian import noise_multiplier

KEPT = ((2_200, -0.2), (4_000, 0.2), (8_000, 0.55), (15_500, 0.77), (28_000, 0.86), (75_000, 0.9))  # by x
POSSIBLE = 0.1  # share kept, below which topics hardly beat word frequencies
GAIN = 0.8  # what topics explain of typical texts, in nats a word
LITTLE = 0.5  # share


def documents_for_noise(
    amount: float, n_words: int, epsilon: float, delta: float, n_noises: float = 1
) -> float:
    """The x of the curve, for an amount of documents or persons."""
    noise = noise_multiplier(epsilon, delta) * sqrt(n_noises)
    return float(amount / noise * (5000 / n_words) ** 0.7)


def kept(x: float) -> float:
    """The share of what topics explain that is left.

    >>> round(kept(documents_for_noise(25_000, 5000, 8.0, 1e-6)), 2)
    0.87
    """
    places, shares = zip(*KEPT, strict=True)
    return float(np.interp(np.log(max(x, 1.0)), np.log(places), shares))


def hopeless(n_units: float, n_noises: float, n_words: int, epsilon: float, delta: float) -> bool:
    """Whether so many units, a noisy number, are too few for topics to beat word frequencies."""
    return kept(documents_for_noise(n_units, n_words, epsilon, delta, n_noises)) < 0


def expected(
    amount: int, unit: str, epsilon: float, delta: float, n_topics: int, n_words: int, n_noises: float = 1
) -> list[str]:
    """What to tell a user who has such an amount of documents or persons."""
    x = documents_for_noise(amount, n_words, epsilon, delta, n_noises)
    share, most = kept(x), most_topics(x)
    asked = f"{amount:,} {unit}s at epsilon {epsilon:g} ({unit} add/remove, delta {delta:g})"
    better = f"more {unit}s, fewer words, a larger epsilon" + (
        ", noise that parties draw together" if n_noises > 1.5 else ""
    )
    if share < POSSIBLE:
        return [f"not possible: with {asked} topics would not beat word frequencies; take {better}"]
    told = [
        f"expect {share:.0%} of what topics explain to be left with {asked}: a perplexity of about "
        f"{exp(GAIN * (1 - share)):.2f} times that of training without privacy"
    ]
    if share < LITTLE:
        told.append(f"that is little: take {better}")
    if most < n_topics:
        told.append(f"take at most {most} topics, got {n_topics}")
    return told


def of_persons(unit: str, n_documents: int, n_persons: int | None) -> list[str]:
    """What to know where documents name persons."""
    if unit == "document":
        some = n_persons is not None and n_persons < n_documents
        told = 'persons are named, and are not protected as a whole: take unit="person" for that'
        return [told] if some else []
    one_each = "every person has one document here: to protect persons is to protect documents"
    return [one_each] if n_persons == n_documents else []


def most_topics(x: float) -> int:
    """How many topics are worth it: 10 to 20 were best at x = 4,000, 20 to 30 at 8,400, 50 at 15,500."""
    return int(np.clip(round(x / 350, -1), 5, 1000))
