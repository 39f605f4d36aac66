"""One function decides the words for a bound: from absolute chances, and never kinder where more is lost."""

from __future__ import annotations

from itertools import pairwise, product
from math import exp, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedtopics.privacy.explain import ANSWERS, DENIABLE, RELATIONS, guarantees, meaning, warnings
from fedtopics.privacy.grades import CERTAIN, WORDS, chance, chances, percent, priors, scale, worth
from fedtopics.privacy.price.cost import Cost, Loss
from fedtopics.privacy.price.events import Approximate, Pure

EPSILON = st.one_of(st.floats(0.0, 30.0), st.floats(0.0, 2000.0), st.just(inf))
DELTA = st.one_of(st.just(0.0), st.floats(0.0, 1.0), st.floats(-15.0, -1.0).map(lambda power: 10.0**power))
SIZE = st.one_of(st.integers(1, 300), st.integers(1, 10**9))
MOST = {  # of a guess at 1 in 2 and at 1 in 100, as docs/understand/privacy.md has it
    "protected": (0.75, 0.0295),
    "partly protected": (0.99, 0.50),
    "hardly protected": (0.9999, 0.99),
    "not protected": (1.0, 1.0),
}


def rank(epsilon: float, delta: float, n_words: int) -> int:
    """How harsh the word is."""
    return WORDS.index(worth(epsilon, delta, n_words))


@given(EPSILON, EPSILON, DELTA, DELTA, SIZE, SIZE)
def test_more_epsilon_more_delta_or_more_words_never_get_a_kinder_word(
    e: float, f: float, d: float, g: float, v: int, w: int
) -> None:
    assert rank(min(e, f), d, v) <= rank(max(e, f), d, v)
    assert rank(e, min(d, g), v) <= rank(e, max(d, g), v)
    assert rank(e, d, min(v, w)) <= rank(e, d, max(v, w))


@given(EPSILON, DELTA, SIZE)
def test_no_word_contradicts_its_numbers(epsilon: float, delta: float, n_words: int) -> None:
    word = worth(epsilon, delta, n_words)
    most = MOST[word]
    assert chance(epsilon, delta, 2) <= most[0] + 1e-9
    assert chance(epsilon, delta, 100) <= most[1] + 1e-9
    if word != "not protected":
        assert "certain" not in chances(epsilon, delta, n_words)
        assert "100 %" not in chances(epsilon, delta, n_words)
    if delta == 0 and word != WORDS[0]:  # and no kinder word would have been true
        kinder = MOST[WORDS[WORDS.index(word) - 1]]
        assert chance(epsilon, delta, 2) > kinder[0] - 1e-4


@given(EPSILON, DELTA, SIZE, st.sampled_from(RELATIONS))
def test_every_sentence_follows_the_one_word(
    epsilon: float, delta: float, n_words: int, relation: str
) -> None:
    """What the report answers, what `explain` says and what it warns of, for the same bound."""
    word = worth(epsilon, delta, n_words)
    told = meaning(relation, epsilon, delta, n_words)
    if 0 < epsilon < inf:
        assert ("no protection" in told) == (word == "not protected")
        warned = " ".join(warnings({relation: (epsilon, delta)}, (), n_words))
        if relation == "word replace":
            assert ("protects nothing" in warned) == (word == "not protected")
            assert ("hardly protects a word" in warned) == (word == "hardly protected")
        if relation == "document add/remove":
            assert ("promises nothing for documents" in warned) == (word == "not protected")


@given(st.floats(0.01, 40.0), st.sampled_from([0.0, 1e-6, 1e-3, 0.1]), SIZE, st.sampled_from(RELATIONS[:4]))
def test_the_report_gives_the_same_word(epsilon: float, delta: float, n_words: int, relation: str) -> None:
    event = Approximate(epsilon, delta) if delta else Pure(epsilon)
    found = guarantees(Cost((Loss(relation, event),)), n_words, delta)
    bound = next(g for g in found if g.relation == relation)
    assert bound.worth == worth(bound.epsilon, bound.delta, n_words)
    assert bound.answer[0] == ANSWERS[bound.worth]
    assert ("too weak to mean anything" in bound.answer[1]) == (bound.worth == "not protected")


def test_the_bound_on_a_guess_is_reached_by_randomized_response() -> None:
    """Among n values: the truth with chance delta, else the response at epsilon; it is the guess."""
    for n, epsilon, delta in product((2, 5, 100), (0.0, 1.0, 6.0), (0.0, 0.1, 0.7)):
        response = exp(epsilon) / (exp(epsilon) + n - 1)
        assert chance(epsilon, delta, n) == pytest.approx(delta + (1 - delta) * response)


def test_the_words_at_well_known_epsilons() -> None:
    expected = {1.0: "protected", 4.0: "partly protected", 6.0: "hardly protected", 8.0: "hardly protected"}
    expected |= {9.2: "not protected", 14.9: "not protected", inf: "not protected"}
    for n_words in (30, 8000, 10**6):
        assert {epsilon: worth(epsilon, 0.0, n_words) for epsilon in expected} == expected
    assert worth(8.0, 1e-6, 8000) == "hardly protected"
    assert [worth(0.5, delta, 8000) for delta in (1e-6, 1e-3, 0.1, 1.0)] == [
        *("protected", "partly protected", "hardly protected", "not protected")
    ]


def test_words_for_grades_are_all_different_and_the_scale_names_each() -> None:
    assert tuple(ANSWERS) == tuple(DENIABLE) == tuple(scale(8000)) == WORDS
    assert len(set(ANSWERS.values())) == len(set(DENIABLE.values())) == len(WORDS)
    assert "1 in 100 to at most 50 %" in scale(8000)["partly protected"]
    assert priors(8000) == (2, 100, 8000)


def test_no_rounding_makes_a_guess_certain() -> None:
    shares = [0.5, 0.9, 0.99, 0.995, 0.99985, 0.99989999, CERTAIN]
    assert all("100" not in percent(share) and "certain" not in percent(share) for share in shares)
    assert all(float(percent(a)[:-2]) <= float(percent(b)[:-2]) for a, b in pairwise(shares))
    assert percent(0.99991) == percent(1.0) == "all but certain"
