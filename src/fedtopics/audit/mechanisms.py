"""An audit of one mechanism: two neighbors, a coin, and the likelihood ratio of what was released.

The attacker knows both neighbors and the law of the mechanism, and not the coin. Every trial is a release of
its own, so trials are independent and error rates may be counted. The neighbors are those that the proofs of
the mechanisms call the worst: a word against none or another, a document of the longest length whose words
are all different against none or another.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.audit.guesses import Reached, Scored, reached
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.bounds import UNBOUNDED
from fedtopics.privacy.mechanisms.mechanism import Made, Mechanism, public_facts
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Relation
from fedtopics.privacy.price.events import Gaussian, GaussianVector

Data: TypeAlias = tuple[NDArray[Any], ...]
N_TRIALS = 20_000  # whose coins are known, and as many that are guessed
AT_ONCE = 2000  # rows of one release; of sums there is one
SMALLEST = 1e-300
GAUSSIAN = (Gaussian, GaussianVector)  # coarse discrete noise has a law of its own


def audit_mechanism(
    known: Mechanism, made: Made, relation: Relation, *, n_trials: int = N_TRIALS, delta: float, seed: int = 0
) -> Reached:
    """What the likelihood ratio reaches of a mechanism that was `made`, between the worst neighbors."""
    if known.law is None:
        raise InputError(f"expected a mechanism whose law can be listed, got {known.name}")
    if relation not in made.price().relations:
        raise InputError(f"{known.name} states no price for {relation}; it does for {made.price().relations}")
    pair = neighbors(known, made, relation)
    learned, guessed = (trials(known, made, pair, n_trials, seed + start) for start in (0, n_trials))
    normal = all(isinstance(loss.event, GAUSSIAN) for loss in made.price().losses_of(relation))
    return reached(learned, guessed, delta=delta, independent=True, gaussian=normal and delta > 0)


def proved(made: Made, relation: Relation, delta: float) -> float:
    """The epsilon that is proved at this delta."""
    return accounting.epsilon(made.price().losses_of(relation), delta)


def trials(known: Mechanism, made: Made, pair: tuple[Data, Data], n_trials: int, seed: int) -> Scored:
    """The logarithm of the likelihood ratio of each release, and its coin."""
    if known.law is None:
        raise InputError(f"expected a mechanism whose law can be listed, got {known.name}")
    coins = np.random.default_rng(seed).random(n_trials) < 0.5
    otherwise, there = (np.log(np.maximum(known.law.chances(made, *data), SMALLEST)) for data in pair)
    at_once = 1 if known.takes == "vectors" else AT_ONCE
    scores = []
    for first in range(0, n_trials, at_once):
        tossed = coins[first : first + at_once]
        data = _side_by_side([pair[int(coin)] for coin in tossed])
        released = made(*data, Noise.simulated(seed, "audit", first, "canaries")).value
        cells = known.law.read(made, released).reshape(len(tossed), -1)
        place = np.arange(cells.shape[1])
        scores.append((there[place, cells] - otherwise[place, cells]).sum(axis=1))
    return Scored(np.concatenate(scores), coins)


def neighbors(known: Mechanism, made: Any, relation: Relation) -> tuple[Data, Data]:
    """The worst neighbors: without, and with."""
    if known.takes == "vectors":
        return _rows(made, relation)
    facts = public_facts(made)
    longest = facts.get("bounds", UNBOUNDED).max_length
    if relation == "word add/remove" and longest is not None:  # a word more pushes the last one over the edge
        before = [1] * (longest - 1) + [0]
        return _document(known, before), _document(known, [1, *before][:longest])
    if relation.startswith("word"):
        return _document(known, [1] if relation == "word replace" else []), _document(known, [0])
    words = list(range(longest or 1))
    if facts.get("n_words", 2 * len(words)) < 2 * len(words):
        raise InputError(f"expected at least {2 * len(words)} words for two documents that share none")
    other = [word + len(words) for word in words] if relation == "document replace" else []
    return _document(known, other), _document(known, words)


def _document(known: Mechanism, words: list[int]) -> Data:
    """One document, as the mechanism takes it."""
    tokens, offsets = np.array(words, np.int32), np.array([0, len(words)], np.int64)
    if known.takes == "words":
        return (tokens,)
    return (tokens, offsets) if known.takes == "documents" else (tokens, offsets, offsets)


def _rows(made: Any, relation: Relation) -> tuple[Data, Data]:
    """One row of the largest norm, against none or its opposite."""
    row = np.array([[float(made.clip), 0.0]])
    opposite = -row if relation.endswith("replace") else np.zeros_like(row)
    return (opposite,), (row,)


def _side_by_side(parts: list[Data]) -> Data:
    """Many documents, each released on its own, in one call."""
    if len(parts) == 1:
        return parts[0]
    tokens = np.concatenate([part[0] for part in parts])
    if len(parts[0]) == 1:
        return (tokens,)
    offsets = np.concatenate([[0], np.cumsum([len(part[0]) for part in parts])])
    return (tokens, *(offsets for _ in parts[0][1:]))
