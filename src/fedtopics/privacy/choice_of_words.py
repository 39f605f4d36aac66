r"""Which candidate words enough parties hold, judged by each party's own votes against its own noise.

A party that proposed a word holds it. Of the others the server has noisy votes, in deviations x of the noise:
where j holders are missing of those that must hold it, the j-th largest x of the n others decides, and

    p = 1 - Phi(x)^(n - j + 1)

is the chance that noise alone gets so far when fewer than j of them hold the word. The words that the same
parties proposed are judged together (Y. Benjamini, Y. Hochberg, Controlling the false discovery rate, JRSS B
57, 1995): the k with the smallest p are taken for the largest k of which the last has p <= STRAY k / m, m
their number. So of what a party brings in, a share of at most STRAY is on average held by too few, be it a
flood that nobody else holds, and the words of others are not judged by its flood. Noise added before, all
this is post-processing and costs nothing.
"""

import numpy as np
from numpy.typing import NDArray

STRAY = 0.05


def held(proposed: NDArray[np.bool_], deviations: NDArray[np.float64], min_parties: int) -> NDArray[np.bool_]:
    """Which words at least `min_parties` parties hold; both arrays are parties x words."""
    proposers = proposed.sum(axis=0)
    taken: NDArray[np.bool_] = proposers >= min_parties
    _, group = np.unique(proposed, axis=1, return_inverse=True)
    group = group.ravel()
    for number in np.unique(group[~taken]):
        words = np.flatnonzero(group == number)
        others = ~proposed[:, words[0]]
        missing = min_parties - int(proposers[words[0]])
        if missing <= others.sum():
            taken[words] = _taken(_chances(deviations[others][:, words], missing))
    return taken


def capped(votes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Votes of parties (parties x words) from zero to the largest of the party that has the second largest.

    How many documents a party has is its own affair, so how many votes it may have is judged by the others.
    """
    if not votes.size:
        return votes
    most = np.sort(votes.max(axis=1))[-2:][0]
    return np.clip(votes, 0.0, max(most, 0.0))


def _chances(deviations: NDArray[np.float64], missing: int) -> NDArray[np.float64]:
    """p of each word, from the parties that did not propose it."""
    from scipy.stats import norm

    n_others = len(deviations)
    decisive = np.sort(deviations, axis=0)[n_others - missing]
    found: NDArray[np.float64] = -np.expm1((n_others - missing + 1) * norm.logcdf(decisive))
    return found


def _taken(chances: NDArray[np.float64]) -> NDArray[np.bool_]:
    order = np.argsort(chances, kind="stable")
    n_words = len(chances)
    below = np.flatnonzero(chances[order] <= STRAY * np.arange(1, n_words + 1) / n_words)
    taken = np.zeros(n_words, dtype=bool)
    if len(below):
        taken[order[: below[-1] + 1]] = True
    return taken
