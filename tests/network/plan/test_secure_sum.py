"""Secure sums in plans and policies: what is refused, what a reviewer reads, what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.commands.plan_shown import summary
from fedtopics.errors import InputError
from fedtopics.network.plan.parts import PlannedWords
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.policy import Policy, PolicyError
from fedtopics.network.plan.text import written
from fedtopics.network.plan.typed_file import parse
from fedtopics.privacy.price.budget import Budget
from fedtopics.protocol.summing import Summing

NAMES = ("east", "north", "south", "west")


def plan(method: str = "hush", summing: Summing | None = None, **given: Any) -> Plan:
    relation: Any = "document add/remove" if method == "hush" else "word add/remove"
    known = {"settings": {"n_topics": 5}, "min_parties": 3} | given
    words = PlannedWords("public", "words.txt", "ab" * 32, 200)
    made = Plan(
        "demo", "host:8002", NAMES, method, Budget(relation, 1e6, 1e-6), words, secure_sum=summing, **known
    )
    return made.priced()


def test_a_plan_with_a_secure_sum_is_written_and_read() -> None:
    for summing in (None, Summing(1), Summing(1, "together", 2)):
        made = plan(summing=summing)
        assert Plan.parse(written(made).encode(), "plan.toml") == made
        assert ("[secure_sum]" in written(made)) == (summing is not None)
    assert plan().digest != plan(summing=Summing(1)).digest


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"summing": Summing(3)}, "threshold must be at most 2, two less than the 4 parties, got 3"),
        (
            {"summing": Summing(1), "min_parties": 2},
            "min_parties must be at least 3, two more",
        ),
        ({"summing": Summing(1), "significant_bits": 20}, "significant_bits has no meaning"),
        ({"summing": Summing(1, "together"), "method": "calm"}, "needs a method with noise on sums"),
        ({"summing": Summing(1), "method": "lplda"}, "server needs sums alone"),
    ],
)
def test_a_plan_whose_sum_hides_nothing_is_refused(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        plan(**given)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("threshold = -1", "threshold must be at least 0"),
        ("threshold = 1\nnoise = 'none'", "noise must be each or together"),
        ("noise = 'each'", "secure_sum.threshold is missing"),
        ("threshold = 1\nmasks = 2", "unknown key secure_sum.masks"),
        ("threshold = '1'", "secure_sum.threshold must be a whole number"),
    ],
)
def test_a_table_that_makes_no_sense_is_named(text: str, reason: str) -> None:
    content = written(plan()) + f"\n[secure_sum]\n{text}\n"
    with pytest.raises(InputError, match=reason):
        Plan.parse(content.encode(), "plan.toml")


def test_a_reviewer_reads_that_totals_with_and_without_a_party_show_it() -> None:
    told = "totals with and without a party show what that one sent"
    assert told in summary(plan("calm", Summing(1)))["seen"]
    assert told not in summary(plan("calm", Summing(1), min_parties=4))["seen"]


def test_a_reviewer_reads_who_sees_what_and_what_it_costs() -> None:
    seen = summary(plan(summing=Summing(1, "together", 1)))["seen"]
    assert seen.startswith(
        "the coordinator sees only totals of at least 3 parties; it would take 2 of them together with the "
        "coordinator to see another one; noise is drawn together, enough of it where at most one party helps"
    )
    assert "one round may be lost and played again" in seen
    assert "before a coordinator whom none helps epsilon" in seen
    assert summary(plan())["seen"] == "the coordinator sees what each party sends"
    assert summary(plan())["noise"] == "secure, at each party"
    assert summary(plan(summing=Summing(1, "together")))["noise"] == "secure, a share of it at each party"


def test_noise_drawn_together_costs_no_more_and_rounds_played_again_do() -> None:
    each, together, again = (
        plan(summing=summing).privacy.epsilon
        for summing in (Summing(1), Summing(1, "together"), Summing(1, "together", 1))
    )
    assert each == together == plan().privacy.epsilon
    assert together < again < 1.2 * together
    calm = [plan("calm", summing).privacy.epsilon for summing in (None, Summing(1, repeats=5))]
    assert calm[0] == calm[1]  # its histograms are paid for once, whatever the rounds
    one = plan(summing=Summing(1, "together"), min_parties=4)
    assert one.prices_before_one()["document add/remove"] < one.prices()["document add/remove"]


def test_rounds_played_again_are_priced_whatever_their_number() -> None:
    settings = {"settings": {"n_topics": 5, "n_rounds": 1}}
    once, again = (plan(summing=Summing(1, repeats=number), **settings).privacy.epsilon for number in (0, 5))
    assert again > 2 * once


POLICY = """methods = ["hush"]
min_parties = 3
{more}
[[budget]]
relation = "document add/remove"
epsilon = 100.0
delta = 1e-6
"""


def policy(more: str) -> Policy:
    from functools import partial

    from fedtopics.network.plan.typed_file import build

    return parse(POLICY.format(more=more).encode(), "policy.toml", partial(build, Policy))


def test_a_party_may_insist_on_secure_sums_with_parties_that_it_knows() -> None:
    strict = policy('secure_sum = true\npeers = { south = "1a2b" }')
    strict.check(plan(summing=Summing(1)))
    with pytest.raises(PolicyError, match="takes part in secure sums only"):
        strict.check(plan())
    with pytest.raises(PolicyError, match="this party knows 'nobody', got a plan without it"):
        policy('peers = { nobody = "1a2b" }').check(plan(summing=Summing(1)))
    known = 'peers = { north = "1a2b", south = "3c4d" }'
    together = plan(summing=Summing(1, "together"))
    policy(known).check(together, "east")  # of three others one may be against it
    with pytest.raises(PolicyError, match="expected fingerprints of all but 1 of them in peers, got 2"):
        policy(known).check(together, "north")  # its own is no other's
    with pytest.raises(PolicyError, match="expected fingerprints of all but 1 of them in peers, got 1"):
        strict.check(together)
    with pytest.raises(PolicyError, match="allows 20 rounds, got a plan of 119"):
        policy("max_rounds = 20").check(plan(summing=Summing(1, repeats=100)))
    with pytest.raises(InputError, match="peers must hold fingerprints as texts"):
        policy("peers = { south = 12 }")


def test_the_command_line_makes_such_plans(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("".join(f"word{letter}\n" for letter in "abcdefghij"))
    given = ["federation", "init", str(tmp_path / "hub"), "--coordinator", "host:8002"]
    given += [part for name in NAMES for part in ("--party", name)]
    given += ["--method", "hush", "--vocabulary", str(words), "--secure-sum", "1"]
    result = CliRunner().invoke(app, [*given, "--noise", "together", "--repeats", "1"])
    assert result.exit_code == 0, result.output
    assert "the coordinator sees only totals of at least 4 parties" in " ".join(result.output.split())
    made = Plan.read(tmp_path / "hub" / "plan.toml")
    assert made.secure_sum == Summing(1, "together", 1)
    assert made.min_parties == 4


@pytest.mark.parametrize("option", [("--noise", "together"), ("--repeats", "1")])
def test_options_of_a_secure_sum_need_one(tmp_path: Path, option: tuple[str, str]) -> None:
    given = [
        "federation",
        "init",
        str(tmp_path / "hub"),
        "--coordinator",
        "h:1",
        "--party",
        "a",
        "--party",
        "b",
    ]
    result = CliRunner().invoke(app, [*given, "--vocabulary-epsilon", "1", *option])
    assert result.exit_code != 0
    assert "needs --secure-sum" in str(result.exception or result.output)
