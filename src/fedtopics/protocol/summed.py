"""A method whose parties are added up: whether they can be, and what its rounds then cost."""

from collections.abc import Sequence

from fedtopics.errors import InputError
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Cost
from fedtopics.protocol.method import Method
from fedtopics.protocol.summing import Summing


def checked(method: Method, summing: Summing) -> Summing:
    """The `summing`, if it is a way to add up what parties of this `method` send."""
    if method.sums is None:
        raise InputError(
            f"a secure sum needs a method whose server needs sums alone, got {method.about.summary}; "
            "use calm, hush or pctd"
        )
    if summing.noise == "together" and not method.noise_on_sums:
        raise InputError(
            f'noise="together" needs a method with noise on sums, got {method.about.summary}; use hush'
        )
    return summing


def with_repeats(prices: Sequence[Cost], method: Method, summing: Summing | None) -> list[Cost]:
    """The `prices` of a run with rounds that may be played again: with fresh noise, each like the dearest."""
    if summing is None or method.draws_once or not prices:
        return list(prices)
    dearest = max(prices, key=lambda cost: accounting.epsilon(cost.losses_of(method.protects), 1e-6))
    return [*prices, *([dearest] * summing.repeats)]
