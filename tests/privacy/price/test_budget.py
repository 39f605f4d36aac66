"""Budgets: decided as if all releases were added up anew, with each looked at once."""

from math import inf
from random import Random

import pytest
from privacy.price.costs import DOCUMENT, WORD, word

from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.budget import Budget, BudgetError
from fedtopics.privacy.price.cost import FREE, INFINITE, Cost, Loss
from fedtopics.privacy.price.events import (
    Approximate,
    DiscreteGaussian,
    DiscreteLaplace,
    GaussianVector,
    KaryResponse,
    Nothing,
    Pure,
    ZeroConcentrated,
)
from fedtopics.privacy.price.ledger import Ledger

DELTA = 1e-3


EVENTS = [
    Pure(0.1),
    Pure(0.3),
    Approximate(0.2, 2e-4),
    DiscreteLaplace(0.15, 2),
    KaryResponse(0.4, 50),
    DiscreteGaussian(2.5),
    GaussianVector(50.0, 10.0),
    ZeroConcentrated(0.02),
    Nothing(),
]


def random_cost(draw: Random) -> Cost:
    """A cost that states one or two relations, or none, or is free."""
    stated = draw.sample([WORD, DOCUMENT], draw.choice([0, 1, 1, 2, 2, 2, 2]))
    losses = [Loss(name, draw.choice(EVENTS), draw.randint(1, 3)) for name in stated]
    return Cost(tuple(losses), noise="secure") if losses else draw.choice([FREE, FREE, INFINITE])


@pytest.mark.parametrize("seed", range(12))
def test_every_charge_is_decided_as_if_all_entries_were_added_up_anew(seed):
    """Refusals and epsilons against an accounting of all losses from the first on, to the last digit."""
    draw = Random(seed)
    budgets = (Budget(WORD, draw.choice([1.0, 2.0, 4.0]), draw.choice([0.0, DELTA])),)
    budgets += (Budget(DOCUMENT, 3.0, DELTA),) if seed % 3 == 0 else ()
    ledger, kept = Ledger(budgets=budgets, delta=DELTA), []
    for number in range(60):
        cost = random_cost(draw)
        after = {b: [x for c in (*kept, cost) for x in c.losses_of(b.relation)] for b in budgets}
        epsilons = {b: accounting.epsilon(losses, b.delta) for b, losses in after.items()}
        if all(epsilon <= budget.epsilon for budget, epsilon in epsilons.items()):
            ledger.charge("a", number, cost)
            kept.append(cost)
            for budget, epsilon in epsilons.items():
                assert budget.epsilon_of(ledger.spent("a")) == epsilon
        else:
            with pytest.raises(BudgetError) as refused:
                ledger.charge("a", number, cost)
            over = next(b for b in budgets if not epsilons[b] <= b.epsilon)
            assert f"got a total of {epsilons[over]:g};" in str(refused.value)
    assert [entry.cost for entry in ledger.entries] == kept
    for row in ledger.statements():
        losses = [loss for cost in kept for loss in cost.losses_of(row["relation"])]
        epsilon, delta = accounting.guarantee(losses, DELTA)
        assert (row["epsilon"], row["delta"]) == ("inf" if epsilon == inf else epsilon, delta)
    reopened = Ledger.from_json(ledger.to_json())
    assert reopened.statements() == ledger.statements()


def test_a_budget_is_spent_to_its_last_digit_and_no_further():
    """Sums in another order differ in their last digits; the budget is decided by one order alone."""
    steps = [Pure(0.1), Pure(0.7), Pure(0.2), Pure(0.3)]
    spent = accounting.epsilon([Loss(WORD, step) for step in steps], 0.0)
    for most, fits in ((spent, True), (spent * (1 - 1e-15), False)):
        ledger = Ledger(budgets=(Budget(WORD, most),))
        for number, step in enumerate(steps[:-1]):
            ledger.charge("a", number, Cost((Loss(WORD, step),)))
        if fits:
            ledger.charge("a", 3, Cost((Loss(WORD, steps[-1]),)))
        else:
            with pytest.raises(BudgetError):
                ledger.charge("a", 3, Cost((Loss(WORD, steps[-1]),)))


def test_a_delta_that_was_spent_does_not_help_to_keep_a_budget():
    noise, slip = (Loss(WORD, event) for event in (ZeroConcentrated(0.05), Approximate(0.0, 0.9 * DELTA)))
    alone, both = (accounting.epsilon(losses, DELTA) for losses in ([noise], [noise, slip]))
    assert alone < both
    ledger = Ledger(budgets=(Budget(WORD, (alone + both) / 2, DELTA),))
    ledger.charge("a", 0, Cost((noise,)))
    with pytest.raises(BudgetError):
        ledger.charge("a", 1, Cost((slip,)))


@pytest.mark.parametrize("same", [True, False], ids=["equal costs", "different costs"])
def test_charging_looks_at_each_release_once(same, monkeypatch):
    """Losses that are read while n releases are charged: twice as many for twice as many releases."""
    read = Cost.losses_of
    seen = []
    monkeypatch.setattr(Cost, "losses_of", lambda cost, relation: seen.append(1) or read(cost, relation))

    def charged(n_releases):
        seen.clear()
        ledger = Ledger(budgets=(Budget(WORD, 1e3),))
        for number in range(n_releases):
            cost = word(0.1 if same else 0.1 + number * 1e-6)
            ledger.charge("a", number, cost, content=str(number))
        return len(seen)

    assert charged(400) <= 2.1 * charged(200)


def test_an_entry_that_somebody_else_appends_is_taken_in():
    ledger = Ledger(budgets=(Budget(WORD, 2.0),))
    ledger.charge("a", 0, word(1.0))
    other = Ledger(entries=ledger.entries)
    other.charge("a", 1, word(1.0))
    with pytest.raises(BudgetError, match=r"got a total of 2\.5"):
        ledger.charge("a", 2, word(0.5))
