"""The ledger tells the truth, refuses to overspend, and shows tampering."""

import json
from concurrent.futures import ThreadPoolExecutor
from math import inf
from time import sleep

import pytest
from privacy.price.costs import DOCUMENT, WORD, row, word

from fedtopics.errors import InputError
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.budget import Budget, BudgetError
from fedtopics.privacy.price.cost import FREE, INFINITE, RELATIONS, Claim, Cost
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.price.release import disclose, reuse


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
