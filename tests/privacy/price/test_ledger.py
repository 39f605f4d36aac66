"""The ledger tells the truth, refuses to overspend, and shows tampering."""

import json
from concurrent.futures import ThreadPoolExecutor
from math import e, inf
from random import Random
from time import sleep

import pytest

from fedtopics.errors import InputError
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.budget import Budget, BudgetError
from fedtopics.privacy.price.cost import FREE, INFINITE, RELATIONS, Claim, Cost, Loss
from fedtopics.privacy.price.events import (
    KINDS,
    Approximate,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    GaussianVector,
    KaryResponse,
    Nothing,
    Pure,
    ZeroConcentrated,
    from_dict,
    to_dict,
)
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.price.release import Release, disclose, reuse

WORD = "word add/remove"
DOCUMENT = "document add/remove"


def word(epsilon: float) -> Cost:
    return Cost((Loss(WORD, Pure(epsilon)), Loss(DOCUMENT, Pure(100 * epsilon))), noise="secure")


def row(ledger: Ledger, party: str, relation: str, basis: str = "proved") -> dict:
    (found,) = [
        s
        for s in ledger.statements()
        if (s["party"], s["relation"]) == (party, relation)
        and (s["basis"] == "claimed") == (basis == "claimed")
    ]
    return found


def test_statement_of_one_pure_release():
    ledger = Ledger()
    ledger.charge("a", 0, word(6.0))
    expected = {"party": "a", "relation": WORD, "epsilon": 6.0, "delta": 0.0, "basis": "proved"}
    assert row(ledger, "a", WORD) == expected
    assert row(ledger, "a", DOCUMENT)["epsilon"] == 600.0


def test_reuse_is_free_and_disclosure_is_infinite():
    ledger = Ledger()
    ledger.charge("a", 0, reuse(1).cost)
    ledger.charge("b", 0, disclose(1).map(str).cost)
    for relation in (WORD, DOCUMENT):
        assert row(ledger, "a", relation) | {"relation": ""} == {
            "party": "a",
            "relation": "",
            "epsilon": 0.0,
            "delta": 0.0,
            "basis": "proved",
        }
        assert row(ledger, "b", relation)["epsilon"] == "inf"
        assert row(ledger, "b", relation)["basis"] == "none"
    assert all(accounting.epsilon(INFINITE.losses_of(r), 0.1) == inf for r in RELATIONS)


def test_a_later_disclosure_is_not_hidden_by_earlier_private_releases():
    ledger = Ledger()
    ledger.charge("a", 0, word(1.0))
    ledger.charge("a", 1, INFINITE)
    assert row(ledger, "a", WORD)["basis"] == "none"


def test_a_relation_left_out_by_one_of_two_costs_has_no_bound():
    total = word(1.0) + Cost((Loss("word replace", Pure(2.0)),))
    assert accounting.epsilon(total.losses_of("word replace"), 0.0) == inf
    assert accounting.epsilon((word(1.0) + FREE).losses_of(WORD), 0.0) == 1.0
    assert accounting.epsilon((word(1.0) + FREE).losses_of("party"), 0.0) == inf


def test_what_is_free_adds_nothing_to_a_cost_not_even_length():
    for cost in (word(1.0), FREE, INFINITE):
        assert cost + FREE == FREE + cost == cost
    assert sum([word(1.0), *[FREE] * 10_000], start=FREE) == word(1.0)


def test_rounds_add_up_per_party():
    ledger = Ledger()
    for round_number in range(3):
        ledger.charge("a", round_number, word(1.5))
    ledger.charge("b", 0, word(0.5))
    assert row(ledger, "a", WORD)["epsilon"] == pytest.approx(4.5, rel=1e-2)
    assert row(ledger, "b", WORD)["epsilon"] == 0.5


def test_retry_is_charged_once_and_must_be_the_same_release():
    ledger = Ledger()
    ledger.charge("a", 0, word(1.0), content="x")
    ledger.charge("a", 0, word(1.0), content="x")
    assert len(ledger.entries) == 1
    with pytest.raises(InputError, match="already charged for another release"):
        ledger.charge("a", 0, word(1.0), content="y")
    with pytest.raises(InputError, match="already charged for another release"):
        ledger.charge("a", 0, word(2.0), content="x")
    other_run = Ledger.from_json(ledger.to_json(), run="second")
    other_run.charge("a", 0, word(1.0), content="x")
    assert len(other_run.entries) == 2


def test_what_shows_no_digest_is_never_a_retry():
    ledger = Ledger()
    ledger.charge("a", 0, word(1.0))
    with pytest.raises(InputError, match="already charged for another release"):
        ledger.charge("a", 0, word(1.0))
    ledger.charge("a", 1, FREE)
    ledger.charge("a", 1, FREE)
    assert len(ledger.entries) == 2


@pytest.mark.parametrize("round_number", [0.5, "1", None, True])
def test_rounds_are_whole_numbers(round_number):
    ledger = Ledger()
    with pytest.raises(InputError, match="round must be a whole number"):
        ledger.charge("a", round_number, word(1.0))
    assert ledger.entries == []


def test_threads_cannot_overspend_together(monkeypatch):
    """Each of eight threads could pay alone; a pause between check and charge would let all of them."""
    check = Ledger._refuse_overspending

    def slow_check(ledger, party, more):
        check(ledger, party, more)
        sleep(0.02)

    monkeypatch.setattr(Ledger, "_refuse_overspending", slow_check)
    ledger = Ledger(budgets=(Budget(WORD, 1.0),))

    def pay(number):
        try:
            ledger.charge("a", number, word(1.0), content=str(number))
        except BudgetError:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(pay, range(8))) == 1
    assert len(ledger.entries) == 1
    Ledger.from_json(ledger.to_json())


def test_a_budget_of_a_party_that_does_not_exist_is_refused():
    ledger = Ledger(budgets=(Budget(WORD, 1.0),), budgets_of={"nroth": (Budget(WORD, 0.5),)})
    ledger.check_parties(["nroth", "south"])
    with pytest.raises(InputError, match="budgets must name parties of the run, got nroth"):
        ledger.check_parties(["north", "south"])


def test_a_ledger_is_continued_under_other_runs():
    ledger = Ledger(run="first")
    ledger.charge("a", 0, word(1.0), content="x")
    second = Ledger.from_json(ledger.to_json(), run="second")
    second.charge("a", 0, word(1.0), content="x")
    reopened = Ledger.from_json(second.to_json())
    assert (reopened.run, len(reopened.entries)) == ("second", 2)
    assert reopened.to_json() == second.to_json()


def test_overspending_is_refused_and_leaves_the_ledger_unchanged():
    ledger = Ledger(budgets=(Budget(WORD, 2.0),))
    ledger.charge("a", 0, word(1.5))
    before = ledger.to_json()
    with pytest.raises(BudgetError, match=r"allows word add/remove epsilon 2 at delta 0, got a total of 2.5"):
        ledger.charge("a", 1, word(1.0))
    with pytest.raises(BudgetError):
        ledger.charge("b", 0, INFINITE)
    assert ledger.to_json() == before
    ledger.charge("a", 1, word(0.5))
    ledger.charge("a", 2, FREE)


def test_a_plan_is_refused_before_anything_is_charged():
    ledger = Ledger(budgets=(Budget(WORD, 2.0),))
    with pytest.raises(BudgetError):
        ledger.require("a", [word(1.0)] * 3)
    ledger.require("a", [word(1.0)] * 2)
    ledger.charge("a", 0, word(1.0))
    with pytest.raises(BudgetError):
        ledger.require("a", [word(1.0)] * 2)
    assert len(ledger.entries) == 1


def test_a_budget_can_be_one_partys_own():
    ledger = Ledger(budgets_of={"a": (Budget(WORD, 1.0),)})
    ledger.charge("b", 0, word(9.0))
    with pytest.raises(BudgetError):
        ledger.charge("a", 0, word(9.0))


def test_a_budget_on_an_unstated_relation_refuses():
    ledger = Ledger(budgets=(Budget("person add/remove", 1000.0),))
    with pytest.raises(BudgetError, match="got a total of inf"):
        ledger.charge("a", 0, word(1.0))


def test_claims_are_shown_beside_the_proof_and_do_not_add_up():
    claimed = Cost((), (Claim(WORD, 7.5, 0.2, "FedLDA"),))
    ledger = Ledger()
    for round_number in range(5):
        ledger.charge("a", round_number, claimed)
    assert row(ledger, "a", WORD)["basis"] == "none"
    claim = row(ledger, "a", WORD, "claimed")
    assert (claim["epsilon"], claim["delta"], claim["basis"]) == (7.5, 0.2, "claimed")


def test_json_is_standard_and_reopens_to_the_same_ledger():
    ledger = Ledger(run="r", budgets=(Budget(DOCUMENT, 500.0, 1e-6),))
    ledger.charge("a", 0, word(1.0))
    free = Ledger()
    free.charge("b", 0, INFINITE)
    for one in (ledger, free):
        json.loads(one.to_json(), parse_constant=lambda name: pytest.fail(f"not standard JSON: {name}"))
        assert Ledger.from_json(one.to_json()).to_json() == one.to_json()


@pytest.mark.parametrize(
    "tamper",
    [
        lambda data: data["entries"][0]["cost"]["losses"][0]["event"].update(epsilon=0.1),
        lambda data: data["entries"][1].update(party="somebody else"),
        lambda data: data["entries"].pop(0),
        lambda data: data["entries"].pop(),
        lambda data: data["entries"].reverse(),
        lambda data: data.update(head="0" * 64),
        lambda data: data.update(run="another"),
        lambda data: data.update(delta=0.5),
        lambda data: data.update(secure_only=False),
        lambda data: data.update(budgets=[]),
        lambda data: data["budgets"][0].update(epsilon=1e9),
        lambda data: data.pop("budgets_of"),
        lambda data: data["budgets_of"]["a"][0].update(epsilon=1e9),
        lambda data: data["entries"][0]["cost"].pop("noise"),
        lambda data: data["entries"][0]["cost"]["losses"][0]["event"].update(kind="Free"),
    ],
)
def test_tampering_shows(tamper):
    own = {"a": (Budget(WORD, 8.0),)}
    ledger = Ledger(budgets=(Budget(WORD, 9.0),), secure_only=True, budgets_of=own)
    ledger.charge("a", 0, word(1.0))
    ledger.charge("b", 0, word(2.0))
    assert Ledger.from_json(ledger.to_json()).budgets_of == own
    data = json.loads(ledger.to_json())
    tamper(data)
    with pytest.raises(InputError):
        Ledger.from_json(json.dumps(data))


def test_simulated_noise_shows_and_wins_over_secure():
    ledger = Ledger()
    ledger.charge("a", 0, word(1.0))
    ledger.charge("a", 1, Cost(noise="simulated"))
    ledger.charge("a", 2, word(1.0))
    assert ledger.spent("a").noise == "simulated"
    assert "simulated" in ledger.table()


def test_a_deployment_refuses_simulated_noise():
    ledger = Ledger(secure_only=True)
    with pytest.raises(InputError, match="secure noise only, got simulated"):
        ledger.charge("a", 0, word(1.0) + Cost(noise="simulated"))
    assert ledger.entries == []
    reopened = Ledger.from_json(ledger.to_json())
    assert reopened.secure_only
    reopened.charge("a", 0, word(1.0))


def test_hundred_randomized_responses_account_to_2_62():
    losses = [Loss("word replace", KaryResponse(1.0, 10_000), count=100)]
    assert accounting.epsilon(losses, 1e-6) == pytest.approx(2.62, abs=0.01)
    one_by_one = [Loss("word replace", KaryResponse(1.0, 10_000))] * 100
    assert accounting.epsilon(one_by_one, 1e-6) == accounting.epsilon(losses, 1e-6)


def test_gaussian_rounds_account_to_380():
    losses = [Loss(WORD, Gaussian(0.25), count=35)]
    assert accounting.epsilon(losses, 1e-5) == pytest.approx(380, abs=1)
    counts = ((Gaussian(0.25), 35),)
    assert accounting.rdp_epsilon(counts, 1e-5) == pytest.approx(390.9, abs=0.2)


def test_basic_composition_is_what_delta_zero_gives():
    losses = [Loss(WORD, Pure(1.0), 3), Loss(WORD, DiscreteLaplace(0.5, 2)), Loss(WORD, KaryResponse(2.0, 5))]
    assert accounting.epsilon(losses, 0.0) == 6.0
    assert accounting.epsilon([Loss(WORD, DiscreteGaussian(1.0))], 0.0) == inf
    assert accounting.epsilon([Loss(WORD, Nothing())], 0.0) == 0.0


@pytest.mark.parametrize(
    "event", [Pure(0.1), DiscreteLaplace(0.1), KaryResponse(0.1, 2), ZeroConcentrated(0.005)]
)
def test_advanced_composition_helps_and_never_undercuts_one_release(event):
    many = accounting.epsilon([Loss(WORD, event, 400)], 1e-6)
    assert 0.1 < many < 20
    assert many >= accounting.epsilon([Loss(WORD, event)], 1e-6)


def test_delta_spent_by_an_event_is_not_available_again():
    losses = [Loss(WORD, Approximate(1.0, 1e-3))]
    assert accounting.epsilon(losses, 1e-4) == inf
    assert accounting.epsilon(losses, 2e-3) <= 1.0 + 1e-9
    assert accounting.rdp_epsilon(((Approximate(1.0, 1e-3), 3),), 2.5e-3) == inf
    assert accounting.rdp_epsilon(((Approximate(1.0, 1e-3), 3),), 4e-3) < inf
    assert accounting.epsilon([*losses, Loss(WORD, Pure(1.0))], 1e-3) == pytest.approx(2.0, abs=0.01)


def test_discrete_gaussian_pld_is_no_better_than_its_exact_divergence():
    """One release at sigma 1: delta(epsilon) summed by hand over the integers."""
    losses = [Loss(WORD, DiscreteGaussian(1.0))]
    epsilon = accounting.epsilon(losses, 1e-3)
    mass = {z: e ** (-(z**2) / 2) for z in range(-40, 41)}
    total = sum(mass.values())
    delta = sum(max(0.0, mass[z] - e**epsilon * mass.get(z - 1, 0.0)) for z in mass) / total
    assert delta <= 1e-3 * (1 + 1e-12)  # epsilon is where they meet; sums are rounded


@pytest.mark.parametrize("value", [float("nan"), inf, -inf, -1.0, "1", None, True])
def test_events_refuse_numbers_that_make_no_sense(value):
    for make in (Pure, ZeroConcentrated, DiscreteLaplace, Gaussian, lambda x: Budget(WORD, x)):
        with pytest.raises(InputError, match="must be a finite number"):
            make(value)
    with pytest.raises(InputError):
        Ledger(delta=value)
    with pytest.raises(InputError):
        accounting.epsilon([], value)


@pytest.mark.parametrize("delta", [1.0, 2.0])
def test_delta_of_one_or_more_is_refused(delta):
    with pytest.raises(InputError, match="delta must be below 1"):
        Approximate(1.0, delta)


def test_unknown_relations_events_and_costs_are_refused():
    with pytest.raises(InputError, match=r"relation must be one of word add/remove, .* got 'sentence'"):
        Loss("sentence", Pure(1.0))
    with pytest.raises(InputError, match="expected a privacy event"):
        Loss(WORD, "nothing at all")
    for losses in ([Loss(WORD, Pure(1.0))], (1.0,)):
        with pytest.raises(InputError, match="tuple of Loss"):
            Cost(losses)
    with pytest.raises(InputError, match="noise source"):
        Cost(noise="numpy")
    with pytest.raises(InputError, match="expected the Cost"):
        Ledger().charge("a", 0, 1.0)
    with pytest.raises(TypeError, match="a release needs a Cost"):
        Release(1, None)
    with pytest.raises(InputError, match="not a privacy ledger"):
        Ledger.from_json("{}")


def test_every_event_kind_survives_json():
    examples = [
        Nothing(),
        KINDS["NonPrivate"](),
        Pure(1.0),
        Approximate(1.0, 0.1),
        DiscreteLaplace(1.0, 2),
        KaryResponse(1.0, 3),
        Gaussian(1.0, 2.0),
        DiscreteGaussian(1.0, 2),
        GaussianVector(20.0, 12.5),
        ZeroConcentrated(0.5),
    ]
    assert {type(event) for event in examples} == set(KINDS.values())
    assert [from_dict(json.loads(json.dumps(to_dict(event)))) for event in examples] == examples


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
