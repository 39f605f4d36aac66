"""Audits of single mechanisms: tight ones are reached, none is exceeded, and one that cheats is found out."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from fedtopics.audit import mechanisms
from fedtopics.audit.mechanisms import audit_mechanism, neighbors, proved
from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.mechanism import every, find_mechanism

LISTED = [
    (name, number) for name, known in every().items() if known.law for number in range(len(known.examples))
]


@pytest.mark.parametrize(("name", "number"), LISTED)
def test_no_mechanism_gives_more_away_than_its_price(name: str, number: int) -> None:
    known = every()[name]
    made = known.make(**known.examples[number])
    delta = 0.0 if proved(made, made.price().relations[0], 0.0) < 1e9 else 1e-3
    n_trials = 300 if known.takes == "vectors" else 2000
    for relation in made.price().relations:
        if relation.startswith("word"):
            found = audit_mechanism(known, made, relation, n_trials=n_trials, delta=delta)
            assert found.surely <= proved(made, relation, delta)


@pytest.mark.parametrize(
    ("name", "relation", "facts"),
    [
        ("histogram", "word add/remove", {"epsilon": 3.0, "n_words": 4}),
        ("histogram", "word add/remove", {"epsilon": 1.5, "n_words": 4, "bounds": Bounds(2)}),
        ("histogram", "document replace", {"epsilon": 0.7, "n_words": 4, "bounds": Bounds(2)}),
        ("randomized response", "word replace", {"epsilon": 3.0, "n_words": 4}),
        ("bit vector", "word replace", {"f": 0.4, "n_words": 4}),
        ("subset selection", "word replace", {"epsilon": 2.0, "n_words": 4}),
    ],
)
def test_of_a_tight_mechanism_most_is_reached(name: str, relation: str, facts: dict[str, object]) -> None:
    known = find_mechanism(name)
    made = known.make(**facts)
    found = audit_mechanism(known, made, relation, n_trials=10_000, delta=0.0)  # type: ignore[arg-type]
    assert 0.85 * proved(made, relation, 0.0) < found.epsilon  # type: ignore[arg-type]
    assert found.surely < proved(made, relation, 0.0)  # type: ignore[arg-type]


def test_noise_for_another_epsilon_than_is_charged_is_found_out() -> None:
    louder = Histogram(3.0, 4)
    found = audit_mechanism(find_mechanism("histogram"), louder, "word add/remove", n_trials=4000, delta=0.0)
    assert found.surely > proved(Histogram(2.0, 4), "word add/remove", 0.0)


def test_a_word_more_pushes_another_one_out_where_documents_are_cut() -> None:
    without, having = neighbors(
        find_mechanism("histogram"), Histogram(1.0, 4, bounds=Bounds(3)), "word add/remove"
    )
    assert without[0].tolist() == [1, 1, 0]
    assert having[0].tolist() == [1, 1, 1]


def test_what_cannot_be_attacked_is_refused() -> None:
    histogram = find_mechanism("histogram")
    with pytest.raises(InputError, match="no price"):
        audit_mechanism(histogram, Histogram(1.0, 4), "document replace", delta=0.0)
    with pytest.raises(InputError, match="at least 6 words"):
        audit_mechanism(histogram, Histogram(1.0, 4, bounds=Bounds(3)), "document replace", delta=0.0)
    with pytest.raises(InputError, match="law"):
        audit_mechanism(find_mechanism("sampled response"), Histogram(1.0, 4), "word replace", delta=0.0)


def test_documents_are_released_many_at_once_and_each_on_its_own() -> None:
    pair = (np.array([1], np.int32), np.array([0, 1])), (np.zeros(0, np.int32), np.array([0, 0]))
    words, offsets = mechanisms._side_by_side([pair[0], pair[1], pair[0]])
    assert (words.tolist(), offsets.tolist()) == ([1, 1], [0, 1, 1, 2])


def test_the_command_prints_every_relation_that_is_priced() -> None:
    given = [
        "audit-mechanism",
        "histogram",
        "--at",
        "2",
        "--max-length",
        "2",
        "--trials",
        "2000",
        "--json",
    ]
    shown = CliRunner().invoke(app, given)
    assert shown.exit_code == 0, shown.output
    rows = json.loads(shown.stdout)
    names = ["word add/remove", "word replace", "document add/remove", "document replace"]
    assert [row["relation"] for row in rows] == names
    assert all(row["reached at least"] <= row["proved at most"] + 0.3 for row in rows)
