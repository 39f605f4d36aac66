"""From a budget to the parameter of a mechanism: the least noise that keeps it.

    calibrate("histogram", "document add/remove", epsilon=8, n_words=5000, bounds=Bounds(max_length=50))

searches the mechanism's own parameter (an epsilon, a deviation, a noise rate) by bisection on what
`accounting` proves for all rounds together, so whatever it returns has been checked against the budget.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from math import exp, inf, log
from typing import Any

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.bit_vector import bit_vector
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.mechanisms.gaussian_counts import GaussianCounts
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.hybrid_categorical import hybrid_categorical
from fedtopics.privacy.mechanisms.one_hot import OneHot
from fedtopics.privacy.mechanisms.randomized_response import RandomizedResponse
from fedtopics.privacy.mechanisms.subset_selection import SubsetSelection
from fedtopics.privacy.mechanisms.truncated_response import TruncatedResponse
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Cost, Loss, Relation, check_relation
from fedtopics.privacy.price.events import check_delta, check_number


@dataclass(frozen=True)
class Knob:
    """The parameter of a mechanism that sets its privacy; `quiet` is the end of the range with most noise."""

    make: Callable[..., Any]
    parameter: str
    quiet: float
    loud: float


MECHANISMS: dict[str, Knob] = {
    "histogram": Knob(Histogram, "epsilon", 2e-6, 4096.0),
    "one-hot": Knob(OneHot, "epsilon", 2e-4, 4096.0),
    "randomized response": Knob(RandomizedResponse, "epsilon", 2e-6, 600.0),
    "truncated response": Knob(TruncatedResponse, "epsilon", 2e-6, 600.0),
    "optimized unary encoding": Knob(UnaryEncoding.optimized, "epsilon", 2e-6, 40.0),
    "symmetric unary encoding": Knob(UnaryEncoding.symmetric, "epsilon", 2e-6, 40.0),
    "informative unary encoding": Knob(UnaryEncoding.informative, "epsilon", 1e-3, 40.0),
    "hybrid categorical": Knob(hybrid_categorical, "epsilon", 2e-6, 40.0),
    "subset selection": Knob(SubsetSelection, "epsilon", 2e-6, 600.0),
    "bit vector": Knob(bit_vector, "f", 0.999999, 1e-9),
    "gaussian counts": Knob(GaussianCounts, "sigma", 1e4, 0.12),
    "clipped sum": Knob(ClippedSum, "multiplier", 1e4, 0.12),
}


def find(mechanism: str) -> Knob:
    """The mechanism of this name; an unknown name is an error, never a release without noise."""
    if mechanism not in MECHANISMS:
        raise InputError(f"mechanism must be one of {', '.join(MECHANISMS)}, got {mechanism!r}")
    return MECHANISMS[mechanism]


def calibrate(
    mechanism: str, relation: Relation, epsilon: float, delta: float = 0.0, rounds: int = 1, **public: Any
) -> float:
    """The parameter with the least noise for which `rounds` fresh releases stay within (epsilon, delta).

    `public` are the mechanism's other arguments (n_words, bounds, ...).

    >>> calibrate("histogram", "word replace", 12.0, n_words=1000)
    6.0
    """
    knob = find(mechanism)
    check_relation(relation)
    check_number("epsilon", epsilon, open_minimum=True)
    check_delta(delta)
    if rounds < 1:
        raise InputError(f"at least one round was expected, got {rounds!r}")

    try:
        signature(knob.make).bind(**{knob.parameter: epsilon}, **public)
    except TypeError as error:
        raise InputError(f"{mechanism} cannot be made from {sorted(public)}: {error}") from error

    def cost(parameter: float) -> float:
        return total(knob.make(**{knob.parameter: parameter}, **public).price(), relation, delta, rounds)

    return bisect(cost, knob.quiet, knob.loud, epsilon, relation)


def total(cost: Cost, relation: Relation, delta: float, rounds: int) -> float:
    """Epsilon at delta of releasing the same thing with fresh noise in every round."""
    losses = [Loss(loss.relation, loss.event, loss.count * rounds) for loss in cost.losses_of(relation)]
    return accounting.epsilon(losses, delta)


def bisect(cost: Callable[[float], float], quiet: float, loud: float, epsilon: float, relation: str) -> float:
    """The parameter nearest to `loud`, to a part in a million, whose cost is at most epsilon."""
    cheapest = cost(quiet)
    if not cheapest <= epsilon:
        hint = (
            "no bound is known: set public bounds (max_length, max_documents), a delta above 0, "
            "or take a mechanism that hides the lengths of documents"
            if cheapest == inf
            else "ask for more, or for fewer rounds"
        )
        raise InputError(
            f"{relation} epsilon {epsilon:g} cannot be reached, got {cheapest:g} at most noise; {hint}"
        )
    if cost(loud) <= epsilon:
        return loud
    low, high = log(quiet), log(loud)
    while abs(high - low) > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if cost(exp(middle)) <= epsilon else (low, middle)
    rounded = float(f"{exp(low):.6g}")  # a round number where it costs no more
    return rounded if cost(rounded) <= epsilon else exp(low)
