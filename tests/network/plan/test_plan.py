"""Plans and policies: written to be read, one digest for one meaning, and no impossible value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fedtopics.errors import InputError
from fedtopics.methods import make
from fedtopics.network.plan.parts import Evaluation, PlannedWords
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.policy import Policy, PolicyError
from fedtopics.network.plan.text import policy_template
from fedtopics.privacy.price.budget import Budget, BudgetError
from fedtopics.privacy.price.ledger import Ledger

PRIVATE = PlannedWords("private", epsilon=4.0, delta=1e-6, max_size=500)


def plan(**changed: Any) -> Plan:
    given: dict[str, Any] = {
        "name": "demo",
        "coordinator": "hub.example.org:8002",
        "parties": ("north", "south", "west"),
        "method_name": "calm",
        "privacy": Budget("word add/remove", 15.0, 1e-6),
        "vocabulary": PRIVATE,
        "settings": {"epsilon": 6.0, "n_topics": 5, "n_rounds": 3},
    }
    return Plan(**given | changed)


PLANS = [
    plan(),
    plan(simulation_seed=0, significant_bits=10, min_parties=3, timeout_seconds=5),
    plan(evaluation=Evaluation("private", 0.1, 1.0, 1e-6), privacy=Budget("word add/remove", 20.0, 1e-6)),
    plan(
        vocabulary=PlannedWords("public", "words.txt", "ab" * 32, 7), privacy=Budget("word add/remove", 6.0)
    ),
    plan(
        method_name="ftm",
        settings={"epsilon": 6.0, "n_topics": 5, "topics_per_party": {"north": 3, "west": 7}},
    ),
]


@pytest.mark.parametrize("given", PLANS, ids=range(len(PLANS)))
def test_a_written_plan_is_read_back(tmp_path: Path, given: Plan) -> None:
    given.write(tmp_path / "plan.toml")
    found = Plan.read(tmp_path / "plan.toml")
    assert (found, found.digest) == (given, given.digest)
    assert found.method() == given.method()


def changed_file(tmp_path: Path, old: str, new: str, given: Plan | None = None) -> Path:
    path = tmp_path / "plan.toml"
    (given or plan()).write(path)
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    return path


def test_the_digest_is_that_of_the_meaning(tmp_path: Path) -> None:
    same = changed_file(tmp_path, "epsilon = 6.0", "  # my comment\nepsilon=6 ")
    assert Plan.read(same).digest == plan().digest
    other = changed_file(tmp_path, "epsilon = 6.0", "epsilon = 5.9")
    assert Plan.read(other).digest != plan().digest
    for field, value in {"name": "x", "parties": ("south", "north", "west"), "min_parties": 3}.items():
        assert plan(**{field: value}).digest != plan().digest


def test_a_method_that_sends_nothing_needs_no_plan() -> None:
    with pytest.raises(InputError, match="alone sends nothing and needs no federation"):
        plan(method_name="alone", settings={"n_topics": 5})


def test_what_has_no_price_for_persons_is_named() -> None:
    persons: dict[str, Any] = {
        "method_name": "hush",
        "settings": {"unit": "person", "n_topics": 5},
        "privacy": Budget("person add/remove", 1e9, 1e-6),
    }
    public = PlannedWords("public", "words.txt", "ab" * 32, 70)
    assert plan(**persons, vocabulary=public).priced().privacy.epsilon == pytest.approx(8.0, abs=0.01)
    with pytest.raises(InputError, match=r"the agreement on words has no price for persons; .*--vocabulary"):
        plan(**persons)
    with pytest.raises(InputError, match="private scores have no price for persons; score on public"):
        plan(**persons, vocabulary=public, evaluation=Evaluation("private", 0.1, 1.0, 1e-6))
    with pytest.raises(InputError, match="method calm has no finite price for person add/remove"):
        plan(vocabulary=public, privacy=persons["privacy"])


def test_every_part_of_a_plan_changes_its_digest() -> None:
    digests = [given.digest for given in PLANS]
    assert len(set(digests)) == len(PLANS)


def test_the_price_covers_words_training_and_scores() -> None:
    alone = plan(vocabulary=PlannedWords("public", "words.txt", "ab" * 32, 7)).price(7)
    assert alone == 6.0
    assert 14.8 < plan().price(500) < 15
    assert plan(evaluation=PLANS[2].evaluation, privacy=PLANS[2].privacy).price(500) > plan().price(500)
    assert len(PLANS[2].costs(500)) == 4


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("min_parties = 2", "min_partys = 2", "unknown key min_partys"),
        ("min_parties = 2", "min_parties = 4", "min_parties must lie between 1 and 3, got 4"),
        ("min_parties = 2", "min_parties = 0", "min_parties"),
        ("min_parties = 2", "min_parties = 2.0", "min_parties must be a whole number, got 2.0"),
        ("min_parties = 2", "min_parties = true", "min_parties must be a whole number"),
        ("timeout_seconds = 600.0", "timeout_seconds = nan", "timeout_seconds"),
        ("timeout_seconds = 600.0", "timeout_seconds = -1", "timeout_seconds"),
        ('"north", "south"', '"north", "north"', "one twice"),
        ('"north", "south"', '"north", "../south"', "letters, digits"),
        ('"north", "south"', '"north", "coordinator"', "letters, digits"),
        ('"north", "south"', '"north", 5', r"parties\[1\] must be a text"),
        ("hub.example.org:8002", "hub.example.org", "host:port"),
        ("hub.example.org:8002", "hub.example.org:99999", "host:port"),
        ('name = "calm"', 'name = "clam"', "unknown method 'clam'"),
        ("n_topics = 5", "n_topics = 1", "at least 2 topics"),
        ("n_topics = 5", "topics = 5", "method calm takes no topics"),
        ("n_topics = 5", 'n_topics = "5"', "n_topics of method calm must be a number"),
        ("n_rounds = 3", "n_rounds = 0", "at least 1 round"),
        ('relation = "word add/remove"', 'relation = "word"', "relation must be one of"),
        ('relation = "word add/remove"', 'relation = "document add/remove"', "no finite price for document"),
        ("epsilon = 15.0", "epsilon = 14", "the run costs word add/remove epsilon 14.8991"),
        ("epsilon = 4.0", "epsilon = 0.0", "epsilon"),
        ("epsilon = 4.0", "epsilon = inf", "epsilon"),
        ("max_size = 500", "max_size = 1", "at least 2 words"),
        ("max_size = 500", 'file = "w.txt"', "vocabulary.file has no meaning"),
        ('mode = "private"', 'mode = "secret"', "vocabulary.mode must be public or private"),
        ('mode = "none"', 'mode = "private"', "evaluation.test_fraction: the mode private needs it"),
        ("[texts]", "[text]", "unknown key text"),
        ("[method]", "[methods]", r"table \[method\]"),
        ("[privacy]", "[privacy", "not TOML"),
        ('language = "en"', "language = 5", "texts.language must be a text, got 5"),
        ('name = "demo"', 'name = "demo"\nsettings = 1', "unknown key settings"),
        ('name = "demo"', 'name = "a b"', "letters, digits"),
        ('name = "demo"', "significant_bits = 4", "name is missing"),
        ('name = "demo"', 'name = "demo"\nsignificant_bits = 4', "between 8 and 53"),
    ],
)
def test_bad_plans_are_refused_with_their_key(tmp_path: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as error:
        Plan.read(changed_file(tmp_path, old, new))
    assert str(tmp_path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_plan_names_its_own_parties_only() -> None:
    with pytest.raises(InputError, match="topics_per_party must name parties of the plan, got east"):
        replace(PLANS[4], settings={"topics_per_party": {"east": 3}})


def test_a_missing_plan_is_one_line() -> None:
    with pytest.raises(InputError, match=r"cannot read the plan nowhere.toml: No such file"):
        Plan.read("nowhere.toml")


def test_the_word_list_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("apple\npear\n")
    given = plan(vocabulary=PlannedWords.of_file(path))
    assert given.words(tmp_path) == ("apple", "pear")
    path.write_text("pear\napple\n")
    with pytest.raises(InputError, match="not the word list of this plan"):
        given.words(tmp_path)
    path.unlink()
    with pytest.raises(InputError, match="cannot read the vocabulary"):
        given.words(tmp_path)
    assert plan().words(tmp_path) is None


POLICY = """
methods = ["calm", "ftm"]
min_parties = 2
max_rounds = 10
[[budget]]
relation = "word add/remove"
epsilon = 20
delta = 1e-6
"""


def policy(tmp_path: Path, change: Callable[[str], str] = lambda text: text) -> Policy:
    path = tmp_path / "policy.toml"
    path.write_text(change(POLICY))
    return Policy.read(path)


def test_a_policy_allows_what_it_says(tmp_path: Path) -> None:
    given = policy(tmp_path)
    given.check(plan())
    assert given.budget == (Budget("word add/remove", 20.0, 1e-6),)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            plan(method_name="ftm", settings={"epsilon": 6.0, "n_rounds": 11}),
            "allows 10 rounds, got a plan of 11",
        ),
        (plan(min_parties=1), "at least 2 parties"),
        (plan(simulation_seed=3), "secure noise only"),
    ],
)
def test_a_policy_refuses_the_rest(tmp_path: Path, given: Plan, told: str) -> None:
    with pytest.raises(PolicyError, match=told):
        policy(tmp_path).check(given)


def test_a_policy_refuses_other_methods(tmp_path: Path) -> None:
    only = policy(tmp_path, lambda text: text.replace('"calm", ', ""))
    with pytest.raises(PolicyError, match="allows the methods ftm, got a plan for calm"):
        only.check(plan())


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"calm"', '"clam"', "unknown method"),
        ("max_rounds = 10", "max_rounds = 0", "max_rounds"),
        ("max_rounds = 10", "rounds = 10", "unknown key rounds"),
        ("max_rounds = 10", 'log = "all"', "log must be one of"),
        ("[[budget]]", "[[budgets]]", "unknown key budgets"),
        ("epsilon = 20", "epsilon = -1", "epsilon"),
        ("epsilon = 20", 'epsilon = "20"', r"budget\[0\].epsilon must be a number"),
        ("delta = 1e-6", "delta = 1", "delta"),
        ("word add/remove", "words", "relation must be one of"),
    ],
)
def test_bad_policies_are_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        policy(tmp_path, lambda text: text.replace(old, new))


def test_a_policy_without_a_budget_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="budget is missing"):
        policy(tmp_path, lambda text: text.split("[[")[0])


@pytest.mark.parametrize("given", PLANS, ids=range(len(PLANS)))
def test_the_template_allows_its_plan(tmp_path: Path, given: Plan) -> None:
    simulated = given.simulation_seed is not None
    found = policy(tmp_path, lambda _: policy_template(given, simulation=simulated))
    found.check(given)
    assert found.budget[0].epsilon == given.privacy.epsilon


def test_the_template_allows_neither_a_seed_nor_a_large_delta_unasked(tmp_path: Path) -> None:
    """Whoever writes the plan writes the template too, and a party may copy it unread."""
    risky = plan(simulation_seed=3, privacy=Budget("word add/remove", 15.0, 1e-3))
    found = policy(tmp_path, lambda _: policy_template(risky))
    assert found.budget[0].delta == 1e-6
    with pytest.raises(PolicyError, match="secure noise only"):
        found.check(risky)


@pytest.mark.parametrize("epsilon", [0.3, 0.5, 2.0, 6.0, 10.0])
@pytest.mark.parametrize("name", ["calm", "ftm", "fedlda", "lplda", "pctd", "hush"])
def test_a_plan_is_kept_by_a_party_that_allows_its_price(name: str, epsilon: float) -> None:
    """A price that is 0.5 but for the last bit of a sum is 0.5: LPLDA could take part in nothing at 6."""
    settings = {"epsilon": epsilon, "n_topics": 5, "n_rounds": 3}
    protects = Budget(make(name, **settings).protects, 1e9, 1e-6)
    words = PlannedWords("public", "words.txt", "ab" * 32, 5000)
    made = plan(method_name=name, settings=settings, privacy=protects, vocabulary=words).priced()
    ledger = Ledger(budgets=(made.privacy,), delta=1e-6)
    for number, cost in enumerate(made.costs(5000)):
        ledger.charge("north", number, cost)
    with pytest.raises(BudgetError):
        ledger.charge("north", 99, make("calm", epsilon=1.0).prices(5000)[0])
