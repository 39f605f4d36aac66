"""The relation that each method says its epsilon is of is the one that is proved with it."""

import pytest

from fedtopics import methods
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import total

EVERY = [(name, variant) for name in methods.names() for variant in methods.variants(name) or (None,)]
WITHOUT = ("alone", "pooled", "shared")  # have no epsilon
UNPROVED = (("fedlda", "paper"), ("pctd", "paper"))  # prove nothing at their defaults
TWICE = ("ftm", "paper")  # claims half of what is proved


@pytest.mark.parametrize(
    ("name", "variant"), [case for case in EVERY if case[0] not in WITHOUT and case not in UNPROVED]
)
def test_what_epsilon_is_of_costs_epsilon(name: str, variant: str | None) -> None:
    settings = {} if variant is None else {"variant": variant}
    method = methods.make(name, epsilon=2.0, n_topics=3, **settings)
    spent = Budget(method.protects, 1.0, method.privacy_delta or 0.0).epsilon_of(total(method.prices(60)))
    assert spent == pytest.approx(4.0 if (name, variant) == TWICE else 2.0, rel=2e-3)
