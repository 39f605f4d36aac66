"""From a budget to the parameter of a mechanism: the least noise that keeps it.

    calibrate("histogram", "document add/remove", epsilon=8, n_words=5000, bounds=Bounds(max_length=50))

searches the mechanism's own parameter (an epsilon, a deviation, a noise rate) by bisection on what
`accounting` proves for all rounds together, so whatever it returns has been checked against the budget.
"""

from collections.abc import Callable
from inspect import signature
from math import exp, inf, log
from typing import Any

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.mechanism import find_mechanism
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Cost, Loss, Relation, check_relation
from fedtopics.privacy.price.events import check_delta, check_number

MECHANISM = None  # a part of mechanisms


def calibrate(
    mechanism: str, relation: Relation, epsilon: float, delta: float = 0.0, rounds: int = 1, **public: Any
) -> float:
    """The parameter with the least noise for which `rounds` fresh releases stay within (`epsilon`, `delta`).

    Between neighbors of a `relation`; `public` are the `mechanism`'s other arguments (n_words, bounds, ...).

    >>> calibrate("histogram", "word replace", 12.0, n_words=1000)
    6.0
    """
    found = find_mechanism(mechanism)
    if found.parameter is None:
        raise InputError(f"expected a mechanism that can be calibrated, got {mechanism}: it has no parameter")
    parameter = found.parameter
    check_relation(relation)
    check_number("epsilon", epsilon, open_minimum=True)
    check_delta(delta)
    if rounds < 1:
        raise InputError(f"at least one round was expected, got {quoted(rounds)}")

    try:
        signature(found.make).bind(**{parameter: epsilon}, **public)
    except TypeError as error:
        raise InputError(f"{mechanism} cannot be made from {sorted(public)}: {error}") from error

    found.make(**{parameter: found.quiet}, **public)  # refuses public facts that make no sense

    def cost(value: float) -> float:
        try:
            made = found.make(**{parameter: value}, **public)
        except InputError:  # less noise than the mechanism can be made with
            return inf
        return total(made.price(), relation, delta, rounds)

    return bisect(cost, found.quiet, found.loud, epsilon, relation)


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
