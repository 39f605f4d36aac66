"""What every mechanism must satisfy. A file in privacy/mechanisms/ is found here too: no list to keep."""

from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statistics_ import SEED
from typer.testing import CliRunner

from fedtopics import privacy
from fedtopics.checks import check_mechanism
from fedtopics.checks.universe import data_of
from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.privacy import mechanisms
from fedtopics.privacy.mechanisms.calibration import calibrate, total
from fedtopics.privacy.mechanisms.mechanism import Mechanism, every, find_mechanism
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price import accounting

EVERY = every()
CALIBRATED = {name: m for name, m in EVERY.items() if m.parameter is not None}
YOURS = """
from dataclasses import replace
from fedtopics.privacy.mechanisms.randomized_response import MECHANISM as KNOWN
MECHANISM = replace(KNOWN, name="yours")
"""


def price(made, relation="word replace"):
    return accounting.epsilon(made.price().losses_of(relation), 0.0)


# Their epsilon is of one count, and a word that is replaced changes two; its steps are rounded down.
NOISY_COUNTS = ("histogram", "one-hot", "unit histogram")
PURE = {name: m for name, m in CALIBRATED.items() if m.law and price(m.make(**m.examples[0])) < inf}


def at(mechanism: Mechanism, epsilon: float, n_words: int):
    """The mechanism with about this epsilon of a word replaced."""
    public = {**mechanism.examples[0], "n_words": n_words}
    if mechanism.parameter == "epsilon":
        return mechanism.make(**public | {"epsilon": epsilon})
    del public[mechanism.parameter]
    value = calibrate(mechanism.name, "word replace", max(epsilon, 1e-3), **public)
    return mechanism.make(**public, **{mechanism.parameter: value})


def worst_log_ratio(mechanism: Mechanism, made, n_words: int) -> float:
    """Of two texts of one word: cells are independent, so their worst ratios multiply."""
    texts = [data_of(mechanism.takes, [(_text(mechanism, word),)]) for word in range(n_words)]
    laws = [mechanism.law.chances(made, *text) for text in texts]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = [np.nan_to_num(np.log(a) - np.log(b), nan=-inf) for a, b in product(laws, laws)]
    return max(float(ratio.max(axis=1).sum()) for ratio in ratios)


def _text(mechanism: Mechanism, word: int):
    return ((word,), ()) if mechanism.takes == "units" else (word,)


@pytest.mark.parametrize("name", EVERY)
def test_every_mechanism_keeps_the_contract(name):
    check_mechanism(EVERY[name], seed=SEED)


@pytest.mark.parametrize("name", PURE)
@settings(max_examples=30, deadline=None)
@given(epsilon=st.floats(0.01, 12), n_words=st.integers(4, 8))
def test_law_is_as_private_as_it_costs_and_privacy_is_not_wasted(name, epsilon, n_words):
    made = at(PURE[name], epsilon, n_words)
    asked, waste = (2 * epsilon, 1e-5) if name in NOISY_COUNTS else (epsilon, 1e-6)
    assert 0.999 * asked <= price(made) <= asked * (1 + 1e-12)
    worst = worst_log_ratio(PURE[name], made, n_words)
    assert price(made) - waste <= worst <= price(made) + 1e-9


@pytest.mark.parametrize("name", PURE)
def test_at_epsilon_zero_the_input_does_not_show(name):
    mechanism = PURE[name]
    silent = {mechanism.parameter: 0.0 if mechanism.parameter == "epsilon" else 1.0}
    made = mechanism.make(**mechanism.examples[0] | silent)
    released = []
    for words in ([0, 1, 1, 0], [1, 1, 0, 0]):
        data = data_of(mechanism.takes, [(_text(mechanism, word),) for word in words])
        released.append(mechanism.law.read(made, made(*data, Noise.simulated(SEED, "blind")).value))
    assert np.array_equal(*released)


CASES = [
    (name, number, relation)
    for name, mechanism in CALIBRATED.items()
    for number, facts in enumerate(mechanism.examples)
    for relation in ("word replace", "document replace")
    if relation in mechanism.make(**facts).price().relations
]


@pytest.mark.parametrize(("name", "number", "relation"), CASES)
def test_calibration_keeps_the_budget_and_wastes_less_than_a_percent(name, number, relation):
    budget, delta, rounds, mechanism = 6.0, 1e-6, 3, find_mechanism(name)
    public = {key: value for key, value in mechanism.examples[number].items() if key != mechanism.parameter}
    parameter = calibrate(name, relation, budget, delta, rounds, **public)
    made = mechanism.make(**{mechanism.parameter: parameter}, **public)
    assert 0.99 * budget <= total(made.price(), relation, delta, rounds) <= budget


def test_what_shows_the_length_of_documents_cannot_be_calibrated_for_them():
    for name, mechanism in CALIBRATED.items():
        if mechanism.takes == "words":
            public = {k: v for k, v in mechanism.examples[0].items() if k != mechanism.parameter}
            with pytest.raises(InputError, match="a mechanism that hides the lengths"):
                calibrate(name, "document replace", 6.0, **public)
    with pytest.raises(InputError, match="no parameter"):
        calibrate("prior response", "word replace", 1.0)


def test_a_file_that_is_placed_there_is_found_by_the_commands_and_by_calibration(tmp_path, monkeypatch):
    (tmp_path / "placed_mechanism.py").write_text(YOURS)
    monkeypatch.setattr(mechanisms, "__path__", [*mechanisms.__path__, str(tmp_path)])
    assert set(every()) == {*EVERY, "yours"}
    check_mechanism(find_mechanism("yours"))
    assert calibrate("yours", "word replace", 2.0, n_words=9) == pytest.approx(2.0)
    shown = CliRunner().invoke(app, ["mechanisms", "--json"])
    assert '"yours"' in shown.output
    told = CliRunner().invoke(app, ["calibrate", "yours", "--epsilon", "2", "--relation", "word replace"])
    assert "yours with epsilon 2" in told.output


def test_a_part_is_no_mechanism_and_says_so(tmp_path, monkeypatch):
    assert not {"noise", "exact", "rows", "bounds", "calibration"} & set(every())
    (tmp_path / "unsaid_part.py").write_text("PARTS = 1")
    monkeypatch.setattr(mechanisms, "__path__", [*mechanisms.__path__, str(tmp_path)])
    with pytest.raises(InputError, match=r"unsaid_part.py exports no MECHANISM"):
        every()


def test_every_public_name_of_the_package_is_there():
    assert all(hasattr(privacy, name) for name in privacy.__all__)
    assert set(privacy.__all__) <= set(dir(privacy))
    with pytest.raises(AttributeError):
        _ = privacy.nothing


def test_an_unknown_mechanism_is_an_error_and_never_a_release_without_noise():
    with pytest.raises(InputError, match="mechanism must be one of bit vector, clipped sum"):
        find_mechanism("send it raw")
    with pytest.raises(InputError, match="expected one of words, documents"):
        Mechanism("x", lambda: None, "images", "rows", ())
